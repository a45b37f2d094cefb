//! Planning tasks: which engine, with which estimate. One door for PDDL files and for the games' planning models.

use ployglot_base::{Blind, Budget, Effort, Guide, Outcome, Report, Space};
use ployglot_pddl::compact::CompactGuide;
use ployglot_pddl::estimates::{Ff, LandmarkCut, Max, Projections, RelaxedTask};
use ployglot_pddl::satplan::{SatOptions, SatReport, satplan, shorten};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Compact, Task};
use ployglot_search::Search;
use ployglot_search::astar::astar_within;
use ployglot_search::lazy::{Advisor, lazy};

/// An estimate that can be chosen by name.
pub struct Estimate {
    pub name: &'static str,
    pub about: &'static str,
    /// Never above the true cost, so that a search can prove its plan optimal with it.
    pub admissible: bool,
}

pub const ESTIMATES: &[Estimate] = &[
    Estimate {
        name: "blind",
        about: "no estimate: fastest for each state",
        admissible: true,
    },
    Estimate {
        name: "max",
        about: "hmax: the dearest part of the goal, in the relaxation",
        admissible: true,
    },
    Estimate {
        name: "lmcut",
        about: "landmark cuts: often many times sharper than max, and slower",
        admissible: true,
    },
    Estimate {
        name: "projections",
        about: "parts of the task that no effect connects, each solved beforehand, and added up",
        admissible: true,
    },
    Estimate {
        name: "ff",
        about: "the cost of a relaxed plan: for greedy search, proves nothing",
        admissible: false,
    },
];

/// An engine that can be chosen by name.
pub struct Engine {
    pub name: &'static str,
    pub about: &'static str,
    /// The estimate that it takes if none is named; `None`: it takes none.
    pub estimate: Option<&'static str>,
    how: How,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// A search for any space.
    Search(Search),
    /// Lazy, with preferred operators; until the first plan, or further.
    Lazy {
        improve: bool,
    },
    Sat,
}

/// The engines that are for tasks only.
const OWN: [Engine; 3] = [
    Engine {
        name: "lazy",
        about: "a plan soon, then better ones, and in the end the proof; by the FF estimate and its preferred operators",
        estimate: Some("ff"),
        how: How::Lazy { improve: true },
    },
    Engine {
        name: "gbfs",
        about: "lazy greedy best-first search by the FF estimate and its preferred operators: the first plan",
        estimate: Some("ff"),
        how: How::Lazy { improve: false },
    },
    Engine {
        name: "sat",
        about: "planning as satisfiability: is there a plan of so many steps?",
        estimate: None,
        how: How::Sat,
    },
];

/// The one list of engines.
pub fn engines() -> Vec<Engine> {
    let searches = Search::ALL.iter().map(|&search| Engine {
        name: search.name(),
        about: search.about(),
        estimate: Some(match search {
            Search::BreadthFirst => "blind",
            Search::Greedy => "ff",
            _ => "projections",
        }),
        how: How::Search(search),
    });
    OWN.into_iter().chain(searches).collect()
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct PlanRequest<'a> {
    pub engine: &'a str,
    /// `None`: what the engine takes by itself.
    pub estimate: Option<&'a str>,
    pub sat: SatOptions,
}

impl<'a> PlanRequest<'a> {
    pub fn engine(engine: &'a str) -> Self {
        Self {
            engine,
            estimate: None,
            sat: SatOptions::default(),
        }
    }
}

/// What came of it.
pub struct Planned {
    pub report: Report<OperatorId>,
    /// The estimate that was used.
    pub estimate: Option<&'static str>,
    /// Where the engine was `sat`.
    pub sat: Option<SatReport>,
}

