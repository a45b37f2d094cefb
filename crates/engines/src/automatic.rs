//! The heuristic `auto`: A* with the lower bounds that suit the task, found by trying them.
//!
//! Which heuristic is best for a task is not known beforehand, and the best one may be a thousand
//! times faster than the next. So searches with different heuristics take turns
//! (`ployglot_search::turns`), and they are never started again. What costs little comes first: a search
//! with small projections is alone for some hundredths of a second. `max` and landmark cuts
//! follow, small tables of abstractions after a few tenths of a second, and large tables
//! when the searches have worked about as long as it takes to make them. The search with
//! smaller tables then computes the bounds by larger ones, too, but only for states that are the next to be
//! expanded (`ployglot_search::astar`). Where some parts of the task are too large
//! for these, they are listed after some ten seconds more, if that is possible.
//!
//! Lazy search for plans (`beside`) takes turns with all of these from the time on when there are small tables: its
//! plans are upper bounds, and what is reported at a limit. So does symbolic search when there are large tables. Where
//! the task has axioms it begins with landmark cuts: heuristics are weak there, because they leave most of the
//! axioms out, and diagrams are not.
//!
//! Before, the first search was ended after 5,000 states, or 20,000 where the projections were complete, and
//! another one with larger projections was ended after 50,000: in short runs that was more than half of the
//! time, and what they had found was lost.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::{Scope, scope};

use ployglot_base::{Budget, Effort, Guide, Limit, Report, Space};
use ployglot_pddl::Task;
use ployglot_pddl::estimates::{
    AbstractionLimits, Abstractions, AbstractionsGuide, LandmarkCut, Max, Projections, RelaxedTask,
};
use ployglot_pddl::symbolic::Known;
use ployglot_pddl::task::{OperatorId, State};
use ployglot_search::Search;
use ployglot_search::turns::{Candidate, Turns};

use crate::beside::Beside;
use crate::planner::{PlanningGuide, Pruned};

/// The number of states that are listed at most for a projection; and for one in a long search, where
/// the listing takes about ten seconds.
pub(crate) const MOST_LISTED: usize = 500_000;
const MOST_LISTED_LATE: usize = 4_000_000;

/// When the next heuristic is tried.
#[derive(Clone, Copy)]
struct Schedule {
    /// The number of states that are listed for a projection: at first, and with small tables.
    listed: [usize; 2],
    /// The work of the search with small projections before the other searches begin: some hundredths
    /// of a second.
    early: u64,
    /// The work of all searches before small tables are made: some tenths of a second.
    relaxed: u64,
    /// What is added to this for each operator of the task, on which the time for tables depends.
    relaxed_operator: u64,
    /// The work of all searches before large tables are made, which take about as long: some
    /// seconds.
    small: u64,
    /// The work of all searches before the largest projections are made: some ten seconds.
    large: u64,
    /// The work of these searches between two turns of the symbolic search: some tenths of a second.
    slice: u64,
}

const SCHEDULE: Schedule = Schedule {
    listed: [5_000, 50_000],
    early: 12_000_000,
    relaxed: 60_000_000,
    relaxed_operator: 4_000,
    small: 1_200_000_000,
    large: 4_000_000_000,
    slice: 20_000_000,
};

/// For the heuristic `projections`: the number of states that are listed for a projection, and then
/// expanded by A* before larger ones are made.
const STAGES: [(usize, u64); 2] = [(5_000, 5_000), (50_000, 50_000)];

/// The stages expand fewer states where the start has more moves than this.
const USUAL_MOVES: u64 = 20;

/// The work for a state that is generated, and for each of its words.
const GENERATED: u64 = 200;
const GENERATED_WORD: u64 = 6;

/// The work for a lookup in a projection, whose key is collected from the state.
const PROJECTED: u64 = 10;

/// A unit of the work of landmark cuts counts as so many, because it takes longer: on parking-opt14 p_12_7-01 7.2
/// nanoseconds, and a unit of `GENERATED` 5.3.
const CUT: (u64, u64) = (3, 2);

