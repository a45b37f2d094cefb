//! How a search may end. Four facts are four arms: a plan that is proven best, a plan that is not, a
//! proof that there is none, and a limit that was hit with nothing found.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<M> {
    /// Proven: no plan costs less.
    Optimal { plan: Vec<M>, cost: u32 },
    /// A plan, and what is proven about all plans so far; `why` says what ended the proof.
    Feasible {
        plan: Vec<M>,
        cost: u32,
        at_least: u32,
        why: Limit,
    },
    /// Proven: there is no plan.
    Unsolvable,
    /// Nothing found before the limit; every plan, if any, costs at least this much.
    GaveUp { at_least: u32, why: Limit },
}

/// What ended a search before its proof was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Time,
    Memory,
    /// The user, or whoever asked, wants it to stop.
    Interrupt,
    /// The search ran to its end, but it is of a kind that proves nothing (a beam, a greedy walk).
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

/// What a search did; counted, so the same run gives the same numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// States whose moves were listed.
    pub expanded: u64,
    /// Moves that were applied.
    pub generated: u64,
    /// The largest number of states held at once.
    pub stored: u64,
}

impl std::ops::AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.expanded += other.expanded;
        self.generated += other.generated;
        self.stored = self.stored.max(other.stored);
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<M> {
    pub outcome: Outcome<M>,
    pub effort: Effort,
}

impl<M> Outcome<M> {
    /// No plan costs less than this; `None` where there is no plan at all.
    pub fn at_least(&self) -> Option<u32> {
        match self {
            Outcome::Optimal { cost, .. } => Some(*cost),
            Outcome::Feasible { at_least, .. } | Outcome::GaveUp { at_least, .. } => {
                Some(*at_least)
            }
            Outcome::Unsolvable => None,
        }
    }

    pub fn plan(&self) -> Option<&[M]> {
        match self {
            Outcome::Optimal { plan, .. } | Outcome::Feasible { plan, .. } => Some(plan),
            Outcome::Unsolvable | Outcome::GaveUp { .. } => None,
        }
    }

    pub fn cost(&self) -> Option<u32> {
        match self {
            Outcome::Optimal { cost, .. } | Outcome::Feasible { cost, .. } => Some(*cost),
            Outcome::Unsolvable | Outcome::GaveUp { .. } => None,
        }
    }
}
