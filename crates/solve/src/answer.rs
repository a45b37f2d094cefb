//! The answer to a level: what a route found, after the referee has replayed it.

use ployglot_base::{Budget, Contradiction, Effort, Limit, Outcome, PhaseTimes, Report};
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
    /// The time of each phase, for routes through a model.
    pub phases: PhaseTimes,
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
    /// The status of an outcome whose plan the referee accepts.
    fn of<M>(outcome: &Outcome<M>) -> Self {
        match outcome {
            Outcome::Optimal { .. } => Status::Optimal,
            Outcome::Feasible { why, .. } => Status::Feasible(*why),
            Outcome::Unsolvable => Status::Unsolvable,
            Outcome::GaveUp { why, .. } => Status::Limit(*why),
            Outcome::Contradiction(found) => {
                Status::Defect(format!("its results contradict each other: {found}"))
            }
        }
    }

    /// The name in `--json` output.
    pub fn word(&self) -> &'static str {
        match self {
            Status::Optimal => "optimal",
            Status::Feasible(_) => "feasible",
            Status::Unsolvable => "unsolvable",
            Status::Limit(_) => "limit",
            Status::Defect(_) => "defect",
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
            phases: PhaseTimes::default(),
            peak_memory: budget.peak_memory(),
        }
    }
}

impl<G: Game> Answer<G> {
    /// What this answer and a later one say together, by [`Outcome::join`]. A defect of either is
    /// the defect of both, and so is a contradiction between them.
    pub(crate) fn join(self, later: Self) -> Self {
        if self.is_defect() {
            return self;
        }
        if later.is_defect() {
            return later;
        }
        let mut effort = self.effort;
        effort += later.effort;
        let outcome = self.outcome().join(later.outcome());
        let status = match outcome {
            Outcome::Contradiction(found) => Status::Defect(explain(found, &[&self, &later])),
            _ => Status::of(&outcome),
        };
        Answer {
            status,
            cost: outcome.cost(),
            at_least: outcome.at_least(),
            checked: outcome.plan().is_some(),
            plan: outcome.into_plan().map(|(plan, _)| plan),
            effort,
            ..later
        }
    }

    /// Whether the route is broken.
    pub(crate) fn is_defect(&self) -> bool {
        matches!(self.status, Status::Defect(_))
    }

