//! Routes and models by name, for all commands, suites and the studio. A name may turn on switches
//! of a constraint model (`eprime:action+dead-end:sat`), and `best` is the route that the game
//! chooses for the level. The error for an unknown name suggests the nearest known one.

use ployglot_base::text::{nearest, unknown};
use ployglot_games::{ConstraintModel, Game, ModelSwitch, PlanningModel};

use crate::BadRequest;
use crate::constraint::find_switches;
use crate::route::{Route, outside_routes, routes, split_switches};

/// The name of the route that the game chooses for a level.
pub const BEST: &str = "best";

/// The route of this name, which must optimise the measure. The name `best` is not accepted,
/// because it depends on the level.
#[inline(never)]
pub fn find_route<G: Game>(name: &str, measure: &str) -> Result<Route<G>, BadRequest> {
    let all = routes::<G>();
    let (plain, switches) = split_switches(name);
    let outside = outside_routes::<G>();
    let Some(route) = (all.iter().chain(&outside)).find(|route| route.name == plain) else {
        let names: Vec<_> = all.iter().map(|route| route.name.as_str()).collect();
        let known = names.into_iter().chain([BEST]);
        return Err(BadRequest(unknown("route", name, known)));
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
    route.clone().with_switches(&switches)
}

/// The routes that some names select, each once: `best`, a route by its name, or else all that fit
/// the measure and whose names begin with the given parts (`pddl`, `pddl:natural:`,
/// `eprime:action+dead-end`). Without names, all that fit.
#[inline(never)]
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
        let (prefix, switches) = split_switches(name);
        let has_prefix = |route: &&Route<G>| {
            let rest = route.name.strip_prefix(&prefix);
            rest.is_some_and(|rest| rest.starts_with(':') || prefix.ends_with(':'))
        };
        let group: Vec<_> = all.iter().filter(has_prefix).cloned().collect();
        let chosen = if name == BEST {
            vec![find_route(level.best_route(measure), measure)?]
        } else if group.is_empty() || all.iter().any(|route| route.name == prefix) {
            let one = find_route(name, measure).map_err(|bad| match nearest_prefix(&all, name) {
                Some(near) => BadRequest(format!("unknown route '{name}'; did you mean '{near}'?")),
                None => bad,
            });
            vec![one?]
        } else {
            let with = |route: Route<G>| route.with_switches(&switches);
            group.into_iter().map(with).collect::<Result<_, _>>()?
        };
        for route in chosen {
            if found.iter().all(|known| known.name != route.name) {
                found.push(route);
            }
        }
    }
    Ok(found)
}

/// The first parts of some route's name that were probably meant: `search` for `serach`.
fn nearest_prefix<'a, G: Game>(all: &'a [Route<G>], name: &str) -> Option<&'a str> {
    let prefixes = |route: &'a Route<G>| {
        let ends = route.name.match_indices(':').map(|(at, _)| at);
        ends.map(|at| &route.name[..at])
    };
    nearest(name, all.iter().flat_map(prefixes))
}

/// A model of a game that was chosen by name.
pub enum FoundModel<G: Game> {
    /// A model in PDDL.
    Planning(&'static PlanningModel<G>),
    /// A model in Essence Prime or Essence, with the switches that the name turns on.
    Constraint(&'static ConstraintModel<G>, Vec<&'static ModelSwitch>),
}

impl<G: Game> FoundModel<G> {
    /// The measure that the model optimises.
    pub fn measure(&self) -> &'static str {
        match self {
            FoundModel::Planning(model) => model.measure,
            FoundModel::Constraint(model, _) => model.measure,
        }
    }
}

/// The names of all models of a game, as `ploy export --to` takes them.
#[inline(never)]
pub fn model_names<G: Game>() -> Vec<String> {
    let planning = G::PLANNING
        .iter()
        .map(|model| format!("pddl:{}", model.name));
    let constraint = G::CONSTRAINT.iter().map(ConstraintModel::full_name);
    planning.chain(constraint).collect()
}

/// The model of this name: `pddl:natural`, `eprime:action`, `eprime:action+dead-end`,
/// `essence:graph`.
#[inline(never)]
pub fn find_model<G: Game>(name: &str) -> Result<FoundModel<G>, BadRequest> {
    let (plain, switches) = split_switches(name);
    let names = model_names::<G>();
    let Some(at) = names.iter().position(|known| *known == plain) else {
        let what = format!("model of {}", G::NAME);
        let known = names.iter().map(String::as_str);
        return Err(BadRequest(unknown(&what, name, known)));
    };
    if let Some(model) = G::PLANNING.get(at) {
        return Ok(FoundModel::Planning(model));
    }
    let model = &G::CONSTRAINT[at - G::PLANNING.len()];
    let switches = find_switches(model, &switches)?;
    Ok(FoundModel::Constraint(model, switches))
}
