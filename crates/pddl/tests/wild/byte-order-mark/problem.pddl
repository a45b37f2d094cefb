; warns: the file starts with a byte-order mark
; optimum: 1
(define (problem p) (:domain d)
  (:objects a b)
  (:init (on a))
  (:goal (on b)))
