; optimum: 3
(define (problem two-items) (:domain symmetric-but-for-the-start)
  (:objects a b - item)
  (:init (waits a) (ready b) (key))
  (:goal (won)))
