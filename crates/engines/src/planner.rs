//! Planning tasks, by an engine and an estimate: for PDDL files and for the games' planning models.

use ployglot_base::text::unknown;
use ployglot_base::{Blind, Budget, Effort, Guide, Limit, Outcome, Report, Space};
use ployglot_pddl::compact::CompactGuide;
use ployglot_pddl::estimates::{
    AbstractionLimits, Abstractions, Estimate, Ff, LandmarkCut, Max, Projections, RelaxedTask,
};
use ployglot_pddl::pruning::{Pruning, Prunings, StubbornGuide, StubbornSets};
use ployglot_pddl::satplan::{SatOptions, SatReport, satplan};
use ployglot_pddl::symbolic::symbolic_search;
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Compact, Task};
use ployglot_search::Search;
use ployglot_search::astar::astar_within;
use std::fmt;

use crate::BadRequest;
use crate::automatic::{MOST_LISTED, search_automatically, search_with_small_projections};
use crate::satisfice::{LazyOptions, lazy_search};

/// An algorithm that plans a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Lazy best-first search with preferred operators, until a plan is proven optimal.
    Lazy,
    /// Lazy greedy best-first search with preferred operators, until the first plan.
    GreedyBestFirst,
    /// Planning as satisfiability.
    Sat,
    /// Uniform-cost search in both directions over sets of states.
    Symbolic,
    /// A search for any space.
    Search(Search),
}

impl Engine {
    /// The one list of engines, in the order of help texts.
    pub fn all() -> impl Iterator<Item = Engine> + Clone {
        let searches = Search::ALL.iter().copied().map(Engine::Search);
        let others = [
            Engine::Lazy,
            Engine::GreedyBestFirst,
            Engine::Sat,
            Engine::Symbolic,
        ];
        others.into_iter().chain(searches)
    }

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Lazy => "lazy",
            Engine::GreedyBestFirst => "gbfs",
            Engine::Sat => "sat",
            Engine::Symbolic => "symbolic",
            Engine::Search(search) => search.name(),
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Engine::Lazy => {
                "a plan soon, then better ones, and in the end the proof; by preferred operators, FF and landmarks, as LAMA"
            }
            Engine::GreedyBestFirst => "the first plan of lazy",
            Engine::Sat => "planning as satisfiability: is there a plan of so many steps?",
            Engine::Symbolic => {
                "over sets of states as decision diagrams, from the start and from the goal"
            }
            Engine::Search(search) => search.about(),
        }
    }

    /// The engine of this name.
    pub fn parse(name: &str) -> Result<Self, BadRequest> {
        let found = Self::all().find(|engine| engine.name() == name);
        found.ok_or_else(|| BadRequest(unknown("engine", name, Self::all().map(Self::name))))
    }

    /// The estimate that the engine uses if the request names none; `None`: it uses no estimate.
    pub fn default_estimate(self) -> Option<Estimate> {
        match self {
            Engine::Lazy | Engine::GreedyBestFirst => Some(Estimate::Landmarks),
            Engine::Sat | Engine::Symbolic => None,
            Engine::Search(search) => Some(default_estimate(search)),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn default_estimate(search: Search) -> Estimate {
    match search {
        Search::BreadthFirst => Estimate::Blind,
        Search::Greedy => Estimate::Ff,
        Search::Astar => Estimate::Auto,
        Search::IdaStar
        | Search::BreadthFirstHeuristic
        | Search::Beam
        | Search::Anytime
        | Search::Parallel => Estimate::Projections,
    }
}

/// Whether a search needs lower bounds. Greedy search only needs an order.
fn needs_lower_bound(search: Search) -> bool {
    search != Search::Greedy
}

/// How to plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanRequest {
    /// The algorithm.
    pub engine: Engine,
    /// The estimate; `None`: the default of the engine.
    pub estimate: Option<Estimate>,
    /// Options of the engine `sat`.
    pub sat: SatOptions,
    /// Which plans of the same cost are left out.
    pub prunings: Prunings,
}

impl PlanRequest {
    /// A request with the default estimate and options of an engine.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            estimate: None,
            sat: SatOptions::default(),
            prunings: Prunings::default(),
        }
    }
}

