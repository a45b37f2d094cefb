//! Planning models: a game's rules in PDDL, the problem text of a level, and the way back from a plan to moves.
//!
//! The texts are standard PDDL that any planner of the language takes. Whatever a planner finds is read back into moves and
//! judged by the referee, so a slip in a model can cost an answer, but never make a wrong one look right.

use ployglot_base::Space;

pub struct PlanningModel<G: Space> {
    /// As in the route `pddl:NAME`.
    pub name: &'static str,
    pub about: &'static str,
    /// The measure that the cost of its plans is.
    pub measure: &'static str,
    /// The domain file.
    pub domain: &'static str,
    /// The problem file of a level; `Err`: why this model cannot hold it.
    pub problem: fn(&G) -> Result<String, String>,
    /// The moves that a plan stands for; a step is the action's name and its arguments. `Err`: why they make no sense.
    pub moves: ReadPlan<G>,
}

/// From the steps of a plan to moves.
pub type ReadPlan<G> = fn(&G, &[Vec<String>]) -> Result<Vec<<G as Space>::Move>, String>;
