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

/// What in these answers about one level, by one measure, cannot all be true; `None` where nothing does.
pub fn disagreement<G: Game>(answers: &[Answer<G>]) -> Option<String> {
    let defect = answers.iter().find_map(|answer| match &answer.status {
        Status::Defect(why) => Some(format!("{}: {why}", answer.route)),
        _ => None,
    });
    if defect.is_some() {
        return defect;
    }
    let unsolvable = answers
        .iter()
        .find(|answer| answer.status == Status::Unsolvable);
    let cheapest = answers
        .iter()
        .filter(|answer| answer.cost.is_some())
        .min_by_key(|answer| answer.cost);
    let bound = answers
        .iter()
        .filter(|answer| answer.status != Status::Unsolvable)
        .max_by_key(|answer| answer.at_least);
    match (unsolvable, cheapest, bound) {
        (Some(none), Some(plan), _) => Some(format!(
            "{} proves that there is no plan, and {} has one of cost {}",
            none.route, plan.route, plan.cost?
        )),
        (_, Some(plan), Some(bound)) if bound.at_least > plan.cost => Some(format!(
            "{} proves that every plan costs at least {}, and {} has one of cost {}",
            bound.route, bound.at_least?, plan.route, plan.cost?
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_games::Plotting;

    fn answer(status: Status, cost: Option<u32>, at_least: Option<u32>) -> Answer<Plotting> {
        Answer {
            route: "r".to_string(),
            measure: "shots",
            variant: String::new(),
            checked: cost.is_some(),
            plan: None,
            effort: Effort::default(),
            seconds: 0.0,
            peak_memory: 0,
            status,
            cost,
            at_least,
        }
    }

    #[test]
    fn contradictions_are_found() {
        let optimal = |cost| answer(Status::Optimal, Some(cost), Some(cost));
        let feasible = |cost, bound| answer(Status::Feasible(Limit::Time), Some(cost), Some(bound));
        let limit = |bound| answer(Status::Limit(Limit::Time), None, Some(bound));
        let none = || answer(Status::Unsolvable, None, None);
        assert_eq!(disagreement(&[optimal(5), feasible(7, 5), limit(4)]), None);
        assert_eq!(disagreement(&[none(), none(), limit(90)]), None);
        assert!(disagreement(&[optimal(5), optimal(6)]).is_some());
        assert!(disagreement(&[optimal(5), feasible(4, 2)]).is_some());
        assert!(disagreement(&[optimal(5), limit(6)]).is_some());
        assert!(disagreement(&[none(), feasible(9, 1)]).is_some());
        assert!(disagreement(&[answer(Status::Defect("x".into()), None, None)]).is_some());
    }
}