/// The result of planning a task.
pub struct Planned {
    /// The outcome, and the effort.
    pub report: Report<OperatorId>,
    /// The estimate that was used.
    pub estimate: Option<Estimate>,
    /// Details of the engine `sat`.
    pub sat: Option<SatReport>,
}

/// Plans a task. An engine that continues after its first plan calls `report` for each better plan,
/// with its cost. `Err`: engine and estimate do not fit together, or the engine cannot take the
/// task.
///
/// ```
/// use ployglot_base::{Budget, Outcome};
/// use ployglot_pddl::{ground, parse_domain, parse_problem};
/// use ployglot_engines::{Engine, PlanRequest, plan_task};
/// use ployglot_search::Search;
///
/// let domain = parse_domain(
///     "(define (domain corridor)
///        (:predicates (at ?r) (next ?r ?s))
///        (:action walk :parameters (?r ?s)
///          :precondition (and (at ?r) (next ?r ?s))
///          :effect (and (at ?s) (not (at ?r)))))",
/// )
/// .expect("a domain")
/// .value;
/// let problem = parse_problem(
///     "(define (problem three-rooms) (:domain corridor)
///        (:objects a b c)
///        (:init (at a) (next a b) (next b c))
///        (:goal (at c)))",
///     &domain,
/// )
/// .expect("a problem of the domain")
/// .value;
/// let task = ground(&domain, &problem).expect("the problem can be grounded");
///
/// let request = PlanRequest::new(Engine::Search(Search::Astar));
/// let planned = plan_task(&task, &request, &Budget::unlimited(), &mut |_, _| {})
///     .expect("A* takes every task");
/// assert!(matches!(planned.report.outcome, Outcome::Optimal { cost: 2, .. }));
/// ```
pub fn plan_task(
    task: &Task,
    request: &PlanRequest,
    budget: &Budget,
    report: &mut dyn FnMut(&[OperatorId], u32),
) -> Result<Planned, BadRequest> {
    let mut planned = match request.engine {
        Engine::Sat => plan_by_sat(task, request, budget),
        Engine::Symbolic => plan_symbolically(task, request, budget, report),
        Engine::Lazy => plan_lazily(task, request, true, budget, report),
        Engine::GreedyBestFirst => plan_lazily(task, request, false, budget, report),
        Engine::Search(search) => plan_by_search(task, search, request, budget),
    }?;
    // At a limit inside the evaluation of a formula, the search was given arbitrary values.
    if let Some(why) = task.cut_off() {
        planned.report.outcome = Outcome::GaveUp { at_least: 0, why };
    }
    Ok(planned)
}

fn plan_by_sat(task: &Task, request: &PlanRequest, budget: &Budget) -> Result<Planned, BadRequest> {
    refuse_estimate(request)?;
    // The bound comes first: after the search there may be no time for it.
    let bound = relaxed_bound(task, budget);
    let found =
        satplan(task, request.sat, budget).map_err(|refused| BadRequest(refused.to_string()))?;
    Ok(Planned {
        report: raise_bound(found.report.clone(), bound),
        estimate: None,
        sat: Some(found),
    })
}

fn plan_symbolically(
    task: &Task,
    request: &PlanRequest,
    budget: &Budget,
    report: &mut dyn FnMut(&[OperatorId], u32),
) -> Result<Planned, BadRequest> {
    refuse_estimate(request)?;
    // The search proves a bound of 0 until its first layers are complete.
    let bound = relaxed_bound(task, budget);
    let found = symbolic_search(task, budget, report).map_err(|why| BadRequest(why.to_string()))?;
    Ok(Planned {
        report: raise_bound(found, bound),
        estimate: None,
        sat: None,
    })
}

/// For engines without a heuristic.
fn refuse_estimate(request: &PlanRequest) -> Result<(), BadRequest> {
    match request.estimate {
        Some(_) => Err(BadRequest(format!(
            "the engine '{}' takes no heuristic",
            request.engine
        ))),
        None => Ok(()),
    }
}

