; Eight tiles: 1 5 7 3 8 2 6 4 0, to be sorted behind the blank.
(define (problem tiles-8) (:domain tiles)
  (:objects c00 c01 c02 c10 c11 c12 c20 c21 c22 - cell t1 t2 t3 t4 t5 t6 t7 t8 - tile)
  (:init (at t1 c00) (at t5 c01) (at t7 c02) (at t3 c10) (at t8 c11) (at t2 c12) (at t6 c20) (at t4 c21) (blank c22)
         (beside c00 c10) (beside c00 c01) (beside c01 c11) (beside c01 c00) (beside c01 c02) (beside c02 c12) (beside c02 c01) (beside c10 c00) (beside c10 c20) (beside c10 c11) (beside c11 c01) (beside c11 c21) (beside c11 c10) (beside c11 c12) (beside c12 c02) (beside c12 c22) (beside c12 c11) (beside c20 c10) (beside c20 c21) (beside c21 c11) (beside c21 c20) (beside c21 c22) (beside c22 c12) (beside c22 c21))
  (:goal (and (at t1 c01) (at t2 c02) (at t3 c10) (at t4 c11) (at t5 c12) (at t6 c20) (at t7 c21) (at t8 c22))))
