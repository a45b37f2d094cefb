; From 1 to 28: reset to 7 for 2, and double twice. Doubling and adding alone take 1 2 3 6 7 14 28:
; six.
(define (problem counter-1) (:domain counter)
  (:init (reset-left) (= (n) 1) (= (steps) 0))
  (:goal (= (n) 28))
  (:metric minimize (steps)))
