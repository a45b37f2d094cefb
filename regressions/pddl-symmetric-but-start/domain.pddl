; Objects that are interchangeable but for the start: the state after two steps was replaced by a
; symmetric one that the start does not lead to, and the abstractions, which only know what the start
; leads to, took it for a dead end.
(define (domain symmetric-but-for-the-start)
  (:requirements :strips :typing)
  (:types item)
  (:predicates (waits ?x - item) (ready ?x - item) (open ?x - item) (key) (no-key) (won))
  (:action unlock :parameters (?x - item)
    :precondition (and (ready ?x) (key))
    :effect (and (open ?x) (no-key) (not (ready ?x)) (not (key))))
  (:action follow :parameters (?x - item)
    :precondition (and (waits ?x) (no-key))
    :effect (and (ready ?x) (not (waits ?x))))
  (:action finish :parameters (?x ?y - item)
    :precondition (and (open ?x) (ready ?y) (no-key))
    :effect (won))
  (:action close :parameters (?x - item)
    :precondition (and (open ?x) (won))
    :effect (and (waits ?x) (not (open ?x)))))
