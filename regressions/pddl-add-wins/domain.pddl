; A step that both adds and deletes a fact adds it. Here this happens by two conditional effects
; (press), and by two parameters that are the same object (carry).
(define (domain lantern)
  (:requirements :adl :typing)
  (:types place)
  (:predicates (at ?p - place) (lit) (wired) (damp))
  (:action press :parameters ()
    :effect (and (when (wired) (lit)) (when (damp) (not (lit)))))
  (:action dry :parameters () :precondition (damp) :effect (not (damp)))
  (:action carry :parameters (?from ?to - place)
    :precondition (at ?from)
    :effect (and (at ?to) (not (at ?from)) (when (= ?from ?to) (wired)))))
