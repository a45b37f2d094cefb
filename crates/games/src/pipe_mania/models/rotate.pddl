; Pipe Mania where rotations are actions, after chapter 5 of the thesis. A piece is turned when the
; path has reached it, a quarter turn per step, before the path leaves it. A plan has one step for
; each piece of the path except the first, and one for each quarter turn.
;
; A side is a side of a piece. A cross is modelled as two pieces, one for each of its channels.
(define (domain pipe-mania-rotate)
  (:requirements :strips :typing :negative-preconditions :existential-preconditions)
  (:types piece side rotation - object)
  (:predicates
    (fresh)                                  ; no path has begun
    (entered ?p - piece ?s - side)           ; the last piece so far; entered through this side
    (used ?p - piece)
    (turned ?p - piece ?r - rotation)
    ; Static facts.
    (source ?p - piece)                      ; a path may begin here
    (target ?p - piece)                      ; a path may end here
    (opens ?p - piece ?s - side)             ; a path that begins here may leave through this side
    (turnable ?p - piece)
    (channel ?p - piece ?r - rotation ?in ?out - side)
    (enterable ?p - piece ?s - side)         ; in some rotation
    (beside ?p ?q - piece ?s - side)         ; leaving ?p through this side leads to ?q
    (facing ?s ?t - side)
    (clockwise ?a ?b - rotation))

  (:action leave
    :parameters (?p ?q - piece ?s ?t - side)
    :precondition (and (fresh) (source ?p) (opens ?p ?s) (beside ?p ?q ?s) (facing ?s ?t) (enterable ?q ?t))
    :effect (and (not (fresh)) (used ?p) (used ?q) (entered ?q ?t)))

  (:action rotate
    :parameters (?p - piece ?in - side ?a ?b - rotation)
    :precondition (and (turnable ?p) (entered ?p ?in) (turned ?p ?a) (clockwise ?a ?b))
    :effect (and (not (turned ?p ?a)) (turned ?p ?b)))

  (:action pass
    :parameters (?p ?q - piece ?r - rotation ?in ?s ?t - side)
    :precondition (and (entered ?p ?in) (turned ?p ?r) (channel ?p ?r ?in ?s) (beside ?p ?q ?s) (facing ?s ?t) (enterable ?q ?t)
                       (not (used ?q)))
    :effect (and (not (entered ?p ?in)) (entered ?q ?t) (used ?q))))
