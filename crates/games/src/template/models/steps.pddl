; Template: a token steps to a neighbouring cell until it is on the goal.
(define (domain template-steps)
  (:requirements :adl)
  (:types cell direction - object)
  (:predicates
    (token ?c - cell)
    ; These never change.
    (next ?d - direction ?a ?b - cell)
    (goal ?c - cell))

  (:action step
    :parameters (?d - direction ?a ?b - cell)
    :precondition (and (token ?a) (next ?d ?a ?b))
    :effect (and (not (token ?a)) (token ?b))))
