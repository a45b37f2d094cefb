//! Planning tasks, by an engine and an estimate: for PDDL files and for the games' planning models.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ployglot_base::text::unknown;
use ployglot_base::{Blind, Budget, Effort, Guide, Limit, Outcome, Report, Space};
use ployglot_pddl::compact::CompactGuide;
use ployglot_pddl::estimates::{
    AbstractionLimits, Abstractions, AbstractionsGuide, Estimate, Ff, LandmarkCut, Max,
    Projections, RelaxedTask,
};
use ployglot_pddl::pruning::{Pruning, Prunings, StubbornGuide, StubbornSets};
use ployglot_pddl::satplan::{SatOptions, SatReport, satplan};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Compact, Task};
use ployglot_search::Search;
use ployglot_search::astar::astar_within;
use ployglot_search::turns::{Candidate, turns};

use crate::BadRequest;
use crate::satisfice::lazy_search;

/// An algorithm that plans a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Lazy best-first search with preferred operators, until a plan is proven optimal.
    Lazy,
    /// Lazy greedy best-first search with preferred operators, until the first plan.
    GreedyBestFirst,
    /// Planning as satisfiability.
    Sat,
    /// A search for any space.
    Search(Search),
}

impl Engine {
    /// The one list of engines, in the order of help texts.
    pub fn all() -> impl Iterator<Item = Engine> + Clone {
        let searches = Search::ALL.iter().copied().map(Engine::Search);
        [Engine::Lazy, Engine::GreedyBestFirst, Engine::Sat]
            .into_iter()
            .chain(searches)
    }

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Lazy => "lazy",
            Engine::GreedyBestFirst => "gbfs",
            Engine::Sat => "sat",
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
            Engine::Sat => None,
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
/// use ployglot_solve::{Engine, PlanRequest, Search, plan_task};
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
    if request.estimate.is_some() {
        let why = format!("the engine '{}' takes no estimate", request.engine);
        return Err(BadRequest(why));
    }
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
                "the engine '{}' needs the preferred operators of the estimate '{}' or '{}'; '{estimate}' has none",
                request.engine,
                Estimate::Landmarks,
                Estimate::Ff
            )));
        }
    };
    let found = lazy_search(task, landmarks, improve, request.prunings, budget, report);
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
            "the estimate '{estimate}' depends on the path to a state, which only the engines '{}' and '{}' tell it",
            Engine::Lazy,
            Engine::GreedyBestFirst
        )));
    }
    if needs_lower_bound(search) && !estimate.is_admissible() {
        return Err(BadRequest(format!(
            "the estimate '{estimate}' is not a lower bound, so '{}' could prove nothing with it",
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
pub(crate) fn ended_before<M>(why: Limit) -> Report<M> {
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
    let pruned = Pruned {
        task,
        space: &compact,
        sets: sets.as_ref(),
    };
    let mut report = run_search(pruned, search, estimate, budget)?;
    if let Outcome::Optimal { plan, .. } | Outcome::Feasible { plan, .. } = &mut report.outcome {
        *plan = compact.unfold(plan);
    }
    Ok(report)
}

/// A task in its compact form, with its stubborn sets.
#[derive(Clone, Copy)]
struct Pruned<'a> {
    task: &'a Task,
    space: &'a Compact<'a>,
    sets: Option<&'a StubbornSets<'a>>,
}

impl<'a> Pruned<'a> {
    /// A guide of the task as one of the compact form, with the stubborn sets.
    fn guide<G: Guide<Task>>(self, guide: G) -> StubbornGuide<'a, CompactGuide<G>> {
        StubbornGuide::new(CompactGuide(guide), self.sets)
    }
}

/// A search over the compact task, with an estimate.
fn run_search(
    pruned: Pruned,
    search: Search,
    estimate: Estimate,
    budget: &Budget,
) -> Result<Report<OperatorId>, Limit> {
    let Pruned { task, space, .. } = pruned;
    let relaxed = || RelaxedTask::new(task, budget);
    Ok(match estimate {
        Estimate::Blind => search.run(space, &|| pruned.guide(Blind), budget),
        Estimate::Max => {
            let graph = relaxed()?;
            let guide = || pruned.guide(Max::new(task, &graph, budget));
            search.run(space, &guide, budget)
        }
        Estimate::LandmarkCut => {
            let graph = relaxed()?;
            let guide = || pruned.guide(LandmarkCut::new(task, &graph, budget));
            search.run(space, &guide, budget)
        }
        Estimate::Projections => {
            let early = search_with_small_projections(pruned, search, None, budget)?;
            early.unwrap_or_else(|spent| {
                let tables = Projections::new(task, MOST_LISTED, budget);
                let mut report = search.run(space, &|| pruned.guide(&tables), budget);
                report.effort += spent;
                report
            })
        }
        Estimate::Abstractions => {
            match Abstractions::new(task, AbstractionLimits::LARGE, budget)? {
                Some(tables) => search.run(space, &|| pruned.guide(tables.guide()), budget),
                None => search.run(space, &|| pruned.guide(Blind), budget),
            }
        }
        Estimate::Auto => search_automatically(pruned, search, budget)?,
        Estimate::Landmarks => unreachable!("'plan_by_search' refuses it"),
        Estimate::Ff => {
            let bound = relaxed_bound(task, budget);
            let graph = relaxed()?;
            let guide = || pruned.guide(Ff::new(task, &graph, budget));
            raise_bound(search.run(space, &guide, budget), bound)
        }
    })
}

/// The number of states that are listed at most for a projection.
const MOST_LISTED: usize = 500_000;

/// A* starts with smaller tables, and makes larger ones only if these did not help: the number of
/// states that are listed for a projection, and then expanded by the search.
const STAGES: [(usize, u64); 2] = [(5_000, 5_000), (50_000, 50_000)];

/// With complete tables, this many states are expanded before other estimates are tried.
const COMPLETE: u64 = 50_000;

/// A report, or the effort after which a search was stopped.
type Try = Result<Report<OperatorId>, Effort>;

/// A* with tables of growing size. Where no part was left out, larger tables are of no use, and it
/// expands `complete` states, or all if other estimates are not to be tried. If they are, `max` and
/// landmark cuts have a short try before the second size.
fn search_with_small_projections(
    pruned: Pruned,
    search: Search,
    complete: Option<u64>,
    budget: &Budget,
) -> Result<Try, Limit> {
    let mut spent = Effort::default();
    if search != Search::Astar {
        return Ok(Err(spent));
    }
    for (stage, (listed, expanded)) in STAGES.into_iter().enumerate() {
        let tables = Projections::new(pruned.task, listed, budget);
        // Without parts the search is blind: worth a short try only.
        let most = match (tables.are_empty(), tables.are_complete()) {
            (true, _) if spent.expanded > 0 => continue,
            (false, true) => complete.unwrap_or(u64::MAX),
            _ => expanded,
        };
        let guide = || pruned.guide(&tables);
        match astar_within(pruned.space, &guide, budget, most) {
            Ok(mut report) => {
                report.effort += spent;
                return Ok(Ok(report));
            }
            Err(effort) => spent += effort,
        }
        if stage == 0 && complete.is_some() {
            match search_by_relaxation(pruned, budget)? {
                Ok(mut report) => {
                    report.effort += spent;
                    return Ok(Ok(report));
                }
                Err(effort) => spent += effort,
            }
        }
        if tables.are_complete() && !tables.are_empty() {
            break;
        }
    }
    Ok(Err(spent))
}

/// The work of the short try with `max`, in steps through the relaxed task: about a tenth of a second;
/// and that with landmark cuts.
const MAX_WORK: u64 = 10_000_000;
const CUT_WORK: u64 = 60_000_000;

/// A* with `max` and then with landmark cuts, for a short while. Where one of them is nearly perfect,
/// hundreds of states are enough, and no table is needed.
fn search_by_relaxation(pruned: Pruned, budget: &Budget) -> Result<Try, Limit> {
    let graph = RelaxedTask::new(pruned.task, budget)?;
    let by_max = || pruned.guide(Max::new(pruned.task, &graph, budget));
    let most = MAX_WORK / graph.len().max(1) as u64;
    let mut spent = match astar_within(pruned.space, &by_max, budget, most) {
        Ok(report) => return Ok(Ok(report)),
        Err(effort) => effort,
    };
    let work = AtomicU64::new(0);
    let by_cuts = || {
        let cut = Box::new(LandmarkCut::new(pruned.task, &graph, budget));
        pruned.guide(AnyGuide::Cut(cut, &work))
    };
    let make = Box::new(by_cuts);
    let guides = [Candidate { make, work: &work }];
    Ok(match turns(pruned.space, &guides, CUT_WORK, budget) {
        Ok(mut report) => {
            report.effort += spent;
            Ok(report)
        }
        Err(effort) => {
            spent += effort;
            Err(spent)
        }
    })
}

/// A guide of one of several kinds.
enum AnyGuide<'a> {
    /// Landmark cuts, which count their work.
    Cut(Box<LandmarkCut<'a>>, &'a AtomicU64),
    /// The larger one of two bounds by tables.
    Tables(
        Option<AbstractionsGuide<'a>>,
        &'a Projections,
        &'a AtomicU64,
    ),
}

impl Guide<Task> for AnyGuide<'_> {
    fn lower_bound(&mut self, state: &<Task as Space>::State) -> Option<u32> {
        match self {
            AnyGuide::Cut(cut, work) => {
                let bound = cut.lower_bound(state);
                work.fetch_add(cut.take_work(), Relaxed);
                bound
            }
            AnyGuide::Tables(abstractions, projections, work) => {
                let lookups = abstractions.as_ref().map_or(0, AbstractionsGuide::lookups);
                work.fetch_add(lookups, Relaxed);
                let projected = projections.bound(state)?;
                match abstractions {
                    Some(guide) => Some(guide.lower_bound(state)?.max(projected)),
                    None => Some(projected),
                }
            }
        }
    }
}

