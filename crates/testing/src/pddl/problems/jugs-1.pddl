(define (problem jugs-1) (:domain jugs)
  (:objects three five - jug)
  (:init (= (size three) 3) (= (size five) 5) (= (holds three) 0) (= (holds five) 0))
  (:goal (= (holds five) 4)))
