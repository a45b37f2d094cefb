; optimum: 2
(define (problem when-around-forall)
  (:domain when-around-forall)
  (:objects a b)
  (:init)
  (:goal (and (q a) (q b))))
