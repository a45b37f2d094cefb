; optimum: 1
(define (problem p)
  (:goal (on b))
  (:init (on a))
  (:objects b - t)
  (:domain d))
