; Puzznic, the PDDL model of the paper: Espasa, Gent, Miguel, Nightingale, Salamon and Villaret,
; "Towards a Model of Puzznic", section 3. Written from its text, with its predicates, its derived
; flags and its three actions. A location is a cell that is not wall. Falling comes first, then
; matching, then a move; only moves cost. One block falls by one cell at a time, in any order.
(define (domain puzznic-paper-3)
  (:requirements :adl :derived-predicates :action-costs)
  (:types location direction pattern - object)
  (:constants up down left right - direction)
  (:predicates
    (patterned ?l - location ?p - pattern)
    (next ?from ?to - location ?dir - direction)
    (free ?l - location)
    (falling_flag)
    (matching_flag))
  (:functions (total-cost) - number)

  (:derived (free ?l - location)
    (forall (?p - pattern) (not (patterned ?l ?p))))

  (:derived (falling_flag)
    (exists (?high ?low - location)
      (and (next ?high ?low down) (not (free ?high)) (free ?low))))

  (:derived (matching_flag)
    (exists (?a ?b - location ?dir - direction ?p - pattern)
      (and (next ?a ?b ?dir) (patterned ?a ?p) (patterned ?b ?p))))

  (:action fall_block
    :parameters (?high ?low - location ?p - pattern)
    :precondition (and (falling_flag) (next ?high ?low down) (patterned ?high ?p) (free ?low))
    :effect (and (not (patterned ?high ?p)) (patterned ?low ?p)))

  (:action match_blocks
    :parameters ()
    :precondition (and (not (falling_flag)) (matching_flag))
    :effect (forall (?l - location ?p - pattern)
      (when (exists (?other - location ?dir - direction)
              (and (next ?l ?other ?dir) (patterned ?l ?p) (patterned ?other ?p)))
        (not (patterned ?l ?p)))))

  (:action move_block
    :parameters (?l ?target - location ?dir - direction ?p - pattern)
    :precondition (and
      (not (falling_flag)) (not (matching_flag))
      (or (= ?dir left) (= ?dir right))
      (patterned ?l ?p) (next ?l ?target ?dir) (free ?target))
    :effect (and
      (not (patterned ?l ?p)) (patterned ?target ?p)
      (increase (total-cost) 1))))
