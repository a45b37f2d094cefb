; The quantifier was taken for "at most two things are not empty". But only cells may be chosen, so
; every box must be empty.
(define (domain count-narrower-types)
  (:requirements :adl)
  (:types cell box - thing)
  (:predicates (empty ?x - thing) (done))
  (:action finish :parameters ()
    :precondition (exists (?t1 ?t2 - cell)
      (and (not (= ?t1 ?t2))
        (forall (?z - thing) (or (= ?z ?t1) (= ?z ?t2) (empty ?z)))))
    :effect (done))
  (:action clear :parameters (?x - thing) :precondition (not (empty ?x)) :effect (empty ?x))
  (:action fill :parameters (?x - thing) :effect (not (empty ?x))))
