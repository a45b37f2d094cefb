//! Plotting in PDDL: the problem of a level, and the shots of a plan.

use std::fmt::Write;

use super::rules::{Move, Plotting};
use crate::*;

pub(super) const MODELS: &[PlanningModel<Plotting>] = &[PlanningModel {
    name: "natural",
    about: "one action a shot, with quantified conditions and conditional effects over whole columns",
    measure: "shots",
    domain: include_str!("models/natural.pddl"),
    problem: natural_problem,
    moves: natural_moves,
}];

fn natural_problem(level: &Plotting) -> Result<String, String> {
    let start = level.start();
    if start.wildcards > 0 {
        return Err("the model has no wildcards that come when no shot is legal".to_string());
    }
    let cells = level.cells(&start);
    let (rows, cols) = (level.rows, level.cols);
    let colour = |colour: u8| level.letters[usize::from(colour)].to_ascii_lowercase();
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string");
    let list = |name: char, count: usize| -> String {
        (1..=count)
            .map(|index| format!("{name}{index}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let colours: Vec<String> = level
        .letters
        .iter()
        .map(|letter| format!("c-{}", letter.to_ascii_lowercase()))
        .collect();
    line("(define (problem level)\n  (:domain plotting-natural)".to_string());
    line(format!(
        "  (:objects {} - row {} - column {} - colour)",
        list('r', rows),
        list('c', cols),
        colours.join(" ")
    ));
    line("  (:init".to_string());
    for name in &colours {
        line(format!("    (block {name})"));
    }
    line("    (first-row r1)".to_string());
    line(format!("    (last-column c{cols})"));
    let stop = |row: usize| {
        if row > rows {
            "floor".to_string()
        } else {
            format!("r{row}")
        }
    };
    for row in 1..=rows {
        if !level.blocked_rows[row - 1] {
            line(format!("    (open-row r{row})"));
        }
        line(format!("    (below {} r{row})", stop(row + 1)));
        for under in row + 1..=rows + 1 {
            line(format!(
                "    (above r{row} {0}) (apart r{row} {0} r{1})",
                stop(under),
                under - row
            ));
        }
    }
    for col in 1..=cols {
        if !level.blocked_cols[col - 1] {
            line(format!("    (open-column c{col})"));
        }
        if col < cols {
            line(format!("    (right c{} c{col})", col + 1));
        }
        for beside in 1..=col {
            line(format!("    (left c{beside} c{col})"));
        }
    }
    for (row, col) in cells.places() {
        let name =
            cells[(row, col)].map_or("null".to_string(), |held| format!("c-{}", colour(held)));
        line(format!("    (coloured r{} c{} {name})", row + 1, col + 1));
    }
    let hand = start
        .hand
        .map_or("wildcard".to_string(), |held| format!("c-{}", colour(held)));
    line(format!("    (hand {hand}))"));
    line(format!("  (:goal {}))", at_most(level.goal)));
    Ok(text)
}

/// "At most `most` cells are not null", the only way that PDDL can say it: there are that many cells, all different, such that
/// every cell is one of them, or null.
fn at_most(most: usize) -> String {
    if most == 0 {
        return "(forall (?x - row ?y - column) (coloured ?x ?y null))".to_string();
    }
    let list = |name: char| {
        (1..=most)
            .map(|at| format!("?{name}{at}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut text = format!(
        "(exists ({} - row {} - column)\n    (and",
        list('x'),
        list('y')
    );
    for second in 2..=most {
        for first in 1..second {
            write!(
                text,
                " (or (not (= ?x{first} ?x{second})) (not (= ?y{first} ?y{second})))"
            )
            .expect("a string");
        }
    }
    text.push_str("\n      (forall (?x - row ?y - column)\n        (or");
    for at in 1..=most {
        write!(text, " (and (= ?x{at} ?x) (= ?y{at} ?y))").expect("a string");
    }
    text.push_str(" (coloured ?x ?y null)))))");
    text
}

fn natural_moves(level: &Plotting, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    let number = |word: &str, most: usize| {
        let number = word
            .get(1..)
            .and_then(|digits| digits.parse::<usize>().ok());
        number
            .filter(|number| (1..=most).contains(number))
            .map(|number| number as u8 - 1)
    };
    let shot = |step: &Vec<String>| match step.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["shoot-partial-row" | "shoot-full-row", row, ..] => number(row, level.rows).map(Move::Row),
        ["shoot-column", col, ..] => number(col, level.cols).map(Move::Col),
        _ => None,
    };
    steps
        .iter()
        .map(|step| shot(step).ok_or_else(|| format!("'{}' is no shot", step.join(" "))))
        .collect()
}
