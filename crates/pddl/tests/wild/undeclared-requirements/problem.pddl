; optimum: 1
(define (problem p) (:domain d)
  (:objects b - t)
  (:init (on a))
  (:goal (on b)))
