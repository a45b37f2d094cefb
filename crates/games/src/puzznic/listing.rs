//! What a certificate lists: the settled boards.
//!
//! Bytes: one for each cell that is not wall, column by column from the top: 0 for empty, or a
//! pattern plus 1.

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
            prepare: |level, _| {
                Box::new(
                    |state| match columns(level, state).iter().any(|it| it.len() == 1) {
                        true => None,
                        false => Some(0),
                    },
                )
            },
        },
        Exclusion {
            name: "columns",
            about: "a move takes a block to the next column, and blocks that vanish together have no gap between their columns",
            prepare: |level, _| {
                Box::new(|state| Some(columns(level, state).iter().map(|it| gaps(it)).sum()))
            },
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
