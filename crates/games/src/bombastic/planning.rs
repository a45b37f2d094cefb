//! Bombastic in PDDL: the problem text of a level, and the moves of a plan.

use std::fmt::Write;

use super::rules::{Bombastic, Move, Tile};
use crate::*;

pub(super) const MODELS: &[PlanningModel<Bombastic>] = &[PlanningModel {
    name: "push",
    about: "two actions, step and push; blocks are not objects, and ice is firm until it melts",
    measure: "steps",
    domain: include_str!("models/push.pddl"),
    problem,
    moves,
    states: |_| None,
}];

fn problem(level: &Bombastic) -> Result<String, String> {
    let name = |(row, col): (usize, usize)| format!("c-{}-{}", row + 1, col + 1);
    let is_cell = |place: &(usize, usize)| level.tiles[*place] != Tile::Dead;
    let cells: Vec<String> = level.tiles.places().filter(is_cell).map(name).collect();
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string");
    line("(define (problem level)\n  (:domain bombastic-push)".to_string());
    line(format!(
        "  (:objects up right down left - direction {} - cell)",
        cells.join(" ")
    ));
    line(format!("  (:init (avatar {})", name(level.avatar)));
    for &place in &level.blocks {
        line(format!("    (block {})", name(place)));
    }
    for place in level.tiles.places().filter(is_cell) {
        line(format!("    (firm {})", name(place)));
        if level.tiles[place] == Tile::Ice {
            line(format!("    (ice {})", name(place)));
        }
        if level.goals[place] {
            line(format!("    (goal {})", name(place)));
        }
        for side in Side::ALL {
            if let Some(next) = level.tiles.beside(place, side).filter(is_cell) {
                line(format!(
                    "    (next {} {} {})",
                    side.name(),
                    name(place),
                    name(next)
                ));
            }
        }
    }
    line("  )\n  (:goal (forall (?c - cell) (imply (block ?c) (goal ?c)))))".to_string());
    Ok(text)
}

fn moves(_level: &Bombastic, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    let read = |step: &Vec<String>| match step.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["step" | "push", side, ..] => Side::parse(side).map(Move),
        _ => None,
    };
    steps
        .iter()
        .map(|step| read(step).ok_or_else(|| format!("'{}' is not a step", step.join(" "))))
        .collect()
}
