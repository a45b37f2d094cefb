; A lift. Where it stops, all who wait there board, and all who want to go there leave; but the
; guard must never be left with a guest.
(define (domain lift)
  (:requirements :adl)
  (:types floor person - object guest guard - person)
  (:predicates (above ?low ?high - floor) (from ?p - person ?f - floor) (to ?p - person ?f - floor)
               (aboard ?p - person) (served ?p - person) (lift-at ?f - floor))
  (:action stop :parameters (?f - floor)
    :precondition (and (lift-at ?f)
      (forall (?g - guard) (imply (and (from ?g ?f) (not (served ?g))) (not (exists (?p - guest) (aboard ?p))))))
    :effect (and
      (forall (?p - person) (when (and (from ?p ?f) (not (served ?p))) (aboard ?p)))
      (forall (?p - person) (when (and (aboard ?p) (to ?p ?f)) (and (not (aboard ?p)) (served ?p))))))
  (:action up :parameters (?a ?b - floor)
    :precondition (and (lift-at ?a) (above ?a ?b)) :effect (and (lift-at ?b) (not (lift-at ?a))))
  (:action down :parameters (?a ?b - floor)
    :precondition (and (lift-at ?a) (above ?b ?a)) :effect (and (lift-at ?b) (not (lift-at ?a)))))
