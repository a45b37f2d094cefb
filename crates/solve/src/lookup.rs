//! Names of routes and models, looked up in one place for all commands, suites and the studio. A name may turn switches of a
//! constraint model on (`eprime:action+dead-end:sat`), and `best` is the route that the game likes best for the level. A name that
//! nobody has gets the nearest one as an answer.

use ployglot_base::text::nearest;
use ployglot_games::{ConstraintModel, Game, PlanningModel};

use crate::CannotSolve;
use crate::route::{Route, routes, split_switches};
use crate::{BadRequest, model_text};

/// The name of whichever route is best for a level.
pub const BEST: &str = "best";

/// The route of this name, which must optimise the measure. Not `best`, for that is a question to a level.
pub fn find_route<G: Game>(name: &str, measure: &str) -> Result<Route<G>, BadRequest> {
    let all = routes::<G>();
    let (plain, switches) = split_switches(name);
    let Some(route) = all.iter().find(|route| route.name == plain) else {
        let names = all.iter().map(|route| route.name.as_str());
        return Err(unknown("route", name, names.chain([BEST])));
    };
    if !route.measures.contains(&measure) {
        let fitting = all.iter().filter(|route| route.measures.contains(&measure));
        let names: Vec<_> = fitting.map(|route| route.name.as_str()).collect();
        return Err(BadRequest(format!(
            "the route '{name}' does not optimise the measure '{measure}' of {}; these do: {}",
            G::NAME,
            names.join(", ")
        )));
    }
    route.clone().with_switches(switches).map_err(BadRequest)
}

/// The routes that some names ask for, each once: `best`, a route by its name, or else all that fit the measure and whose
/// names begin so (`pddl`, `pddl:natural:`, `eprime:action+dead-end`). Without names, all that fit.
pub fn find_routes<G: Game>(
    level: &G,
    asked: &[String],
    measure: &str,
) -> Result<Vec<Route<G>>, BadRequest> {
    let mut all = routes::<G>();
    all.retain(|route| route.measures.contains(&measure));
    if asked.is_empty() {
        return Ok(all);
    }
    let mut found: Vec<Route<G>> = Vec::new();
    for name in asked {
        let (start, switches) = split_switches(name);
        let begins = |route: &&Route<G>| {
            let rest = route.name.strip_prefix(&start);
            rest.is_some_and(|rest| rest.starts_with(':') || start.ends_with(':'))
        };
        let group: Vec<_> = all.iter().filter(begins).cloned().collect();
        let chosen = if name == BEST {
            vec![find_route(level.best_route(measure), measure)?]
        } else if group.is_empty() || all.iter().any(|route| route.name == start) {
            let one = find_route(name, measure).map_err(|bad| match known_start(&all, name) {
                Some(near) => BadRequest(format!("unknown route '{name}'; did you mean '{near}'?")),
                None => bad,
            });
            vec![one?]
        } else {
            let with = |route: Route<G>| route.with_switches(switches.clone());
            let group: Result<_, String> = group.into_iter().map(with).collect();
            group.map_err(BadRequest)?
        };
        for route in chosen {
            if found.iter().all(|known| known.name != route.name) {
                found.push(route);
            }
        }
    }
    Ok(found)
}

/// The beginning of some route's name that was probably meant: `serach` is `search`.
fn known_start<'a, G: Game>(all: &'a [Route<G>], name: &str) -> Option<&'a str> {
    let starts = |route: &'a Route<G>| {
        let ends = route.name.match_indices(':').map(|(at, _)| at);
        ends.map(|at| &route.name[..at])
    };
    nearest(name, all.iter().flat_map(starts))
}

/// A model of a game, by its name.
pub enum FoundModel<G: Game> {
    Planning(&'static PlanningModel<G>),
    /// With the switches that the name turns on.
    Constraint(&'static ConstraintModel<G>, Vec<String>),
}

impl<G: Game> FoundModel<G> {
    pub fn measure(&self) -> &'static str {
        match self {
            FoundModel::Planning(model) => model.measure,
            FoundModel::Constraint(model, _) => model.measure,
        }
    }
}

/// Every model of a game, as `ploy export --to` takes it.
pub fn model_names<G: Game>() -> Vec<String> {
    let planning = G::PLANNING
        .iter()
        .map(|model| format!("pddl:{}", model.name));
    let constraint = G::CONSTRAINT
        .iter()
        .map(|model| format!("eprime:{}", model.name));
    planning.chain(constraint).collect()
}

/// The model of this name: `pddl:natural`, `eprime:action`, `eprime:action+dead-end`.
pub fn find_model<G: Game>(name: &str) -> Result<FoundModel<G>, BadRequest> {
    let (plain, switches) = split_switches(name);
    let names = model_names::<G>();
    let Some(at) = names.iter().position(|known| *known == plain) else {
        let what = format!("model of {}", G::NAME);
        return Err(unknown(&what, name, names.iter().map(String::as_str)));
    };
    if let Some(model) = G::PLANNING.get(at) {
        return Ok(FoundModel::Planning(model));
    }
    let model = &G::CONSTRAINT[at - G::PLANNING.len()];
    let on: Vec<&str> = switches.iter().map(String::as_str).collect();
    model_text(model, &on).map_err(|CannotSolve(why)| BadRequest(why))?;
    Ok(FoundModel::Constraint(model, switches))
}

/// Nobody has this name.
pub(crate) fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> BadRequest {
    BadRequest(format!("unknown {what} '{name}'; {}", instead(name, known)))
}

/// The nearest of the known names, or all.
pub(crate) fn instead<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(name, known.clone()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => match known.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "there are none".to_string(),
            list => format!("known are {list}"),
        },
    }
}
