//! The lower bound: the distance to the goal. Steps change it by one, so it is exact.

use super::rules::{State, Bombastic};
use crate::*;

pub(super) struct Distance {
    goal: Option<u16>,
}

impl Distance {
    pub(super) fn new(level: &Bombastic, _switches: &Switches) -> Self {
        Self { goal: level.goal }
    }
}

impl Guide<Bombastic> for Distance {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.goal.map(|goal| u32::from(goal.abs_diff(state.0)))
    }
}
