; Operators that are free in some states only: the search did not apply them together with others,
; but the plan was completed as if it had, and had steps twice.
(define (domain conditional-cost-chain)
  (:requirements :adl :action-costs)
  (:predicates (at ?x) (next ?x ?y) (downhill))
  (:functions (total-cost) - number)
  (:action roll :parameters (?x ?y)
    :precondition (and (at ?x) (next ?x ?y))
    :effect (and (at ?y) (not (at ?x)) (when (not (downhill)) (increase (total-cost) 1))))
  (:action level :parameters (?x) :precondition (and (at ?x) (next ?x ?x)) 
    :effect (and (not (downhill)) (increase (total-cost) 1))))