/// Plans. An engine that goes on after its first plan tells each that is better, with its cost. `Err` is a sentence for the user: the
/// names do not fit together, or the engine cannot take the task.
pub fn plan_task(
    task: &Task,
    request: &PlanRequest,
    budget: &Budget,
    tell: &mut dyn FnMut(&[OperatorId], u32),
) -> Result<Planned, String> {
    let engines = engines();
    let Some(engine) = engines.iter().find(|engine| engine.name == request.engine) else {
        let known = engines.iter().map(|engine| engine.name);
        return Err(crate::unknown("engine", request.engine, known).0);
    };
    let name = request.estimate.or(engine.estimate);
    let estimate = match name {
        None => None,
        Some(name) => {
            let known = ESTIMATES.iter().map(|estimate| estimate.name);
            let found = ESTIMATES.iter().find(|estimate| estimate.name == name);
            Some(found.ok_or_else(|| crate::unknown("estimate", name, known).0)?)
        }
    };
    let used = estimate.map(|estimate| estimate.name);
    match (engine.how, estimate) {
        (How::Sat, Some(_)) => Err("the engine 'sat' takes no estimate".to_string()),
        (How::Lazy { .. }, Some(estimate)) if estimate.name != "ff" => Err(format!(
            "the engine '{}' takes its preferred operators from the estimate 'ff', which '{}' has not",
            engine.name, estimate.name
        )),
        // Greedy search only needs an order, not a bound.
        (How::Search(search), Some(estimate))
            if !estimate.admissible && search != Search::Greedy =>
        {
            Err(format!(
                "the estimate '{}' is not a lower bound, so '{}' could prove nothing with it",
                estimate.name, engine.name
            ))
        }
        (How::Sat, None) => {
            let found =
                satplan(task, request.sat, budget).map_err(|refused| refused.to_string())?;
            let report = raise(found.report.clone(), bound(task));
            Ok(Planned {
                report,
                estimate: None,
                sat: Some(found),
            })
        }
        (How::Lazy { improve }, _) => Ok(Planned {
            report: satisfice(task, improve, budget, tell),
            estimate: used,
            sat: None,
        }),
        (How::Search(name), _) => Ok(Planned {
            report: search(task, name, used.unwrap_or("blind"), budget),
            estimate: used,
            sat: None,
        }),
    }
}

/// How many states of a part are listed at most.
const MOST_LISTED: usize = 500_000;

/// For A*, larger tables are made only where smaller ones did not help: how many states are listed for a part, and then expanded.
const STAGES: [(usize, u64); 2] = [(5_000, 5_000), (50_000, 50_000)];

fn search(task: &Task, search: Search, estimate: &str, budget: &Budget) -> Report<OperatorId> {
    let compact = Compact::new(task);
    let space = &compact;
    let mut report = match estimate {
        "max" => {
            let graph = RelaxedTask::new(task);
            search.run(space, &|| CompactGuide(Max::new(task, &graph)), budget)
        }
        "lmcut" => {
            let graph = RelaxedTask::new(task);
            search.run(
                space,
                &|| CompactGuide(LandmarkCut::new(task, &graph)),
                budget,
            )
        }
        "projections" => {
            let mut spent = Effort::default();
            let stages = STAGES.iter().filter(|_| search == Search::Astar);
            let early = stages.into_iter().find_map(|&(listed, expanded)| {
                let tables = Projections::new(task, listed, budget);
                let complete = tables.are_complete();
                let most = if complete { u64::MAX } else { expanded };
                let guide = || CompactGuide(&tables);
                let report = astar_within(space, &guide, budget, most);
                report.map_err(|effort| spent += effort).ok()
            });
            let mut report = early.unwrap_or_else(|| {
                let tables = Projections::new(task, MOST_LISTED, budget);
                search.run(space, &|| CompactGuide(&tables), budget)
            });
            report.effort += spent;
            report
        }
        "ff" => {
            let graph = RelaxedTask::new(task);
            let report = search.run(space, &|| CompactGuide(Ff::new(task, &graph)), budget);
            // A greedy search takes its estimate for a bound, which this one is not.
            lower(report, bound(task))
        }
        _ => search.run(space, &|| Blind, budget),
    };
    if let Outcome::Optimal { plan, .. } | Outcome::Feasible { plan, .. } = &mut report.outcome {
        *plan = compact.unfold(plan);
    }
    report
}

/// The FF estimate as an advisor. It counts what a relaxed plan costs and the operators it has, so that free ones are counted too.
struct Advice<'a>(Ff<'a>);

