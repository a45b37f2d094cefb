; optimum: 2
(define (problem p) (:domain d)
  (:requirements)
  (:objects a b)
  (:init)
  (:goal (and (on b) (and))))
