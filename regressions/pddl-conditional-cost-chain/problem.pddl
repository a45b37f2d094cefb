; optimum: 0
(define (problem conditional-cost-chain)
  (:domain conditional-cost-chain)
  (:objects a b c d)
  (:init (at a) (next a b) (next b c) (next c d) (next d d) (downhill))
  (:goal (at d))
  (:metric minimize (total-cost)))