impl Advisor<Task> for Advice<'_> {
    fn advise(
        &mut self,
        state: &<Task as Space>::State,
        preferred: &mut Vec<OperatorId>,
    ) -> Option<u32> {
        let plan = self.0.relaxed_plan(state)?;
        let count = plan.operators.len() as u32;
        preferred.extend(plan.operators);
        Some(plan.cost.saturating_add(count))
    }
}

fn satisfice(
    task: &Task,
    improve: bool,
    budget: &Budget,
    tell: &mut dyn FnMut(&[OperatorId], u32),
) -> Report<OperatorId> {
    let graph = RelaxedTask::new(task);
    let mut advice = Advice(Ff::new(task, &graph));
    let at_least = bound(task).unwrap_or(0);
    // What is told is stripped of what it does not need, and then it may not be better than the one before.
    let mut best: Option<(Vec<OperatorId>, u32)> = None;
    let mut strip = |plan: &[OperatorId]| {
        let (plan, cost) = shorten(task, plan).expect("a search walks along operators");
        if best.as_ref().is_none_or(|(_, least)| cost < *least) {
            tell(&plan, cost);
            best = Some((plan, cost));
        }
    };
    let report = lazy(task, &mut advice, at_least, improve, budget, &mut |found| {
        strip(&found.plan);
    });
    let Some((best, least)) = best else {
        return report;
    };
    // A proof holds for the stripped plan as well: nothing is cheaper than the best.
    let outcome = match report.outcome {
        Outcome::Feasible { at_least, why, .. } => Outcome::Feasible {
            plan: best,
            cost: least,
            at_least,
            why,
        },
        Outcome::Optimal { cost, .. } if least <= cost => Outcome::Optimal {
            plan: best,
            cost: least,
        },
        other => other,
    };
    raise(Report { outcome, ..report }, Some(at_least))
}

/// Proven of the cost of all plans by the relaxation; `None`: there is no plan.
fn bound(task: &Task) -> Option<u32> {
    /// Landmark cuts take too long on larger graphs to be a side matter.
    const SMALL: usize = 20_000;
    let graph = RelaxedTask::new(task);
    let start = task.start();
    let max = Max::new(task, &graph).lower_bound(&start)?;
    if graph.len() > SMALL {
        return Some(max);
    }
    let cuts = LandmarkCut::new(task, &graph).lower_bound(&start)?;
    Some(max.max(cuts))
}

/// The same, with another bound that is proven.
fn raise(report: Report<OperatorId>, bound: Option<u32>) -> Report<OperatorId> {
    let outcome = match (report.outcome, bound) {
        (Outcome::GaveUp { .. }, None) => Outcome::Unsolvable,
        (Outcome::GaveUp { at_least, why }, Some(bound)) => Outcome::GaveUp {
            at_least: at_least.max(bound),
            why,
        },
        (
            Outcome::Feasible {
                plan,
                cost,
                at_least,
                ..
            },
            Some(bound),
        ) if cost <= at_least.max(bound) => Outcome::Optimal { plan, cost },
        (
            Outcome::Feasible {
                plan,
                cost,
                at_least,
                why,
            },
            Some(bound),
        ) => Outcome::Feasible {
            plan,
            cost,
            at_least: at_least.max(bound),
            why,
        },
        (outcome, _) => outcome,
    };
    Report { outcome, ..report }
}

/// The same with this bound alone.
fn lower(report: Report<OperatorId>, bound: Option<u32>) -> Report<OperatorId> {
    use ployglot_base::Limit::Incomplete;
    let outcome = match report.outcome {
        Outcome::GaveUp { why, .. } => Outcome::GaveUp { at_least: 0, why },
        Outcome::Feasible {
            plan, cost, why, ..
        } => Outcome::Feasible {
            plan,
            cost,
            at_least: 0,
            why,
        },
        Outcome::Optimal { plan, cost } => Outcome::Feasible {
            plan,
            cost,
            at_least: 0,
            why: Incomplete,
        },
        Outcome::Unsolvable => Outcome::Unsolvable,
    };
    raise(Report { outcome, ..report }, bound)
}
