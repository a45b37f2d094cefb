//! One door from a level to an answer, whichever route leads there. The referee stands in it: no plan leaves without having
//! been replayed by the slow rules.

mod answer;
mod anytime;
mod constraint;
mod hint;
mod level_search;
mod lookup;
mod model;
mod pddl;
mod planner;
mod rating;
mod route;
mod sweep;

pub use answer::{Answer, Status, disagreement};
pub use anytime::solve_anytime;
pub use constraint::{TECHNOLOGIES, Technology, model_text, read_solution, technology};
pub use hint::{Hint, hint};
pub use level_search::{
    FoundLevel, LevelSearch, LevelSearchEnd, Recipe, Requirements, find_levels,
};
pub use lookup::{BEST, FoundModel, find_model, find_route, find_routes, model_names};
pub use model::{ModelAnswer, ModelFailure, ModelStatus, SweepStep, solve_model, sweep_model};
pub use planner::{ESTIMATES, Engine, Estimate, PlanRequest, Planned, engines, plan_task};
pub use rating::{
    Assessment, DeadEndShare, Difficulty, FirstMoves, GreedyPlay, PlanComparison, Rating,
    RatingLimits, StateCount, compare_plans, rate, start_at,
};
pub use route::{Route, routes, split_switches};

use ployglot_base::{Budget, Outcome, Report, Switches};
use ployglot_games::{Game, Ruling, judge};

use crate::lookup::unknown;

/// What is asked for; what is `None` is chosen by the game.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// By its name, as `find_route` takes it, or `best`.
    pub route: Option<String>,
    pub measure: Option<String>,
    pub switches: Switches,
}

/// The request names something that this game does not have: a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRequest(pub String);

/// Why a route has no answer at all for a level: a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotSolve(pub String);

/// Solves a level by a route.
pub fn solve<G: Game>(
    level: &G,
    request: &Request,
    budget: &Budget,
) -> Result<Answer<G>, BadRequest> {
    let measure = measure::<G>(request.measure.as_deref())?;
    let asked = request.route.as_deref().filter(|&name| name != BEST);
    let name = asked.unwrap_or_else(|| level.best_route(measure));
    let route = find_route::<G>(name, measure)?;
    check_switches::<G>(&request.switches)?;
    let started = budget.elapsed();
    let report = route.run(level, measure, &request.switches, budget);
    let report = report.map_err(|CannotSolve(why)| {
        BadRequest(format!("the route '{name}' cannot take this level: {why}"))
    })?;
    let seconds = (budget.elapsed() - started).as_secs_f64();
    Ok(certify(level, measure, route.name, report, seconds, budget))
}

/// The measure of this name, or the default.
pub fn measure<G: Game>(asked: Option<&str>) -> Result<&'static str, BadRequest> {
    let names = || G::MEASURES.iter().map(|measure| measure.name);
    match asked {
        None => Ok(G::MEASURES[0].name),
        Some(asked) => names()
            .find(|&name| name == asked)
            .ok_or_else(|| unknown("measure", asked, names())),
    }
}

/// Whether the game has all rules that are switched off.
pub fn check_switches<G: Game>(switches: &Switches) -> Result<(), BadRequest> {
    let names = || G::RULES.iter().map(|rule| rule.name);
    match switches
        .off()
        .iter()
        .find(|off| names().all(|name| name != off.as_str()))
    {
        Some(off) => Err(unknown(&format!("rule of {}", G::NAME), off, names())),
        None => Ok(()),
    }
}

/// Replays the plan of a report, and says what may be said. A plan that the referee does not accept at the cost that was
/// claimed is a defect of the route: then the answer says so, and claims nothing.
fn certify<G: Game>(
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
        (_, ruling) => Status::Defect(answer::defect(ruling.as_ref(), claimed)),
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
