; optimum: 1
; warns: the domain is called 'd', not 'other'
(define (problem p) (:domain other)
  (:objects a b)
  (:init (on a) (not (on b)))
  (:goal (on b)))
