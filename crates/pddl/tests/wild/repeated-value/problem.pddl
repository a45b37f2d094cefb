; optimum: 3
; warns: a value of 'total-cost' is given twice
(define (problem p) (:domain d)
  (:objects a b)
  (:init (on a) (= (total-cost) 0) (= (total-cost) 0))
  (:goal (on b))
  (:metric minimize (total-cost)))
