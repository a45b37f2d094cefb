//! Counts the optimal paths of a level.
//!
//! A plan of Pipe Mania can turn its pieces in any order, and can turn pieces that are not on the
//! path; so plans are counted by their paths. A depth-first search enumerates the paths whose
//! length is the par. It prunes with the distance to an end, where the distance ignores that no
//! piece may be used twice.

use std::collections::BTreeSet;

use super::piece::{Kind, lies_along};
use super::rules::{PipeMania, Place};
use crate::*;

/// The longest paths that are counted: the enumeration recurses as deep.
const LONGEST: u32 = 10_000;

/// The number of paths with `par` pieces, the optimum; `None`: there are more than `most`, they are
/// too long, or the budget ended the count. A path and its reverse count once.
pub(super) fn best_paths(
    level: &PipeMania,
    par: u32,
    most: usize,
    budget: &Budget,
) -> Option<usize> {
    if par > LONGEST {
        return None;
    }
    let mut search = Enumeration {
        level,
        required: level.required(),
        distances: distances_to_end(level, par, budget).ok()?,
        par,
        most,
        path: Vec::new(),
        found: BTreeSet::new(),
        budget,
    };
    for end in level.ends() {
        if level.from.is_some_and(|from| from != end) {
            continue;
        }
        for out in Side::ALL {
            if lies_along(level.board[end].rotation, out) {
                search.path = vec![(end, out)];
                search.extend(end, out).ok()?;
            }
        }
    }
    Some(search.found.len())
}

/// The count ended early: there are too many paths, or the budget is exhausted.
struct Stopped;

/// The depth-first search.
struct Enumeration<'a> {
    level: &'a PipeMania,
    required: Vec<Place>,
    /// For each piece and side entered, the least number of pieces up to an end, as
    /// `distances_to_end` computes it.
    distances: Vec<u32>,
    par: u32,
    most: usize,
    /// The current path: each piece with the side through which it is left.
    path: Vec<(Place, Side)>,
    /// The paths found so far, each from the end that comes first by row and column.
    found: BTreeSet<Vec<Place>>,
    budget: &'a Budget,
}

impl Enumeration<'_> {
    /// Extends the path beyond its last piece, which it leaves through `out`.
    fn extend(&mut self, place: Place, out: Side) -> Result<(), Stopped> {
        let Some(next) = self.level.board.beside(place, out) else {
            return Ok(());
        };
        let used = self.path.len() as u32;
        let distance = self.distances[index(self.level, next, out.opposite())];
        if distance == UNREACHABLE || used + distance > self.par || !self.free(next, out) {
            return Ok(());
        }
        self.budget.check(Progress::default).map_err(|_| Stopped)?;
        let tile = self.level.board[next];
        if tile.kind == Kind::End && self.ends(next) {
            self.record(next);
            return if self.found.len() > self.most {
                Err(Stopped)
            } else {
                Ok(())
            };
        }
        for onward in Side::ALL {
            if tile.turns_to_lead(out.opposite(), onward).is_some() {
                self.path.push((next, onward));
                self.extend(next, onward)?;
                self.path.pop();
            }
        }
        Ok(())
    }

    /// Whether the path may enter this piece: a cross is used at most once in each axis, every
    /// other piece at most once.
    fn free(&self, next: Place, out: Side) -> bool {
        let is_cross = self.level.board[next].kind == Kind::Cross;
        let along = |side: Side| matches!(side, Side::Left | Side::Right);
        let mut before = self.path.iter().filter(|(place, _)| *place == next);
        before.all(|&(_, side)| is_cross && along(side) != along(out))
    }

    /// Whether the path may end in this B: it has the par's length and passed all required pieces.
    fn ends(&self, end: Place) -> bool {
        let passed =
            |place: &Place| *place == end || self.path.iter().any(|(used, _)| used == place);
        self.level.to.is_none_or(|to| to == end)
            && self.path.len() as u32 == self.par
            && self.required.iter().all(passed)
    }

    fn record(&mut self, end: Place) {
        let mut path: Vec<Place> = self.path.iter().map(|&(place, _)| place).collect();
        path.push(end);
        if path.last() < path.first() {
            path.reverse();
        }
        self.found.insert(path);
    }
}

