; warns: the file starts with a byte-order mark
(define (domain d)
  (:predicates (on ?x))
  (:action go :parameters (?x ?y) :precondition (on ?x) :effect (on ?y)))
