; Bridges that break behind you; whether one can still get home is a derived predicate that depends
; on itself.
(define (domain paths)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :existential-preconditions :derived-predicates)
  (:types place)
  (:predicates (at ?p - place) (bridge ?a ?b - place) (linked ?a ?b - place) (seen ?p - place))
  (:derived (linked ?a ?b - place)
    (or (bridge ?a ?b) (exists (?c - place) (and (bridge ?a ?c) (linked ?c ?b)))))
  (:action cross :parameters (?a ?b - place)
    :precondition (and (at ?a) (bridge ?a ?b))
    :effect (and (at ?b) (not (at ?a)) (not (bridge ?a ?b)) (seen ?b)))
  (:action build :parameters (?a ?b - place)
    :precondition (and (at ?a) (not (linked ?a ?b)) (not (= ?a ?b)))
    :effect (bridge ?a ?b)))
