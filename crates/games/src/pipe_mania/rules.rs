//! The slow rules: which pieces may be turned, and which paths a state contains.
//!
//! In a state, all rotations are given, so a path that enters a piece has at most one exit. A path
//! is found by following the pipe from a B through each of its two openings; it cannot cross itself
//! except in an `X`, whose channels are separate. The fast rules are in `space.rs`.

use std::collections::HashSet;

use super::piece::{Kind, Tile, leads, lies_along};
use crate::*;

/// A row and a column, from 0.
pub type Place = (usize, usize);

/// A level: the pieces as they are at the start, and the conditions on the path.
#[derive(Clone, Debug)]
pub struct PipeMania {
    pub(super) board: Grid<Tile>,
    /// The path begins here; `None`: in any B.
    pub(super) from: Option<Place>,
    /// The path ends here; `None`: in any B.
    pub(super) to: Option<Place>,
    /// The path must pass these pieces.
    pub(super) through: Vec<Place>,
    /// The path must pass every B.
    pub(super) join: bool,
    /// For each cell, row by row: its number among the turnable pieces, or `FIXED`.
    pub(super) numbers: Vec<u32>,
    /// The cells of the turnable pieces, in order.
    pub(super) turnable: Vec<u32>,
    /// Warnings from reading the level.
    pub(super) warnings: Vec<BadText>,
}

/// The number of a cell whose piece cannot be turned.
pub(super) const FIXED: u32 = u32::MAX;

/// The rotations of all turnable pieces, row by row, two bits each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) rotations: Box<[u64]>,
}

/// A quarter turn clockwise of the piece in this cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub row: u16,
    pub col: u16,
}

impl PipeMania {
    pub(super) fn new(board: Grid<Tile>) -> Self {
        let mut numbers = vec![FIXED; board.cells().len()];
        let mut turnable = Vec::new();
        for (cell, tile) in board.cells().iter().enumerate() {
            if tile.turnable() {
                numbers[cell] = turnable.len() as u32;
                turnable.push(cell as u32);
            }
        }
        Self {
            board,
            from: None,
            to: None,
            through: Vec::new(),
            join: false,
            numbers,
            turnable,
            warnings: Vec::new(),
        }
    }

    /// The B pieces, row by row.
    pub(super) fn ends(&self) -> Vec<Place> {
        let is_end = |&place: &Place| self.board[place].kind == Kind::End;
        self.board.places().filter(is_end).collect()
    }

    /// The places that a path must pass, wherever it begins and ends.
    pub(super) fn required(&self) -> Vec<Place> {
        let mut required = self.through.clone();
        if self.join {
            required.extend(self.ends());
        }
        required.sort_unstable();
        required.dedup();
        required
    }

    /// The rotation of a piece in this state, from 0.
    pub(super) fn rotation(&self, state: &State, (row, col): Place) -> u8 {
        match self.numbers[row * self.board.cols() + col] {
            FIXED => self.board[(row, col)].rotation,
            number => state.get(number as usize),
        }
    }
}

impl State {
    pub(super) fn get(&self, number: usize) -> u8 {
        (self.rotations[number / 32] >> (number % 32 * 2) & 3) as u8
    }

    pub(super) fn set(&mut self, number: usize, rotation: u8) {
        let (word, shift) = (number / 32, number % 32 * 2);
        self.rotations[word] &= !(3 << shift);
        self.rotations[word] |= u64::from(rotation % 4) << shift;
    }
}

