; Pipe Mania, the first domain of Banci's thesis, chapter 5: the shortest path, where every piece is
; in the rotation that fits. Written from its text, with its type, its predicates and one action for
; each direction.
;
; One repair, "used-start": the text marks the current piece as used, the listing the next one, which
; leaves the first piece unmarked, so that a path may come back to it. Here it is the current piece,
; as in the text.
(define (domain pipe-mania-paper-5-path)
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
          (and (is-type-R ?p) (from-left ?p))
          (and (is-type-L ?p) (or (from-top ?p) (from-bottom ?p)))))
    :effect (and (not (on-piece ?p)) (used ?p) (on-piece ?next) (from-left ?next)))

  (:action go-left
    :parameters (?p ?next - piece)
    :precondition (and
      (on-piece ?p) (left ?p ?next) (not (used ?next))
      (or (and (is-type-B ?p) (on-horizontal ?p))
          (and (is-type-R ?p) (from-right ?p))
          (and (is-type-L ?p) (or (from-top ?p) (from-bottom ?p)))))
    :effect (and (not (on-piece ?p)) (used ?p) (on-piece ?next) (from-right ?next)))

  (:action go-up
    :parameters (?p ?next - piece)
    :precondition (and
      (on-piece ?p) (top ?p ?next) (not (used ?next))
      (or (and (is-type-B ?p) (on-vertical ?p))
          (and (is-type-R ?p) (from-bottom ?p))
          (and (is-type-L ?p) (or (from-left ?p) (from-right ?p)))))
    :effect (and (not (on-piece ?p)) (used ?p) (on-piece ?next) (from-bottom ?next)))

  (:action go-down
    :parameters (?p ?next - piece)
    :precondition (and
      (on-piece ?p) (bottom ?p ?next) (not (used ?next))
      (or (and (is-type-B ?p) (on-vertical ?p))
          (and (is-type-R ?p) (from-top ?p))
          (and (is-type-L ?p) (or (from-right ?p) (from-left ?p)))))
    :effect (and (not (on-piece ?p)) (used ?p) (on-piece ?next) (from-top ?next))))
