//! The heuristic `auto`: A* with the lower bounds that suit the task, found by trying them.
//!
//! Which heuristic is best for a task is not known beforehand, and the best one may be a thousand
//! times faster than the next. What costs little comes first: a short search with small projections.
//! After that, searches with different heuristics take turns (`ployglot_search::turns`), and they
//! are never started again: `max` and landmark cuts from the first, small tables of abstractions
//! after a few tenths of a second, and large tables instead of the small ones when the searches have
//! worked about as long as it takes to make them. Where some parts of the task are too large for these,
//! they are listed after some ten seconds more, if that is possible.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ployglot_base::{Budget, Effort, Guide, Limit, Report, Space};
use ployglot_pddl::Task;
use ployglot_pddl::estimates::{
    AbstractionLimits, Abstractions, AbstractionsGuide, LandmarkCut, Max, Projections, RelaxedTask,
};
use ployglot_pddl::task::{OperatorId, State};
use ployglot_search::Search;
use ployglot_search::turns::{Candidate, Turns};

use crate::planner::{PlanningGuide, Pruned};

/// The number of states that are listed at most for a projection; and for one in a long search, where
/// the listing takes about ten seconds.
pub(crate) const MOST_LISTED: usize = 500_000;
const MOST_LISTED_LATE: usize = 4_000_000;

/// When the next heuristic is tried.
#[derive(Clone, Copy)]
struct Schedule {
    /// The number of states that are listed for a projection, and then expanded by the search: A*
    /// starts with small projections, and makes larger ones only if these did not help.
    stages: [(usize, u64); 2],
    /// With complete projections, this many states are expanded before other heuristics are tried.
    complete: u64,
    /// The work of `max` and landmark cuts before larger projections and small tables are made: some
    /// tenths of a second.
    relaxed: u64,
    /// The work of all searches before large tables are made, which take about as long: some
    /// seconds.
    small: u64,
    /// The work of all searches before the largest projections are made: some ten seconds.
    large: u64,
}

const SCHEDULE: Schedule = Schedule {
    stages: [(5_000, 5_000), (50_000, 50_000)],
    complete: 20_000,
    relaxed: 70_000_000,
    small: 800_000_000,
    large: 4_000_000_000,
};

/// The stages expand fewer states where the start has more moves than this.
const USUAL_MOVES: u64 = 20;

/// The work for a state that is generated, and for each of its words.
const GENERATED: u64 = 200;
const GENERATED_WORD: u64 = 6;

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
    let schedule = Schedule {
        complete: u64::MAX,
        ..SCHEDULE
    };
    for stage in 0..schedule.stages.len() {
        match search_stage(pruned, schedule, stage, budget) {
            Ok(mut report) => {
                report.effort += spent;
                return Ok(report);
            }
            Err((effort, _)) => spent += effort,
        }
    }
    Err(spent)
}

/// A* with projections of this stage. `Err`: the effort after which it was stopped, and whether
/// larger projections may help.
fn search_stage(
    pruned: Pruned,
    schedule: Schedule,
    stage: usize,
    budget: &Budget,
) -> Result<Report<OperatorId>, (Effort, bool)> {
    let (listed, expanded) = schedule.stages[stage];
    let tables = Projections::new(pruned.task, listed, budget);
    // Without parts the search is blind: worth a short try only.
    let most = match (tables.is_empty(), tables.are_complete()) {
        (true, _) if stage > 0 => return Err((Effort::default(), true)),
        (false, true) => schedule.complete,
        _ => {
            // Fewer states where each has many successors.
            let mut moves = Vec::new();
            pruned.space.moves(&pruned.space.start(), &mut moves);
            expanded * USUAL_MOVES / (moves.len() as u64).max(USUAL_MOVES)
        }
    };
    let report = pruned.astar_within(&|| pruned.guide(&tables), budget, most);
    report.map_err(|effort| (effort, !tables.are_complete()))
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
        return Ok(pruned.search(search, &guide, budget));
    }
    search_by_schedule(pruned, SCHEDULE, budget)
}