impl Rules for PipeMania {
    const MEASURES: &'static [Measure] = &[
        Measure {
            name: "pieces",
            additive: false,
        },
        Measure {
            name: "pieces+rotations",
            additive: false,
        },
    ];

    /// A turnable piece turns by 90° clockwise.
    fn play(&self, state: &State, mv: Move) -> Result<State, Refusal> {
        let place = (usize::from(mv.row), usize::from(mv.col));
        let name = format!("{} {}", place.0 + 1, place.1 + 1);
        let Some(&tile) = self.board.get(place.0, place.1) else {
            return Err(Refusal::new(format!("{name} is not on the board")));
        };
        let why = match tile.kind {
            Kind::Empty => format!("there is no piece at {name}"),
            Kind::End => {
                format!("the piece at {name} is a B: begin and end pieces are never turned")
            }
            Kind::Cross => {
                format!("the piece at {name} is a cross: turning it would change nothing")
            }
            _ if tile.fixed => format!("the piece at {name} is marked '!': it cannot be turned"),
            Kind::Straight | Kind::Corner | Kind::OneWay => String::new(),
        };
        if !why.is_empty() {
            return Err(Refusal::new(why));
        }
        let number = self.numbers[place.0 * self.board.cols() + place.1] as usize;
        let mut next = state.clone();
        next.set(number, state.get(number) + 1);
        Ok(next)
    }

    fn writable_moves(&self, _state: &State) -> Vec<Move> {
        let mv = |(row, col): Place| Move {
            row: row as u16,
            col: col as u16,
        };
        self.board.places().map(mv).collect()
    }

    /// Names the path that is missing, and the longest pipe.
    fn shortfall(&self, state: &State) -> Option<String> {
        if best_path(self, state).is_some() {
            return None;
        }
        let name = |place: Place| format!("{} {}", place.0 + 1, place.1 + 1);
        if self.ends().len() < 2 {
            return Some("a path joins two B pieces, and the level has fewer".to_string());
        }
        let from = self
            .from
            .map_or("a B".to_string(), |from| format!("the B at {}", name(from)));
        let to = self.to.map_or("another B".to_string(), |to| {
            format!("the B at {}", name(to))
        });
        let mut wanted = format!("no path leads from {from} to {to}");
        for &place in &self.through {
            wanted.push_str(&format!(", through {}", name(place)));
        }
        if self.join {
            wanted.push_str(", passing every B");
        }
        let starts = starts(self);
        if starts.len() > MAX_STARTS_REPORTED {
            return Some(wanted);
        }
        let pipes = starts.into_iter().map(|start| {
            let length = follow(self, state, start).count();
            (length, start.0, follow(self, state, start).last())
        });
        Some(match pipes.rev().max_by_key(|&(length, ..)| length) {
            Some((length, first, Some(last))) if length > 1 => format!(
                "{wanted}: the longest pipe leads from {} to {}",
                name(first),
                name(last)
            ),
            _ => format!("{wanted}: no piece is connected to the first B"),
        })
    }

    /// `pieces`: the pieces on the best path without the first B; a cross counts once for each
    /// passage. `pieces+rotations`: plus the number of moves.
    fn plan_cost(&self, measure: &str, plan: &[Move], end: &State) -> u32 {
        let pieces = best_path(self, end).map_or(0, |path| path.len() as u32 - 1);
        match measure {
            "pieces" => pieces,
            _ => pieces + plan.len() as u32,
        }
    }
}

/// The shortest path in a state: its places from the first B to the last.
pub(super) fn best_path(level: &PipeMania, state: &State) -> Option<Vec<Place>> {
    let required = level.required();
    let mut starts = starts(level);
    let two_way = |tile: &Tile| tile.kind != Kind::OneWay;
    if level.join && level.board.cells().iter().all(two_way) {
        // A path that passes every B begins in a B with no other behind it, unless the pipe is a
        // ring.
        let is_first = |&(place, side): &(Place, Side)| {
            let mut behind = follow(level, state, (place, side.opposite())).skip(1);
            !behind.any(|place| level.board[place].kind == Kind::End)
        };
        let firsts: Vec<_> = starts.iter().copied().filter(is_first).collect();
        if !firsts.is_empty() {
            starts = firsts;
        }
    }
    let paths = starts.into_iter();
    let paths = paths.filter_map(|start| shortest_from(level, state, start, &required));
    paths.min_by_key(Vec::len)
}

/// The shortest valid path along the pipe from here.
pub(super) fn shortest_from(
    level: &PipeMania,
    state: &State,
    start: (Place, Side),
    required: &[Place],
) -> Option<Vec<Place>> {
    let mut passed = HashSet::new();
    let mut path = Vec::new();
    for place in follow(level, state, start) {
        path.push(place);
        if required.binary_search(&place).is_ok() {
            passed.insert(place);
        }
        if level.board[place].kind == Kind::End && path.len() > 1 {
            if passed.len() == required.len() && level.to.is_none_or(|to| to == place) {
                return Some(path);
            }
            // No required piece was passed so far, so a path that begins in this B is shorter and
            // passes the same required pieces.
            if passed.is_empty() && level.from.is_none() {
                return None;
            }
        }
    }
    None
}

/// The places where a path may begin, with the sides through which it may leave.
pub(super) fn starts(level: &PipeMania) -> Vec<(Place, Side)> {
    let ends = level.ends().into_iter();
    let wanted = ends.filter(|&end| level.from.is_none_or(|from| from == end));
    wanted
        .flat_map(|end| Side::ALL.map(|side| (end, side)))
        .filter(|&(end, side)| lies_along(level.board[end].rotation, side))
        .collect()
}

/// A B and the pieces connected to it through one of its openings, in the order of a path, until
/// the pipe ends or returns to that B.
fn follow<'a>(
    level: &'a PipeMania,
    state: &'a State,
    (start, side): (Place, Side),
) -> impl Iterator<Item = Place> + 'a {
    std::iter::successors(Some((start, side)), move |&(place, out)| {
        let next = level.board.beside(place, out)?;
        let rotation = level.rotation(state, next);
        let onward = leads(level.board[next].kind, rotation, out.opposite())?;
        (next != start).then_some((next, onward))
    })
    .map(|(place, _)| place)
}

