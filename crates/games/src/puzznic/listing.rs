//! What a certificate lists: the settled boards.
//!
//! Bytes: one for each cell that is not wall, column by column from the top: 0 for empty, or a
//! pattern plus 1.

use std::cell::RefCell;
use std::collections::HashMap;

use super::fast::State;
use super::rules::{Puzznic, Tile, board};
use crate::listing::list_states;
use crate::*;

impl Listing for Puzznic {
    list_states!("moves");

    const EXCLUSIONS: &'static [Exclusion<Self>] = &[
        Exclusion {
            name: "lone",
            about: "a pattern with exactly one block never vanishes",
            reason: Reason::Bound(|level, _| {
                Box::new(
                    |state| match columns(level, state).iter().any(|it| it.len() == 1) {
                        true => None,
                        false => Some(0),
                    },
                )
            }),
        },
        Exclusion {
            name: "columns",
            about: "a move takes a block to the next column, and blocks that vanish together have no gap between their columns",
            reason: Reason::Bound(|level, _| {
                Box::new(|state: &State| {
                    Some(columns(level, state).iter().map(|it| gaps(it)).sum())
                })
            }),
        },
        Exclusion {
            name: "stars",
            about: "the blocks of a pattern vanish beside each other, and each must move to where it vanishes",
            reason: Reason::Bound(|level, _| {
                let ways = Ways::new(level);
                // The blocks of one pattern are often where they were in another state.
                let known: RefCell<HashMap<Vec<usize>, Option<u32>>> = RefCell::default();
                Box::new(move |state: &State| {
                    let of_pattern = |cells: Vec<usize>| {
                        let mut known = known.borrow_mut();
                        if known.len() > MOST_KNOWN {
                            known.clear();
                        }
                        let bound = |cells: &Vec<usize>| ways.stars(cells);
                        *known.entry(cells).or_insert_with_key(bound)
                    };
                    cells(level, state).into_iter().map(of_pattern).sum()
                })
            }),
        },
    ];

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        bytes.extend(&state.0);
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let cells = self.written.cells().iter();
        let open = cells.filter(|&&tile| tile != Tile::Wall).count();
        let known = |&byte: &u8| usize::from(byte) <= self.letters.len();
        (bytes.len() == open && bytes.iter().all(known)).then(|| State(bytes.into()))
    }
}

/// For each pattern, the columns of its blocks in ascending order.
fn columns(level: &Puzznic, state: &State) -> Vec<Vec<usize>> {
    let board = board(level, state);
    let mut columns = vec![Vec::new(); level.letters.len()];
    for col in 0..board.cols() {
        for row in 0..board.rows() {
            if let Some(pattern) = board[(row, col)].pattern() {
                columns[usize::from(pattern)].push(col);
            }
        }
    }
    columns
}

/// How many moves the blocks of one pattern need at least: see the README.
fn gaps(columns: &[usize]) -> u32 {
    let gaps: Vec<usize> = columns.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let moves = |gap: &usize| gap.saturating_sub(1) as u32;
    match gaps.as_slice() {
        [] => 0,
        // Two or three blocks vanish together.
        [_] | [_, _] => gaps.iter().map(moves).sum(),
        [first, .., last] => moves(first) + moves(last),
    }
}

/// The sets of cells whose bounds are kept.
const MOST_KNOWN: usize = 1 << 18;
/// The most blocks of a pattern for which all partitions into stars are compared.
const MOST_BLOCKS: usize = 8;

/// For each pattern, the cells of its blocks, row by row.
fn cells(level: &Puzznic, state: &State) -> Vec<Vec<usize>> {
    let board = board(level, state);
    let mut cells = vec![Vec::new(); level.letters.len()];
    for (tile, cell) in board.cells().iter().zip(0..) {
        if let Some(pattern) = tile.pattern() {
            cells[usize::from(pattern)].push(cell);
        }
    }
    cells
}

/// How many moves take a block from one cell to another if only walls are obstacles: to a neighbour
/// on the left or right by one move, down by none.
struct Ways {
    /// `None`: no moves do.
    moves: Vec<Vec<Option<u32>>>,
    /// The least moves to some neighbour of a cell, on any of its four sides.
    beside: Vec<Vec<Option<u32>>>,
}

impl Ways {
    fn new(level: &Puzznic) -> Self {
        let board = &level.written;
        let index = |(row, col): (usize, usize)| row * board.cols() + col;
        let next = |place, side| {
            let next = board.beside(place, side);
            next.filter(|&next| board[next] != Tile::Wall)
        };
        let (mut moves, mut beside) = (Vec::new(), Vec::new());
        for start in board.places() {
            // Repeated until nothing changes.
            let mut least: Vec<Option<u32>> = vec![None; board.cells().len()];
            least[index(start)] = (board[start] != Tile::Wall).then_some(0);
            let mut changed = true;
            while changed {
                changed = false;
                for place in board.places() {
                    let Some(here) = least[index(place)] else {
                        continue;
                    };
                    for (side, cost) in [(Side::Left, 1), (Side::Right, 1), (Side::Down, 0)] {
                        let Some(there) = next(place, side) else {
                            continue;
                        };
                        let known = &mut least[index(there)];
                        if known.is_none_or(|known| known > here + cost) {
                            *known = Some(here + cost);
                            changed = true;
                        }
                    }
                }
            }
            let to_neighbour = |place| {
                let sides = Side::ALL.into_iter();
                let around = sides.filter_map(|side| least[index(next(place, side)?)]);
                around.min()
            };
            beside.push(board.places().map(to_neighbour).collect());
            moves.push(least);
        }
        Self { moves, beside }
    }

    /// The least moves by which the blocks in these cells can meet in stars: a centre, and one to
    /// four blocks beside it. `None`: they cannot. 0 if there are too many blocks.
    fn stars(&self, blocks: &[usize]) -> Option<u32> {
        if blocks.len() > MOST_BLOCKS {
            return Some(0);
        }
        let sets = 1 << blocks.len();
        let star: Vec<Option<u32>> = (0..sets).map(|set| self.star(blocks, set)).collect();
        // The least moves for each set of blocks.
        let mut least = vec![None; sets];
        least[0] = Some(0);
        for set in 1..least.len() {
            // The star of the first block, and what is left.
            let first = 1 << set.trailing_zeros();
            let stars = (1..=set).filter(|one| one & !set == 0 && one & first != 0);
            let costs = stars.filter_map(|one| {
                let rest: u32 = least[set & !one]?;
                Some(rest + star[one]?)
            });
            least[set] = costs.min();
        }
        least[least.len() - 1]
    }

    /// The least moves by which these blocks meet in one star.
    fn star(&self, blocks: &[usize], star: usize) -> Option<u32> {
        if !(2..=5).contains(&star.count_ones()) {
            return None;
        }
        let members = (0..blocks.len()).filter(|block| star >> block & 1 == 1);
        let members: Vec<usize> = members.map(|block| blocks[block]).collect();
        let meet = |centre: usize, cell: usize| {
            let others = (0..members.len()).filter(|&member| member != centre);
            let others = others.map(|member| self.beside[members[member]][cell]);
            Some(self.moves[members[centre]][cell]? + others.sum::<Option<u32>>()?)
        };
        let cells = 0..self.moves.len();
        let places = cells.flat_map(|cell| (0..members.len()).map(move |centre| (centre, cell)));
        places.filter_map(|(centre, cell)| meet(centre, cell)).min()
    }
}
