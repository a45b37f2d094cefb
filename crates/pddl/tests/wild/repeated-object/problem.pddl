; optimum: 1
; warns: the object 'b' is declared twice
(define (problem p) (:domain d)
  (:objects a b b)
  (:init (on a) (on a))
  (:goal (on b)))
