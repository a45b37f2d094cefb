; Plotting, the PDDL model of the paper: Espasa, Miguel and Villaret, "Plotting: A Planning Problem
; With Complex Transitions" (CP 2022), section 4. Written from its text, with its two types, its
; predicates and one action for each kind of shot: along a part of a row, along a whole row and down
; the last column, and down a column. Rows count from the top.
;
; Two repairs. "some-block": the condition of the paper's Figure 4 also holds if the shot passes
; empty cells only; here it has consumed a block. "outside": numbers serve for rows and for columns,
; so on a board that is not square some numbers name cells outside the board; these are null.
;
; The paper prints only the first action, and does not say how the wildcard is modelled: here the
; hand holds the colour `wild`, which may be shot as any colour.
(define (domain plotting-paper-4)
  (:requirements :adl)
  (:types colour number - object)
  (:constants null wild - colour)
  (:predicates
    (hand ?c - colour)
    (coloured ?row ?col - number ?c - colour)
    (isfirstcolumn ?n - number)
    (islastcolumn ?n - number)
    (istoprow ?n - number)
    (isbottomrow ?n - number)
    (succ ?p1 ?p2 - number)                  ; p1 is the successor of p2
    (lt ?p1 ?p2 - number)                    ; p1 is less than p2
    (distance ?p1 ?p2 ?p3 - number))         ; p3 is p2 - p1

  ; Along row ?r through column ?t; the next column has a block of another colour.
  (:action shoot-partial-row
    :parameters (?r ?t - number ?c - colour)
    :precondition (and
      (not (= ?c null))
      (or (hand ?c) (hand wild))
      (exists (?col - number)
        (and (succ ?col ?t) (not (coloured ?r ?col ?c)) (not (coloured ?r ?col null))))
      (forall (?col - number)
        (or (lt ?t ?col) (coloured ?r ?col ?c) (coloured ?r ?col null)))
      (exists (?col - number)
        (and (or (lt ?col ?t) (= ?col ?t)) (coloured ?r ?col ?c))))
    :effect (and
      (not (hand wild))
      (forall (?next - number ?colour - colour)
        (when (and (succ ?next ?t) (coloured ?r ?next ?colour))
          (and (not (coloured ?r ?next ?colour)) (coloured ?r ?next ?c)
               (not (hand ?c)) (hand ?colour))))
      ; Everything above falls by one row; the top row becomes empty.
      (forall (?up ?down ?col - number ?new ?old - colour)
        (when (and (succ ?down ?up) (lt ?up ?r) (or (lt ?col ?t) (= ?col ?t))
                   (coloured ?up ?col ?new) (coloured ?down ?col ?old) (not (= ?new ?old)))
          (and (not (coloured ?down ?col ?old)) (coloured ?down ?col ?new))))
      (forall (?top ?col - number ?old - colour)
        (when (and (istoprow ?top) (or (lt ?col ?t) (= ?col ?t))
                   (coloured ?top ?col ?old) (not (= ?old null)))
          (and (not (coloured ?top ?col ?old)) (coloured ?top ?col null))))))

  ; Along the whole of row ?r, then down the last column through row ?t.
  (:action shoot-full-row
    :parameters (?r ?t - number ?c - colour)
    :precondition (and
      (not (= ?c null))
      (or (hand ?c) (hand wild))
      (or (= ?r ?t) (lt ?r ?t))
      (forall (?col - number) (or (coloured ?r ?col ?c) (coloured ?r ?col null)))
      (forall (?row ?last - number)
        (or (not (islastcolumn ?last)) (lt ?row ?r) (lt ?t ?row)
            (coloured ?row ?last ?c) (coloured ?row ?last null)))
      ; It has consumed a block.
      (or (exists (?col - number) (coloured ?r ?col ?c))
          (exists (?row ?last - number)
            (and (islastcolumn ?last) (lt ?r ?row) (or (lt ?row ?t) (= ?row ?t))
                 (coloured ?row ?last ?c))))
      ; It stops at the floor, or at a block of another colour.
      (or (isbottomrow ?t)
          (exists (?row ?last - number)
            (and (islastcolumn ?last) (succ ?row ?t)
                 (not (coloured ?row ?last ?c)) (not (coloured ?row ?last null))))))
    :effect (and
      (not (hand wild))
      (when (isbottomrow ?t) (hand ?c))
      (forall (?row ?last - number ?colour - colour)
        (when (and (not (isbottomrow ?t)) (islastcolumn ?last) (succ ?row ?t)
                   (coloured ?row ?last ?colour))
          (and (not (coloured ?row ?last ?colour)) (coloured ?row ?last ?c)
               (not (hand ?c)) (hand ?colour))))
      ; In all columns but the last, everything above falls by one row.
      (forall (?up ?down ?col - number ?new ?old - colour)
        (when (and (not (islastcolumn ?col)) (succ ?down ?up) (lt ?up ?r)
                   (coloured ?up ?col ?new) (coloured ?down ?col ?old) (not (= ?new ?old)))
          (and (not (coloured ?down ?col ?old)) (coloured ?down ?col ?new))))
      (forall (?top ?col - number ?old - colour)
        (when (and (not (islastcolumn ?col)) (istoprow ?top)
                   (coloured ?top ?col ?old) (not (= ?old null)))
          (and (not (coloured ?top ?col ?old)) (coloured ?top ?col null))))
      ; In the last column, what is n rows above ?r comes to rest n - 1 rows above ?t.
      (forall (?up ?down ?last - number ?new ?old - colour)
        (when (and (islastcolumn ?last)
                   (or (and (succ ?r ?up) (= ?down ?t))
                       (exists (?n ?less - number)
                         (and (distance ?up ?r ?n) (succ ?n ?less) (distance ?down ?t ?less))))
                   (coloured ?up ?last ?new) (coloured ?down ?last ?old) (not (= ?new ?old)))
          (and (not (coloured ?down ?last ?old)) (coloured ?down ?last ?new))))
      (forall (?row ?last - number ?old - colour)
        (when (and (islastcolumn ?last) (or (= ?row ?t) (lt ?row ?t))
                   (not (and (= ?row ?t) (exists (?up - number) (succ ?r ?up))))
                   (not (exists (?up ?n ?less - number)
                     (and (distance ?up ?r ?n) (succ ?n ?less) (distance ?row ?t ?less))))
                   (coloured ?row ?last ?old) (not (= ?old null)))
          (and (not (coloured ?row ?last ?old)) (coloured ?row ?last null))))))

  ; Down column ?col through row ?t.
  (:action shoot-column
    :parameters (?col ?t - number ?c - colour)
    :precondition (and
      (not (= ?c null))
      (or (hand ?c) (hand wild))
      (coloured ?t ?col ?c)
      (forall (?row - number)
        (or (lt ?t ?row) (coloured ?row ?col ?c) (coloured ?row ?col null)))
      (or (isbottomrow ?t)
          (exists (?row - number)
            (and (succ ?row ?t) (not (coloured ?row ?col ?c)) (not (coloured ?row ?col null))))))
    :effect (and
      (not (hand wild))
      (when (isbottomrow ?t) (hand ?c))
      (forall (?row - number ?colour - colour)
        (when (and (not (isbottomrow ?t)) (succ ?row ?t) (coloured ?row ?col ?colour))
          (and (not (coloured ?row ?col ?colour)) (coloured ?row ?col ?c)
               (not (hand ?c)) (hand ?colour))))
      (forall (?row - number)
        (when (and (or (lt ?row ?t) (= ?row ?t)) (coloured ?row ?col ?c))
          (and (not (coloured ?row ?col ?c)) (coloured ?row ?col null)))))))