/// So many units of the work of abstractions count as one: a unit takes 2.4 to 2.8 nanoseconds there. While they counted
/// fully, the search with tables had a third of the time that it was to have.
const ABSTRACT: u64 = 2;

/// The time for tables is at most this part of what is left.
const TABLES_SHARE: u32 = 8;

/// A* with projections of growing size, as long as they are small. Where no part was left out,
/// larger tables are of no use, and the search runs to its end. `Err`: the effort after which it
/// was stopped.
pub(crate) fn search_with_small_projections(
    pruned: Pruned,
    search: Search,
    budget: &Budget,
) -> Result<Report<OperatorId>, Effort> {
    let mut spent = Effort::default();
    if search != Search::Astar {
        return Err(spent);
    }
    for (stage, (listed, expanded)) in STAGES.into_iter().enumerate() {
        let tables = Projections::new(pruned.task, listed, budget);
        let most = match (tables.is_empty(), tables.are_complete()) {
            // Without parts the search is blind: worth a short try only.
            (true, _) if stage > 0 => continue,
            (false, true) => u64::MAX,
            _ => {
                // Fewer states where each has many successors.
                let mut moves = Vec::new();
                pruned.space.moves(&pruned.space.start(), &mut moves);
                expanded * USUAL_MOVES / (moves.len() as u64).max(USUAL_MOVES)
            }
        };
        match pruned.astar_within(&|| pruned.guide(&tables), budget, most) {
            Ok(mut report) => {
                report.effort += spent;
                return Ok(report);
            }
            Err(effort) => spent += effort,
        }
    }
    Err(spent)
}

/// A guide of one of several kinds, which counts its work.
enum AnyGuide<'a> {
    Max(Box<Max<'a>>, &'a AtomicU64),
    Cut(Box<LandmarkCut<'a>>, &'a AtomicU64),
    /// The larger one of two bounds by tables.
    Tables(
        Option<AbstractionsGuide<'a>>,
        &'a Projections,
        &'a AtomicU64,
    ),
}

impl Guide<Task> for AnyGuide<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        match self {
            AnyGuide::Max(max, work) => {
                let bound = max.lower_bound(state);
                work.fetch_add(max.take_work(), Relaxed);
                bound
            }
            AnyGuide::Cut(cut, work) => {
                let bound = cut.lower_bound(state);
                work.fetch_add(cut.take_work() * CUT.0 / CUT.1, Relaxed);
                bound
            }
            AnyGuide::Tables(abstractions, projections, work) => {
                let abstract_work = abstractions.as_ref().map_or(0, AbstractionsGuide::work);
                work.fetch_add(
                    abstract_work / ABSTRACT + PROJECTED * projections.len() as u64,
                    Relaxed,
                );
                let projected = projections.bound(state)?;
                match abstractions {
                    Some(guide) => Some(guide.lower_bound(state)?.max(projected)),
                    None => Some(projected),
                }
            }
        }
    }

    fn narrow(&mut self, state: &State, moves: &mut Vec<OperatorId>) {
        if let AnyGuide::Cut(cut, _) = self {
            cut.narrow(state, moves);
        }
    }
}

/// A search with the lower bounds that suit the task; see the module's documentation. Searches other
/// than A* use large tables.
pub(crate) fn search_automatically(
    pruned: Pruned,
    search: Search,
    budget: &Budget,
) -> Result<Report<OperatorId>, Limit> {
    let task = pruned.task;
    if search != Search::Astar {
        let tables = Tables::new(task, MOST_LISTED, AbstractionLimits::LARGE, budget)?;
        let work = AtomicU64::new(0);
        let guide = || pruned.guide(tables.guide(&work));
        return Ok(pruned.unfold(pruned.search(search, &guide, budget)));
    }
    search_by_schedule(pruned, SCHEDULE, budget)
}

/// A* with all heuristics, and symbolic search, as the schedule says.
fn search_by_schedule(
    pruned: Pruned,
    schedule: Schedule,
    budget: &Budget,
) -> Result<Report<OperatorId>, Limit> {
    let (known, graph) = (Known::default(), OnceLock::new());
    scope(|scope| {
        let mut beside = Beside::new(&known, schedule.slice, budget);
        let report = astar_by_schedule(pruned, schedule, &graph, scope, &mut beside, budget)?;
        Ok(beside.finish(pruned.unfold(report)))
    })
}