/// The time for tables is at most this part of what is left.
const TABLES_SHARE: u32 = 8;
/// The work that searches with small tables and with landmark cuts may do before large tables are
/// made: a second or two.
const SMALL_TABLES: u64 = 300_000_000;

/// A search with the lower bounds that suit the task. A* tries small projections first, which take
/// hardly any time, and then relaxations for a short while. After that it takes turns with tables of abstractions and with landmark cuts:
/// for a short while with small tables, then with large ones. Other searches use large tables.
fn search_automatically(
    pruned: Pruned,
    search: Search,
    budget: &Budget,
) -> Result<Report<OperatorId>, Limit> {
    let task = pruned.task;
    let early = search_with_small_projections(pruned, search, Some(COMPLETE), budget)?;
    let mut spent = match early {
        Ok(report) => return Ok(report),
        Err(spent) => spent,
    };
    let projections = Projections::new(task, MOST_LISTED, budget);
    let mut report = if search == Search::Astar {
        let graph = RelaxedTask::new(task, budget)?;
        let small = tables(task, AbstractionLimits::SMALL, budget)?;
        let in_turns = InTurns {
            pruned,
            projections: &projections,
            graph: &graph,
        };
        match in_turns.search(small.as_ref(), SMALL_TABLES, budget) {
            Ok(report) => report,
            Err(effort) => {
                spent += effort;
                let large = tables(task, AbstractionLimits::LARGE, budget)?;
                let tables = large.as_ref().or(small.as_ref());
                let report = in_turns.search(tables, u64::MAX, budget);
                report.unwrap_or_else(|effort| Report {
                    effort,
                    ..ended_before(Limit::Incomplete)
                })
            }
        }
    } else {
        let tables = tables(task, AbstractionLimits::LARGE, budget)?;
        let work = AtomicU64::new(0);
        let guide = || {
            let abstractions = tables.as_ref().map(Abstractions::guide);
            pruned.guide(AnyGuide::Tables(abstractions, &projections, &work))
        };
        search.run(pruned.space, &guide, budget)
    };
    report.effort += spent;
    Ok(report)
}

