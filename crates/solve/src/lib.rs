//! Solves levels by any route: a search, a planning model or a constraint model. The referee
//! replays every plan by the slow rules before it is returned.

#![warn(missing_docs)]

mod answer;
mod anytime;
mod certificate;
mod compiled;
mod constraint;
mod hint;
mod language;
mod level_search;
mod lookup;
mod model;
mod optimisation;
mod pddl;
mod rating;
mod route;
mod solution;
mod states;
mod sweep;
mod technology;

pub use answer::{Answer, Status, disagreement};
pub use anytime::solve_anytime;
pub use certificate::{NotCertified, certify};
pub use constraint::{find_switches, model_text};
pub use hint::{Hint, hint};
pub use language::{Flat, GrowingProblem, Limited, ModelText, ReadValues};
pub use level_search::{
    FoundLevel, LevelSearch, LevelSearchEnd, Recipe, Requirements, find_levels,
};
pub use lookup::{BEST, FoundModel, find_model, find_route, find_routes, model_names};
pub use model::{
    ModelAnswer, ModelFailure, ModelStatus, SweepStep, solve_model, solve_model_by, sweep_model,
};
pub use optimisation::{Optimisation, STEPS};
pub use rating::{
    Assessment, DeadEndShare, Difficulty, FirstMoves, GreedyPlay, PlanComparison, Rating,
    RatingLimits, StateCount, compare_plans, rate, start_at,
};
pub use route::{Route, routes, split_switches};
pub use solution::{Judge, read_solution};
pub use states::reachable_states;
pub use technology::Technology;

pub use ployglot_engines::{BadRequest, Engine, PlanRequest, Planned, ReachableStates, plan_task};
pub use ployglot_pddl::estimates::Estimate;
pub use ployglot_search::Search;

use std::fmt;

use ployglot_base::text::unknown;
use ployglot_base::{BadText, Budget, Switches};
use ployglot_games::Game;

/// How to solve a level; the game chooses what is `None`.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The name of a route, as [`find_route`] takes it, or [`BEST`].
    pub route: Option<String>,
    /// The name of a measure of the game.
    pub measure: Option<String>,
    /// The rules of the game's guide that are switched off.
    pub switches: Switches,
}

/// Why a level was not solved at all. Each has a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The request is wrong, whatever the level.
    BadRequest(String),
    /// The route of the request cannot take this level, or needs a program that is not installed.
    Unfit(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (Refused::BadRequest(why) | Refused::Unfit(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for Refused {}

impl From<BadRequest> for Refused {
    fn from(bad: BadRequest) -> Self {
        Refused::BadRequest(bad.0)
    }
}

impl From<Refused> for BadRequest {
    fn from(refused: Refused) -> Self {
        BadRequest(refused.to_string())
    }
}

/// Why a route has no answer for a level. Each has a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CannotSolve {
    /// The route's model cannot represent this level.
    Unfit(String),
    /// The route needs a program that is not installed.
    Missing(String),
    /// The route is broken: its model cannot be read, its solver failed, or a judge rejects what the
    /// solver found.
    Defect(String),
}

impl CannotSolve {
    /// Why a constraint model that comes with a game cannot be unrolled for a level. A limit on
    /// sizes means that the level does not fit; any other reason is an error in the model.
    pub(crate) fn of_model(bad: &BadText) -> Self {
        let why = format!("the model: {bad}");
        match bad.too_large {
            true => CannotSolve::Unfit(why),
            false => CannotSolve::Defect(why),
        }
    }
}

/// Solves a level by the route of the request.
///
/// ```
/// use ployglot_base::Budget;
/// use ployglot_games::{Document, Plotting, Text};
/// use ployglot_solve::{Request, Status, solve};
///
/// let document = Document::parse("game: plotting\ngoal: 1\n\nRRG\nRGG\n").expect("a level text");
/// let level = Plotting::parse(&document).expect("a level of Plotting");
///
/// // The route that the game chooses.
/// let best = solve(&level, &Request::default(), &Budget::unlimited()).expect("a good request");
/// assert_eq!(best.status, Status::Optimal);
/// assert!(best.checked, "the referee accepted the plan");
///
/// // Another route proves the same cost.
/// let request = Request {
///     route: Some("eprime:action:sat".to_string()),
///     ..Request::default()
/// };
/// let other = solve(&level, &request, &Budget::unlimited()).expect("a good request");
/// assert_eq!(other.cost, best.cost);
/// ```
#[inline(never)]
pub fn solve<G: Game>(level: &G, request: &Request, budget: &Budget) -> Result<Answer<G>, Refused> {
    let measure = requested_measure::<G>(request.route.as_deref(), request.measure.as_deref())?;
    let route = chosen_route(level, request, measure)?;
    check_switches::<G>(&request.switches)?;
    route.solve(level, measure, &request.switches, budget)
}

/// The route of a request.
fn chosen_route<G: Game>(
    level: &G,
    request: &Request,
    measure: &str,
) -> Result<Route<G>, BadRequest> {
    let asked = request.route.as_deref().filter(|&name| name != BEST);
    let name = asked.unwrap_or_else(|| level.best_route(measure));
    find_route(name, measure)
}

/// The measure of a request: the one that it names; or the first one that its route optimises; or
/// the default measure of the game.
#[inline(never)]
pub fn requested_measure<G: Game>(
    route: Option<&str>,
    asked: Option<&str>,
) -> Result<&'static str, BadRequest> {
    let default = measure::<G>(asked)?;
    if asked.is_some() {
        return Ok(default);
    }
    let plain = route.map(|name| split_switches(name).0);
    let found = plain.and_then(|plain| routes::<G>().into_iter().find(|route| route.name == plain));
    Ok(found.map_or(default, |route| route.measures[0]))
}

/// The measure of this name; without a name, the default measure of the game.
pub fn measure<G: Game>(asked: Option<&str>) -> Result<&'static str, BadRequest> {
    let names = G::MEASURES.iter().map(|measure| measure.name);
    match asked {
        None => Ok(G::MEASURES[0].name),
        Some(asked) => names
            .clone()
            .find(|&name| name == asked)
            .ok_or_else(|| BadRequest(unknown("measure", asked, names))),
    }
}

/// Checks that the game has all rules that are switched off.
#[inline(never)]
pub fn check_switches<G: Game>(switches: &Switches) -> Result<(), BadRequest> {
    let names = G::RULES.iter().map(|rule| rule.name);
    let is_unknown = |off: &&String| names.clone().all(|name| name != off.as_str());
    match switches.off().iter().find(is_unknown) {
        Some(off) => {
            let what = format!("rule of {}", G::NAME);
            Err(BadRequest(unknown(&what, off, names)))
        }
        None => Ok(()),
    }
}