/// With more starts than this, `shortfall` does not report the longest pipe.
const MAX_STARTS_REPORTED: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn level(text: &str) -> PipeMania {
        PipeMania::parse(&Document::parse(text).expect(text)).expect(text)
    }

    /// Plays moves on a board and compares the board, or the refusal of the last one.
    fn check(board: &str, moves: &[(u16, u16)], expected: &str) {
        let level = level(board);
        let mut state = level.start();
        let mut found = board.to_string();
        for &(row, col) in moves {
            let mv = Move {
                row: row - 1,
                col: col - 1,
            };
            found = match level.play(&state, mv) {
                Ok(next) => {
                    state = next;
                    level.write(&state).rows.join("\n")
                }
                Err(refusal) => format!("refused: {}", refusal.0),
            };
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn a_piece_turns_clockwise_through_four_rotations() {
        check("B1R1L3\n##O4B2", &[(1, 2)], "B1R2L3\n##O4B2");
        check("B1R1L3\n##O4B2", &[(1, 3), (1, 3)], "B1R1L1\n##O4B2");
        check("B1R1L3\n##O4B2", &[(2, 2)], "B1R1L3\n##O1B2");
    }

    #[test]
    fn a_refusal_names_the_reason() {
        let board = "B1 R1!X2\n## L1 B2";
        check(
            board,
            &[(1, 1)],
            "refused: the piece at 1 1 is a B: begin and end pieces are never turned",
        );
        check(
            board,
            &[(1, 2)],
            "refused: the piece at 1 2 is marked '!': it cannot be turned",
        );
        check(
            board,
            &[(1, 3)],
            "refused: the piece at 1 3 is a cross: turning it would change nothing",
        );
        check(board, &[(2, 1)], "refused: there is no piece at 2 1");
        check(board, &[(3, 1)], "refused: 3 1 is not on the board");
    }

    /// The cost of the best path in the start state, or the shortfall.
    fn describe_path(text: &str) -> String {
        let level = level(text);
        let start = level.start();
        level.shortfall(&start).unwrap_or_else(|| {
            let cost = level.plan_cost("pieces", &[], &start);
            format!("{cost} pieces")
        })
    }

    #[test]
    fn a_path_connects_openings_that_face_each_other() {
        assert_eq!(describe_path("B1R1B1"), "2 pieces");
        assert_eq!(
            describe_path("B1R2B1"),
            "no path leads from a B to another B: no piece is connected to the first B"
        );
        assert_eq!(
            describe_path("B1R1R1R2B2"),
            "no path leads from a B to another B: the longest pipe leads from 1 1 to 1 3"
        );
        assert_eq!(
            describe_path("B1R1"),
            "a path joins two B pieces, and the level has fewer"
        );
    }

    #[test]
    fn a_pipe_that_returns_to_its_first_b_is_not_a_path() {
        let ring = "L3R1L4\nB2##R2\nL2R1L1\n";
        assert!(describe_path(&format!("{ring}######")).starts_with("a path joins two B"));
        assert_eq!(describe_path("L3B1L4\nB2##R2\nL2R1L1"), "2 pieces");
    }

    #[test]
    fn a_cross_is_passed_once_through_each_channel() {
        assert_eq!(describe_path("##L3L4\nB1X1L1\n##B2##"), "6 pieces");
    }

    #[test]
    fn a_one_way_piece_is_passed_one_way() {
        assert_eq!(describe_path("from: 1 1\nB1O1B1"), "2 pieces");
        assert_eq!(
            describe_path("from: 1 1\nB1O3B1"),
            "no path leads from the B at 1 1 to another B: no piece is connected to the first B"
        );
        assert_eq!(describe_path("B1O3B1"), "2 pieces");
    }

    #[test]
    fn a_path_between_named_ends_may_pass_other_b_pieces() {
        assert_eq!(describe_path("B1R1B1B1"), "1 pieces");
        assert_eq!(describe_path("from: 1 1\nto: 1 4\nB1R1B1B1"), "3 pieces");
        assert_eq!(describe_path("join: yes\nB1R1B1B1"), "3 pieces");
        assert_eq!(describe_path("through: 1 2\nB1R1B1B1"), "2 pieces");
        assert_eq!(
            describe_path("to: 2 1\nthrough: 1 2\nB1R1B1B1\nB2######"),
            "no path leads from a B to the B at 2 1, through 1 2: the longest pipe leads from 1 1 to 1 4"
        );
    }
}
