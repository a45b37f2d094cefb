; The variable of the quantifier in the condition and that of the effect had the same slot: the
; grounder ended with a panic.
(define (domain when-around-forall)
  (:requirements :adl)
  (:predicates (p ?x) (q ?x))
  (:action spread :parameters ()
    :effect (when (exists (?y) (p ?y)) (forall (?x) (when (not (q ?x)) (q ?x)))))
  (:action start :parameters (?x) :effect (p ?x)))
