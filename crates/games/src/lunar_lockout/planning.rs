//! Lunar Lockout in PDDL: the problem text of a level, and the moves of a plan.

use std::fmt::Write;

use super::rules::{LunarLockout, Move};
use crate::*;

pub(super) const MODELS: &[PlanningModel<LunarLockout>] = &[
    PlanningModel {
        name: "static",
        about: "one action per slide, with quantified conditions over the cells on its way",
        measure: "slides",
        domain: include_str!("models/static.pddl"),
        problem: static_problem,
        moves,
        states: |level| states(level, 1),
    },
    PlanningModel {
        name: "dynamic",
        about: "a slide is a start, moves from cell to cell, and a stop; the cost counts starts",
        measure: "slides",
        domain: include_str!("models/dynamic.pddl"),
        problem: dynamic_problem,
        moves,
        // Resting, or one craft moves in one of four directions, and has left its cell or not.
        states: |level| states(level, 8 * level.names.len() as u128 + 1),
    },
    PlanningModel {
        name: "paper-2.1",
        about: "the dynamic representation of the report: twelve actions; the cost counts starts",
        measure: "slides",
        domain: include_str!("models/paper-2.1.pddl"),
        problem: paper_dynamic_problem,
        moves,
        // At rest, or one craft moves in one of four directions.
        states: |level| states(level, 4 * level.names.len() as u128 + 1),
    },
    PlanningModel {
        name: "paper-2.2",
        about: "the static representation of the report: four actions with ADL; square boards only",
        measure: "slides",
        domain: include_str!("models/paper-2.2.pddl"),
        problem: paper_static_problem,
        moves,
        states: |level| states(level, 1),
    },
];

/// The number of ways to place the craft on different cells, times the number of modes: the formula
/// of the report. `None` if it is too large.
fn states(level: &LunarLockout, modes: u128) -> Option<u128> {
    let cells = (level.rows * level.cols) as u128;
    (0..level.names.len() as u128).try_fold(modes, |states, placed| {
        states.checked_mul(cells.checked_sub(placed)?)
    })
}

/// The board as a picture, in comments, as the report's generator puts it at the top of a problem
/// file: craft by number, the goal as `+`, and `*` if the red craft 0 is on it.
fn board_comment(level: &LunarLockout) -> String {
    let start = level.start();
    let cell = |place| {
        let cell = level.cell(place);
        match level.craft_at(&start, cell) {
            Some(0) if cell == level.goal => "*".to_string(),
            Some(craft) => craft.to_string(),
            None if cell == level.goal => "+".to_string(),
            None => ".".to_string(),
        }
    };
    let width = (level.names.len().saturating_sub(1)).to_string().len();
    let row = |row| {
        let cells = (0..level.cols).map(|col| format!("{:>width$}", cell((row, col))));
        format!("; {}\n", cells.collect::<Vec<_>>().join(" "))
    };
    (0..level.rows).map(row).collect()
}

/// The reports' rules have no walls, and no edge that stops a craft.
fn without_options(level: &LunarLockout) -> Result<(), String> {
    let walled = |place| {
        Side::ALL
            .into_iter()
            .any(|side| level.has_wall(place, side))
    };
    if level.edge_stops || level.walls.places().any(walled) {
        return Err("the paper's model has no walls, and no edge that stops a craft".to_string());
    }
    Ok(())
}

fn paper_dynamic_problem(level: &LunarLockout) -> Result<String, String> {
    without_options(level)?;
    let name = |(row, col): (usize, usize)| format!("p-{}-{}", row + 1, col + 1);
    let positions: Vec<String> = level.walls.places().map(name).collect();
    let start = level.start();
    let mut facts = vec!["(static) (= (total-cost) 0)".to_string()];
    for place in level.walls.places() {
        facts.push(match level.craft_at(&start, level.cell(place)) {
            Some(craft) => format!("(at s{craft} {})", name(place)),
            None => format!("(empty {})", name(place)),
        });
        let neighbours = [(Side::Right, "just_left_of"), (Side::Down, "just_above_of")];
        for (side, relation) in neighbours {
            if let Some(next) = level.walls.beside(place, side) {
                facts.push(format!("({relation} {} {})", name(place), name(next)));
            }
        }
    }
    Ok(format!(
        "{}(define (problem level)\n  (:domain lunar-lockout-paper-2-1)\n  (:objects {} - spacecraft\n    {} - position)\n  \
         (:init {})\n  (:goal (and (static) (at s0 {})))\n  (:metric minimize (total-cost)))\n",
        board_comment(level),
        craft_list(level),
        positions.join(" "),
        facts.join("\n    "),
        name(level.place(level.goal))
    ))
}

fn paper_static_problem(level: &LunarLockout) -> Result<String, String> {
    without_options(level)?;
    if level.rows != level.cols {
        return Err("the paper's static model is for square boards only".to_string());
    }
    let indices: Vec<String> = (1..=level.rows).map(|index| format!("i{index}")).collect();
    let start = level.start();
    let mut facts = Vec::new();
    for first in 1..=level.rows {
        for second in first + 1..=level.rows {
            facts.push(format!("(less i{first} i{second})"));
        }
        if first < level.rows {
            facts.push(format!("(just_less i{first} i{})", first + 1));
        }
    }
    for (row, col) in level.walls.places() {
        let place = format!("i{} i{}", row + 1, col + 1);
        facts.push(match level.craft_at(&start, level.cell((row, col))) {
            Some(craft) => format!("(at s{craft} {place})"),
            None => format!("(empty {place})"),
        });
    }
    let (row, col) = level.place(level.goal);
    Ok(format!(
        "{}(define (problem level)\n  (:domain lunar-lockout-paper-2-2)\n  (:objects {} - spacecraft {} - gridindex)\n  \
         (:init {})\n  (:goal (at s0 i{} i{})))\n",
        board_comment(level),
        craft_list(level),
        indices.join(" "),
        facts.join("\n    "),
        row + 1,
        col + 1
    ))
}

