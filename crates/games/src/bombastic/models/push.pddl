; Bombastic: an avatar steps from cell to cell and pushes blocks; ice melts behind it. Blocks are
; interchangeable, so they are not objects: a cell has a block or not. A cell is firm until it
; melts; dead cells are not objects at all.
(define (domain bombastic-push)
  (:requirements :adl)
  (:types cell direction - object)
  (:predicates
    (avatar ?c - cell)
    (block ?c - cell)
    (firm ?c - cell)
    ; Static facts.
    (next ?d - direction ?a ?b - cell)
    (ice ?c - cell)
    (goal ?c - cell))

  (:action step
    :parameters (?d - direction ?a ?b - cell)
    :precondition (and (avatar ?a) (next ?d ?a ?b) (firm ?b) (not (block ?b)))
    :effect (and (not (avatar ?a)) (avatar ?b) (when (ice ?a) (not (firm ?a)))))

  (:action push
    :parameters (?d - direction ?a ?b ?c - cell)
    :precondition (and (avatar ?a) (next ?d ?a ?b) (block ?b) (next ?d ?b ?c) (firm ?c) (not (block ?c)))
    :effect (and (not (avatar ?a)) (avatar ?b) (not (block ?b)) (block ?c) (when (ice ?a) (not (firm ?a))))))
