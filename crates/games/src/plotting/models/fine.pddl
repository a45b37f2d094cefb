; Plotting, one action for each change of a block. A shot starts, flies from cell to cell, consumes
; blocks, and is stopped or returns. After each consumed block the column above falls, cell by cell,
; before the shot continues. So between two starts at most one action is applicable in each state.
; The cost counts starts. A shot that is stopped before it has consumed a block is a dead end: it is
; not legal.
;
; A cell has a colour, or null. Rows count from the top. The wildcard takes the colour of the first
; block that it hits.
(define (domain plotting-fine)
  (:requirements :adl :action-costs)
  (:types row column colour - object)
  (:constants null wildcard - colour)
  (:predicates
    (coloured ?r - row ?j - column ?c - colour)
    (hand ?c - colour)
    (ready)                                  ; no shot is flying
    (eaten)                                  ; the shot has consumed a block
    (along ?r - row ?j - column)             ; the shot is about to enter this cell from the left
    (down ?r - row ?j - column)              ; … from above
    (past-along ?r - row ?j - column)        ; the shot has passed this cell, and leaves it to the right
    (past-down ?r - row ?j - column)         ; … downwards
    (dropping ?r - row ?j - column)          ; this cell is to be filled from above
    ; The following predicates are static.
    (block ?c - colour)
    (below ?a ?b - row)                      ; ?a is directly below ?b
    (right ?a ?b - column)                   ; ?a is directly to the right of ?b
    (first-row ?r - row)
    (last-row ?r - row)
    (first-column ?j - column)
    (last-column ?j - column)
    (open-row ?r - row)
    (open-column ?j - column))
  (:functions (total-cost) - number)

  (:action start-row
    :parameters (?r - row ?j - column)
    :precondition (and (ready) (open-row ?r) (first-column ?j))
    :effect (and (not (ready)) (along ?r ?j) (increase (total-cost) 1)))
  (:action start-column
    :parameters (?r - row ?j - column)
    :precondition (and (ready) (open-column ?j) (first-row ?r))
    :effect (and (not (ready)) (down ?r ?j) (increase (total-cost) 1)))

  ; It passes empty cells.
  (:action pass-along
    :parameters (?r - row ?j - column)
    :precondition (and (along ?r ?j) (coloured ?r ?j null))
    :effect (and (not (along ?r ?j)) (past-along ?r ?j)))
  (:action pass-down
    :parameters (?r - row ?j - column)
    :precondition (and (down ?r ?j) (coloured ?r ?j null))
    :effect (and (not (down ?r ?j)) (past-down ?r ?j)))

  ; The wildcard takes the colour of the first block that it hits.
  (:action take-colour
    :parameters (?r - row ?j - column ?c - colour)
    :precondition (and (hand wildcard) (block ?c) (coloured ?r ?j ?c) (or (along ?r ?j) (down ?r ?j)))
    :effect (and (not (hand wildcard)) (hand ?c)))

  ; It consumes blocks of its own colour, and the column above falls.
  (:action eat-along
    :parameters (?r - row ?j - column ?c - colour)
    :precondition (and (along ?r ?j) (hand ?c) (block ?c) (coloured ?r ?j ?c))
    :effect (and (not (along ?r ?j)) (past-along ?r ?j) (not (coloured ?r ?j ?c)) (dropping ?r ?j) (eaten)))
  (:action eat-down
    :parameters (?r - row ?j - column ?c - colour)
    :precondition (and (down ?r ?j) (hand ?c) (block ?c) (coloured ?r ?j ?c))
    :effect (and (not (down ?r ?j)) (past-down ?r ?j) (not (coloured ?r ?j ?c)) (dropping ?r ?j) (eaten)))
  (:action drop-block
    :parameters (?r ?up - row ?j - column ?c - colour)
    :precondition (and (dropping ?r ?j) (below ?r ?up) (block ?c) (coloured ?up ?j ?c))
    :effect (and (not (dropping ?r ?j)) (coloured ?r ?j ?c) (not (coloured ?up ?j ?c)) (dropping ?up ?j)))
  (:action drop-nothing
    :parameters (?r ?up - row ?j - column)
    :precondition (and (dropping ?r ?j) (below ?r ?up) (coloured ?up ?j null))
    :effect (and (not (dropping ?r ?j)) (coloured ?r ?j null)))
  (:action drop-top
    :parameters (?r - row ?j - column)
    :precondition (and (dropping ?r ?j) (first-row ?r))
    :effect (and (not (dropping ?r ?j)) (coloured ?r ?j null)))

  ; When no block is dropping, it continues.
  (:action fly-along
    :parameters (?r - row ?j ?k - column)
    :precondition (and (past-along ?r ?j) (right ?k ?j) (forall (?i - row) (not (dropping ?i ?j))))
    :effect (and (not (past-along ?r ?j)) (along ?r ?k)))
  (:action fly-down
    :parameters (?r ?i - row ?j - column)
    :precondition (and (past-down ?r ?j) (below ?i ?r) (forall (?n - row) (not (dropping ?n ?j))))
    :effect (and (not (past-down ?r ?j)) (down ?i ?j)))
  (:action hit-wall
    :parameters (?r - row ?j - column)
    :precondition (and (past-along ?r ?j) (last-column ?j))
    :effect (and (not (past-along ?r ?j)) (past-down ?r ?j)))

  ; A block of another colour stops it: the two blocks are exchanged.
  (:action stop-along
    :parameters (?r - row ?j - column ?c ?d - colour)
    :precondition (and (along ?r ?j) (eaten) (hand ?c) (block ?c) (block ?d) (coloured ?r ?j ?d) (not (= ?c ?d)))
    :effect (and (not (along ?r ?j)) (not (eaten)) (ready) (not (hand ?c)) (hand ?d) (not (coloured ?r ?j ?d)) (coloured ?r ?j ?c)))
  (:action stop-down
    :parameters (?r - row ?j - column ?c ?d - colour)
    :precondition (and (down ?r ?j) (eaten) (hand ?c) (block ?c) (block ?d) (coloured ?r ?j ?d) (not (= ?c ?d)))
    :effect (and (not (down ?r ?j)) (not (eaten)) (ready) (not (hand ?c)) (hand ?d) (not (coloured ?r ?j ?d)) (coloured ?r ?j ?c)))

  ; At the floor it returns to the hand.
  (:action come-back
    :parameters (?r - row ?j - column)
    :precondition (and (past-down ?r ?j) (last-row ?r) (eaten) (forall (?i - row) (not (dropping ?i ?j))))
    :effect (and (not (past-down ?r ?j)) (not (eaten)) (ready))))
