; Lunar Lockout, the static representation of Giménez Ábalos, "MAI-PAR: Lunar Lockout Game" (2019),
; section 2.2. Written from its text, with its types, its predicates and its four actions, one for
; each direction. A position is two grid indices, so the board must be square, as the report says.
(define (domain lunar-lockout-paper-2-2)
  (:requirements :adl)
  (:types spacecraft gridindex - object)
  (:predicates
    (less ?i ?j - gridindex)
    (just_less ?i ?j - gridindex)
    (at ?sp - spacecraft ?r ?c - gridindex)
    (empty ?r ?c - gridindex))

  (:action moveup
    :parameters (?sp - spacecraft ?r ?c ?to - gridindex)
    :precondition (and
      (at ?sp ?r ?c) (less ?to ?r) (empty ?to ?c)
      (exists (?i - gridindex) (and (just_less ?i ?to) (not (empty ?i ?c))))
      (forall (?i - gridindex) (imply (and (less ?i ?r) (less ?to ?i)) (empty ?i ?c))))
    :effect (and (not (at ?sp ?r ?c)) (at ?sp ?to ?c) (empty ?r ?c) (not (empty ?to ?c))))

  (:action movedown
    :parameters (?sp - spacecraft ?r ?c ?to - gridindex)
    :precondition (and
      (at ?sp ?r ?c) (less ?r ?to) (empty ?to ?c)
      (exists (?i - gridindex) (and (just_less ?to ?i) (not (empty ?i ?c))))
      (forall (?i - gridindex) (imply (and (less ?r ?i) (less ?i ?to)) (empty ?i ?c))))
    :effect (and (not (at ?sp ?r ?c)) (at ?sp ?to ?c) (empty ?r ?c) (not (empty ?to ?c))))

  (:action moveleft
    :parameters (?sp - spacecraft ?r ?c ?to - gridindex)
    :precondition (and
      (at ?sp ?r ?c) (less ?to ?c) (empty ?r ?to)
      (exists (?i - gridindex) (and (just_less ?i ?to) (not (empty ?r ?i))))
      (forall (?i - gridindex) (imply (and (less ?i ?c) (less ?to ?i)) (empty ?r ?i))))
    :effect (and (not (at ?sp ?r ?c)) (at ?sp ?r ?to) (empty ?r ?c) (not (empty ?r ?to))))

  (:action moveright
    :parameters (?sp - spacecraft ?r ?c ?to - gridindex)
    :precondition (and
      (at ?sp ?r ?c) (less ?c ?to) (empty ?r ?to)
      (exists (?i - gridindex) (and (just_less ?to ?i) (not (empty ?r ?i))))
      (forall (?i - gridindex) (imply (and (less ?c ?i) (less ?i ?to)) (empty ?r ?i))))
    :effect (and (not (at ?sp ?r ?c)) (at ?sp ?r ?to) (empty ?r ?c) (not (empty ?r ?to)))))
