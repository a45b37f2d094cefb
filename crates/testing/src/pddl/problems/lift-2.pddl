; The guard, who waits at f1, may board only an empty lift. The lift must stop at f1 before f0 or
; after f2: five ways and four stops, or three and four if the guard comes first.
(define (problem lift-2) (:domain lift)
  (:objects f0 f1 f2 f3 - floor ann - guest cop - guard)
  (:init (lift-at f1) (above f0 f1) (above f0 f2) (above f0 f3) (above f1 f2) (above f1 f3) (above f2 f3)
         (from ann f0) (to ann f2) (from cop f1) (to cop f3))
  (:goal (forall (?p - person) (served ?p))))
