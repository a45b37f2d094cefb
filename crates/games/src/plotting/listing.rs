//! What a certificate lists: the grid, the hand and the wildcards that are left.
//!
//! Bytes: the hand, the wildcards, then the cells column by column from the floor up. An empty cell
//! is 0 and a block its colour plus 1; the hand is the same, with 0 for the wildcard.

use super::rules::{Cells, Plotting, State, board};
use crate::listing::list_states;
use crate::*;

impl Listing for Plotting {
    list_states!("shots");

    const EXCLUSIONS: &'static [Exclusion<Self>] = &[
        Exclusion {
            name: "colours",
            about: "a shot takes at most one colour out of the grid",
            reason: Reason::Bound(|level, _| {
                Box::new(|state: &State| {
                    let cells = level.cells(state);
                    let mut colours: Vec<u8> = cells.cells().iter().flatten().copied().collect();
                    colours.sort_unstable();
                    colours.dedup();
                    Some(colours.len().saturating_sub(level.goal) as u32)
                })
            }),
        },
        Exclusion {
            name: "reach",
            about: "a shot consumes no more blocks than its path has cells",
            reason: Reason::Bound(|level, _| {
                Box::new(|state: &State| {
                    let blocks = level.cells(state).cells().iter().flatten().count();
                    let longest = level.rows + level.cols - 1;
                    Some(blocks.saturating_sub(level.goal).div_ceil(longest) as u32)
                })
            }),
        },
    ];

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        let cells = self.cells(state);
        let byte = |block: Option<u8>| block.map_or(0, |colour| colour + 1);
        bytes.push(byte(state.hand));
        bytes.push(state.wildcards);
        for col in 0..self.cols {
            bytes.extend((0..self.rows).rev().map(|row| byte(cells[(row, col)])));
        }
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let colours = self.letters.len();
        let (&[hand, wildcards], blocks) = bytes.split_first_chunk()?;
        let known = |&byte: &u8| usize::from(byte) <= colours;
        if blocks.len() != self.rows * self.cols || !blocks.iter().chain([&hand]).all(known) {
            return None;
        }
        if wildcards > self.start.wildcards {
            return None;
        }
        let mut cells: Cells = Grid::new(self.rows, self.cols, None);
        for (column, col) in blocks.chunks(self.rows).zip(0..) {
            // No block hangs in the air.
            let height = column.iter().take_while(|&&block| block > 0).count();
            if column[height..].iter().any(|&block| block > 0) {
                return None;
            }
            for (&block, above) in column.iter().zip(1..) {
                cells[(self.rows - above, col)] = block.checked_sub(1);
            }
        }
        Some(State {
            board: board(&self.layouts, &cells),
            hand: hand.checked_sub(1),
            wildcards,
        })
    }
}
