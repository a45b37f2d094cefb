; Pipe Mania without rotations, after chapter 5 of the thesis: a path is built piece by piece, each
; in the rotation that fits, and every piece is used at most once. A plan has one step for each
; piece of the path except the first.
;
; A side is a side of a piece. A cross is modelled as two pieces, one for each of its channels.
(define (domain pipe-mania-path)
  (:requirements :strips :typing :negative-preconditions :existential-preconditions)
  (:types piece side - object)
  (:predicates
    (fresh)                                  ; no path has begun
    (entered ?p - piece ?s - side)           ; the last piece so far; entered through this side
    (used ?p - piece)
    ; Static facts.
    (source ?p - piece)                      ; a path may begin here
    (target ?p - piece)                      ; a path may end here
    (opens ?p - piece ?s - side)             ; a path that begins here may leave through this side
    (channel ?p - piece ?in ?out - side)     ; the piece joins these sides in some rotation
    (enterable ?p - piece ?s - side)
    (beside ?p ?q - piece ?s - side)         ; leaving ?p through this side leads to ?q
    (facing ?s ?t - side))

  (:action leave
    :parameters (?p ?q - piece ?s ?t - side)
    :precondition (and (fresh) (source ?p) (opens ?p ?s) (beside ?p ?q ?s) (facing ?s ?t) (enterable ?q ?t))
    :effect (and (not (fresh)) (used ?p) (used ?q) (entered ?q ?t)))

  (:action pass
    :parameters (?p ?q - piece ?in ?s ?t - side)
    :precondition (and (entered ?p ?in) (channel ?p ?in ?s) (beside ?p ?q ?s) (facing ?s ?t) (enterable ?q ?t) (not (used ?q)))
    :effect (and (not (entered ?p ?in)) (entered ?q ?t) (used ?q))))
