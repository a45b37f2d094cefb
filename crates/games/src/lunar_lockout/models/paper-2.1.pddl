; Lunar Lockout, the dynamic representation of Giménez Ábalos, "MAI-PAR: Lunar Lockout Game" (2019),
; section 2.1. Written from its text, with its types, its predicates and its twelve actions: for each
; direction, a slide is started, moved cell by cell, and stopped. The cost counts the starts.
;
; One repair, "void-edge": the report lets the edge of the board stop a spacecraft, which its own
; rules forbid. Here a spacecraft is stopped by another one only; at the edge it can never stop, and
; the state is a dead end. As in the report, a slide may be started and stopped on the spot.
(define (domain lunar-lockout-paper-2-1)
  (:requirements :strips :typing :negative-preconditions :action-costs)
  (:types spacecraft position - object)
  (:predicates
    (just_left_of ?p1 ?p2 - position)
    (just_above_of ?p1 ?p2 - position)
    (at ?sp - spacecraft ?p - position)
    (movingup ?sp - spacecraft)
    (movingdown ?sp - spacecraft)
    (movingleft ?sp - spacecraft)
    (movingright ?sp - spacecraft)
    (static)
    (empty ?p - position))
  (:functions (total-cost) - number)

  (:action startmoveup
    :parameters (?sp - spacecraft)
    :precondition (static)
    :effect (and (not (static)) (movingup ?sp) (increase (total-cost) 1)))
  (:action moveup
    :parameters (?sp - spacecraft ?p ?next - position)
    :precondition (and (movingup ?sp) (at ?sp ?p) (just_above_of ?next ?p) (empty ?next))
    :effect (and (not (at ?sp ?p)) (at ?sp ?next) (empty ?p) (not (empty ?next))))
  (:action stopmoveup
    :parameters (?sp - spacecraft ?p ?next - position)
    :precondition (and (movingup ?sp) (at ?sp ?p) (just_above_of ?next ?p) (not (empty ?next)))
    :effect (and (not (movingup ?sp)) (static)))

  (:action startmovedown
    :parameters (?sp - spacecraft)
    :precondition (static)
    :effect (and (not (static)) (movingdown ?sp) (increase (total-cost) 1)))
  (:action movedown
    :parameters (?sp - spacecraft ?p ?next - position)
    :precondition (and (movingdown ?sp) (at ?sp ?p) (just_above_of ?p ?next) (empty ?next))
    :effect (and (not (at ?sp ?p)) (at ?sp ?next) (empty ?p) (not (empty ?next))))
  (:action stopmovedown
    :parameters (?sp - spacecraft ?p ?next - position)
    :precondition (and (movingdown ?sp) (at ?sp ?p) (just_above_of ?p ?next) (not (empty ?next)))
    :effect (and (not (movingdown ?sp)) (static)))

  (:action startmoveleft
    :parameters (?sp - spacecraft)
    :precondition (static)
    :effect (and (not (static)) (movingleft ?sp) (increase (total-cost) 1)))
  (:action moveleft
    :parameters (?sp - spacecraft ?p ?next - position)
    :precondition (and (movingleft ?sp) (at ?sp ?p) (just_left_of ?next ?p) (empty ?next))
    :effect (and (not (at ?sp ?p)) (at ?sp ?next) (empty ?p) (not (empty ?next))))
  (:action stopmoveleft
    :parameters (?sp - spacecraft ?p ?next - position)
    :precondition (and (movingleft ?sp) (at ?sp ?p) (just_left_of ?next ?p) (not (empty ?next)))
    :effect (and (not (movingleft ?sp)) (static)))

  (:action startmoveright
    :parameters (?sp - spacecraft)
    :precondition (static)
    :effect (and (not (static)) (movingright ?sp) (increase (total-cost) 1)))
  (:action moveright
    :parameters (?sp - spacecraft ?p ?next - position)
    :precondition (and (movingright ?sp) (at ?sp ?p) (just_left_of ?p ?next) (empty ?next))
    :effect (and (not (at ?sp ?p)) (at ?sp ?next) (empty ?p) (not (empty ?next))))
  (:action stopmoveright
    :parameters (?sp - spacecraft ?p ?next - position)
    :precondition (and (movingright ?sp) (at ?sp ?p) (just_left_of ?p ?next) (not (empty ?next)))
    :effect (and (not (movingright ?sp)) (static))))
