//! The routes of a game: its own searches, the generic searches where they optimise the measure,
//! its planning models and its constraint models.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ployglot_base::text::panic_message;
use ployglot_base::{Budget, Report, Switches};
use ployglot_games::{ConstraintModel, Game, Language, ModelSwitch, PlanningModel};
use ployglot_search::Search;

use crate::answer::{Answer, certify};
use crate::technology::Technology;
use crate::{BadRequest, CannotSolve, Refused, constraint, pddl};
use ployglot_engines::{Engine, search_level};

/// A way from a level to a plan.
#[derive(Clone)]
pub struct Route<G: Game> {
    /// The name by which users choose it: `search:astar`.
    pub name: String,
    /// One line for help texts.
    pub about: Cow<'static, str>,
    /// The measures that it has plans and bounds for. It optimises the first; a constraint model
    /// that counts something else than moves may give only bounds for the others.
    pub measures: Vec<&'static str>,
    method: Method<G>,
}

/// What a route does.
#[derive(Clone)]
enum Method<G: Game> {
    /// A search for any space.
    Search(Search),
    /// A search of the game's own.
    Own(fn(&G, &str, &Switches, &Budget) -> Report<G::Move>),
    Planning {
        model: &'static PlanningModel<G>,
        engine: Engine,
    },
    Constraint {
        model: &'static ConstraintModel<G>,
        /// The switches that are on.
        switches: Vec<&'static ModelSwitch>,
        technology: Technology,
    },
}

/// How the answers of a route are proven to a stranger.
pub(crate) enum Evidence<G: Game> {
    /// By the list of all nodes that are cheaper.
    Nodes,
    /// By pseudo-Boolean constraints and a proof, through a planning model.
    Planning(&'static PlanningModel<G>),
    /// By clauses without a solution.
    Clauses,
}

/// The engines that every planning model can be given to: the ending of the route's name, the
/// engine, and the ending of the route's description.
const PLANNERS: [(&str, Engine, &str); 3] = [
    ("", Engine::Search(Search::Astar), ""),
    (":lazy", Engine::Lazy, "; a plan soon, then better ones"),
    (":sat", Engine::Sat, "; by satisfiability, step by step"),
];

/// Every route of a game, its own searches first.
#[inline(never)]
pub fn routes<G: Game>() -> Vec<Route<G>> {
    let own = G::SEARCHES.iter().map(|search| Route {
        name: format!("search:{}", search.name),
        about: search.about.into(),
        measures: search.measures.to_vec(),
        method: Method::Own(search.run),
    });
    let generic = Search::ALL.iter().copied().filter_map(Route::of_search);
    let planning = G::PLANNING.iter().flat_map(|model| {
        PLANNERS.iter().map(move |&(ending, engine, about)| Route {
            name: format!("pddl:{}{ending}", model.name),
            about: format!("{}{about}", model.about).into(),
            measures: vec![model.measure],
            method: Method::Planning { model, engine },
        })
    });
    let constraint = by_constraint_models(|| Technology::ALL.iter().copied());
    own.chain(generic)
        .chain(planning)
        .chain(constraint)
        .collect()
}

/// The routes through solvers that are programs of their own. Lists leave them out, because most
/// are not installed; they are chosen by name.
#[inline(never)]
pub fn outside_routes<G: Game>() -> Vec<Route<G>> {
    by_constraint_models(Technology::outside).collect()
}

/// A route for each constraint model and each of these technologies.
fn by_constraint_models<G: Game, T: Iterator<Item = Technology>>(
    technologies: impl Fn() -> T,
) -> impl Iterator<Item = Route<G>> {
    G::CONSTRAINT.iter().flat_map(move |model| {
        technologies().map(move |technology| Route {
            name: format!("{}:{technology}", model.full_name()),
            about: format!("{}; by {}", model.about, technology.about()).into(),
            measures: std::iter::once(model.measure)
                .chain(model.bounds.iter().map(|other| other.measure))
                .collect(),
            method: Method::Constraint {
                model,
                switches: Vec::new(),
                technology,
            },
        })
    })
}

/// Splits the switches of a constraint model from a name: `eprime:action+dead-end:sat` is the route
/// `eprime:action:sat` with the switch `dead-end`.
pub fn split_switches(name: &str) -> (String, Vec<String>) {
    let mut parts: Vec<&str> = name.split(':').collect();
    let mut switches = Vec::new();
    let has_switches = Language::ALL.iter().any(|each| each.prefix() == parts[0]);
    if has_switches && parts.len() > 1 {
        let mut words = parts[1].split('+');
        parts[1] = words.next().unwrap_or("");
        switches.extend(words.map(str::to_string));
    }
    (parts.join(":"), switches)
}

impl<G: Game> Route<G> {
    /// The route of a generic search; `None` if the game has no measure that adds up move by move.
    pub(crate) fn of_search(search: Search) -> Option<Self> {
        let additive = G::MEASURES.iter().filter(|measure| measure.additive);
        let measures: Vec<_> = additive.map(|measure| measure.name).collect();
        (!measures.is_empty()).then(|| Route {
            name: format!("search:{}", search.name()),
            about: search.about().into(),
            measures,
            method: Method::Search(search),
        })
    }

