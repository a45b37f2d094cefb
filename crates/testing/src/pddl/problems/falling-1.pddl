; Two columns of four cells beside a ledge each; two stones hang in the air at the start, and two
; more wait on the ledges.
(define (problem falling-1) (:domain falling)
  (:objects a4 a3 a2 a1 b4 b3 b2 b1 la lb - cell s1 s2 s3 s4 - stone)
  (:init (below a3 a4) (below a2 a3) (below a1 a2) (below b3 b4) (below b2 b3) (below b1 b2)
         (ledge la a4) (ledge lb b4) (at s1 la) (at s2 lb) (at s3 a3) (at s4 b3) (= (total-cost) 0))
  (:goal (and (at s1 a2) (at s2 b2) (at s3 a1) (at s4 b1)))
  (:metric minimize (total-cost)))
