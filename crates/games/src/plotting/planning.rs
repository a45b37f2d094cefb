//! Plotting in PDDL: from a level to a problem, and from a plan to shots.

use std::fmt::Write;

use super::formats::without_options;
use super::rules::{Move, Plotting};
use crate::planning::typed;
use crate::*;

pub(super) const MODELS: &[PlanningModel<Plotting>] = &[
    PlanningModel {
        name: "natural",
        about: "one action per shot, with quantified conditions and conditional effects over whole columns",
        measure: "shots",
        domain: include_str!("models/natural.pddl"),
        problem: natural_problem,
        moves,
        states: |_| None,
    },
    PlanningModel {
        name: "fine",
        about: "one action for each change of a block; the cost counts shots",
        measure: "shots",
        domain: include_str!("models/fine.pddl"),
        problem: fine_problem,
        moves,
        states: |_| None,
    },
    PlanningModel {
        name: "paper-4",
        about: "the model of the paper: three actions, and numbers that count rows and columns",
        measure: "shots",
        domain: include_str!("models/paper-4.pddl"),
        problem: paper_problem,
        moves,
        states: |_| None,
    },
];

fn natural_problem(level: &Plotting) -> Result<String, String> {
    let mut init = facts(level)?;
    let rows = level.rows;
    let stop = |row: usize| {
        if row > rows {
            "floor".to_string()
        } else {
            format!("r{row}")
        }
    };
    init.push(format!("(below floor r{rows})"));
    for row in 1..=rows {
        for under in row + 1..=rows + 1 {
            init.push(format!(
                "(above r{row} {0}) (apart r{row} {0} r{1})",
                stop(under),
                under - row
            ));
        }
    }
    for col in 1..=level.cols {
        init.extend((1..=col).map(|beside| format!("(left c{beside} c{col})")));
    }
    Ok(problem(
        level,
        "natural",
        &init,
        &format!("(:goal {})", at_most_blocks(level)),
    ))
}

fn fine_problem(level: &Plotting) -> Result<String, String> {
    let mut init = facts(level)?;
    init.extend(["(ready)", "(first-column c1)", "(= (total-cost) 0)"].map(str::to_string));
    init.push(format!("(last-row r{})", level.rows));
    let goal = format!(
        "(:goal (and (ready) {}))\n  (:metric minimize (total-cost))",
        at_most_blocks(level)
    );
    Ok(problem(level, "fine", &init, &goal))
}

/// The problem of the paper's model. Numbers count rows and columns alike, up to the longer side of
/// the board; cells outside the board are null.
fn paper_problem(level: &Plotting) -> Result<String, String> {
    let start = level.start();
    without_options(level, &start)?;
    let numbers = level.rows.max(level.cols);
    let mut facts = vec![
        "(hand wild)".to_string(),
        "(isfirstcolumn n1) (istoprow n1)".to_string(),
        format!(
            "(islastcolumn n{}) (isbottomrow n{})",
            level.cols, level.rows
        ),
    ];
    for first in 1..=numbers {
        for second in first + 1..=numbers {
            let apart = second - first;
            facts.push(format!(
                "(lt n{first} n{second}) (distance n{first} n{second} n{apart})"
            ));
        }
        if first < numbers {
            facts.push(format!("(succ n{} n{first})", first + 1));
        }
    }
    let cells = level.cells(&start);
    let colours = colours(level);
    for row in 0..numbers {
        for col in 0..numbers {
            let held = cells.get(row, col).copied().flatten();
            let name = held.map_or("null", |held| &colours[usize::from(held)]);
            facts.push(format!("(coloured n{} n{} {name})", row + 1, col + 1));
        }
    }
    let names: Vec<String> = (1..=numbers).map(|number| format!("n{number}")).collect();
    let goal = at_most_blocks(level)
        .replace(" - row", " - number")
        .replace(" - column", " - number");
    Ok(format!(
        "(define (problem level)\n  (:domain plotting-paper-4)\n  (:objects{}{})\n  (:init\n    {})\n  (:goal {goal}))\n",
        typed(&names, "number"),
        typed(&colours, "colour"),
        facts.join("\n    ")
    ))
}