    /// Whether this is the route of a generic search.
    pub(crate) fn is_search(&self, search: Search) -> bool {
        matches!(self.method, Method::Search(own) if own == search)
    }

    /// How an answer of this route is proven to a stranger.
    pub(crate) fn evidence(&self) -> Evidence<G> {
        match &self.method {
            Method::Search(_) | Method::Own(_) => Evidence::Nodes,
            Method::Planning { model, .. } => Evidence::Planning(model),
            // The model is encoded as clauses for the proof, also if a CP or MIP solver found the answer.
            Method::Constraint { .. } => Evidence::Clauses,
        }
    }

    /// The same route with switches of its constraint model on.
    pub(crate) fn with_switches(mut self, names: &[String]) -> Result<Self, BadRequest> {
        if names.is_empty() {
            return Ok(self);
        }
        let Method::Constraint {
            model,
            switches,
            technology,
        } = &mut self.method
        else {
            let why = format!("the route '{}' has no switches", self.name);
            return Err(BadRequest(why));
        };
        *switches = constraint::find_switches(model, names)?;
        self.name = format!("{}+{}:{technology}", model.full_name(), names.join("+"));
        Ok(self)
    }

    /// Solves a level by this route. `measure` is one of those that the route optimises. The error
    /// means that the route's model cannot represent the level; a broken route, also one that
    /// panics, has an answer with [`Status::Defect`](crate::Status::Defect).
    pub fn solve(
        &self,
        level: &G,
        measure: &'static str,
        switches: &Switches,
        budget: &Budget,
    ) -> Result<Answer<G>, Refused> {
        if let Some(why) = level.unproven() {
            return Err(Refused::Unfit(why));
        }
        let (started, phases) = (budget.elapsed(), budget.phase_times());
        let seconds = || (budget.elapsed() - started).as_secs_f64();
        let route = || self.name.clone();
        let solve = || {
            let report = self.run(level, measure, switches, budget)?;
            Ok(certify(level, measure, route(), report, seconds(), budget))
        };
        let solved = catch_unwind(AssertUnwindSafe(solve)).unwrap_or_else(|panic| {
            let why = format!("it panicked: {}", panic_message(&*panic));
            Err(CannotSolve::Defect(why))
        });
        match solved {
            Ok(answer) => Ok(Answer {
                phases: budget.phase_times() - phases,
                ..answer
            }),
            Err(CannotSolve::Defect(why)) => Ok(Answer::defect(
                level,
                measure,
                route(),
                why,
                seconds(),
                budget,
            )),
            Err(CannotSolve::Missing(why)) => Err(Refused::Unfit(format!(
                "the route '{}' cannot be used: {why}",
                self.name
            ))),
            Err(CannotSolve::Unfit(why)) => Err(Refused::Unfit(format!(
                "the route '{}' cannot take this level: {why}",
                self.name
            ))),
        }
    }

