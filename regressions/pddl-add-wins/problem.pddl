; optimum: 2
; The plan is (carry shed shed) and (press). If a delete won over an add, the lantern would be lost by the
; first step, and the second would need (dry).
(define (problem light-in-the-shed)
  (:domain lantern)
  (:objects shed hall - place)
  (:init (at shed) (damp))
  (:goal (and (at shed) (lit))))
