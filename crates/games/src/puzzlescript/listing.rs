//! What a certificate lists: the objects of each cell, and how the level stands.
//!
//! Bytes: 0 while the level is played, 1 if it is won, 2 if it is stuck; then, cell by cell and column
//! by column, a bit for each object of the game, eight to a byte, the lowest first.

use ployglot_puzzlescript::{PuzzleState as State, Set, Status};

use super::PuzzleScript;
use crate::listing::list_states;
use crate::*;

impl Listing for PuzzleScript {
    list_states!("moves");

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        bytes.push(match state.status() {
            Status::Playing => 0,
            Status::Won => 1,
            Status::Stuck => 2,
        });
        let size = self.space.game().objects.len().div_ceil(8);
        for cell in self.space.cells(state) {
            let first = bytes.len();
            bytes.resize(first + size, 0);
            for object in cell.iter() {
                bytes[first + object / 8] |= 1 << (object % 8);
            }
        }
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let (&status, bytes) = bytes.split_first()?;
        let status = match status {
            0 => Status::Playing,
            1 => Status::Won,
            2 => Status::Stuck,
            _ => return None,
        };
        let size = self.space.game().objects.len().div_ceil(8).max(1);
        let cells: Vec<Set> = bytes
            .chunks(size)
            .map(|cell| {
                let bits = 0..cell.len() * 8;
                bits.filter(|bit| cell[bit / 8] >> (bit % 8) & 1 == 1)
                    .collect()
            })
            .collect();
        self.space.state_of(&cells, status)
    }
}
