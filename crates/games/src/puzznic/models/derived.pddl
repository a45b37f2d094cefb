; Puzznic with derived predicates, after section 3 of the paper ("Towards a Model of Puzznic"):
; move, fall and match, controlled by flags that are derived from the board. A location is a cell
; that is not wall. The cost counts the player's moves; falling and matching cost nothing.
(define (domain puzznic-derived)
  (:requirements :adl :derived-predicates :action-costs)
  (:types location direction pattern - object)
  (:constants up down left right - direction)
  (:predicates
    (patterned ?l - location ?p - pattern)
    (next ?from ?to - location ?d - direction)   ; static
    (free ?l - location)
    (falling)
    (matching))
  (:functions (total-cost) - number)

  (:derived (free ?l - location)
    (forall (?p - pattern) (not (patterned ?l ?p))))
  (:derived (falling)
    (exists (?above ?below - location)
      (and (next ?above ?below down) (not (free ?above)) (free ?below))))
  (:derived (matching)
    (exists (?a ?b - location ?p - pattern ?d - direction)
      (and (next ?a ?b ?d) (patterned ?a ?p) (patterned ?b ?p))))

  ; A block moves one cell sideways; only if nothing falls or matches.
  (:action move-block
    :parameters (?from ?to - location ?d - direction ?p - pattern)
    :precondition (and
      (not (falling)) (not (matching))
      (or (= ?d left) (= ?d right))
      (next ?from ?to ?d) (patterned ?from ?p) (free ?to))
    :effect (and (not (patterned ?from ?p)) (patterned ?to ?p) (increase (total-cost) 1)))

  ; A block falls by one cell.
  (:action fall-block
    :parameters (?above ?below - location ?p - pattern)
    :precondition (and (falling) (next ?above ?below down) (patterned ?above ?p) (free ?below))
    :effect (and (not (patterned ?above ?p)) (patterned ?below ?p)))

  ; If nothing falls, all blocks with an equal neighbour vanish at the same time.
  (:action match-blocks
    :parameters ()
    :precondition (and (not (falling)) (matching))
    :effect (forall (?l - location ?p - pattern)
      (when (and (patterned ?l ?p)
                 (exists (?n - location ?d - direction) (and (next ?l ?n ?d) (patterned ?n ?p))))
        (not (patterned ?l ?p))))))
