//! The lower bound: the distance to the goal. Steps change it by one, so it is exact.

use super::rules::{State, Template};
use crate::*;

impl Knowledge for Template {
    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        Distance::new(self, switches)
    }

    fn longest_plan(&self) -> Option<u32> {
        Some(self.cells as u32 - 1)
    }
}

pub(super) struct Distance {
    goal: Option<u16>,
}

impl Distance {
    pub(super) fn new(level: &Template, _switches: &Switches) -> Self {
        Self { goal: level.goal }
    }
}

impl Guide<Template> for Distance {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.goal.map(|goal| u32::from(goal.abs_diff(state.0)))
    }
}
