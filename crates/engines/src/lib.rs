//! What examines many states: searches through levels, graphs of states, and planners of PDDL tasks.
//!
//! Generic code is compiled in the crate that calls it, with the optimisation of that crate. Here it is
//! called, and `compiled.rs` names what others call from here.

#![warn(missing_docs)]

mod automatic;
mod beside;
mod compiled;
mod levels;
mod planner;
mod satisfice;
mod state_graph;
mod states;

pub use levels::{plan_by_beams, search_level};
pub use planner::{Engine, PlanRequest, Planned, ended_before, plan_task};
pub use state_graph::{Edge, Node, StateGraph};
pub use states::{ReachableStates, count_states};

use std::fmt;

/// The request names something unknown, or its parts do not fit together. The text is a sentence for
/// the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRequest(pub String);

impl fmt::Display for BadRequest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadRequest {}
