; warns: this needs the requirement ':action-costs', which is not declared
(define (domain d)
  (:requirements :strips)
  (:predicates (on ?x))
  (:functions (total-cost) (length ?x ?y))
  (:action go :parameters (?x ?y) :precondition (on ?x) :effect (and (on ?y) (increase (total-cost) (length ?x ?y)))))
