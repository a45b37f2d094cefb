//! The routes of a game: its own searches, the generic ones where they optimise the measure, and its planning models.

use std::borrow::Cow;

use ployglot_base::{Budget, Report, Switches};
use ployglot_games::{Game, PlanningModel};
use ployglot_search::SEARCHES;

use crate::pddl::{self, Unfit};

/// A way from a level to a plan.
pub struct Route<G: Game> {
    /// `search:astar`.
    pub name: String,
    pub about: Cow<'static, str>,
    /// The measures that it optimises.
    pub measures: Vec<&'static str>,
    how: How<G>,
}

enum How<G: Game> {
    Generic(&'static str),
    Own(fn(&G, &str, &Switches, &Budget) -> Report<G::Move>),
    /// A model, and the engine that plans with it.
    Pddl(&'static PlanningModel<G>, &'static str),
}

/// The engines that every planning model can be given to: the ending of the route, the engine, and what is said of it. The first
/// has no ending.
const PLANNERS: [(&str, &str, &str); 3] = [
    ("", "astar", ""),
    (":lazy", "lazy", "; a plan soon, then better ones"),
    (":sat", "sat", "; by satisfiability, step by step"),
];

impl<G: Game> Clone for How<G> {
    fn clone(&self) -> Self {
        match self {
            How::Generic(name) => How::Generic(name),
            How::Own(run) => How::Own(*run),
            How::Pddl(model, engine) => How::Pddl(model, engine),
        }
    }
}

impl<G: Game> Clone for Route<G> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            about: self.about.clone(),
            measures: self.measures.clone(),
            how: self.how.clone(),
        }
    }
}

/// Every route of a game, its own first.
pub fn routes<G: Game>() -> Vec<Route<G>> {
    let additive: Vec<_> = G::MEASURES
        .iter()
        .filter(|measure| measure.additive)
        .map(|measure| measure.name)
        .collect();
    let own = G::SEARCHES.iter().map(|search| Route {
        name: format!("search:{}", search.name),
        about: search.about.into(),
        measures: search.measures.to_vec(),
        how: How::Own(search.run),
    });
    let generic = SEARCHES
        .iter()
        .filter(|_| !additive.is_empty())
        .map(|search| Route {
            name: format!("search:{}", search.name),
            about: search.about.into(),
            measures: additive.clone(),
            how: How::Generic(search.name),
        });
    let planning = G::PLANNING.iter().flat_map(|model| {
        PLANNERS.iter().map(move |(ending, engine, about)| Route {
            name: format!("pddl:{}{ending}", model.name),
            about: format!("{}{about}", model.about).into(),
            measures: vec![model.measure],
            how: How::Pddl(model, engine),
        })
    });
    own.chain(generic).chain(planning).collect()
}

impl<G: Game> Route<G> {
    pub(crate) fn run(
        &self,
        level: &G,
        measure: &str,
        switches: &Switches,
        budget: &Budget,
    ) -> Result<Report<G::Move>, Unfit> {
        match self.how {
            How::Own(run) => Ok(run(level, measure, switches, budget)),
            How::Generic(name) => {
                let guide = || level.guide(switches);
                let report = ployglot_search::run(name, level, &guide, budget);
                Ok(report.expect("the list of searches names it"))
            }
            How::Pddl(model, engine) => pddl::run(level, model, engine, budget),
        }
    }
}