const UNREACHABLE: u32 = u32::MAX;

fn index(level: &PipeMania, (row, col): Place, entered: Side) -> usize {
    (row * level.board.cols() + col) * 4 + entered as usize
}

/// For each piece and side entered: the least number of pieces that follow up to a B where the path
/// may end, that B included; at most `par`.
fn distances_to_end(level: &PipeMania, par: u32, budget: &Budget) -> Result<Vec<u32>, Limit> {
    let board = &level.board;
    let mut distances = vec![UNREACHABLE; board.cells().len() * 4];
    let last =
        |place: Place| board[place].kind == Kind::End && level.to.is_none_or(|to| to == place);
    for end in level.ends().into_iter().filter(|&end| last(end)) {
        for side in Side::ALL {
            if lies_along(board[end].rotation, side) {
                distances[index(level, end, side)] = 0;
            }
        }
    }
    // One pass over the board for each length. The boards are small compared with the search.
    for length in 1..=par {
        let mut changed = false;
        for place in board.places() {
            if place.1 == 0 {
                budget.check_quietly()?;
            }
            for entered in Side::ALL {
                let here = index(level, place, entered);
                let reaches = |out: Side| {
                    board[place].turns_to_lead(entered, out).is_some()
                        && board.beside(place, out).is_some_and(|next| {
                            distances[index(level, next, out.opposite())] == length - 1
                        })
                };
                if distances[here] == UNREACHABLE && Side::ALL.into_iter().any(reaches) {
                    distances[here] = length;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    Ok(distances)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe_mania::rules::{shortest_from, starts};

    /// The optimum and the number of optimal paths, from all combinations of rotations.
    fn brute_force(level: &PipeMania) -> Option<(u32, usize)> {
        let mut paths: BTreeSet<(usize, Vec<Place>)> = BTreeSet::new();
        let mut state = level.start();
        let count = level.turnable.len();
        for rotations in 0..4u64.pow(count as u32) {
            for number in 0..count {
                state.set(number, (rotations >> (2 * number) & 3) as u8);
            }
            let paths_of = |start| shortest_from(level, &state, start, &level.required());
            for mut path in starts(level).into_iter().filter_map(paths_of) {
                if path.last() < path.first() {
                    path.reverse();
                }
                paths.insert((path.len(), path));
            }
        }
        let (least, _) = paths.first()?.clone();
        let best = paths.iter().filter(|(length, _)| *length == least);
        Some((least as u32 - 1, best.count()))
    }

    #[test]
    fn both_ways_round_a_ring_are_counted() {
        let board = |text: &str| {
            let document = Document::parse(text).expect("a text");
            PipeMania::parse(&document).expect("a level")
        };
        let ring = board("L1R1L1\nB2##B2\nL1R1L1");
        assert_eq!(brute_force(&ring), Some((4, 2)));
        assert_eq!(best_paths(&ring, 4, 1000, &Budget::unlimited()), Some(2));
        assert_eq!(best_paths(&ring, 4, 1, &Budget::unlimited()), None);
        let mesh = board("B1L1L1\n##L1L1\n##B1L1");
        let (par, count) = brute_force(&mesh).expect("a path");
        assert_eq!(
            best_paths(&mesh, par, 1000, &Budget::unlimited()),
            Some(count)
        );
    }

    #[test]
    fn the_count_agrees_with_brute_force() {
        let mut solvable = 0;
        for seed in 0..300 {
            let spec = Spec::size(2 + seed as usize % 2, 3);
            let mix = [(0, 0), (15, 0), (0, 15)][seed as usize % 3];
            let spec = spec.with("crosses", mix.0).with("one-ways", mix.1);
            let spec = spec.with("ends", 2 + u32::from(seed % 5 == 0));
            let level = PipeMania::generate(&spec, &mut Random::new(seed)).expect("a level");
            let Some((par, count)) = brute_force(&level) else {
                continue;
            };
            solvable += 1;
            let counted = best_paths(&level, par, 1000, &Budget::unlimited());
            assert_eq!(counted, Some(count), "seed {seed}");
        }
        assert!(solvable > 50, "{solvable}");
    }
}
