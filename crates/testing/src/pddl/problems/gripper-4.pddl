; Four balls, two hands: two trips with two balls each, and one way back: 5 + 1 + 5.
(define (problem gripper-4) (:domain gripper)
  (:objects here there - room b1 b2 b3 b4 - ball left right - hand)
  (:init (robot-in here) (in b1 here) (in b2 here) (in b3 here) (in b4 here) (empty left) (empty right))
  (:goal (and (in b1 there) (in b2 there) (in b3 there) (in b4 there))))
