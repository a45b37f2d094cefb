//! What a certificate lists: where the craft are.
//!
//! Bytes: the cell of red, then the cells of the helpers in ascending order, two bytes each, the
//! high one first. Helpers are interchangeable: no rule reads which helper is where.

use super::rules::{LunarLockout, State};
use crate::listing::list_states;
use crate::*;

impl Listing for LunarLockout {
    list_states!("slides");

    const EXCLUSIONS: &'static [Exclusion<Self>] = &[Exclusion {
        name: "line",
        about: "red slides along a row or a column, so off the goal's row and column it needs two slides",
        reason: Reason::Bound(|level, _| {
            Box::new(|state: &State| {
                let (red, goal) = (level.place(level.craft(state)[0]), level.place(level.goal));
                Some(u32::from(red.0 != goal.0) + u32::from(red.1 != goal.1))
            })
        }),
    }];

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        let mut cells = self.craft(state).to_vec();
        cells[1..].sort_unstable();
        bytes.extend(cells.into_iter().flat_map(u16::to_be_bytes));
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let (pairs, []) = bytes.as_chunks() else {
            return None;
        };
        let cells: Vec<u16> = pairs.iter().copied().map(u16::from_be_bytes).collect();
        let on_board = |&cell: &u16| usize::from(cell) < self.rows * self.cols;
        let apart = cells[..].windows(2).skip(1).all(|pair| pair[0] < pair[1])
            && !cells.iter().skip(1).any(|cell| Some(cell) == cells.first());
        let fits = cells.len() == self.names.len() && cells.iter().all(on_board);
        (fits && apart).then(|| State::new(&cells))
    }
}
