//! Lists for the model `reach`: what two or three blocks of a pattern must move to meet, and which
//! moves do not bring them nearer, for all cells in which these blocks can be together.
//!
//! Only patterns with two or three blocks are listed: their blocks vanish together, so the cells of two
//! or three determine the bound. The costs are those of the native search (`stars.rs`, `trios.rs`).
//!
//! Each block starts somewhere, and is in a cell after as many moves at least as it takes if only walls
//! are in its way. Different blocks make different moves. So a list is sorted by the fewest moves after
//! which the blocks can be in the cells of an entry, and a state of the model reads only a first part of
//! it. Without this the list of trios had 20,839 entries on `10x12-ps1-e45`, and every state read them
//! for each pattern with three blocks; now it has 1,763.
//!
//! A *stray* is a move of a block, together with the cell of another one, after which the blocks of the
//! pattern need as many moves as before (it wastes 1), or more (2). A block that has moved may fall, and
//! others with it; that never brings them nearer, since all falls are free in the costs. Strays with the
//! cells of all three blocks were tried: 10 % fewer conflicts on `e45`, but the list is twice as long,
//! which took more time on most levels than it saved.

use super::fast::NONE;
use super::meetings::{moves_from, pairs};
use super::reach::NEVER;
use super::rules::Puzznic;
use super::stars::Stars;
use super::trios::Trios;
use crate::Space;

/// A bound: blocks of this pattern in these cells need so many moves. Cells are named by their places
/// in the list of all cells; the second and the third are the same if only two are known.
pub(super) struct Need {
    pub(super) pattern: usize,
    pub(super) cells: [usize; 3],
    pub(super) moves: u16,
    /// The fewest moves after which the blocks can be there.
    pub(super) soonest: u16,
}

/// A move of the block in the first cell, with another of its pattern in the second.
pub(super) struct Stray {
    pub(super) pattern: usize,
    pub(super) cells: [usize; 2],
    /// Whether it moves to the right, otherwise to the left.
    pub(super) to_right: bool,
    /// By how much the move and the moves that are needed after it exceed those needed before: 1 or 2.
    pub(super) wasted: u16,
    pub(super) soonest: u16,
}

/// The lists of a level, both sorted by `soonest`.
pub(super) struct Needs {
    pub(super) needs: Vec<Need>,
    pub(super) strays: Vec<Stray>,
}

/// The most entries of a list: each is a constraint of every state. The first ones are kept.
const MOST_ENTRIES: usize = 40_000;

impl Needs {
    /// For these cells, which are all that blocks can reach, in ascending order.
    pub(super) fn new(level: &Puzznic, cells: &[u16], stars: &mut Stars) -> Self {
        let start = level.start();
        let starts = |pattern: usize| -> Vec<u16> {
            let blocks = start.0.iter().zip(0..);
            let blocks = blocks.filter(|(block, _)| usize::from(**block) == pattern + 1);
            blocks.map(|(_, cell)| cell).collect()
        };
        let starts: Vec<Vec<u16>> = (0..level.letters.len()).map(starts).collect();
        let trios = match starts.iter().any(|starts| starts.len() == 3) {
            true => Trios::new(&level.field, &vec![false; level.field.places.len()]),
            false => None,
        };
        let mut lists = Self {
            needs: Vec::new(),
            strays: Vec::new(),
        };
        for (pattern, starts) in starts.iter().enumerate() {
            let blocks = Blocks {
                level,
                cells,
                pattern,
                moves: starts
                    .iter()
                    .map(|&cell| moves_from(level, cells, cell))
                    .collect(),
            };
            match (starts.len(), &trios) {
                (2, _) => blocks.list_pairs(&mut lists, stars),
                (3, Some(trios)) => blocks.list_trios(&mut lists, trios),
                (3, None) => blocks.list_columns(&mut lists),
                _ => {}
            }
        }
        lists.needs.sort_by_key(|need| need.soonest);
        lists.strays.sort_by_key(|stray| stray.soonest);
        lists.needs.truncate(MOST_ENTRIES);
        lists.strays.truncate(MOST_ENTRIES);
        lists
    }
}

/// The blocks of one pattern.
struct Blocks<'a> {
    level: &'a Puzznic,
    cells: &'a [u16],
    pattern: usize,
    /// For each block, the moves that take it from its start to each cell.
    moves: Vec<Vec<Option<u32>>>,
}

