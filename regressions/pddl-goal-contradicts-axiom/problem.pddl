; unsolvable
(define (problem dark-and-bright)
  (:domain lamp)
  (:init)
  (:goal (and (bright) (not (on)))))
