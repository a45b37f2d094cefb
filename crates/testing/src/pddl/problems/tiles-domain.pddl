; Sliding tiles.
(define (domain tiles)
  (:requirements :strips :typing)
  (:types cell tile)
  (:predicates (at ?t - tile ?c - cell) (blank ?c - cell) (beside ?a ?b - cell))
  (:action slide :parameters (?t - tile ?from ?to - cell)
    :precondition (and (at ?t ?from) (blank ?to) (beside ?from ?to))
    :effect (and (not (at ?t ?from)) (at ?t ?to) (blank ?from) (not (blank ?to)))))
