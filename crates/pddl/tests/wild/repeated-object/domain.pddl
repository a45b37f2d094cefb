(define (domain d)
  (:predicates (on ?x))
  (:action go :parameters (?x ?y) :precondition (on ?x) :effect (on ?y)))
