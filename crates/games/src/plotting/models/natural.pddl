; Plotting, one action per shot, after section 4 of Espasa, Miguel and Villaret (CP 2022).
;
; A cell has a colour, or null. Rows count from the top. A shot passes cells of its own colour
; (which it consumes) and null cells, and stops at the first cell of another colour, or at the
; floor. A shot along a row that passes the last column falls down that column; ?f is the row where
; it stops there, or the floor.
; The wildcard hand takes the colour of the first block that it hits.
(define (domain plotting-natural)
  (:requirements :adl)
  (:types stop column colour - object row - stop)
  (:constants floor - stop null wildcard - colour)
  (:predicates
    (coloured ?r - row ?j - column ?c - colour)
    (hand ?c - colour)
    ; The following predicates are static.
    (block ?c - colour)                      ; a colour that blocks have
    (below ?a - stop ?b - row)               ; ?a is directly below ?b
    (above ?a ?b - stop)                     ; ?a is anywhere above ?b
    (right ?a ?b - column)                   ; ?a is directly to the right of ?b
    (left ?a ?b - column)                    ; ?a is anywhere to the left of ?b, or ?b itself
    (first-row ?r - row)
    (last-column ?j - column)
    (apart ?a ?b - stop ?n - row)            ; ?b is n rows below ?a, where ?n is row number n
    (open-row ?r - row)                      ; a shot may start here
    (open-column ?j - column))

  ; Along row ?r, through column ?t, up to a block of another colour in the next column.
  (:action shoot-partial-row
    :parameters (?r - row ?t - column ?c - colour)
    :precondition (and
      (open-row ?r)
      (block ?c)
      (or (hand ?c) (hand wildcard))
      (exists (?j - column) (and (left ?j ?t) (coloured ?r ?j ?c)))
      (forall (?j - column) (imply (left ?j ?t) (or (coloured ?r ?j ?c) (coloured ?r ?j null))))
      (exists (?s - column) (and (right ?s ?t) (not (coloured ?r ?s ?c)) (not (coloured ?r ?s null)))))
    :effect (and
      ; The shot's block and the block that stops it are exchanged.
      (not (hand ?c))
      (not (hand wildcard))
      (forall (?s - column ?old - colour)
        (when (and (right ?s ?t) (coloured ?r ?s ?old))
          (and (not (coloured ?r ?s ?old)) (coloured ?r ?s ?c) (hand ?old))))
      ; The blocks above the passed cells fall by one.
      (forall (?up ?down - row ?j - column ?old ?new - colour)
        (when (and (left ?j ?t) (below ?down ?up) (or (= ?down ?r) (above ?down ?r))
                   (coloured ?down ?j ?old) (coloured ?up ?j ?new) (not (= ?old ?new)))
          (and (not (coloured ?down ?j ?old)) (coloured ?down ?j ?new))))
      (forall (?top - row ?j - column ?old - colour)
        (when (and (first-row ?top) (left ?j ?t) (coloured ?top ?j ?old) (not (= ?old null)))
          (and (not (coloured ?top ?j ?old)) (coloured ?top ?j null))))))

  ; Along the whole of row ?r, then down the last column to ?f.
  (:action shoot-full-row
    :parameters (?r - row ?f - stop ?c - colour)
    :precondition (and
      (open-row ?r)
      (block ?c)
      (above ?r ?f)
      (or (hand ?c) (hand wildcard))
      (or (exists (?j - column) (coloured ?r ?j ?c))
          (exists (?i - row ?l - column)
            (and (last-column ?l) (above ?r ?i) (above ?i ?f) (coloured ?i ?l ?c))))
      (forall (?j - column) (or (coloured ?r ?j ?c) (coloured ?r ?j null)))
      (forall (?i - row ?l - column)
        (imply (and (last-column ?l) (above ?r ?i) (above ?i ?f))
               (or (coloured ?i ?l ?c) (coloured ?i ?l null))))
      (or (= ?f floor)
          (exists (?i - row ?l - column)
            (and (= ?i ?f) (last-column ?l) (not (coloured ?i ?l ?c)) (not (coloured ?i ?l null))))))
    :effect (and
      (not (hand wildcard))
      ; At the floor the shot returns to the hand; otherwise it is exchanged with the block that
      ; stops it.
      (when (= ?f floor) (hand ?c))
      (when (not (= ?f floor)) (not (hand ?c)))
      (forall (?i - row ?l - column ?old - colour)
        (when (and (= ?i ?f) (last-column ?l) (coloured ?i ?l ?old))
          (and (not (coloured ?i ?l ?old)) (coloured ?i ?l ?c) (hand ?old))))
      ; In all columns but the last, the blocks above the row fall by one.
      (forall (?up ?down - row ?j - column ?old ?new - colour)
        (when (and (not (last-column ?j)) (below ?down ?up) (or (= ?down ?r) (above ?down ?r))
                   (coloured ?down ?j ?old) (coloured ?up ?j ?new) (not (= ?old ?new)))
          (and (not (coloured ?down ?j ?old)) (coloured ?down ?j ?new))))
      (forall (?top - row ?j - column ?old - colour)
        (when (and (not (last-column ?j)) (first-row ?top) (coloured ?top ?j ?old) (not (= ?old null)))
          (and (not (coloured ?top ?j ?old)) (coloured ?top ?j null))))
      ; In the last column they fall by the number of rows from ?r to ?f.
      (forall (?up ?down ?n - row ?l - column ?old ?new - colour)
        (when (and (last-column ?l) (apart ?r ?f ?n) (apart ?up ?down ?n) (above ?down ?f)
                   (coloured ?down ?l ?old) (coloured ?up ?l ?new) (not (= ?old ?new)))
          (and (not (coloured ?down ?l ?old)) (coloured ?down ?l ?new))))
      (forall (?i ?n - row ?l - column ?old - colour)
        (when (and (last-column ?l) (apart ?r ?f ?n) (above ?i ?f) (or (= ?i ?n) (above ?i ?n))
                   (coloured ?i ?l ?old) (not (= ?old null)))
          (and (not (coloured ?i ?l ?old)) (coloured ?i ?l null))))))

  ; Down column ?j to ?f. All blocks above ?f are consumed.
  (:action shoot-column
    :parameters (?j - column ?f - stop ?c - colour)
    :precondition (and
      (open-column ?j)
      (block ?c)
      (or (hand ?c) (hand wildcard))
      (exists (?i - row) (and (above ?i ?f) (coloured ?i ?j ?c)))
      (forall (?i - row) (imply (above ?i ?f) (or (coloured ?i ?j ?c) (coloured ?i ?j null))))
      (or (= ?f floor)
          (exists (?i - row) (and (= ?i ?f) (not (coloured ?i ?j ?c)) (not (coloured ?i ?j null))))))
    :effect (and
      (not (hand wildcard))
      (when (= ?f floor) (hand ?c))
      (when (not (= ?f floor)) (not (hand ?c)))
      (forall (?i - row ?old - colour)
        (when (and (= ?i ?f) (coloured ?i ?j ?old))
          (and (not (coloured ?i ?j ?old)) (coloured ?i ?j ?c) (hand ?old))))
      (forall (?i - row)
        (when (and (above ?i ?f) (coloured ?i ?j ?c))
          (and (not (coloured ?i ?j ?c)) (coloured ?i ?j null)))))))