fn plan_lazily(
    task: &Task,
    request: &PlanRequest,
    improve: bool,
    budget: &Budget,
    report: &mut dyn FnMut(&[OperatorId], u32),
) -> Result<Planned, BadRequest> {
    let estimate = request.estimate.unwrap_or(Estimate::Landmarks);
    let landmarks = match estimate {
        Estimate::Landmarks => true,
        Estimate::Ff => false,
        _ => {
            return Err(BadRequest(format!(
                "the engine '{}' needs the preferred operators of the heuristic '{}' or '{}'; '{estimate}' has none",
                request.engine,
                Estimate::Landmarks,
                Estimate::Ff
            )));
        }
    };
    // The first plan is not delayed by a bound that nothing is compared with.
    let at_least = match improve {
        true => relaxed_bound(task, budget).unwrap_or(0),
        false => 0,
    };
    let options = LazyOptions {
        landmarks,
        improve,
        prunings: request.prunings,
        at_least,
        turns: None,
    };
    let found = RelaxedTask::new(task, budget)
        .and_then(|graph| lazy_search(task, &graph, options, budget, report));
    Ok(Planned {
        report: found.unwrap_or_else(ended_before),
        estimate: Some(estimate),
        sat: None,
    })
}

fn plan_by_search(
    task: &Task,
    search: Search,
    request: &PlanRequest,
    budget: &Budget,
) -> Result<Planned, BadRequest> {
    let estimate = request.estimate.unwrap_or(default_estimate(search));
    if estimate == Estimate::Landmarks {
        return Err(BadRequest(format!(
            "the heuristic '{estimate}' depends on the path to a state, which only the engines '{}' and '{}' tell it",
            Engine::Lazy,
            Engine::GreedyBestFirst
        )));
    }
    if needs_lower_bound(search) && !estimate.is_admissible() {
        return Err(BadRequest(format!(
            "the heuristic '{estimate}' is not a lower bound, so '{}' could prove nothing with it",
            search.name()
        )));
    }
    let report = search_compact(task, search, estimate, request.prunings, budget);
    Ok(Planned {
        report: report.unwrap_or_else(ended_before),
        estimate: Some(estimate),
        sat: None,
    })
}

/// The report of work that a limit ended before its search began.
pub fn ended_before<M>(why: Limit) -> Report<M> {
    Report {
        outcome: Outcome::GaveUp { at_least: 0, why },
        effort: Effort::default(),
    }
}

/// A search over the compact form of the task. `Err`: a limit came before the search.
fn search_compact(
    task: &Task,
    search: Search,
    estimate: Estimate,
    prunings: Prunings,
    budget: &Budget,
) -> Result<Report<OperatorId>, Limit> {
    // Breadth-first search is the plain truth that others are compared with.
    let prunings = match search {
        Search::BreadthFirst => Prunings::NONE,
        _ => prunings,
    };
    let compact = Compact::new(task, prunings, budget)?;
    let sets = match prunings.has(Pruning::StubbornSets) {
        true => StubbornSets::new(task, budget)?,
        false => None,
    };
    let pruned = Pruned::new(task, &compact, sets.as_ref());
    match estimate {
        Estimate::Auto => search_automatically(pruned, search, budget),
        _ => Ok(pruned.unfold(run_search(pruned, search, estimate, budget)?)),
    }
}

/// A task in its compact form, with its stubborn sets.
#[derive(Clone, Copy)]
pub(crate) struct Pruned<'a> {
    pub task: &'a Task,
    pub space: &'a Compact<'a>,
    sets: Option<&'a StubbornSets<'a>>,
}

impl<'a> Pruned<'a> {
    pub fn new(task: &'a Task, space: &'a Compact<'a>, sets: Option<&'a StubbornSets<'a>>) -> Self {
        Self { task, space, sets }
    }

    /// A guide of the task as one of the compact form, with the stubborn sets.
    pub fn guide<'g>(self, guide: impl Guide<Task> + Send + 'g) -> PlanningGuide<'g>
    where
        'a: 'g,
    {
        StubbornGuide::new(CompactGuide(Box::new(guide)), self.sets)
    }

    /// The report of a search through the compact form, with the plan as one of the task.
    pub fn unfold(self, mut report: Report<OperatorId>) -> Report<OperatorId> {
        if let Outcome::Optimal { plan, .. } | Outcome::Feasible { plan, .. } = &mut report.outcome
        {
            *plan = self.space.unfold(plan);
        }
        report
    }

    /// A search with these guides.
    pub fn search<'g>(
        self,
        search: Search,
        guide: &(dyn Fn() -> PlanningGuide<'g> + Sync),
        budget: &Budget,
    ) -> Report<OperatorId> {
        search.run(self.space, &guide, budget)
    }

    /// A* that stops after this many expansions. `Err`: it was stopped, after this effort.
    pub fn astar_within<'g>(
        self,
        guide: &(dyn Fn() -> PlanningGuide<'g> + Sync),
        budget: &Budget,
        expansions: u64,
    ) -> Result<Report<OperatorId>, Effort> {
        astar_within(self.space, &guide, budget, expansions)
    }
}

