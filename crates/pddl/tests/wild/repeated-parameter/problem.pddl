; optimum: 1
(define (problem p) (:domain d)
  (:objects a b)
  (:init (on a) (under b a))
  (:goal (on b)))
