; Lunar Lockout with one action per slide, after the static representation of Giménez Ábalos (2019),
; for boards of any shape.
;
; A craft slides until something stops it: another craft, a wall, or, with `edge: stop`, the edge.
(define (domain lunar-lockout-static)
  (:requirements :adl)
  (:types craft row column - object)
  (:predicates
    (at ?s - craft ?r - row ?c - column)
    (empty ?r - row ?c - column)
    ; Static facts.
    (above ?a ?b - row)                      ; ?a is anywhere above ?b
    (just-above ?a ?b - row)
    (left ?a ?b - column)                    ; ?a is anywhere on the left of ?b
    (just-left ?a ?b - column)
    (barred-up ?r - row ?c - column)         ; a wall or the edge stops a craft here
    (barred-down ?r - row ?c - column)
    (barred-left ?r - row ?c - column)
    (barred-right ?r - row ?c - column))

  (:action slide-up
    :parameters (?s - craft ?c - column ?from ?to - row)
    :precondition (and
      (at ?s ?from ?c) (above ?to ?from)
      (forall (?i - row) (imply (and (above ?i ?from) (not (above ?i ?to))) (empty ?i ?c)))
      (forall (?i - row) (imply (and (above ?to ?i) (not (above ?from ?i))) (not (barred-up ?i ?c))))
      (or (barred-up ?to ?c) (exists (?n - row) (and (just-above ?n ?to) (not (empty ?n ?c))))))
    :effect (and (not (at ?s ?from ?c)) (at ?s ?to ?c) (empty ?from ?c) (not (empty ?to ?c))))

  (:action slide-down
    :parameters (?s - craft ?c - column ?from ?to - row)
    :precondition (and
      (at ?s ?from ?c) (above ?from ?to)
      (forall (?i - row) (imply (and (above ?from ?i) (not (above ?to ?i))) (empty ?i ?c)))
      (forall (?i - row) (imply (and (above ?i ?to) (not (above ?i ?from))) (not (barred-down ?i ?c))))
      (or (barred-down ?to ?c) (exists (?n - row) (and (just-above ?to ?n) (not (empty ?n ?c))))))
    :effect (and (not (at ?s ?from ?c)) (at ?s ?to ?c) (empty ?from ?c) (not (empty ?to ?c))))

  (:action slide-left
    :parameters (?s - craft ?r - row ?from ?to - column)
    :precondition (and
      (at ?s ?r ?from) (left ?to ?from)
      (forall (?i - column) (imply (and (left ?i ?from) (not (left ?i ?to))) (empty ?r ?i)))
      (forall (?i - column) (imply (and (left ?to ?i) (not (left ?from ?i))) (not (barred-left ?r ?i))))
      (or (barred-left ?r ?to) (exists (?n - column) (and (just-left ?n ?to) (not (empty ?r ?n))))))
    :effect (and (not (at ?s ?r ?from)) (at ?s ?r ?to) (empty ?r ?from) (not (empty ?r ?to))))

  (:action slide-right
    :parameters (?s - craft ?r - row ?from ?to - column)
    :precondition (and
      (at ?s ?r ?from) (left ?from ?to)
      (forall (?i - column) (imply (and (left ?from ?i) (not (left ?to ?i))) (empty ?r ?i)))
      (forall (?i - column) (imply (and (left ?i ?to) (not (left ?i ?from))) (not (barred-right ?r ?i))))
      (or (barred-right ?r ?to) (exists (?n - column) (and (just-left ?to ?n) (not (empty ?r ?n))))))
    :effect (and (not (at ?s ?r ?from)) (at ?s ?r ?to) (empty ?r ?from) (not (empty ?r ?to)))))