/// Tables, within a part of the budget, so that there is time for the search.
fn tables(
    task: &Task,
    limits: AbstractionLimits,
    budget: &Budget,
) -> Result<Option<Abstractions>, Limit> {
    let part = match budget.time_left() {
        Some(left) => budget.part(left / TABLES_SHARE),
        None => budget.clone(),
    };
    match Abstractions::new(task, limits, &part) {
        Err(Limit::Time) if budget.check_time().is_ok() => Ok(None),
        tables => tables,
    }
}

/// What A* searches that take turns have in common.
struct InTurns<'a> {
    pruned: Pruned<'a>,
    projections: &'a Projections,
    graph: &'a RelaxedTask,
}

impl InTurns<'_> {
    /// A search by tables and one by landmark cuts, until they have done this much work.
    fn search(
        &self,
        tables: Option<&Abstractions>,
        most: u64,
        budget: &Budget,
    ) -> Result<Report<OperatorId>, Effort> {
        let (table_work, cut_work) = (AtomicU64::new(0), AtomicU64::new(0));
        let by_tables = || {
            let abstractions = tables.map(Abstractions::guide);
            let tables = AnyGuide::Tables(abstractions, self.projections, &table_work);
            self.pruned.guide(tables)
        };
        let by_cuts = || {
            let cut = Box::new(LandmarkCut::new(self.pruned.task, self.graph, budget));
            self.pruned.guide(AnyGuide::Cut(cut, &cut_work))
        };
        let guides: [Candidate<StubbornGuide<CompactGuide<AnyGuide>>>; 2] = [
            Candidate {
                make: Box::new(by_tables),
                work: &table_work,
            },
            Candidate {
                make: Box::new(by_cuts),
                work: &cut_work,
            },
        ];
        turns(self.pruned.space, &guides, most, budget)
    }
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