/// The initial facts that our two models share.
fn facts(level: &Plotting) -> Result<Vec<String>, String> {
    let start = level.start();
    if start.wildcards > 0 {
        return Err("the model has no wildcards that appear when no shot is legal".to_string());
    }
    let mut facts: Vec<String> = colours(level)
        .iter()
        .map(|name| format!("(block {name})"))
        .collect();
    facts.push("(first-row r1)".to_string());
    facts.push(format!("(last-column c{})", level.cols));
    let open = |blocked: &[bool], kind: &str, name: char| -> Vec<String> {
        let open = blocked.iter().enumerate().filter(|(_, blocked)| !**blocked);
        open.map(|(index, _)| format!("(open-{kind} {name}{})", index + 1))
            .collect()
    };
    facts.extend(open(&level.blocked_rows, "row", 'r'));
    facts.extend(open(&level.blocked_cols, "column", 'c'));
    facts.extend((1..level.rows).map(|row| format!("(below r{} r{row})", row + 1)));
    facts.extend((1..level.cols).map(|col| format!("(right c{} c{col})", col + 1)));
    let cells = level.cells(&start);
    let colours = colours(level);
    for (row, col) in cells.places() {
        let name = cells[(row, col)].map_or("null", |held| &colours[usize::from(held)]);
        facts.push(format!("(coloured r{} c{} {name})", row + 1, col + 1));
    }
    let hand = start
        .hand
        .map_or("wildcard", |held| &colours[usize::from(held)]);
    facts.push(format!("(hand {hand})"));
    Ok(facts)
}

fn colours(level: &Plotting) -> Vec<String> {
    level
        .letters
        .iter()
        .map(|letter| format!("c-{}", letter.to_ascii_lowercase()))
        .collect()
}

fn problem(level: &Plotting, model: &str, init: &[String], goal: &str) -> String {
    let list = |name: char, count: usize| -> String {
        (1..=count)
            .map(|index| format!("{name}{index}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    format!(
        "(define (problem level)\n  (:domain plotting-{model})\n  (:objects {} - row {} - column{})\n  (:init\n    {})\n  \
         {goal})\n",
        list('r', level.rows),
        list('c', level.cols),
        typed(&colours(level), "colour"),
        init.join("\n    ")
    )
}

/// The condition that no more blocks are left than the goal allows. A goal above the number of cells
/// always holds; `at_most` needs as many distinct cells as it counts.
fn at_most_blocks(level: &Plotting) -> String {
    at_most(level.goal.min(level.rows * level.cols))
}

/// "At most `most` cells are not null" without counting, which PDDL lacks: there are that many
/// distinct cells such that every cell is one of them or null.
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

/// The shots of a plan. In all models, the step that starts a shot names its row or column.
fn moves(level: &Plotting, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    /// The names of the steps within a shot begin with one of these.
    const PARTS: &[&str] = &[
        "pass-", "take-", "eat-", "drop-", "fly-", "hit-", "stop-", "come-",
    ];
    let number = |word: &str, most: usize| {
        let number = word
            .get(1..)
            .and_then(|digits| digits.parse::<usize>().ok());
        number
            .filter(|number| (1..=most).contains(number))
            .map(|number| number as u8 - 1)
    };
    let mut moves = Vec::new();
    for step in steps {
        let shot = match step.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [part, ..] if PARTS.iter().any(|known| part.starts_with(known)) => continue,
            [
                "shoot-partial-row" | "shoot-full-row" | "start-row",
                row,
                ..,
            ] => number(row, level.rows).map(Move::Row),
            ["shoot-column", col, ..] | ["start-column", _, col] => {
                number(col, level.cols).map(Move::Col)
            }
            _ => None,
        };
        moves.push(shot.ok_or_else(|| format!("'{}' is not a shot", step.join(" ")))?);
    }
    Ok(moves)
}
