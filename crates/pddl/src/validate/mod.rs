//! The validator of PDDL plans. It evaluates the formulas as they were written, on a set of facts,
//! one step at a time, and shares no code with the grounder or the searches.

mod counting;
mod explain;
mod state;

pub use state::LiftedState;

use ployglot_base::{Budget, Limit};

use crate::lifted::*;
use crate::plan::{Step, print_step};

/// The judgement of a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling {
    /// Every step is applicable, and the goal holds at the end.
    Valid {
        /// The value of the metric.
        cost: f64,
    },
    /// A step is not applicable.
    Fails {
        /// The number of the step, from 1.
        at: usize,
        /// The step as PDDL writes it.
        step: String,
        /// The part of the precondition that does not hold.
        why: String,
    },
    /// All steps are applicable, but the goal does not hold at the end.
    Misses {
        /// The part of the goal that does not hold.
        why: String,
    },
}

/// Judges a plan.
pub fn validate(domain: &Domain, problem: &Problem, plan: &[Step]) -> Ruling {
    let ruling = validate_within(domain, problem, plan, &Budget::unlimited());
    ruling.expect("there is no limit")
}

/// Judges a plan within a budget. `Err`: a limit came before the ruling.
pub fn validate_within(
    domain: &Domain,
    problem: &Problem,
    plan: &[Step],
    budget: &Budget,
) -> Result<Ruling, Limit> {
    let mut state = LiftedState::initial_within(domain, problem, budget);
    let ruling = judge(domain, problem, plan, &mut state);
    state.limit().map_or(Ok(ruling), Err)
}

fn judge(domain: &Domain, problem: &Problem, plan: &[Step], state: &mut LiftedState) -> Ruling {
    for (index, step) in plan.iter().enumerate() {
        if let Err(why) = state.apply(step) {
            return Ruling::Fails {
                at: index + 1,
                step: print_step(step, domain, problem),
                why,
            };
        }
    }
    if let Some(why) = state.unmet_goal() {
        return Ruling::Misses { why };
    }
    let cost = match &problem.metric {
        Metric::Steps => Some(plan.len() as f64),
        Metric::Minimize(value) | Metric::Maximize(value) => state.value(value, &[]),
    };
    match cost {
        Some(cost) => Ruling::Valid { cost },
        None => Ruling::Misses {
            why: "the metric has no value at the end".to_string(),
        },
    }
}
