; warns: this needs the requirement ':typing', which is not declared
; warns: this needs the requirement ':derived-predicates', which is not declared
; warns: this needs the requirement ':disjunctive-preconditions', which is not declared
; warns: this needs the requirement ':negative-preconditions', which is not declared
; warns: this needs the requirement ':conditional-effects', which is not declared
(define (domain d)
  (:types t)
  (:predicates (on ?x - t) (some))
  (:derived (some) (or (on a) (on c)))
  (:constants a c - t)
  (:action go :parameters (?y - t) :precondition (and (some) (not (on ?y))) :effect (when (some) (on ?y))))