/// A* with all heuristics, as the schedule says.
fn search_by_schedule(
    pruned: Pruned,
    schedule: Schedule,
    budget: &Budget,
) -> Result<Report<OperatorId>, Limit> {
    let (mut spent, may_grow) = match search_stage(pruned, schedule, 0, budget) {
        Ok(report) => return Ok(report),
        Err(stopped) => stopped,
    };
    let mut report = search_in_turns(pruned, schedule, may_grow, &mut spent, budget)?;
    report.effort += spent;
    Ok(report)
}

/// A* with relaxations and with tables, in turns. `may_grow`: larger projections may help. The effort
/// of other searches is added to `spent`.
fn search_in_turns(
    pruned: Pruned,
    schedule: Schedule,
    may_grow: bool,
    spent: &mut Effort,
    budget: &Budget,
) -> Result<Report<OperatorId>, Limit> {
    let task = pruned.task;
    let graph = RelaxedTask::new(task, budget)?;
    let work = [(); 5].map(|()| AtomicU64::new(0));
    let [max_work, cut_work, small_work, large_work, late_work] = &work;
    // What the guides refer to lives longer than the searches.
    let (small, large, late);
    let generated = GENERATED + GENERATED_WORD * task.words() as u64;
    let mut turns: Turns<_, PlanningGuide> = Turns::new(pruned.space, generated, budget);
    turns.add(Candidate {
        make: Box::new(|| {
            let max = Box::new(Max::new(task, &graph, budget));
            pruned.guide(AnyGuide::Max(max, max_work))
        }),
        work: max_work,
    });
    turns.add(Candidate {
        make: Box::new(|| {
            let cut = Box::new(LandmarkCut::inheriting(task, &graph, budget));
            pruned.guide(AnyGuide::Cut(cut, cut_work))
        }),
        work: cut_work,
    });
    turns = match turns.run(schedule.relaxed) {
        Ok(report) => return Ok(report),
        Err(paused) => paused,
    };
    if may_grow {
        match search_stage(pruned, schedule, 1, budget) {
            Ok(mut report) => {
                report.effort += turns.effort();
                return Ok(report);
            }
            Err((effort, _)) => *spent += effort,
        }
    }
    small = match Tables::new(task, schedule.stages[1].0, AbstractionLimits::SMALL, budget) {
        Ok(small) => small,
        Err(why) => return Ok(turns.stop(why)),
    };
    let with_small = turns.add(Candidate {
        make: Box::new(|| pruned.guide(small.guide(small_work))),
        work: small_work,
    });
    turns = match turns.run(schedule.small) {
        Ok(report) => return Ok(report),
        Err(paused) => paused,
    };
    large = match Tables::new(task, MOST_LISTED, AbstractionLimits::LARGE, budget) {
        Ok(large) => large,
        Err(why) => return Ok(turns.stop(why)),
    };
    // Where there was no time for large tables, the small ones are better than none.
    let mut with_tables = with_small;
    if large.abstractions.is_some() || small.abstractions.is_none() {
        with_tables = turns.add(Candidate {
            make: Box::new(|| pruned.guide(large.guide(large_work))),
            work: large_work,
        });
        turns.remove(with_small);
    }
    if !large.projections.are_complete() {
        turns = match turns.run(schedule.large) {
            Ok(report) => return Ok(report),
            Err(paused) => paused,
        };
        late = Projections::new(task, MOST_LISTED_LATE, &Tables::part(budget));
        if late.len() > large.projections.len() {
            turns.add(Candidate {
                make: Box::new(|| pruned.guide(large.guide_with(&late, late_work))),
                work: late_work,
            });
            turns.remove(with_tables);
        }
    }
    let report = turns.run(u64::MAX);
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
        stages: [(50, 0), (500, 0)],
        complete: 0,
        relaxed: 0,
        small: 0,
        large: 0,
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
