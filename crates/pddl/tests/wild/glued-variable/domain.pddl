; As in the zenotravel domain.
; warns: a space is missing before the '?'; it is read as if it were there
(define (domain d)
  (:requirements :typing)
  (:types aircraft)
  (:predicates (on ?x - aircraft))
  (:action go :parameters (?x?y - aircraft) :precondition (on?x) :effect (on ?y)))