/// Whether a wall or the edge stops a craft on this side of a cell.
fn barred(level: &LunarLockout, place: (usize, usize), side: Side) -> bool {
    level.has_wall(place, side) || level.edge_stops && level.walls.beside(place, side).is_none()
}

/// The craft as PDDL objects, by number: PDDL names are case-insensitive, so letters would clash.
fn craft_list(level: &LunarLockout) -> String {
    (0..level.names.len())
        .map(|craft| format!("s{craft}"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn static_problem(level: &LunarLockout) -> Result<String, String> {
    let mut text = board_comment(level);
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string");
    let list = |name: char, count: usize| -> String {
        (1..=count)
            .map(|index| format!("{name}{index}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    line("(define (problem level)\n  (:domain lunar-lockout-static)".to_string());
    line(format!(
        "  (:objects {} - craft {} - row {} - column)",
        craft_list(level),
        list('r', level.rows),
        list('c', level.cols)
    ));
    line("  (:init".to_string());
    for (count, name, far, near) in [
        (level.rows, 'r', "above", "just-above"),
        (level.cols, 'c', "left", "just-left"),
    ] {
        for first in 1..=count {
            for second in first + 1..=count {
                line(format!("    ({far} {name}{first} {name}{second})"));
            }
            if first < count {
                line(format!("    ({near} {name}{first} {name}{})", first + 1));
            }
        }
    }
    let start = level.start();
    for place in level.walls.places() {
        let cell = format!("r{} c{}", place.0 + 1, place.1 + 1);
        match level.craft_at(&start, level.cell(place)) {
            Some(craft) => line(format!("    (at s{craft} {cell})")),
            None => line(format!("    (empty {cell})")),
        }
        for side in Side::ALL
            .into_iter()
            .filter(|&side| barred(level, place, side))
        {
            line(format!("    (barred-{} {cell})", side.name()));
        }
    }
    let (row, col) = level.place(level.goal);
    line(format!("  )\n  (:goal (at s0 r{} c{})))", row + 1, col + 1));
    Ok(text)
}

fn dynamic_problem(level: &LunarLockout) -> Result<String, String> {
    let mut text = board_comment(level);
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string");
    let name = |(row, col): (usize, usize)| format!("p-{}-{}", row + 1, col + 1);
    let positions: Vec<String> = level.walls.places().map(name).collect();
    line("(define (problem level)\n  (:domain lunar-lockout-dynamic)".to_string());
    line(format!(
        "  (:objects {} - craft up right down left - direction",
        craft_list(level)
    ));
    line(format!("    {} - position)", positions.join(" ")));
    line("  (:init (resting) (= (total-cost) 0)".to_string());
    let start = level.start();
    for place in level.walls.places() {
        match level.craft_at(&start, level.cell(place)) {
            Some(craft) => line(format!("    (at s{craft} {})", name(place))),
            None => line(format!("    (empty {})", name(place))),
        }
        for side in Side::ALL {
            if barred(level, place, side) {
                line(format!("    (barred {} {})", side.name(), name(place)));
            } else if let Some(next) = level.walls.beside(place, side) {
                line(format!(
                    "    (next {} {} {})",
                    side.name(),
                    name(place),
                    name(next)
                ));
            }
        }
    }
    let goal = name(level.place(level.goal));
    line(format!(
        "  )\n  (:goal (and (resting) (at s0 {goal})))\n  (:metric minimize (total-cost)))"
    ));
    Ok(text)
}

/// The moves of a plan. A step gives the craft's number and a side; replaying gives its cell. In the
/// paper's dynamic model a slide may be started and stopped on the spot, which is not a move.
fn moves(level: &LunarLockout, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    let mut state = level.start();
    let mut moves = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let next = steps.get(at + 1).and_then(|next| next.first());
        if step
            .first()
            .is_some_and(|action| action.starts_with("startmove"))
            && next.is_some_and(|next| next.starts_with("stopmove"))
        {
            continue;
        }
        let words: Vec<&str> = step.iter().map(String::as_str).collect();
        let (craft, side) = match words[..] {
            [action, craft, ..] if action.starts_with("slide-") => {
                (craft, Side::parse(&action[6..]))
            }
            ["start", craft, side] => (craft, Side::parse(side)),
            [action, craft] if action.starts_with("startmove") => {
                (craft, Side::parse(&action["startmove".len()..]))
            }
            // In the paper's static model a slide names a craft, its place and its new row or
            // column; in the dynamic one a move by one cell names a craft and two cells.
            [
                "moveup" | "movedown" | "moveleft" | "moveright",
                craft,
                _,
                _,
                _,
            ] => (craft, Side::parse(&words[0]["move".len()..])),
            ["move" | "stop" | "stop-at-bar", ..] => continue,
            [action, ..] if action.starts_with("stopmove") || action.starts_with("move") => {
                continue;
            }
            _ => return Err(format!("'{}' is not a step of a slide", step.join(" "))),
        };
        let number = craft
            .strip_prefix('s')
            .and_then(|digits| digits.parse::<usize>().ok());
        let cell = number.and_then(|craft| level.craft(&state).get(craft).copied());
        let (Some(cell), Some(side)) = (cell, side) else {
            return Err(format!(
                "'{}' does not name a craft and a side",
                step.join(" ")
            ));
        };
        let mv = Move { cell, side };
        state = level.play(&state, mv).map_err(|refusal| refusal.0)?;
        moves.push(mv);
    }
    Ok(moves)
}
