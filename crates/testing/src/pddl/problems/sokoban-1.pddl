; A room of three rows and four columns. The pusher stands on the wrong side of the box: four steps
; around it, then one push.
(define (problem sokoban-1) (:domain sokoban)
  (:objects c00 c01 c02 c03 c10 c11 c12 c13 c20 c21 c22 c23 - cell crate - box up down left right - way)
  (:init (pusher c12) (box-at crate c11) (empty c00) (empty c01) (empty c02) (empty c03) (empty c10) (empty c13) (empty c20) (empty c21) (empty c22) (empty c23)
         (next c00 c10 down) (next c00 c01 right) (next c01 c11 down) (next c01 c00 left) (next c01 c02 right) (next c02 c12 down) (next c02 c01 left) (next c02 c03 right) (next c03 c13 down) (next c03 c02 left) (next c10 c00 up) (next c10 c20 down) (next c10 c11 right) (next c11 c01 up) (next c11 c21 down) (next c11 c10 left) (next c11 c12 right) (next c12 c02 up) (next c12 c22 down) (next c12 c11 left) (next c12 c13 right) (next c13 c03 up) (next c13 c23 down) (next c13 c12 left) (next c20 c10 up) (next c20 c21 right) (next c21 c11 up) (next c21 c20 left) (next c21 c22 right) (next c22 c12 up) (next c22 c21 left) (next c22 c23 right) (next c23 c13 up) (next c23 c22 left))
  (:goal (box-at crate c12)))