    /// What the answer claims. A broken route claims nothing.
    fn outcome(&self) -> Outcome<G::Move> {
        let at_least = self.at_least.unwrap_or(0);
        let best = self.plan.clone().zip(self.cost);
        match self.status {
            Status::Optimal => Outcome::proven(best, at_least),
            Status::Feasible(why) | Status::Limit(why) => Outcome::at_limit(best, at_least, why),
            Status::Unsolvable => Outcome::Unsolvable,
            Status::Defect(_) => Outcome::at_limit(None, 0, Limit::Incomplete),
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
    let outcome = outcome.checked();
    let claimed = outcome.cost();
    let status = match outcome.plan().map(|plan| judge(level, measure, plan)) {
        None => Status::of(&outcome),
        Some(Ruling::Accepted { cost, .. }) if Some(cost) == claimed => Status::of(&outcome),
        Some(ruling) => Status::Defect(defect(&ruling, claimed.unwrap_or(0))),
    };
    let accepted = !matches!(status, Status::Defect(_));
    Answer {
        route,
        measure,
        variant: level.variant(),
        checked: accepted && outcome.plan().is_some(),
        at_least: outcome.at_least().filter(|_| accepted),
        cost: claimed.filter(|_| accepted),
        plan: outcome
            .into_plan()
            .map(|(plan, _)| plan)
            .filter(|_| accepted),
        status,
        effort,
        seconds,
        phases: PhaseTimes::default(),
        peak_memory: budget.peak_memory(),
    }
}

/// How the referee's ruling differs from the route's claim.
fn defect<G: Game>(ruling: &Ruling<G>, claimed: u32) -> String {
    let why = match ruling {
        Ruling::Accepted { cost, .. } => {
            format!("it costs {cost}, not {claimed} as the route claims")
        }
        Ruling::Illegal { at, refusal, .. } => format!("move {at} is illegal: {}", refusal.0),
        Ruling::Missed { shortfall, .. } => format!("it misses the goal: {shortfall}"),
    };
    format!("the referee rejects the plan: {why}")
}

/// A contradiction between answers about one level by one measure, or a defect of one of them;
/// `None` if they agree.
#[inline(never)]
pub fn disagreement<G: Game>(answers: &[Answer<G>]) -> Option<String> {
    let defect = answers.iter().find_map(|answer| match &answer.status {
        Status::Defect(why) => Some(format!("{}: {why}", answer.route)),
        _ => None,
    });
    if defect.is_some() {
        return defect;
    }
    match answers.iter().map(Answer::outcome).reduce(Outcome::join) {
        Some(Outcome::Contradiction(found)) => {
            Some(explain(found, &answers.iter().collect::<Vec<_>>()))
        }
        _ => None,
    }
}

/// A contradiction between answers, with the names of their routes.
fn explain<G: Game>(found: Contradiction, answers: &[&Answer<G>]) -> String {
    let named = |is: &dyn Fn(&Answer<G>) -> bool| {
        let answer = answers.iter().find(|answer| is(answer));
        answer.map_or("a route", |answer| &answer.route)
    };
    let plan = named(&|answer| answer.cost == Some(found.cost));
    let claim = named(&|answer| answer.at_least == found.at_least);
    let cost = found.cost;
    match found.at_least {
        Some(bound) => format!(
            "{claim} claims that every plan costs at least {bound}, and {plan} has one of cost {cost}"
        ),
        None => {
            format!("{claim} claims that there is no plan, and {plan} has one of cost {cost}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::Space;
    use ployglot_games::{Document, Plotting, Text};

    fn answer(status: Status, cost: Option<u32>, at_least: Option<u32>) -> Answer<Plotting> {
        Answer {
            route: "r".to_string(),
            measure: "shots",
            variant: String::new(),
            checked: cost.is_some(),
            plan: cost.map(|_| Vec::new()),
            effort: Effort::default(),
            seconds: 0.0,
            phases: PhaseTimes::default(),
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

    fn gives(outcome: Outcome<<Plotting as Space>::Move>) -> Answer<Plotting> {
        let document = Document::parse("game: plotting\ngoal: 2\n\nRR\nRG\n").expect("a text");
        let level = Plotting::parse(&document).expect("a level");
        let report = Report {
            outcome,
            effort: Effort::default(),
        };
        let route = "liar".to_string();
        certify(&level, "shots", route, report, 0.0, &Budget::unlimited())
    }

    /// The shot along row 1, by which the level is solved.
    fn plan() -> Vec<<Plotting as Space>::Move> {
        let mut moves = Vec::new();
        let document = Document::parse("game: plotting\ngoal: 2\n\nRR\nRG\n").expect("a text");
        let level = Plotting::parse(&document).expect("a level");
        level.moves(&level.start(), &mut moves);
        let solves = |mv: &_| matches!(judge(&level, "shots", &[*mv]), Ruling::Accepted { .. });
        moves.retain(solves);
        moves.truncate(1);
        assert_eq!(moves.len(), 1, "some shot solves it");
        moves
    }

    /// A route may lie about its plan, the plan's cost, or the bound.
    #[test]
    fn the_referee_finds_every_lie_about_a_plan() {
        let (plan, why) = (plan(), Limit::Time);
        let honest = gives(Outcome::Optimal {
            plan: plan.clone(),
            cost: 1,
        });
        assert_eq!((honest.status, honest.checked), (Status::Optimal, true));
        let twice = [&plan[..], &plan[..]].concat();
        for lie in [
            Outcome::Optimal {
                plan: Vec::new(),
                cost: 0,
            },
            Outcome::Optimal {
                plan: twice,
                cost: 2,
            },
            Outcome::Optimal {
                plan: plan.clone(),
                cost: 2,
            },
            Outcome::Feasible {
                plan,
                cost: 1,
                at_least: 2,
                why,
            },
            Outcome::Contradiction(Contradiction {
                cost: 1,
                at_least: None,
            }),
        ] {
            let answer = gives(lie.clone());
            assert!(answer.is_defect(), "{lie:?}: {answer:?}");
            let claims = (answer.cost, answer.at_least, answer.plan, answer.checked);
            assert_eq!(claims, (None, None, None, false), "{lie:?}");
        }
    }
}