/// The report of A*, which ends early if the symbolic search beside it has ended.
fn astar_by_schedule<'scope>(
    pruned: Pruned<'scope>,
    schedule: Schedule,
    graph: &'scope OnceLock<RelaxedTask>,
    scope: &'scope Scope<'scope, '_>,
    beside: &mut Beside<'scope>,
    budget: &Budget,
) -> Result<Report<OperatorId>, Limit> {
    let task = pruned.task;
    let work = [(); 6].map(|()| AtomicU64::new(0));
    let [
        early_work,
        max_work,
        cut_work,
        small_work,
        large_work,
        late_work,
    ] = &work;
    // What the guides refer to lives longer than the searches.
    let (small, large, late);
    let generated = GENERATED + GENERATED_WORD * task.words() as u64;
    let early = Projections::new(task, schedule.listed[0], budget);
    let mut turns: Turns<_, PlanningGuide> = Turns::new(pruned.space, generated, budget);
    let with_early = turns.add(Candidate {
        make: Box::new(|| pruned.guide(AnyGuide::Tables(None, &early, early_work))),
        work: early_work,
    });
    turns = match beside.run(turns, schedule.early) {
        Ok(report) => return Ok(report),
        Err(paused) => paused,
    };
    let graph = match RelaxedTask::new(task, budget) {
        Ok(relaxed) => graph.get_or_init(|| relaxed),
        Err(why) => return Ok(turns.stop(why)),
    };
    turns.add(Candidate {
        make: Box::new(|| {
            let max = Box::new(Max::new(task, graph, budget));
            pruned.guide(AnyGuide::Max(max, max_work))
        }),
        work: max_work,
    });
    turns.add(Candidate {
        make: Box::new(|| {
            let cut = Box::new(LandmarkCut::inheriting(task, graph, budget));
            pruned.guide(AnyGuide::Cut(cut, cut_work))
        }),
        work: cut_work,
    });
    let has_axioms = !task.axioms.bodies.is_empty();
    if has_axioms {
        beside.search_symbolically(scope, task, budget);
    }
    let operators = task.operators.len() as u64;
    let until = schedule.relaxed + schedule.relaxed_operator * operators;
    turns = match beside.run(turns, until) {
        Ok(report) => return Ok(report),
        Err(paused) => paused,
    };
    beside.search_for_plans(scope, task, graph, budget);
    small = match Tables::new(task, schedule.listed[1], AbstractionLimits::SMALL, budget) {
        Ok(small) => small,
        Err(why) => return Ok(turns.stop(why)),
    };
    let mut with_tables = with_early;
    if small.abstractions.is_some() || small.projections.len() > early.len() {
        let guide = Candidate {
            make: Box::new(|| pruned.guide(small.guide(small_work))),
            work: small_work,
        };
        with_tables = turns.improve(with_tables, guide);
    }
    turns = match beside.run(turns, schedule.small) {
        Ok(report) => return Ok(report),
        Err(paused) => paused,
    };
    large = match Tables::new(task, MOST_LISTED, AbstractionLimits::LARGE, budget) {
        Ok(large) => large,
        Err(why) => return Ok(turns.stop(why)),
    };
    // Where there was no time for large tables, the small ones are better than none.
    let more_projections = large.projections.len() > small.projections.len();
    if large.abstractions.is_some() || small.abstractions.is_none() && more_projections {
        let guide = Candidate {
            make: Box::new(|| pruned.guide(large.guide(large_work))),
            work: large_work,
        };
        with_tables = turns.improve(with_tables, guide);
    }
    if !has_axioms {
        beside.search_symbolically(scope, task, budget);
    }
    if !large.projections.are_complete() {
        turns = match beside.run(turns, schedule.large) {
            Ok(report) => return Ok(report),
            Err(paused) => paused,
        };
        late = Projections::new(task, MOST_LISTED_LATE, &Tables::part(budget));
        if late.len() > large.projections.len() {
            let guide = Candidate {
                make: Box::new(|| pruned.guide(large.guide_with(&late, late_work))),
                work: late_work,
            };
            turns.improve(with_tables, guide);
        }
    }
    let report = beside.run(turns, u64::MAX);
    Ok(report.unwrap_or_else(|turns| turns.stop(Limit::Incomplete)))
}

