; As in the published Plotting and logistics domains: only the number of the variables matters.
; warns: the variable '?x' occurs twice
(define (domain d)
  (:predicates (on ?x) (under ?x ?x))
  (:action go :parameters (?x ?y) :precondition (and (on ?x) (under ?y ?x)) :effect (on ?y)))
