; optimum: 1
; warns: the object 'a' is declared twice
(define (problem p) (:domain d)
  (:objects a b - t)
  (:init (on a))
  (:goal (on b)))
