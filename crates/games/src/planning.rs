//! Planning models: a game's rules in PDDL, the problem of a level, and the translation of a plan's
//! steps back into moves.
//!
//! The texts are standard PDDL for any planner. Every plan is read back into moves and judged by
//! the referee, so an error in a model can lose an answer but cannot make a wrong one look right.

use std::borrow::Borrow;

use ployglot_base::Space;

/// A model of a game in PDDL.
pub struct PlanningModel<G: Space> {
    /// As in the route `pddl:NAME`.
    pub name: &'static str,
    /// One line for the list of routes.
    pub about: &'static str,
    /// The measure by which its plan costs are counted.
    pub measure: &'static str,
    /// The domain file.
    pub domain: &'static str,
    /// The problem file of a level; `Err`: why this model cannot express it.
    pub problem: fn(&G) -> Result<String, String>,
    /// The moves of a plan; `Err`: why the plan makes no sense.
    pub moves: ReadPlan<G>,
    /// The number of states that the model can express for a level, by a formula; `None` if there
    /// is none, or if it is too large. Not all of them can be reached.
    pub states: fn(&G) -> Option<u128>,
}

/// Reads the moves of a plan. Each step is the name of the action, followed by its arguments.
pub type ReadPlan<G> = fn(&G, &[Vec<String>]) -> Result<Vec<<G as Space>::Move>, String>;

/// Objects of one type for the list of a problem, after a blank: ` a b - room`; nothing where there
/// are none, because PDDL has no type without a name before it.
pub(crate) fn typed(names: &[impl Borrow<str>], of: &str) -> String {
    match names {
        [] => String::new(),
        names => format!(" {} - {of}", names.join(" ")),
    }
}
