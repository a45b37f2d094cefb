; Pipe Mania, the second domain of Banci's thesis, chapter 5: the shortest path, where a quarter turn
; of a piece is an action and counts as much as a piece. Written from its text, with its type, its
; predicates, one action for each direction, and the action rotate with conditional effects. A piece
; is turned when the path has reached it.
;
; One repair, "used-start": the text marks the current piece as used, the listing the next one, which
; leaves the first piece unmarked, so that a path may come back to it. Here it is the current piece,
; as in the text.
(define (domain pipe-mania-paper-5-rotate)
  (:requirements :adl)
  (:types piece - object)
  (:predicates
    (on-piece ?p - piece)                    ; the last piece of the path so far
    (from-left ?p - piece)                   ; the side of the piece before it
    (from-right ?p - piece)
    (from-top ?p - piece)
    (from-bottom ?p - piece)
    (used ?p - piece)
    (left ?p ?l - piece)
    (right ?p ?r - piece)
    (top ?p ?t - piece)
    (bottom ?p ?b - piece)
    (is-type-B ?p - piece)
    (is-type-R ?p - piece)
    (is-type-L ?p - piece)
    (on-vertical ?p - piece)
    (on-horizontal ?p - piece)
    (L-on-position-1 ?p - piece)             ; joins left and top
    (L-on-position-2 ?p - piece)             ; joins top and right
    (L-on-position-3 ?p - piece)             ; joins right and bottom
    (L-on-position-4 ?p - piece))            ; joins bottom and left

  (:action go-right
    :parameters (?p ?next - piece)
    :precondition (and
      (on-piece ?p) (right ?p ?next) (not (used ?next))
      (or (and (is-type-B ?p) (on-horizontal ?p))
          (and (is-type-R ?p) (from-left ?p) (on-horizontal ?p))
          (and (is-type-L ?p) (or (and (from-top ?p) (L-on-position-2 ?p)) (and (from-bottom ?p) (L-on-position-3 ?p))))))
    :effect (and (not (on-piece ?p)) (used ?p) (on-piece ?next) (from-left ?next)))

  (:action go-left
    :parameters (?p ?next - piece)
    :precondition (and
      (on-piece ?p) (left ?p ?next) (not (used ?next))
      (or (and (is-type-B ?p) (on-horizontal ?p))
          (and (is-type-R ?p) (from-right ?p) (on-horizontal ?p))
          (and (is-type-L ?p) (or (and (from-top ?p) (L-on-position-1 ?p)) (and (from-bottom ?p) (L-on-position-4 ?p))))))
    :effect (and (not (on-piece ?p)) (used ?p) (on-piece ?next) (from-right ?next)))

  (:action go-up
    :parameters (?p ?next - piece)
    :precondition (and
      (on-piece ?p) (top ?p ?next) (not (used ?next))
      (or (and (is-type-B ?p) (on-vertical ?p))
          (and (is-type-R ?p) (from-bottom ?p) (on-vertical ?p))
          (and (is-type-L ?p) (or (and (from-left ?p) (L-on-position-1 ?p)) (and (from-right ?p) (L-on-position-2 ?p))))))
    :effect (and (not (on-piece ?p)) (used ?p) (on-piece ?next) (from-bottom ?next)))

  (:action go-down
    :parameters (?p ?next - piece)
    :precondition (and
      (on-piece ?p) (bottom ?p ?next) (not (used ?next))
      (or (and (is-type-B ?p) (on-vertical ?p))
          (and (is-type-R ?p) (from-top ?p) (on-vertical ?p))
          (and (is-type-L ?p) (or (and (from-right ?p) (L-on-position-3 ?p)) (and (from-left ?p) (L-on-position-4 ?p))))))
    :effect (and (not (on-piece ?p)) (used ?p) (on-piece ?next) (from-top ?next)))

  (:action rotate
    :parameters (?p - piece)
    :precondition (and (on-piece ?p) (not (is-type-B ?p)))
    :effect (and
      (when (and (is-type-R ?p) (on-horizontal ?p)) (and (not (on-horizontal ?p)) (on-vertical ?p)))
      (when (and (is-type-R ?p) (on-vertical ?p)) (and (not (on-vertical ?p)) (on-horizontal ?p)))
      (when (and (is-type-L ?p) (L-on-position-1 ?p)) (and (not (L-on-position-1 ?p)) (L-on-position-2 ?p)))
      (when (and (is-type-L ?p) (L-on-position-2 ?p)) (and (not (L-on-position-2 ?p)) (L-on-position-3 ?p)))
      (when (and (is-type-L ?p) (L-on-position-3 ?p)) (and (not (L-on-position-3 ?p)) (L-on-position-4 ?p)))
      (when (and (is-type-L ?p) (L-on-position-4 ?p)) (and (not (L-on-position-4 ?p)) (L-on-position-1 ?p))))))