impl Blocks<'_> {
    /// The fewest moves after which different blocks are in these cells; `None` if they cannot be there.
    fn soonest(&self, cells: &[usize]) -> Option<u16> {
        self.soonest_without(cells, 0)
    }

    /// The same without the blocks of a set.
    fn soonest_without(&self, cells: &[usize], used: u32) -> Option<u16> {
        let Some((&cell, others)) = cells.split_first() else {
            return Some(0);
        };
        let blocks = (0..self.moves.len()).filter(|block| used >> block & 1 == 0);
        let costs = blocks.filter_map(|block| {
            let own = self.moves[block][cell]?;
            let others = self.soonest_without(others, used | 1 << block)?;
            Some(own as u16 + others)
        });
        costs.min()
    }

    /// The place of the cell beside this one.
    fn beside(&self, cell: usize, to_right: bool) -> Option<usize> {
        let field = &self.level.field;
        let beside = match to_right {
            false => field.left[usize::from(self.cells[cell])],
            true => field.right[usize::from(self.cells[cell])],
        };
        let cell = (beside != NONE).then_some(beside)?;
        self.cells.binary_search(&cell).ok()
    }

    /// The bounds and the strays of two blocks.
    fn list_pairs(&self, lists: &mut Needs, stars: &mut Stars) {
        let mut cost = |one: usize, other: usize| {
            let (one, other) = (self.cells[one.min(other)], self.cells[one.max(other)]);
            let number = stars.number(&[one, other]);
            stars.cost(number).unwrap_or(NEVER)
        };
        for (one, other) in pairs(self.cells.len()) {
            let Some(soonest) = self.soonest(&[one, other]) else {
                continue;
            };
            let moves = cost(one, other);
            self.push_need(lists, [one, other, other], moves, soonest);
            if moves == NEVER {
                continue;
            }
            for (cell, partner) in [(one, other), (other, one)] {
                for to_right in [false, true] {
                    let next = self.beside(cell, to_right);
                    if let Some(next) = next.filter(|&next| next != partner) {
                        let wasted = wasted(moves, cost(next, partner));
                        self.push_stray(lists, [cell, partner], to_right, wasted, soonest);
                    }
                }
            }
        }
    }

    /// The bounds and the strays of three blocks, which must meet at the same time: of two of them, for
    /// the best cell of the third; and the bounds of all three, where they are higher.
    fn list_trios(&self, lists: &mut Needs, trios: &Trios) {
        let count = self.cells.len();
        let cost = |mut trio: [usize; 3]| {
            trio.sort_unstable();
            trios.cost(trio.map(|at| self.cells[at])).unwrap_or(NEVER)
        };
        let all: Vec<([usize; 3], u16, u16)> = pairs(count)
            .flat_map(|(one, two)| (two + 1..count).map(move |three| [one, two, three]))
            .filter_map(|trio| Some((trio, cost(trio), self.soonest(&trio)?)))
            .collect();
        // For each two cells, the least that blocks in them need; and the least that a move of the block
        // in the first one wastes, to the left and to the right.
        let mut least = vec![NEVER; count * count];
        let mut least_wasted = vec![[2; 2]; count * count];
        let place = |one: usize, other: usize| one * count + other;
        for &(trio, moves, _) in &all {
            for (one, other) in pairs(3) {
                let least = &mut least[place(trio[one], trio[other])];
                *least = moves.min(*least);
            }
            if moves == NEVER {
                continue;
            }
            for first in 0..3 {
                let [cell, one, other] = [0, 1, 2].map(|turn| trio[(first + turn) % 3]);
                for to_right in [false, true] {
                    let next = self.beside(cell, to_right);
                    if let Some(next) = next.filter(|next| !trio.contains(next)) {
                        let wasted = wasted(moves, cost([next, one, other]));
                        for partner in [one, other] {
                            let least = &mut least_wasted[place(cell, partner)];
                            let least = &mut least[usize::from(to_right)];
                            *least = wasted.min(*least);
                        }
                    }
                }
            }
        }
        for (one, other) in pairs(count) {
            let Some(soonest) = self.soonest(&[one, other]) else {
                continue;
            };
            let moves = least[place(one, other)];
            self.push_need(lists, [one, other, other], moves, soonest);
            if moves == NEVER {
                continue;
            }
            for (cell, partner) in [(one, other), (other, one)] {
                for to_right in [false, true] {
                    let next = self.beside(cell, to_right);
                    if next.is_some_and(|next| next != partner) {
                        let wasted = least_wasted[place(cell, partner)][usize::from(to_right)];
                        self.push_stray(lists, [cell, partner], to_right, wasted, soonest);
                    }
                }
            }
        }
        for &(trio, moves, soonest) in &all {
            let known = pairs(3).map(|(one, other)| least[place(trio[one], trio[other])]);
            if known.max().is_some_and(|known| moves > known) {
                self.push_need(lists, trio, moves, soonest);
            }
        }
    }

    /// Bounds of three blocks if there are too many cells for trios: when they vanish together, two of
    /// them are at most two columns apart.
    fn list_columns(&self, lists: &mut Needs) {
        let column = |at: usize| self.level.field.places[usize::from(self.cells[at])].1;
        for (one, other) in pairs(self.cells.len()) {
            if let Some(soonest) = self.soonest(&[one, other]) {
                let moves = column(one).abs_diff(column(other)).saturating_sub(2);
                self.push_need(lists, [one, other, other], moves, soonest);
            }
        }
    }

    fn push_need(&self, lists: &mut Needs, cells: [usize; 3], moves: u16, soonest: u16) {
        if moves > 0 {
            lists.needs.push(Need {
                pattern: self.pattern,
                cells,
                moves,
                soonest,
            });
        }
    }

    fn push_stray(
        &self,
        lists: &mut Needs,
        cells: [usize; 2],
        to_right: bool,
        wasted: u16,
        soonest: u16,
    ) {
        if wasted > 0 {
            lists.strays.push(Stray {
                pattern: self.pattern,
                cells,
                to_right,
                wasted,
                soonest,
            });
        }
    }
}

/// By how much a move and the moves that are needed after it exceed those needed before it.
fn wasted(before: u16, after: u16) -> u16 {
    (after + 1).saturating_sub(before).min(2)
}
