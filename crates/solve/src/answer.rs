//! What every answer says.

use ployglot_base::{Effort, Limit};
use ployglot_games::{Game, Ruling};

#[derive(Clone, Debug)]
pub struct Answer<G: Game> {
    pub route: String,
    pub measure: &'static str,
    /// The variant of the rules, where the level has options.
    pub variant: String,
    pub status: Status,
    /// Of the plan; `None` where there is none.
    pub cost: Option<u32>,
    /// Proven: no plan costs less; `None` where there is no plan at all.
    pub at_least: Option<u32>,
    pub plan: Option<Vec<G::Move>>,
    /// The referee replayed the plan and agrees with its cost.
    pub checked: bool,
    pub effort: Effort,
    pub seconds: f64,
    /// In bytes, of the whole process.
    pub peak_memory: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Optimal,
    /// A plan without a proof that it is best, and what ended the proof.
    Feasible(Limit),
    Unsolvable,
    Limit(Limit),
    /// The referee rejects what the route claims.
    Defect(String),
}

impl Status {
    /// As in `--json`.
    pub fn word(&self) -> &'static str {
        match self {
            Status::Optimal => "optimal",
            Status::Feasible(_) => "feasible",
            Status::Unsolvable => "unsolvable",
            Status::Limit(_) => "limit",
            Status::Defect(_) => "error",
        }
    }
}

/// How the referee's ruling differs from what was claimed.
pub(crate) fn defect<G: Game>(ruling: Option<&Ruling<G>>, claimed: Option<u32>) -> String {
    match ruling {
        Some(Ruling::Accepted { cost, .. }) => {
            format!(
                "the plan costs {cost}, not {} as the route claims",
                claimed.unwrap_or(0)
            )
        }
        Some(Ruling::Illegal { at, refusal, .. }) => {
            format!("move {at} of the plan is illegal: {}", refusal.0)
        }
        Some(Ruling::Missed { shortfall, .. }) => format!("the plan misses the goal: {shortfall}"),
        None => "the route claims a plan and gives none".to_string(),
    }
}
