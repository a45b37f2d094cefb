; Games in which things push each other: every rule of the game has the form
;   [ > A | B ] -> [ > A | > B ]
; The rules are facts: (pushes right player crate). A key is one action. What it would move follows
; from derived predicates, for each direction: the players, and what stands before something that
; moves. A thing goes where the next cell has nothing of its layer, or only what goes away itself.
(define (domain puzzlescript-pushes)
  (:requirements :adl :derived-predicates)
  (:types cell kind direction)
  (:predicates
    (at ?k - kind ?c - cell)
    (next ?d - direction ?from ?to - cell)
    (player ?k - kind)
    (pushes ?d - direction ?a ?b - kind)
    (same-layer ?k ?o - kind)
    (moves ?d - direction ?k - kind ?c - cell)
    (goes ?d - direction ?k - kind ?c - cell))

  (:derived (moves ?d - direction ?k - kind ?c - cell)
    (and (at ?k ?c)
         (or (player ?k)
             (exists (?a - kind ?b - cell)
               (and (pushes ?d ?a ?k) (next ?d ?b ?c) (moves ?d ?a ?b))))))

  (:derived (goes ?d - direction ?k - kind ?c - cell)
    (and (moves ?d ?k ?c)
         (exists (?e - cell)
           (and (next ?d ?c ?e)
                (forall (?o - kind)
                  (or (not (same-layer ?k ?o)) (not (at ?o ?e)) (goes ?d ?o ?e)))))))

  (:action press
    :parameters (?d - direction)
    :precondition (and)
    :effect (forall (?k - kind ?c ?e - cell)
      (when (and (goes ?d ?k ?c) (next ?d ?c ?e))
            (and (not (at ?k ?c)) (at ?k ?e))))))
