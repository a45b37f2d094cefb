; Lunar Lockout with a slide in parts (start, move cell by cell, stop), after the dynamic
; representation of Giménez Ábalos (2019), with the four directions as objects. The cost counts the
; starts. If nothing stops a moving craft, the state is a dead end.
(define (domain lunar-lockout-dynamic)
  (:requirements :strips :typing :negative-preconditions :action-costs)
  (:types craft position direction - object)
  (:predicates
    (at ?s - craft ?p - position)
    (empty ?p - position)
    (resting)                                ; no craft is moving
    (moving ?s - craft ?d - direction)
    (moved)                                  ; the moving craft has left its cell
    ; Static facts.
    (next ?d - direction ?a ?b - position)   ; a craft can move from ?a to ?b
    (barred ?d - direction ?a - position))   ; a wall or the edge stops a craft here
  (:functions (total-cost) - number)

  (:action start
    :parameters (?s - craft ?d - direction)
    :precondition (resting)
    :effect (and (not (resting)) (moving ?s ?d) (increase (total-cost) 1)))

  (:action move
    :parameters (?s - craft ?d - direction ?a ?b - position)
    :precondition (and (moving ?s ?d) (at ?s ?a) (next ?d ?a ?b) (empty ?b))
    :effect (and (not (at ?s ?a)) (at ?s ?b) (empty ?a) (not (empty ?b)) (moved)))

  (:action stop
    :parameters (?s - craft ?d - direction ?a ?b - position)
    :precondition (and (moving ?s ?d) (moved) (at ?s ?a) (next ?d ?a ?b) (not (empty ?b)))
    :effect (and (not (moving ?s ?d)) (not (moved)) (resting)))

  (:action stop-at-bar
    :parameters (?s - craft ?d - direction ?a - position)
    :precondition (and (moving ?s ?d) (moved) (at ?s ?a) (barred ?d ?a))
    :effect (and (not (moving ?s ?d)) (not (moved)) (resting))))
