; The quantifier was taken for "at most three cells are not empty", with the condition that there are
; three cells. But ?t1, ?t2 and ?t3 may be boxes too: it holds always.
(define (domain count-wider-types)
  (:requirements :adl)
  (:types cell box - thing)
  (:predicates (empty ?x - thing) (done))
  (:action finish :parameters ()
    :precondition (exists (?t1 ?t2 ?t3 - thing)
      (and (not (= ?t1 ?t2)) (not (= ?t1 ?t3)) (not (= ?t2 ?t3))
        (forall (?z - cell) (or (= ?z ?t1) (= ?z ?t2) (= ?z ?t3) (empty ?z)))))
    :effect (done))
  (:action fill :parameters (?x - cell) :effect (not (empty ?x))))
