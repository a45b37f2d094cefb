//! The lower bound: no shot removes more blocks than a row and a column hold.

use super::rules::{Plotting, State};
use crate::*;

pub(super) struct Removal<'a> {
    level: &'a Plotting,
}

impl<'a> Removal<'a> {
    pub(super) fn new(level: &'a Plotting, _switches: &Switches) -> Self {
        Self { level }
    }
}

impl Guide<Plotting> for Removal<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        let surplus = self.level.blocks(state).saturating_sub(self.level.goal);
        Some(surplus.div_ceil(self.level.cols + self.level.rows - 1) as u32)
    }
}
