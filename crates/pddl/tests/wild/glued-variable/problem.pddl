; optimum: 1
(define (problem p) (:domain d)
  (:objects a b - aircraft)
  (:init (on a))
  (:goal (on b)))
