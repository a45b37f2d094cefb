(define (problem paths-1) (:domain paths)
  (:objects home hill lake - place)
  (:init (at home) (bridge home hill) (bridge hill lake))
  (:goal (and (at home) (seen lake))))
