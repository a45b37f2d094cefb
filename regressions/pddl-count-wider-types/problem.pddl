; optimum: 1
(define (problem count-wider-types)
  (:domain count-wider-types)
  (:objects c1 c2 - cell b1 b2 b3 - box)
  (:init (empty c1))
  (:goal (done)))
