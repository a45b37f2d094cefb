//! The two PDDL models of Banci's thesis, chapter 5: the problem of a level, which both domains
//! share, and the moves of a plan.
//!
//! The thesis knows the pieces B, R and L and two ends. A third B would have to be passed straight
//! through, but its actions let a path that comes from the side turn off there, so levels with more
//! than two B are refused, and so are all options of a level.

use super::piece::{Kind, leads};
use super::rules::{Move, PipeMania, Place};
use crate::*;

fn name((row, col): Place) -> String {
    format!("p{}-{}", row + 1, col + 1)
}

/// The places of the two ends, the first one where the path begins.
fn ends(level: &PipeMania) -> Result<(Place, Place), String> {
    let plain = |place: Place| {
        let tile = level.board[place];
        let known = matches!(
            tile.kind,
            Kind::Empty | Kind::End | Kind::Straight | Kind::Corner
        );
        known && (tile.turnable() || matches!(tile.kind, Kind::Empty | Kind::End))
    };
    if !level.board.places().all(plain) {
        return Err(
            "the thesis has only the pieces B, R and L, and R and L can be turned".to_string(),
        );
    }
    let is_end = |place: &Place| level.board[*place].kind == Kind::End;
    let ends: Vec<Place> = level.board.places().filter(is_end).collect();
    let [one, other] = ends[..] else {
        return Err(format!("the thesis has two pieces B, not {}", ends.len()));
    };
    let (from, to) = match (level.from, level.to) {
        (Some(from), _) if from == other => (other, one),
        (_, Some(to)) if to == one => (other, one),
        _ => (one, other),
    };
    let named = |asked: Option<Place>, place: Place| asked.is_none_or(|asked| asked == place);
    let passed = level.required();
    let any_path = passed.iter().all(|place| *place == from || *place == to);
    if !named(level.from, from) || !named(level.to, to) || !any_path {
        return Err("the thesis has no pieces that the path must pass".to_string());
    }
    Ok((from, to))
}

/// The problem of a level for one of the domains.
pub(super) fn problem(level: &PipeMania, domain: &str) -> Result<String, String> {
    let (from, to) = ends(level)?;
    let is_piece = |place: &Place| level.board[*place].kind != Kind::Empty;
    let names: Vec<String> = level.board.places().filter(is_piece).map(name).collect();
    let mut facts = vec![format!("(on-piece {})", name(from))];
    for place in level.board.places().filter(is_piece) {
        let (tile, piece) = (level.board[place], name(place));
        facts.push(format!("(is-type-{} {piece})", tile.kind.letter()));
        facts.push(match (tile.kind, tile.rotation % 2) {
            (Kind::Corner, _) => format!("(L-on-position-{} {piece})", tile.rotation + 1),
            (_, 0) => format!("(on-horizontal {piece})"),
            _ => format!("(on-vertical {piece})"),
        });
        for (side, relation) in SIDES {
            if let Some(next) = level.board.beside(place, side).filter(is_piece) {
                facts.push(format!("({relation} {piece} {})", name(next)));
            }
        }
    }
    let into = |(side, word): &(Side, &str)| {
        let tile = level.board[to];
        leads(tile.kind, tile.rotation, *side).map(|_| format!("(from-{word} {})", name(to)))
    };
    let into: Vec<String> = SIDES.iter().filter_map(into).collect();
    Ok(format!(
        "(define (problem level)\n  (:domain pipe-mania-paper-5-{domain})\n  (:objects {} - piece)\n  (:init\n    {})\n  \
         (:goal (and (on-piece {}) (or {}))))\n",
        names.join(" "),
        facts.join("\n    "),
        name(to),
        into.join(" ")
    ))
}

/// The sides of a piece, in the words of the thesis.
const SIDES: [(Side, &str); 4] = [
    (Side::Left, "left"),
    (Side::Right, "right"),
    (Side::Up, "top"),
    (Side::Down, "bottom"),
];

/// The place in a piece's name.
fn place(level: &PipeMania, name: &str) -> Option<Place> {
    let (row, col) = name.strip_prefix('p')?.split_once('-')?;
    let number = |digits: &str| digits.parse::<usize>().ok()?.checked_sub(1);
    let place = (number(row)?, number(col)?);
    level.board.get(place.0, place.1).map(|_| place)
}

fn bad(step: &[String]) -> String {
    format!("'{}' is not a step of the thesis' domain", step.join(" "))
}

/// The turns along the path of a plan without rotations: each piece is turned until it fits.
pub(super) fn path_moves(level: &PipeMania, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    let mut moves = Vec::new();
    let mut entered: Option<Side> = None;
    for step in steps {
        let words: Vec<&str> = step.iter().map(String::as_str).collect();
        let [action, piece, _] = words[..] else {
            return Err(bad(step));
        };
        let side = action.strip_prefix("go-").and_then(Side::parse);
        let (Some(out), Some(place)) = (side, place(level, piece)) else {
            return Err(bad(step));
        };
        if let Some(entered) = entered {
            let turns = level.board[place].turns_to_lead(entered, out);
            let turn = Move {
                row: place.0 as u16,
                col: place.1 as u16,
            };
            let turns = turns.ok_or_else(|| bad(step))?;
            moves.extend(std::iter::repeat_n(turn, usize::from(turns)));
        }
        entered = Some(out.opposite());
    }
    Ok(moves)
}

/// The turns of a plan in which they are actions.
pub(super) fn rotate_moves(level: &PipeMania, steps: &[Vec<String>]) -> Result<Vec<Move>, String> {
    let mut moves = Vec::new();
    for step in steps {
        match step.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [action, _, _] if action.starts_with("go-") => {}
            ["rotate", piece] => {
                let (row, col) = place(level, piece).ok_or_else(|| bad(step))?;
                moves.push(Move {
                    row: row as u16,
                    col: col as u16,
                });
            }
            _ => return Err(bad(step)),
        }
    }
    Ok(moves)
}
