(define (problem paths-none) (:domain paths)
  (:objects home hill lake - place)
  (:init (at home) (bridge home hill))
  (:goal (and (seen lake) (at home) (bridge home hill) (linked home home) (not (linked home hill)))))
