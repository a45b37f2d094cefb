//! The answer to a level: what a route found, after the referee has replayed it.

use ployglot_base::{Budget, Effort, Limit, Outcome, Report};
use ployglot_games::{Game, Ruling, judge};

/// The answer of a route to a level.
///
/// ```
/// use ployglot_base::Budget;
/// use ployglot_games::{Document, Plotting, Text};
/// use ployglot_solve::{Answer, Request, Status, solve};
///
/// let document = Document::parse("game: plotting\ngoal: 1\n\nRRG\nRGG\n").expect("a level text");
/// let level = Plotting::parse(&document).expect("a level of Plotting");
/// let answer: Answer<Plotting> =
///     solve(&level, &Request::default(), &Budget::unlimited()).expect("a good request");
///
/// let plan = answer.plan.expect("the level has a plan");
/// assert_eq!(answer.status, Status::Optimal);
/// assert_eq!(answer.measure, "shots");
/// // The cost in shots is the number of moves. For an optimal plan it equals the proven bound.
/// assert_eq!(answer.cost, Some(plan.len() as u32));
/// assert_eq!(answer.cost, answer.at_least);
/// ```
#[derive(Clone, Debug)]
pub struct Answer<G: Game> {
    /// The name of the route.
    pub route: String,
    /// The name of the measure by which the plan's cost is counted.
    pub measure: &'static str,
    /// The variant of the rules; empty if the level has no options.
    pub variant: String,
    /// How the route ended.
    pub status: Status,
    /// The cost of the plan; `None` if none was found.
    pub cost: Option<u32>,
    /// Proven: no plan costs less; `None` if it is proven that there is no plan, or if the route is
    /// broken.
    pub at_least: Option<u32>,
    /// The moves of the plan; `None` if none was found.
    pub plan: Option<Vec<G::Move>>,
    /// The referee replayed the plan and agrees with its cost.
    pub checked: bool,
    /// The effort of the route.
    pub effort: Effort,
    /// The time that the route took.
    pub seconds: f64,
    /// The peak memory of the whole process, in bytes.
    pub peak_memory: u64,
}

/// How a route ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// A plan, proven to be best.
    Optimal,
    /// A plan; this limit ended the proof that it is best.
    Feasible(Limit),
    /// Proven: there is no plan.
    Unsolvable,
    /// This limit ended the route without a plan.
    Limit(Limit),
    /// The route is broken: the referee rejects what it claims, or its model or solver failed. The
    /// reason is a sentence for the user.
    Defect(String),
}

impl Status {
    /// The name in `--json` output.
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

impl<G: Game> Answer<G> {
    /// The answer of a broken route. It claims nothing.
    pub(crate) fn defect(
        level: &G,
        measure: &'static str,
        route: String,
        why: String,
        seconds: f64,
        budget: &Budget,
    ) -> Self {
        Answer {
            route,
            measure,
            variant: level.variant(),
            status: Status::Defect(why),
            cost: None,
            at_least: None,
            plan: None,
            checked: false,
            effort: Effort::default(),
            seconds,
            peak_memory: budget.peak_memory(),
        }
    }
}

/// The answer of a route to a level, from its report. The referee replays the plan; if it rejects
/// the plan or its cost, the status is a defect of the route.
pub(crate) fn certify<G: Game>(
    level: &G,
    measure: &'static str,
    route: String,
    report: Report<G::Move>,
    seconds: f64,
    budget: &Budget,
) -> Answer<G> {
    let Report { outcome, effort } = report;
    let ruling = outcome.plan().map(|plan| judge(level, measure, plan));
    let claimed = outcome.cost();
    let status = match (&outcome, &ruling) {
        (Outcome::Unsolvable, _) => Status::Unsolvable,
        (Outcome::GaveUp { why, .. }, _) => Status::Limit(*why),
        (_, Some(Ruling::Accepted { cost, .. })) if Some(*cost) == claimed => match outcome {
            Outcome::Feasible { why, .. } => Status::Feasible(why),
            _ => Status::Optimal,
        },
        (_, ruling) => Status::Defect(defect(ruling.as_ref(), claimed)),
    };
    Answer {
        route,
        measure,
        variant: level.variant(),
        checked: matches!(ruling, Some(Ruling::Accepted { .. }))
            && !matches!(status, Status::Defect(_)),
        at_least: outcome.at_least(),
        cost: claimed,
        plan: outcome.plan().map(<[G::Move]>::to_vec),
        status,
        effort,
        seconds,
        peak_memory: budget.peak_memory(),
    }
}

/// How the referee's ruling differs from the route's claim.
fn defect<G: Game>(ruling: Option<&Ruling<G>>, claimed: Option<u32>) -> String {
    match ruling {
        Some(Ruling::Accepted { cost, .. }) => {
            format!(
                "the referee rejects the plan: it costs {cost}, not {} as the route claims",
                claimed.unwrap_or(0)
            )
        }
        Some(Ruling::Illegal { at, refusal, .. }) => {
            format!(
                "the referee rejects the plan: move {at} is illegal: {}",
                refusal.0
            )
        }
        Some(Ruling::Missed { shortfall, .. }) => {
            format!("the referee rejects the plan: it misses the goal: {shortfall}")
        }
        None => "the route claims a plan and gives none".to_string(),
    }
}

/// A contradiction between answers about one level by one measure, or a defect of one of them;
/// `None` if they agree.
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