/// Tables of both kinds.
struct Tables {
    projections: Projections,
    abstractions: Option<Abstractions>,
}

impl Tables {
    /// Projections of at most this many states, and abstractions, each within a part of the budget,
    /// so that there is time for the search.
    fn new(
        task: &Task,
        listed: usize,
        limits: AbstractionLimits,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let projections = Projections::new(task, listed, &Self::part(budget));
        let abstractions = match Abstractions::new(task, limits, &Self::part(budget)) {
            Err(Limit::Time) if budget.check_time().is_ok() => None,
            abstractions => abstractions?,
        };
        Ok(Self {
            projections,
            abstractions,
        })
    }

    /// The part of the budget for tables of one kind.
    fn part(budget: &Budget) -> Budget {
        match budget.time_left() {
            Some(left) => budget.part(left / TABLES_SHARE),
            None => budget.clone(),
        }
    }

    fn guide<'a>(&'a self, work: &'a AtomicU64) -> AnyGuide<'a> {
        self.guide_with(&self.projections, work)
    }

    /// The guide with other projections.
    fn guide_with<'a>(&'a self, projections: &'a Projections, work: &'a AtomicU64) -> AnyGuide<'a> {
        let abstractions = self.abstractions.as_ref().map(Abstractions::guide);
        AnyGuide::Tables(abstractions, projections, work)
    }
}

#[cfg(test)]
mod tests {
    use ployglot_base::{Blind, Outcome};
    use ployglot_pddl::compact::CompactGuide;
    use ployglot_pddl::pruning::Prunings;
    use ployglot_pddl::{Compact, ground};
    use ployglot_search::astar::astar;
    use ployglot_testing::pddl::problems::{CLASSICS, read};
    use ployglot_testing::pddl::random_task;

    use super::*;

    /// A schedule by which every heuristic has a turn, and none has time.
    const HASTY: Schedule = Schedule {
        listed: [50, 500],
        early: 0,
        relaxed: 0,
        relaxed_operator: 0,
        small: 0,
        large: 0,
        slice: 0,
    };

    /// The automatic search finds what blind search does, whichever heuristic has the last turn.
    /// Returns the number of states that it expanded.
    fn check(task: &Task, name: &str) -> u64 {
        let mut most = 0;
        for threads in [1, 2] {
            let budget = Budget::unlimited().with_threads(threads);
            let compact = Compact::new(task, Prunings::default(), &budget).expect("no limit");
            let truth = astar(&compact, &|| CompactGuide(Blind), &budget).outcome;
            let pruned = Pruned::new(task, &compact, None);
            for schedule in [HASTY, SCHEDULE] {
                let found = search_by_schedule(pruned, schedule, &budget).expect("no limit");
                match (&found.outcome, &truth) {
                    (Outcome::Unsolvable, Outcome::Unsolvable) => {}
                    (Outcome::Optimal { cost, .. }, Outcome::Optimal { cost: least, .. }) => {
                        assert_eq!(cost, least, "{name}");
                    }
                    (found, truth) => panic!("{name}: {found:?}, not {truth:?}"),
                }
                most = most.max(found.effort.expanded);
            }
        }
        most
    }

    #[test]
    fn all_stages_find_what_blind_search_finds() {
        let mut longest = 0;
        for (domain, problem, _) in CLASSICS {
            let (domain, problem) = read(domain, problem);
            let task = ground(&domain, &problem).expect("it can be grounded");
            longest = longest.max(check(&task, &problem.name));
        }
        for seed in 0..100 {
            let (domain, problem) = random_task(seed);
            let (domain, problem) = read(&domain, &problem);
            let task = ground(&domain, &problem).expect("it can be grounded");
            longest = longest.max(check(&task, &format!("seed {seed}")));
        }
        // Some tasks need more than the first turns.
        assert!(longest > 100, "{longest}");
    }
}
