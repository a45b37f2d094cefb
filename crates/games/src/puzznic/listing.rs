//! What a certificate lists: the settled boards.
//!
//! Bytes: one for each cell that is not wall, column by column from the top: 0 for empty, or a
//! pattern plus 1.

use super::fast::State;
use super::rules::{Puzznic, Tile};
use crate::listing::list_states;
use crate::*;

impl Listing for Puzznic {
    list_states!("moves");

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
