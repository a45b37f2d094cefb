//! What a certificate lists: the cells that the token reaches.

use super::rules::{State, Template};
use crate::listing::list_states;
use crate::*;

impl Listing for Template {
    list_states!("steps");

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        bytes.extend(state.0.to_be_bytes());
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let cell = u16::from_be_bytes(bytes.try_into().ok()?);
        (cell < self.cells).then_some(State(cell))
    }
}
