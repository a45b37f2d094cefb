//! How many best paths there are. A plan of Pipe Mania turns pieces in any order, and may turn pieces that nobody needs; what
//! makes two plans different is the path. So the paths of the par's length are walked one by one, each step only where an end
//! is still near enough: a walk that ignores which pieces were used says how near.

use std::collections::BTreeSet;

use super::piece::{Kind, lies_along};
use super::rules::{PipeMania, Place};
use crate::*;

/// The paths with this many pieces, which is the least; `None`: more than `most`, or the budget ended the count. A path and its
/// reverse are one.
pub(super) fn best_paths(
    level: &PipeMania,
    par: u32,
    most: usize,
    budget: &Budget,
) -> Option<usize> {
    let mut walk = Walk {
        level,
        required: level.required(),
        near: nearness(level, par),
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
                walk.path = vec![(end, out)];
                walk.on(end, out).ok()?;
            }
        }
    }
    Some(walk.found.len())
}

/// The count is given up.
struct Enough;

struct Walk<'a> {
    level: &'a PipeMania,
    required: Vec<Place>,
    near: Vec<u32>,
    par: u32,
    most: usize,
    /// Each piece with the side through which it is left.
    path: Vec<(Place, Side)>,
    /// Each path from its smaller end.
    found: BTreeSet<Vec<Place>>,
    budget: &'a Budget,
}

impl Walk<'_> {
    /// On from a piece that is left through this side.
    fn on(&mut self, place: Place, out: Side) -> Result<(), Enough> {
        let Some(next) = self.level.board.beside(place, out) else {
            return Ok(());
        };
        let used = self.path.len() as u32;
        let near = self.near[index(self.level, next, out.opposite())];
        if near == FAR || used + near > self.par || !self.free(next, out) {
            return Ok(());
        }
        self.budget.check(Progress::default).map_err(|_| Enough)?;
        let tile = self.level.board[next];
        if tile.kind == Kind::End && self.ends(next) {
            self.tell(next);
            return if self.found.len() > self.most {
                Err(Enough)
            } else {
                Ok(())
            };
        }
        for onward in Side::ALL {
            if tile.turns_to_lead(out.opposite(), onward).is_some() {
                self.path.push((next, onward));
                self.on(next, onward)?;
                self.path.pop();
            }
        }
        Ok(())
    }

    /// Whether the path may pass here: a cross is passed once in each direction, every other piece once.
    fn free(&self, next: Place, out: Side) -> bool {
        let is_cross = self.level.board[next].kind == Kind::Cross;
        let along = |side: Side| matches!(side, Side::Left | Side::Right);
        let mut before = self.path.iter().filter(|(place, _)| *place == next);
        before.all(|&(_, side)| is_cross && along(side) != along(out))
    }

    /// Whether a path may end in this B, having passed what it must. A best path is never longer than the par.
    fn ends(&self, end: Place) -> bool {
        let passed = |place: &Place| *place == end || self.path.iter().any(|(on, _)| on == place);
        self.level.to.is_none_or(|to| to == end)
            && self.path.len() as u32 == self.par
            && self.required.iter().all(passed)
    }

    fn tell(&mut self, end: Place) {
        let mut path: Vec<Place> = self.path.iter().map(|&(place, _)| place).collect();
        path.push(end);
        if path.last() < path.first() {
            path.reverse();
        }
        self.found.insert(path);
    }
}

const FAR: u32 = u32::MAX;

fn index(level: &PipeMania, (row, col): Place, entered: Side) -> usize {
    (row * level.board.cols() + col) * 4 + entered as usize
}

/// For each piece and the side through which it is entered: how many pieces follow up to some B where the path may end, the
/// B included, this piece not; no more than `par`.
fn nearness(level: &PipeMania, par: u32) -> Vec<u32> {
    let board = &level.board;
    let mut near = vec![FAR; board.cells().len() * 4];
    let last =
        |place: Place| board[place].kind == Kind::End && level.to.is_none_or(|to| to == place);
    for end in level.ends().into_iter().filter(|&end| last(end)) {
        for side in Side::ALL {
            if lies_along(board[end].rotation, side) {
                near[index(level, end, side)] = 0;
            }
        }
    }
    // A round for each piece more. Boards are small beside what they are searched for.
    for length in 1..=par {
        let mut changed = false;
        for place in board.places() {
            for entered in Side::ALL {
                let here = index(level, place, entered);
                let reaches = |out: Side| {
                    board[place].turns_to_lead(entered, out).is_some()
                        && board.beside(place, out).is_some_and(|next| {
                            near[index(level, next, out.opposite())] == length - 1
                        })
                };
                if near[here] == FAR && Side::ALL.into_iter().any(reaches) {
                    near[here] = length;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe_mania::rules::{shortest_from, starts};

    /// Every way in which the pieces can lie, and the paths of each board.
    fn by_force(level: &PipeMania) -> Option<(u32, usize)> {
        let mut paths: BTreeSet<(usize, Vec<Place>)> = BTreeSet::new();
        let mut state = level.start();
        let count = level.turnable.len();
        for lie in 0..4u64.pow(count as u32) {
            for number in 0..count {
                state.set(number, (lie >> (2 * number) & 3) as u8);
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
    fn two_ways_round_are_two_paths() {
        let board = |text: &str| {
            let document = Document::parse(text).expect("a text");
            PipeMania::parse(&document).expect("a level")
        };
        let ring = board("L1R1L1\nB2##B2\nL1R1L1");
        assert_eq!(by_force(&ring), Some((4, 2)));
        assert_eq!(best_paths(&ring, 4, 1000, &Budget::unlimited()), Some(2));
        assert_eq!(best_paths(&ring, 4, 1, &Budget::unlimited()), None);
        let mesh = board("B1L1L1\n##L1L1\n##B1L1");
        let (par, count) = by_force(&mesh).expect("a path");
        assert_eq!(
            best_paths(&mesh, par, 1000, &Budget::unlimited()),
            Some(count)
        );
    }

    #[test]
    fn best_paths_are_counted_as_by_force() {
        let mut solvable = 0;
        for seed in 0..300 {
            let spec = Spec::size(2 + seed as usize % 2, 3);
            let mix = [(0, 0), (15, 0), (0, 15)][seed as usize % 3];
            let spec = spec.with("crosses", mix.0).with("one-ways", mix.1);
            let spec = spec.with("ends", 2 + u32::from(seed % 5 == 0));
            let level = PipeMania::generate(&spec, &mut Random::new(seed)).expect("a level");
            let Some((par, count)) = by_force(&level) else {
                continue;
            };
            solvable += 1;
            let counted = best_paths(&level, par, 1000, &Budget::unlimited());
            assert_eq!(counted, Some(count), "seed {seed}");
        }
        assert!(solvable > 50, "{solvable}");
    }
}
