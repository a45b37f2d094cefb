; optimum: 3
(define (problem count-narrower-types)
  (:domain count-narrower-types)
  (:objects c1 c2 - cell b1 b2 - box)
  (:init (empty c1) (empty c2))
  (:goal (done)))
