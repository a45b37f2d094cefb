//! The routes of a game: its own searches, the generic ones where they optimise the measure, its planning models and its
//! constraint models.

use std::borrow::Cow;

use ployglot_base::{Budget, Report, Switches};
use ployglot_games::{ConstraintModel, Game, PlanningModel};
use ployglot_search::Search;

use crate::constraint::{self, TECHNOLOGIES, Technology};
use crate::{CannotSolve, pddl};

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
    Generic(Search),
    Own(fn(&G, &str, &Switches, &Budget) -> Report<G::Move>),
    /// A model, and the engine that plans with it.
    Pddl(&'static PlanningModel<G>, &'static str),
    /// A model, the names of its switches that are on, and what satisfies it.
    Constraint(
        &'static ConstraintModel<G>,
        Vec<String>,
        &'static Technology,
    ),
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
            How::Generic(search) => How::Generic(*search),
            How::Own(run) => How::Own(*run),
            How::Pddl(model, engine) => How::Pddl(model, engine),
            How::Constraint(model, switches, technology) => {
                How::Constraint(model, switches.clone(), technology)
            }
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
    let generic = Search::ALL
        .iter()
        .filter(|_| !additive.is_empty())
        .map(|search| Route {
            name: format!("search:{}", search.name()),
            about: search.about().into(),
            measures: additive.clone(),
            how: How::Generic(*search),
        });
    let planning = G::PLANNING.iter().flat_map(|model| {
        PLANNERS.iter().map(move |(ending, engine, about)| Route {
            name: format!("pddl:{}{ending}", model.name),
            about: format!("{}{about}", model.about).into(),
            measures: vec![model.measure],
            how: How::Pddl(model, engine),
        })
    });
    let constraint = G::CONSTRAINT.iter().flat_map(|model| {
        TECHNOLOGIES.iter().map(move |technology| Route {
            name: format!("eprime:{}:{}", model.name, technology.name),
            about: format!("{}; by {}", model.about, technology.about).into(),
            measures: vec![model.measure],
            how: How::Constraint(model, Vec::new(), technology),
        })
    });
    own.chain(generic)
        .chain(planning)
        .chain(constraint)
        .collect()
}

/// A name without the switches that it turns on: `eprime:action+dead-end:sat` is the route `eprime:action:sat` with one.
pub fn split_switches(name: &str) -> (String, Vec<String>) {
    let mut parts: Vec<&str> = name.split(':').collect();
    let mut switches = Vec::new();
    if parts[0] == "eprime" && parts.len() > 1 {
        let mut words = parts[1].split('+');
        parts[1] = words.next().unwrap_or("");
        switches.extend(words.map(str::to_string));
    }
    (parts.join(":"), switches)
}

impl<G: Game> Route<G> {
    /// The same route with switches of its model on; `Err`: a sentence for the user.
    pub(crate) fn with_switches(mut self, wanted: Vec<String>) -> Result<Self, String> {
        if wanted.is_empty() {
            return Ok(self);
        }
        let How::Constraint(model, on, technology) = &mut self.how else {
            return Err(format!("the route '{}' has no switches", self.name));
        };
        let names: Vec<&str> = wanted.iter().map(String::as_str).collect();
        constraint::model_text(model, &names).map_err(|CannotSolve(why)| why)?;
        self.name = format!(
            "eprime:{}+{}:{}",
            model.name,
            wanted.join("+"),
            technology.name
        );
        *on = wanted;
        Ok(self)
    }

    pub(crate) fn run(
        &self,
        level: &G,
        measure: &str,
        switches: &Switches,
        budget: &Budget,
    ) -> Result<Report<G::Move>, CannotSolve> {
        match &self.how {
            How::Own(run) => Ok(run(level, measure, switches, budget)),
            How::Generic(search) => Ok(search.run(level, &|| level.guide(switches), budget)),
            How::Pddl(model, engine) => pddl::run(level, model, engine, budget),
            How::Constraint(model, on, technology) => {
                let on: Vec<&str> = on.iter().map(String::as_str).collect();
                constraint::run(level, model, &on, technology, budget)
            }
        }
    }
}
