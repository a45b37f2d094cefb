//! Pipe Mania in PDDL: the problem text of a level, and the moves of a plan.

use std::fmt::Write;

use super::piece::{Kind, leads, lies_along};
use super::rules::{Move, PipeMania, Place};
use super::thesis;
use crate::planning::typed;
use crate::*;

pub(super) const MODELS: &[PlanningModel<PipeMania>] = &[
    PlanningModel {
        name: "path",
        about: "a path is built piece by piece, each in the rotation that fits",
        measure: "pieces",
        domain: include_str!("models/path.pddl"),
        problem: |level| Ok(problem(level, false)),
        moves: path_moves,
        states: |_| None,
    },
    PlanningModel {
        name: "rotate",
        about: "a path is built piece by piece, and each quarter turn of a piece is a step",
        measure: "pieces+rotations",
        domain: include_str!("models/rotate.pddl"),
        problem: |level| Ok(problem(level, true)),
        moves: rotate_moves,
        states: |_| None,
    },
    PlanningModel {
        name: "paper-5-path",
        about: "the first domain of the thesis: one action for each direction",
        measure: "pieces",
        domain: include_str!("models/paper-5-path.pddl"),
        problem: |level| thesis::problem(level, "path"),
        moves: thesis::path_moves,
        states: |_| None,
    },
    PlanningModel {
        name: "paper-5-rotate",
        about: "the second domain of the thesis: quarter turns are actions with conditional effects",
        measure: "pieces+rotations",
        domain: include_str!("models/paper-5-rotate.pddl"),
        problem: |level| thesis::problem(level, "rotate"),
        moves: thesis::rotate_moves,
        states: |_| None,
    },
];

/// The PDDL pieces of a cell (a cross has one for each channel), with the sides through which each
/// can be entered.
fn parts(level: &PipeMania, place: Place) -> Vec<(String, Vec<Side>)> {
    let name = format!("p-{}-{}", place.0 + 1, place.1 + 1);
    match level.board[place].kind {
        Kind::Empty => Vec::new(),
        Kind::Cross => vec![
            (format!("{name}-h"), vec![Side::Right, Side::Left]),
            (format!("{name}-v"), vec![Side::Up, Side::Down]),
        ],
        _ => vec![(name, Side::ALL.to_vec())],
    }
}

fn problem(level: &PipeMania, rotations: bool) -> String {
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string");
    let all: Vec<(Place, String, Vec<Side>)> = level
        .board
        .places()
        .flat_map(|place| {
            parts(level, place)
                .into_iter()
                .map(move |(name, sides)| (place, name, sides))
        })
        .collect();
    let names: Vec<&str> = all.iter().map(|(_, name, _)| name.as_str()).collect();
    let (model, objects) = if rotations {
        ("rotate", " r1 r2 r3 r4 - rotation")
    } else {
        ("path", "")
    };
    line(format!(
        "(define (problem level)\n  (:domain pipe-mania-{model})"
    ));
    line(format!("  (:objects up right down left - side{objects}"));
    line(format!("   {})", typed(&names, "piece")));
    line("  (:init (fresh)".to_string());
    for side in Side::ALL {
        line(format!(
            "    (facing {} {})",
            side.name(),
            side.opposite().name()
        ));
    }
    if rotations {
        line(
            "    (clockwise r1 r2) (clockwise r2 r3) (clockwise r3 r4) (clockwise r4 r1)"
                .to_string(),
        );
    }
    for (place, name, sides) in &all {
        let tile = level.board[*place];
        if tile.kind == Kind::End {
            for side in Side::ALL
                .into_iter()
                .filter(|&side| lies_along(tile.rotation, side))
            {
                line(format!("    (opens {name} {})", side.name()));
            }
            for (role, named) in [("source", level.from), ("target", level.to)] {
                if named.is_none_or(|named| named == *place) {
                    line(format!("    ({role} {name})"));
                }
            }
        }
        if rotations {
            line(format!("    (turned {name} r{})", tile.rotation + 1));
            if tile.turnable() {
                line(format!("    (turnable {name})"));
            }
        }
        for &entered in sides {
            let into = entered.name();
            let outs: Vec<Side> = Side::ALL
                .into_iter()
                .filter(|&out| tile.turns_to_lead(entered, out).is_some())
                .collect();
            if !outs.is_empty() {
                line(format!("    (enterable {name} {into})"));
            }
            for out in outs {
                let out_name = out.name();
                if rotations {
                    for rotation in 0..4 {
                        let reached = tile.turnable() || rotation == tile.rotation;
                        if reached && leads(tile.kind, rotation, entered) == Some(out) {
                            line(format!(
                                "    (channel {name} r{} {into} {out_name})",
                                rotation + 1
                            ));
                        }
                    }
                } else {
                    line(format!("    (channel {name} {into} {out_name})"));
                }
            }
        }
        for &out in sides {
            let Some(next) = level.board.beside(*place, out) else {
                continue;
            };
            for (other, sides) in parts(level, next) {
                if sides.contains(&out.opposite()) {
                    line(format!("    (beside {name} {other} {})", out.name()));
                }
            }
        }
    }
    let used: String = level
        .required()
        .into_iter()
        .map(|place| {
            let any: String = parts(level, place)
                .iter()
                .map(|(name, _)| format!(" (used {name})"))
                .collect();
            format!(" (or{any})")
        })
        .collect();
    line(format!(
        "  )\n  (:goal (and (exists (?p - piece ?s - side) (and (target ?p) (entered ?p ?s))){used})))"
    ));
    text
}

/// The place in a piece's name.
fn place(level: &PipeMania, name: &str) -> Option<Place> {
    let mut numbers = name
        .split('-')
        .skip(1)
        .map(|digits| digits.parse::<usize>().ok()?.checked_sub(1));
    let place = (numbers.next()??, numbers.next()??);
    level.board.get(place.0, place.1).map(|_| place)
}

fn turns(place: Place, count: u8) -> impl Iterator<Item = Move> {
    std::iter::repeat_n(
        Move {
            row: place.0 as u16,
            col: place.1 as u16,
        },
        usize::from(count),
    )
}

fn path_moves(level: &PipeMania, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    let mut moves = Vec::new();
    for step in steps {
        let words: Vec<&str> = step.iter().map(String::as_str).collect();
        match words[..] {
            ["leave", ..] => {}
            ["pass", piece, _, entered, out, _] => {
                let bad = || format!("'{}' does not name a piece and sides", step.join(" "));
                let place = place(level, piece).ok_or_else(bad)?;
                let (entered, out) = (
                    Side::parse(entered).ok_or_else(bad)?,
                    Side::parse(out).ok_or_else(bad)?,
                );
                moves.extend(turns(
                    place,
                    level.board[place]
                        .turns_to_lead(entered, out)
                        .ok_or_else(bad)?,
                ));
            }
            _ => return Err(format!("'{}' is not a step of a path", step.join(" "))),
        }
    }
    Ok(moves)
}

fn rotate_moves(level: &PipeMania, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    let mut moves = Vec::new();
    for step in steps {
        match step.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["leave" | "pass", ..] => {}
            ["rotate", piece, ..] => {
                let place =
                    place(level, piece).ok_or_else(|| format!("there is no piece '{piece}'"))?;
                moves.extend(turns(place, 1));
            }
            _ => return Err(format!("'{}' is not a step of a path", step.join(" "))),
        }
    }
    Ok(moves)
}
