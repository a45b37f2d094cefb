//! Puzznic in PDDL: from a level to a problem, and from a plan to moves.

use std::fmt::Write;

use super::rules::{Move, Puzznic, Tile, board};
use crate::planning::typed;
use crate::*;

pub(super) const MODELS: &[PlanningModel<Puzznic>] = &[
    PlanningModel {
        name: "derived",
        about: "move, fall and match, controlled by derived predicates; the cost counts moves",
        measure: "moves",
        domain: include_str!("models/derived.pddl"),
        problem: |level| problem(level, "derived", "(forall (?l - location) (free ?l))"),
        moves,
        states: |_| None,
    },
    PlanningModel {
        name: "paper-3",
        about: "the model of the paper: move_block, fall_block and match_blocks, with its flags",
        measure: "moves",
        domain: include_str!("models/paper-3.pddl"),
        problem: |level| {
            let goal = "(forall (?l - location) (not (exists (?p - pattern) (patterned ?l ?p))))";
            problem(level, "paper-3", goal)
        },
        moves,
        states: |_| None,
    },
];

fn problem(level: &Puzznic, model: &str, goal: &str) -> Result<String, String> {
    let board = board(level, &level.start());
    let name = |(row, col): (usize, usize)| format!("l-{}-{}", row + 1, col + 1);
    let is_location = |place: &(usize, usize)| !matches!(board[*place], Tile::Wall);
    let locations: Vec<String> = board.places().filter(is_location).map(name).collect();
    let patterns: Vec<String> = (1..=level.letters.len())
        .map(|pattern| format!("p{pattern}"))
        .collect();
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string");
    line(format!(
        "(define (problem level)\n  (:domain puzznic-{model})"
    ));
    line(format!(
        "  (:objects{}{})",
        typed(&locations, "location"),
        typed(&patterns, "pattern")
    ));
    line("  (:init (= (total-cost) 0)".to_string());
    for place in board.places().filter(is_location) {
        if let Some(pattern) = board[place].pattern() {
            line(format!("    (patterned {} p{})", name(place), pattern + 1));
        }
        for side in Side::ALL {
            if let Some(next) = board.beside(place, side).filter(is_location) {
                line(format!(
                    "    (next {} {} {})",
                    name(place),
                    name(next),
                    side.name()
                ));
            }
        }
    }
    line(format!(
        "  )\n  (:goal {goal})\n  (:metric minimize (total-cost)))"
    ));
    Ok(text)
}

fn moves(_level: &Puzznic, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    let mut moves = Vec::new();
    for step in steps {
        let words: Vec<&str> = step.iter().map(String::as_str).collect();
        match words[..] {
            [
                "fall-block" | "match-blocks" | "fall_block" | "match_blocks",
                ..,
            ] => {}
            ["move-block" | "move_block", from, _, side, _] => {
                let mut numbers = from
                    .split('-')
                    .skip(1)
                    .map(|digits| digits.parse::<u16>().ok());
                let (row, col) = (numbers.next().flatten(), numbers.next().flatten());
                let (Some(row @ 1..), Some(col @ 1..), Some(side)) = (row, col, Side::parse(side))
                else {
                    return Err(format!(
                        "'{}' does not name a block and a side",
                        step.join(" ")
                    ));
                };
                moves.push(Move {
                    row: row - 1,
                    col: col - 1,
                    side,
                });
            }
            _ => return Err(format!("'{}' is not a step of this model", step.join(" "))),
        }
    }
    Ok(moves)
}
