; Sussman's anomaly: each of the three blocks must be lifted, and set down, once.
(define (problem sussman) (:domain blocks)
  (:objects a b c)
  (:init (on c a) (on-table a) (on-table b) (clear c) (clear b) (hand-empty))
  (:goal (and (on a b) (on b c))))
