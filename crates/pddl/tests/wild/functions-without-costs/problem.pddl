; optimum: 4
(define (problem p) (:domain d)
  (:objects a b)
  (:init (on a) (= (length a a) 0) (= (length a b) 4) (= (length b a) 4) (= (length b b) 0))
  (:goal (on b))
  (:metric minimize total-cost))
