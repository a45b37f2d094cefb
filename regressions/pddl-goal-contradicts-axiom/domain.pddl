; A goal that contradicts itself through an axiom: (bright) is derived from (on), and the goal wants
; (bright) without (on). The preprocessing for the search once missed the contradiction.
(define (domain lamp)
  (:requirements :adl :derived-predicates)
  (:predicates (on) (bright))
  (:derived (bright) (on))
  (:action switch-on :parameters () :precondition (not (on)) :effect (on))
  (:action switch-off :parameters () :precondition (on) :effect (not (on))))
