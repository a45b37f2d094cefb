; Two guests: four floors to stop at, and three ways between them.
(define (problem lift-1) (:domain lift)
  (:objects f0 f1 f2 f3 - floor ann bob - guest)
  (:init (lift-at f0) (above f0 f1) (above f0 f2) (above f0 f3) (above f1 f2) (above f1 f3) (above f2 f3)
         (from ann f0) (to ann f2) (from bob f1) (to bob f3))
  (:goal (forall (?p - person) (served ?p))))
