//! The guide: the lower bound is the distance to the goal. A step changes the distance by one, so
//! the bound is exact.

use super::rules::{State, Template};
use crate::*;

impl Knowledge for Template {
    fn guide(&self, _switches: &Switches) -> impl Guide<Self> + Send {
        Distance { goal: self.goal }
    }

    fn longest_plan(&self) -> Option<u32> {
        Some(self.cells as u32 - 1)
    }
}

struct Distance {
    goal: Option<u16>,
}

impl Guide<Template> for Distance {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.goal.map(|goal| u32::from(goal.abs_diff(state.0)))
    }
}
