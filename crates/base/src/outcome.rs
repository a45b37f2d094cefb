//! How a search may end. Four facts are four arms: a plan that is proven best, a plan that is not,
//! a proof that there is none, and a limit that was hit with nothing found.

use std::fmt;

/// How a search ended.
///
/// ```
/// use ployglot_base::{Limit, Outcome};
///
/// fn sentence(outcome: &Outcome<&str>) -> String {
///     match outcome {
///         Outcome::Optimal { plan, cost } => format!("{} costs {cost}: optimal", plan.join(" ")),
///         Outcome::Feasible { cost, at_least, why, .. } => {
///             format!("a plan costs {cost}, every plan at least {at_least}; ended by {why}")
///         }
///         Outcome::Unsolvable => "there is no plan".to_string(),
///         Outcome::GaveUp { at_least, why } => {
///             format!("no plan found, every plan costs at least {at_least}; ended by {why}")
///         }
///     }
/// }
///
/// let plan = vec!["left", "down"];
/// let outcome = Outcome::Feasible { plan, cost: 2, at_least: 1, why: Limit::Time };
/// assert_eq!(sentence(&outcome), "a plan costs 2, every plan at least 1; ended by time");
/// assert_eq!(outcome.cost(), Some(2));
/// assert_eq!(outcome.at_least(), Some(1));
/// assert_eq!(Outcome::<&str>::Unsolvable.at_least(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<M> {
    /// A plan that is proven optimal: no plan costs less.
    Optimal {
        /// The moves from the start to a goal.
        plan: Vec<M>,
        /// The cost of the plan.
        cost: u32,
    },
    /// A plan that is not proven optimal.
    Feasible {
        /// The moves from the start to a goal.
        plan: Vec<M>,
        /// The cost of the plan.
        cost: u32,
        /// A proven lower bound on the cost of all plans.
        at_least: u32,
        /// What ended the proof.
        why: Limit,
    },
    /// It is proven that there is no plan.
    Unsolvable,
    /// No plan was found before the limit.
    GaveUp {
        /// A proven lower bound on the cost of all plans, if there are any.
        at_least: u32,
        /// What ended the search.
        why: Limit,
    },
}

/// What ended a search before its proof was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The time of the budget is over.
    Time,
    /// The memory of the budget is used up.
    Memory,
    /// The user, or the calling program, stopped the search.
    Interrupt,
    /// The search ended by itself, but it is of a kind that proves nothing (a beam, greedy search).
    Incomplete,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Limit::Time => "time",
            Limit::Memory => "memory",
            Limit::Interrupt => "interrupt",
            Limit::Incomplete => "incomplete",
        })
    }
}

/// The work that a search did, in counts: the same run gives the same numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// States whose successors were generated.
    pub expanded: u64,
    /// Moves that were applied.
    pub generated: u64,
    /// The largest number of states stored at once.
    pub stored: u64,
}

impl std::ops::AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.expanded += other.expanded;
        self.generated += other.generated;
        self.stored = self.stored.max(other.stored);
    }
}

/// What a search returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<M> {
    /// How it ended.
    pub outcome: Outcome<M>,
    /// The work that it did.
    pub effort: Effort,
}

impl<M> Outcome<M> {
    /// No plan costs less than this; `None`: it is proven that there is no plan.
    pub fn at_least(&self) -> Option<u32> {
        match self {
            Outcome::Optimal { cost, .. } => Some(*cost),
            Outcome::Feasible { at_least, .. } | Outcome::GaveUp { at_least, .. } => {
                Some(*at_least)
            }
            Outcome::Unsolvable => None,
        }
    }

    /// The plan, if one was found.
    pub fn plan(&self) -> Option<&[M]> {
        match self {
            Outcome::Optimal { plan, .. } | Outcome::Feasible { plan, .. } => Some(plan),
            Outcome::Unsolvable | Outcome::GaveUp { .. } => None,
        }
    }

    /// The cost of the plan, if one was found.
    pub fn cost(&self) -> Option<u32> {
        match self {
            Outcome::Optimal { cost, .. } | Outcome::Feasible { cost, .. } => Some(*cost),
            Outcome::Unsolvable | Outcome::GaveUp { .. } => None,
        }
    }
}
