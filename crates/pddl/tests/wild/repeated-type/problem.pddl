; optimum: 1
(define (problem p) (:domain d)
  (:objects a - area b - depot)
  (:init (on a))
  (:goal (on b)))
