; By truck, by plane, by truck: three times load, travel, unload.
(define (problem logistics-1) (:domain logistics)
  (:objects north south - city mill inn - place a1 a2 - airport t1 t2 - truck jet - plane letter - parcel)
  (:init (in-city mill north) (in-city a1 north) (in-city inn south) (in-city a2 south)
         (at t1 mill) (at t2 a2) (at jet a1) (at letter mill))
  (:goal (at letter inn)))
