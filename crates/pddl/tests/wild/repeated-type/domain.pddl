; As in the storage domain: the parent that is not object counts.
; warns: this type is declared twice
(define (domain d)
  (:requirements :typing)
  (:types place area - object depot - place area crate - place)
  (:predicates (on ?x - place))
  (:action go :parameters (?x - area ?y - place) :precondition (on ?x) :effect (on ?y)))