    #[inline(never)]
    pub(crate) fn run(
        &self,
        level: &G,
        measure: &str,
        switches: &Switches,
        budget: &Budget,
    ) -> Result<Report<G::Move>, CannotSolve> {
        match &self.method {
            Method::Own(run) => Ok(run(level, measure, switches, budget)),
            Method::Search(search) => {
                let switched = (!switches.off().is_empty())
                    .then(|| level.with_switches(switches))
                    .flatten();
                let level = switched.as_ref().unwrap_or(level);
                Ok(search_level(level, *search, switches, budget))
            }
            Method::Planning { model, engine } => pddl::run(level, model, *engine, budget),
            Method::Constraint {
                model,
                switches,
                technology,
            } => constraint::run(level, model, measure, switches, *technology, budget),
        }
    }
}

/// Routes for tests, which claim what they like.
#[cfg(test)]
pub(crate) mod invented {
    use super::*;

    /// A route that does this instead of solving a level.
    pub(crate) fn route<G: Game>(
        name: &str,
        run: fn(&G, &str, &Switches, &Budget) -> Report<G::Move>,
    ) -> Route<G> {
        Route {
            name: name.to_string(),
            about: "".into(),
            measures: G::MEASURES.iter().map(|measure| measure.name).collect(),
            method: Method::Own(run),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_games::template::Template;
    use ployglot_games::{Document, Text};

    use crate::Status;

    fn solve(model: &'static PlanningModel<Template>) -> Result<Answer<Template>, Refused> {
        let route: Route<Template> = Route {
            name: "pddl:test".to_string(),
            about: "".into(),
            measures: vec!["steps"],
            method: Method::Planning {
                model,
                engine: Engine::Search(Search::Astar),
            },
        };
        let document = Document::parse("game: template\n\n.T.X\n").expect("a level text");
        let level = Template::parse(&document).expect("a level");
        route.solve(&level, "steps", &Switches::all_on(), &Budget::unlimited())
    }

    #[test]
    fn a_panic_is_a_defect_of_the_route() {
        let document = Document::parse("game: template\n\n.T.X\n").expect("a level text");
        let level = Template::parse(&document).expect("a level");
        let route = invented::route::<Template>("panics", |_, _, _, _| panic!("on purpose"));
        let answer = route.solve(&level, "steps", &Switches::all_on(), &Budget::unlimited());
        let answer = answer.expect("an answer");
        let why = "it panicked: on purpose".to_string();
        assert_eq!(answer.status, Status::Defect(why));
    }

    /// A route that cannot take a level and a route that is broken are different facts.
    #[test]
    fn a_broken_model_is_a_defect_and_a_level_that_does_not_fit_is_refused() {
        static BROKEN: PlanningModel<Template> = PlanningModel {
            name: "test",
            about: "",
            measure: "steps",
            domain: "(define (domain broken)",
            problem: |_| Ok(String::new()),
            moves: |_, _| Ok(Vec::new()),
            states: |_| None,
        };
        static UNFIT: PlanningModel<Template> = PlanningModel {
            problem: |_| Err("too large".to_string()),
            ..BROKEN
        };
        // It can be read, but not grounded: a metric that actions lower.
        static UNGROUNDED: PlanningModel<Template> = PlanningModel {
            domain: "(define (domain d) (:functions (f) (cost)) (:predicates (p)) (:action a
                :parameters () :effect (and (p) (decrease (cost) 1))))",
            problem: |_| {
                Ok(
                    "(define (problem q) (:domain d) (:init (= (cost) 0)) (:goal (p))
                    (:metric minimize (cost)))"
                        .to_string(),
                )
            },
            ..BROKEN
        };
        for model in [&BROKEN, &UNGROUNDED] {
            let broken = solve(model).expect("an answer");
            assert!(matches!(broken.status, Status::Defect(_)), "{broken:?}");
            assert_eq!((broken.cost, broken.at_least), (None, None), "no claims");
        }
        let unfit = solve(&UNFIT).expect_err("no answer");
        assert!(
            matches!(&unfit, Refused::Unfit(why) if why.ends_with("cannot take this level: too large")),
            "{unfit}"
        );
    }
}