/// A guide for the compact form of a task. Its type does not depend on the heuristic, so that each
/// search is compiled once for all of them: beside the time for a bound, the call by a pointer does
/// not count.
pub(crate) type PlanningGuide<'a> =
    StubbornGuide<'a, CompactGuide<Box<dyn Guide<Task> + Send + 'a>>>;

/// A search over the compact task, with an estimate.
fn run_search(
    pruned: Pruned,
    search: Search,
    estimate: Estimate,
    budget: &Budget,
) -> Result<Report<OperatorId>, Limit> {
    let task = pruned.task;
    let relaxed = || RelaxedTask::new(task, budget);
    Ok(match estimate {
        Estimate::Blind => pruned.search(search, &|| pruned.guide(Blind), budget),
        Estimate::Max => {
            let graph = relaxed()?;
            let guide = || pruned.guide(Max::new(task, &graph, budget));
            pruned.search(search, &guide, budget)
        }
        Estimate::LandmarkCut => {
            let graph = relaxed()?;
            // Other searches compute bounds in another order than the moves are listed.
            let make = match search {
                Search::Astar => LandmarkCut::inheriting,
                _ => LandmarkCut::new,
            };
            let guide = || pruned.guide(make(task, &graph, budget));
            pruned.search(search, &guide, budget)
        }
        Estimate::Projections => {
            let early = search_with_small_projections(pruned, search, budget);
            early.unwrap_or_else(|spent| {
                let tables = Projections::new(task, MOST_LISTED, budget);
                let mut report = pruned.search(search, &|| pruned.guide(&tables), budget);
                report.effort += spent;
                report
            })
        }
        Estimate::Abstractions => {
            match Abstractions::new(task, AbstractionLimits::LARGE, budget)? {
                Some(tables) => pruned.search(search, &|| pruned.guide(tables.guide()), budget),
                None => pruned.search(search, &|| pruned.guide(Blind), budget),
            }
        }
        Estimate::Auto => unreachable!("'search_compact' has its own search for it"),
        Estimate::Landmarks => unreachable!("'plan_by_search' refuses it"),
        Estimate::Ff => {
            let bound = relaxed_bound(task, budget);
            let graph = relaxed()?;
            let guide = || pruned.guide(Ff::new(task, &graph, budget));
            raise_bound(pruned.search(search, &guide, budget), bound)
        }
    })
}

/// A lower bound on the cost of all plans, by the relaxation, within the budget; `None`: there is no
/// plan.
pub(crate) fn relaxed_bound(task: &Task, budget: &Budget) -> Option<u32> {
    /// In larger graphs, landmark cuts take too long for a bound that only supplements a search.
    const SMALL: usize = 20_000;
    let Ok(graph) = RelaxedTask::new(task, budget) else {
        return Some(0);
    };
    let start = task.start();
    let max = Max::new(task, &graph, budget).lower_bound(&start)?;
    if graph.len() > SMALL {
        return Some(max);
    }
    let cuts = LandmarkCut::new(task, &graph, budget).lower_bound(&start)?;
    Some(max.max(cuts))
}

/// The report with one more proven bound; `None`: it is proven that there is no plan.
fn raise_bound(report: Report<OperatorId>, bound: Option<u32>) -> Report<OperatorId> {
    let bound = match bound {
        Some(at_least) => Outcome::GaveUp {
            at_least,
            why: Limit::Incomplete,
        },
        None => Outcome::Unsolvable,
    };
    // The report comes last, because its limit is the one that ended the run.
    let outcome = bound.join(report.outcome);
    Report { outcome, ..report }
}
