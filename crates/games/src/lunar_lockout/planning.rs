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
    },
    PlanningModel {
        name: "dynamic",
        about: "a slide is a start, moves from cell to cell, and a stop; the cost counts starts",
        measure: "slides",
        domain: include_str!("models/dynamic.pddl"),
        problem: dynamic_problem,
        moves,
    },
];

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
    let mut text = String::new();
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
    let mut text = String::new();
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

/// The moves of a plan. A step gives the craft's number and a side; replaying gives its cell.
fn moves(level: &LunarLockout, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    let mut state = level.start();
    let mut moves = Vec::new();
    for step in steps {
        let words: Vec<&str> = step.iter().map(String::as_str).collect();
        let (craft, side) = match words[..] {
            [action, craft, ..] if action.starts_with("slide-") => {
                (craft, Side::parse(&action[6..]))
            }
            ["start", craft, side] => (craft, Side::parse(side)),
            ["move" | "stop" | "stop-at-bar", ..] => continue,
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
