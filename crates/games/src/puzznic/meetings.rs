//! What two blocks need to become neighbours if only walls are in their way, in moves and in the steps
//! of the Essence specification, where a fall by one cell is a step too.
//!
//! A block moves sideways or falls, and may rest anywhere, because any block may lie below it. It never
//! rises, so the number of its falls is the difference of the rows. Blocks fall at the same time, and
//! no block falls while one is moved: from now on until two blocks meet, there are at least as many
//! steps as their moves and the falls of the one that falls further.

use std::collections::VecDeque;

use super::fast::NONE;
use super::reach::below;
use super::rules::Puzznic;

/// What two blocks need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    /// The least number of their moves.
    pub(super) moves: u32,
    /// The least number of their moves and the falls of the one that falls further.
    pub(super) steps: u32,
}

/// The meetings of blocks in all pairs of cells.
pub(super) struct Meetings {
    of: Vec<Vec<Option<Meeting>>>,
}

/// All pairs of the first numbers, the smaller one first.
pub(super) fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)))
}

impl Meetings {
    /// For blocks in these cells, which are all that blocks can reach, in ascending order.
    pub(super) fn new(level: &Puzznic, cells: &[u16]) -> Self {
        let place = |cell: u16| cells.binary_search(&cell).ok();
        let row = |at: usize| u32::from(level.field.places[usize::from(cells[at])].0);
        let beside: Vec<Vec<usize>> = cells
            .iter()
            .map(|&cell| {
                let cells = level.field.beside(cell).into_iter();
                cells.filter_map(place).collect()
            })
            .collect();
        let moves: Vec<Vec<Option<u32>>> = cells
            .iter()
            .map(|&cell| moves_from(level, cells, cell))
            .collect();
        let mut of = vec![vec![None; cells.len()]; cells.len()];
        for (one, other) in pairs(cells.len()) {
            let mut best: Option<Meeting> = None;
            for (at, neighbours) in beside.iter().enumerate() {
                let Some(of_one) = moves[one][at] else {
                    continue;
                };
                for &neighbour in neighbours {
                    let Some(of_other) = moves[other][neighbour] else {
                        continue;
                    };
                    let moves = of_one + of_other;
                    let falls = (row(at) - row(one)).max(row(neighbour) - row(other));
                    let steps = moves + falls;
                    let known = best.unwrap_or(Meeting { moves, steps });
                    best = Some(Meeting {
                        moves: known.moves.min(moves),
                        steps: known.steps.min(steps),
                    });
                }
            }
            of[one][other] = best;
            of[other][one] = best;
        }
        Self { of }
    }

    /// What the blocks in two cells need; `None` if they never meet. Cells are named by their places
    /// in the list.
    pub(super) fn of(&self, one: usize, other: usize) -> Option<Meeting> {
        self.of[one][other]
    }

    /// For each number of moves after which the block in a cell may meet another one: the cells whose
    /// blocks it may meet in fewer moves. The last number is more than any two blocks need; without
    /// a block in one of its cells, this one never meets another.
    pub(super) fn partners(&self, one: usize) -> Vec<(u32, Vec<usize>)> {
        let all = self.of.iter().flatten().flatten();
        let furthest = all.map(|meeting| meeting.moves).max().unwrap_or(0).max(1);
        let mut numbers: Vec<u32> = self.of[one]
            .iter()
            .flatten()
            .map(|meeting| meeting.moves)
            .filter(|&moves| moves > 0)
            .collect();
        numbers.push(furthest + 1);
        numbers.sort_unstable();
        numbers.dedup();
        let nearer = |moves: u32| {
            let near =
                |&other: &usize| self.of[one][other].is_some_and(|meeting| meeting.moves < moves);
            (0..self.of.len()).filter(near).collect()
        };
        numbers
            .into_iter()
            .map(|moves| (moves, nearer(moves)))
            .collect()
    }
}

/// The least number of moves of a block from a cell to each of the cells; falls are free.
pub(super) fn moves_from(level: &Puzznic, cells: &[u16], from: u16) -> Vec<Option<u32>> {
    let field = &level.field;
    let mut least = vec![None; cells.len()];
    let mut open = VecDeque::from([(from, 0)]);
    while let Some((cell, moves)) = open.pop_front() {
        let Ok(at) = cells.binary_search(&cell) else {
            continue;
        };
        if least[at].is_some() {
            continue;
        }
        least[at] = Some(moves);
        let under = below(field, cell);
        if under != NONE {
            open.push_front((under, moves));
        }
        for side in [&field.left, &field.right] {
            let next = side[usize::from(cell)];
            if next != NONE {
                open.push_back((next, moves + 1));
            }
        }
    }
    least
}
