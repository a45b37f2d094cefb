//! A sweep over horizons: one horizon after the other, by one worker or by several at once.
//!
//! The first worker takes the least open horizon, even if another worker is already there. The
//! others look ahead: each takes the least open horizon that has no worker, or joins the first
//! worker if all are taken. When two workers are at the same horizon, the first answer stops the
//! other.
//!
//! The lower bound always comes from the least horizon that is not refuted. A model has exactly as
//! many steps as its horizon, so the refutation of a greater horizon proves nothing about a smaller
//! one. The sweep ends at the least horizon that has a plan, that cannot be answered, or that is
//! beyond the last. Workers at greater horizons are stopped then, workers at smaller horizons
//! continue. If a limit ends the sweep sooner, the cheapest plan and the bound are kept.
//!
//! If a plan is known beforehand, only the shorter horizons have to be refuted, each by one worker.
//! The greatest of them takes the longest, so the first worker starts with the least horizon and
//! the others with the greatest. A worker that finds no open horizon is done.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ployglot_base::{Budget, Effort, Limit, Outcome, Progress, Report};

use crate::CannotSolve;

/// The horizons of a sweep.
pub(crate) struct Horizons<'a> {
    pub first: u32,
    /// No plan needs a greater horizon: refuting all up to here proves that there is no plan.
    pub last: Option<u32>,
    /// The least cost of a plan that needs this many steps.
    pub lower_bound: &'a (dyn Fn(u32) -> u32 + Sync),
}

/// A plan that is known before the sweep. In such a sweep the workers should all be equally good at
/// refuting horizons.
pub(crate) struct KnownPlan<M> {
    pub horizon: u32,
    pub plan: Vec<M>,
    pub cost: u32,
}

/// How a worker's attempt at one horizon ended.
pub(crate) enum HorizonOutcome<M> {
    Plan {
        plan: Vec<M>,
        cost: u32,
    },
    Refuted,
    GaveUp(Limit),
    /// The model or the solver cannot answer this horizon.
    Failed(CannotSolve),
}

/// Solves horizons. A worker is created in the thread where it works.
pub(crate) trait Worker<M> {
    fn solve(&mut self, horizon: u32, budget: &Budget) -> HorizonOutcome<M>;

    /// The effort of this worker since it was created.
    fn effort(&self) -> Effort;
}

/// Stack size of a worker's thread: unrolling a model recurses as deep as its expressions. Only the
/// part that is used takes memory.
const STACK: usize = 256 << 20;

/// Sweeps with this many workers; the first works in the calling thread.
pub(crate) fn sweep<M: Send + 'static, W: Worker<M>>(
    horizons: &Horizons,
    known: Option<KnownPlan<M>>,
    workers: usize,
    make_worker: impl Fn(usize) -> W + Sync,
    budget: &Budget,
) -> Result<Report<M>, CannotSolve> {
    let state = SharedState::new(horizons, workers);
    if let Some(known) = known {
        let mut state = state.lock();
        state.record_plan(known.horizon, known.plan, known.cost);
        state.workers_alike = true;
    }
    // The first assignments are made here, so that they do not depend on which thread starts first.
    let assignments: Vec<_> = (0..workers)
        .map(|worker| {
            let assignment = state.lock().assign(worker);
            assignment.map(|assignment| (worker, assignment))
        })
        .collect();
    let work = |(worker, assignment): (usize, Assignment)| {
        let guard = PanicGuard(&state);
        state.work(assignment, worker, make_worker(worker), horizons, budget);
        drop(guard);
    };
    // If the system has no thread for a helper, the other workers do its work.
    let not_started = |worker: usize| state.lock().assignments[worker] = None;
    run_workers(assignments, &work, &not_started);
    let state = std::mem::replace(&mut *state.lock(), SweepState::new(horizons, 0));
    let effort = state.effort();
    let outcome = state.outcome()?;
    Ok(Report { outcome, effort })
}

/// Does the work of each worker in a thread of its own, the first one's in this thread. It is not
/// generic, so that the code that starts threads is not compiled for each model of each game.
fn run_workers(
    assignments: Vec<Option<(usize, Assignment)>>,
    work: &(dyn Fn((usize, Assignment)) + Sync),
    not_started: &dyn Fn(usize),
) {
    std::thread::scope(|scope| {
        let mut assignments = assignments.into_iter().flatten();
        let own = assignments.next();
        let helpers: Vec<_> = assignments
            .filter_map(|assignment| {
                let worker = assignment.0;
                let builder = std::thread::Builder::new().stack_size(STACK);
                let helper = builder.spawn_scoped(scope, move || work(assignment));
                if helper.is_err() {
                    not_started(worker);
                }
                helper.ok()
            })
            .collect();
        own.into_iter().for_each(work);
        for helper in helpers {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

/// The horizon that a worker is at, and the flag that stops the worker.
#[derive(Clone)]
struct Assignment {
    horizon: u32,
    stop: Arc<AtomicBool>,
}

/// What is known so far, and what the workers do.
struct SweepState<M> {
    /// The least horizon that is not refuted.
    least: u32,
    /// The lower bound on the cost of all plans that follows from `least`.
    at_least: u32,
    /// Refuted horizons above `least`.
    refuted: BTreeSet<u32>,
    /// Horizons from this one on are not solved.
    end: u32,
    /// Why the sweep ends at `end`.
    end_reason: EndReason,
    /// The cheapest plan, with its cost.
    best: Option<(Vec<M>, u32)>,
    /// All workers are equally good, so no horizon needs two of them.
    workers_alike: bool,
    /// The limit that ended the whole sweep.
    limit: Option<Limit>,
    /// The current assignment of each worker.
    assignments: Vec<Option<Assignment>>,
    /// The effort of each worker.
    efforts: Vec<Effort>,
}

/// What was found at the horizon where a sweep ends.
enum EndReason {
    BeyondLast,
    Plan,
    GaveUp(Limit),
    Failed(CannotSolve),
}

impl<M> SweepState<M> {
    fn new(horizons: &Horizons, workers: usize) -> Self {
        Self {
            least: horizons.first,
            at_least: (horizons.lower_bound)(horizons.first),
            refuted: BTreeSet::new(),
            end: horizons
                .last
                .map_or(u32::MAX, |last| last.saturating_add(1)),
            end_reason: EndReason::BeyondLast,
            best: None,
            workers_alike: false,
            limit: None,
            assignments: vec![None; workers],
            efforts: vec![Effort::default(); workers],
        }
    }

    /// Assigns the next horizon to a worker, if there is one left.
    fn assign(&mut self, worker: usize) -> Option<Assignment> {
        if self.is_over() {
            return None;
        }
        let mut open = (self.least..self.end).filter(|horizon| !self.refuted.contains(horizon));
        let least = open.clone().next();
        let is_free = |horizon: &u32| {
            let mut assignments = self.assignments.iter().flatten();
            assignments.all(|assignment| assignment.horizon != *horizon)
        };
        let horizon = match (self.workers_alike, worker) {
            (true, 0) => open.find(is_free),
            (true, _) => open.rfind(is_free),
            // The least horizon matters most: the first worker does not wait for a slower one
            // there.
            (false, 0) => least,
            (false, _) => open.find(is_free).or(least),
        }?;
        let assignment = Assignment {
            horizon,
            stop: Arc::default(),
        };
        self.assignments[worker] = Some(assignment.clone());
        Some(assignment)
    }

    /// Records the outcome of a worker's assignment, which ends with it.
    fn record(&mut self, worker: usize, outcome: HorizonOutcome<M>, horizons: &Horizons) {
        let Some(assignment) = self.assignments[worker].take() else {
            return;
        };
        let horizon = assignment.horizon;
        match outcome {
            HorizonOutcome::Refuted => {
                if horizon >= self.least {
                    self.refuted.insert(horizon);
                }
                while self.refuted.remove(&self.least) {
                    self.least += 1;
                }
                self.at_least = (horizons.lower_bound)(self.least);
            }
            HorizonOutcome::Plan { plan, cost } => self.record_plan(horizon, plan, cost),
            HorizonOutcome::Failed(why) => self.end_at(horizon, EndReason::Failed(why)),
            // The sweep itself stopped the worker. If a limit was hit too, the next check finds it.
            HorizonOutcome::GaveUp(_) if assignment.stop.load(Relaxed) => {}
            HorizonOutcome::GaveUp(Limit::Incomplete) => {
                self.end_at(horizon, EndReason::GaveUp(Limit::Incomplete));
            }
            HorizonOutcome::GaveUp(limit) => self.limit = Some(limit),
        }
        self.stop_obsolete_workers();
    }

    fn record_plan(&mut self, horizon: u32, plan: Vec<M>, cost: u32) {
        if self.best.as_ref().is_none_or(|best| cost < best.1) {
            self.best = Some((plan, cost));
        }
        self.end_at(horizon, EndReason::Plan);
    }

    fn end_at(&mut self, horizon: u32, reason: EndReason) {
        if horizon < self.end {
            (self.end, self.end_reason) = (horizon, reason);
        }
    }

    fn is_over(&self) -> bool {
        self.limit.is_some() || self.least >= self.end || self.is_proven()
    }

    /// Whether it is proven that no plan is cheaper than the best one found.
    fn is_proven(&self) -> bool {
        let cost = self.best.as_ref().map(|best| best.1);
        cost.is_some_and(|cost| cost <= self.at_least)
    }

    /// Stops the workers whose answers are no longer needed.
    fn stop_obsolete_workers(&self) {
        let over = self.is_over();
        for assignment in self.assignments.iter().flatten() {
            let horizon = assignment.horizon;
            let answered = horizon < self.least || self.refuted.contains(&horizon);
            if over || answered || horizon >= self.end {
                assignment.stop.store(true, Relaxed);
            }
        }
    }

    /// The effort of all workers together. What they store is added up, since they run at once.
    fn effort(&self) -> Effort {
        let sum = |part: fn(&Effort) -> u64| self.efforts.iter().map(part).sum();
        Effort {
            expanded: sum(|effort| effort.expanded),
            generated: sum(|effort| effort.generated),
            stored: sum(|effort| effort.stored),
        }
    }

    fn outcome(self) -> Result<Outcome<M>, CannotSolve> {
        let (proven, reached) = (self.is_proven(), self.least >= self.end);
        let known = |why| Outcome::at_limit(self.best, self.at_least, why);
        Ok(match self.end_reason {
            EndReason::Failed(why) if reached && !proven => return Err(why),
            EndReason::BeyondLast if reached => known(Limit::Incomplete).join(Outcome::Unsolvable),
            EndReason::GaveUp(limit) if reached => known(limit),
            _ if reached => known(Limit::Incomplete),
            _ => known(self.limit.unwrap_or(Limit::Incomplete)),
        })
    }
}

/// The state of the sweep, shared by all workers.
struct SharedState<M>(Arc<Mutex<SweepState<M>>>);

impl<M: Send + 'static> SharedState<M> {
    fn new(horizons: &Horizons, workers: usize) -> Self {
        Self(Arc::new(Mutex::new(SweepState::new(horizons, workers))))
    }

    /// Lock order: never call `Budget::check` while holding this lock; the watcher takes it too.
    fn lock(&self) -> MutexGuard<'_, SweepState<M>> {
        lock(&self.0)
    }

    /// Solves one horizon after the other, until none is left.
    fn work(
        &self,
        mut assignment: Assignment,
        number: usize,
        mut worker: impl Worker<M>,
        horizons: &Horizons,
        budget: &Budget,
    ) {
        loop {
            let share = self.share(&assignment, budget);
            let progress = || Progress {
                phase: "horizon",
                expanded: worker.effort().expanded,
                ..Progress::default()
            };
            let outcome = match share.check(progress) {
                Ok(()) => worker.solve(assignment.horizon, &share),
                Err(limit) => HorizonOutcome::GaveUp(limit),
            };
            let mut state = self.lock();
            state.efforts[number] = worker.effort();
            state.record(number, outcome, horizons);
            match state.assign(number) {
                Some(next) => assignment = next,
                None => return,
            }
        }
    }

    /// The budget of an assignment. Its watcher gets the bound and the best cost of the whole
    /// sweep.
    fn share(&self, assignment: &Assignment, budget: &Budget) -> Budget {
        let (state, depth) = (self.0.clone(), assignment.horizon);
        budget
            .clone()
            .with_interrupt(assignment.stop.clone())
            .map_progress(move |progress| {
                let state = lock(&state);
                Progress {
                    depth,
                    at_least: state.at_least,
                    best: state.best.as_ref().map(|best| best.1),
                    ..progress
                }
            })
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the sweep if its worker panics; the other workers would continue in vain.
struct PanicGuard<'a, M: Send + 'static>(&'a SharedState<M>);

impl<M: Send + 'static> Drop for PanicGuard<'_, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.0.lock();
            state.limit = Some(Limit::Interrupt);
            state.stop_obsolete_workers();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::AtomicU32;
    use std::time::Duration;

    use ployglot_base::{Contradiction, Random};

    /// A worker that follows the script of a test. The only move of a plan is its horizon.
    struct Fake<'a> {
        number: usize,
        script: &'a Script<'a>,
        asked: u64,
    }

    type Script<'a> = dyn Fn(usize, u32, &Budget) -> HorizonOutcome<u32> + Sync + 'a;

    impl Worker<u32> for Fake<'_> {
        fn solve(&mut self, horizon: u32, budget: &Budget) -> HorizonOutcome<u32> {
            self.asked += 1;
            (self.script)(self.number, horizon, budget)
        }

        fn effort(&self) -> Effort {
            Effort {
                expanded: self.asked,
                ..Effort::default()
            }
        }
    }

    fn run(
        workers: usize,
        range: (u32, Option<u32>),
        budget: &Budget,
        script: &Script,
    ) -> Result<Report<u32>, CannotSolve> {
        run_with_plan(None, workers, range, budget, script)
    }

    fn run_with_plan(
        known: Option<KnownPlan<u32>>,
        workers: usize,
        (first, last): (u32, Option<u32>),
        budget: &Budget,
        script: &Script,
    ) -> Result<Report<u32>, CannotSolve> {
        let horizons = Horizons {
            first,
            last,
            lower_bound: &|horizon| horizon,
        };
        let make = |number| Fake {
            number,
            script,
            asked: 0,
        };
        sweep(&horizons, known, workers, make, budget)
    }

    /// The outcome of a sweep from horizon 3, without a last horizon.
    fn outcome(workers: usize, script: &Script) -> Result<Outcome<u32>, CannotSolve> {
        let report = run(workers, (3, None), &Budget::unlimited(), script)?;
        Ok(report.outcome)
    }

    fn plan(horizon: u32) -> HorizonOutcome<u32> {
        HorizonOutcome::Plan {
            plan: vec![horizon],
            cost: horizon,
        }
    }

    fn optimal(cost: u32) -> Result<Outcome<u32>, CannotSolve> {
        Ok(Outcome::Optimal {
            plan: vec![cost],
            cost,
        })
    }

    /// Finds nothing until the budget ends, or until `enough` holds.
    fn work_until(budget: &Budget, mut enough: impl FnMut() -> bool) -> HorizonOutcome<u32> {
        for _ in 0..60_000 {
            if let Err(limit) = budget.check(Progress::default) {
                return HorizonOutcome::GaveUp(limit);
            }
            if enough() {
                return HorizonOutcome::GaveUp(Limit::Time);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("the worker was not stopped");
    }

    #[test]
    fn any_number_of_workers_finds_the_least_horizon_with_a_plan() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            let has_plan: Vec<bool> = (0..12).map(|_| random.below(5) == 0).collect();
            let first = 1 + random.below(4);
            let answer = (first..has_plan.len()).find(|&horizon| has_plan[horizon]);
            let expected = match answer {
                Some(horizon) => optimal(horizon as u32),
                None => Ok(Outcome::Unsolvable),
            };
            let script = |_: usize, horizon: u32, _: &Budget| match has_plan[horizon as usize] {
                true => plan(horizon),
                false => HorizonOutcome::Refuted,
            };
            for workers in 1..=3 {
                let range = (first as u32, Some(has_plan.len() as u32 - 1));
                let report = run(workers, range, &Budget::unlimited(), &script);
                let report = report.expect("nothing fails");
                assert_eq!(Ok(report.outcome), expected, "{has_plan:?} from {first}");
                let asked = answer.map_or(has_plan.len(), |horizon| horizon + 1) - first;
                assert!(report.effort.expanded >= asked as u64);
            }
        }
    }

    #[test]
    fn without_horizons_there_is_no_plan() {
        let script = |_: usize, _: u32, _: &Budget| -> HorizonOutcome<u32> {
            unreachable!("beyond the last")
        };
        for workers in [1, 2] {
            let report = run(workers, (3, Some(2)), &Budget::unlimited(), &script);
            assert_eq!(report.map(|r| r.outcome), Ok(Outcome::Unsolvable));
        }
    }

    #[test]
    fn a_limit_keeps_the_plan_of_a_greater_horizon_and_proves_no_more_than_the_least() {
        let seen = Arc::new(AtomicBool::new(false));
        let watcher = seen.clone();
        let budget = Budget::unlimited().with_watch(move |progress| {
            assert_eq!(progress.at_least, 3);
            watcher.fetch_or(progress.best == Some(6), Relaxed);
        });
        // The first worker never ends by itself. The other one refutes 4 and 5, finds a plan at 6,
        // and joins the first.
        let script = |_: usize, horizon: u32, budget: &Budget| match horizon {
            3 => work_until(budget, || seen.load(Relaxed)),
            6 => plan(6),
            _ => HorizonOutcome::Refuted,
        };
        let report = run(2, (3, None), &budget, &script).expect("nothing fails");
        let expected = Outcome::Feasible {
            plan: vec![6],
            cost: 6,
            at_least: 3,
            why: Limit::Time,
        };
        assert_eq!(report.outcome, expected);
        assert!((4..=5).contains(&report.effort.expanded));
    }

    #[test]
    fn a_worker_without_a_free_horizon_joins_the_first_and_may_answer_sooner() {
        let script = |worker: usize, horizon: u32, budget: &Budget| match (worker, horizon) {
            (0, 3) => work_until(budget, || false),
            (_, 3) => HorizonOutcome::Refuted,
            _ => plan(horizon),
        };
        assert_eq!(outcome(2, &script), optimal(4));
    }

    #[test]
    fn only_horizons_below_a_known_plan_are_solved() {
        let known = |horizon| {
            Some(KnownPlan {
                horizon,
                plan: vec![horizon],
                cost: horizon,
            })
        };
        for workers in [1, 2] {
            let refuted = AtomicU32::new(0);
            let refutes = |_: usize, horizon: u32, budget: &Budget| match horizon {
                0..5 => {
                    refuted.fetch_add(1, Relaxed);
                    HorizonOutcome::Refuted
                }
                // The time is over when all other horizons are refuted.
                _ => work_until(budget, || refuted.load(Relaxed) == 4),
            };
            let sweep_below = |plan| {
                run_with_plan(
                    known(plan),
                    workers,
                    (3, None),
                    &Budget::unlimited(),
                    &refutes,
                )
            };
            assert_eq!(sweep_below(5).map(|report| report.outcome), optimal(5));
            assert_eq!(refuted.load(Relaxed), 2);
            assert_eq!(sweep_below(3).map(|report| report.outcome), optimal(3));
            let expected = Outcome::Feasible {
                plan: vec![6],
                cost: 6,
                at_least: 5,
                why: Limit::Time,
            };
            assert_eq!(sweep_below(6).map(|report| report.outcome), Ok(expected));
        }
    }

    #[test]
    fn below_a_known_plan_each_horizon_has_one_worker_and_they_start_at_both_ends() {
        let asked = Mutex::new(Vec::new());
        let both = Barrier::new(2);
        let script = |worker: usize, horizon: u32, _: &Budget| {
            lock(&asked).push((worker, horizon));
            // Wait until both workers have started.
            if horizon == 3 || horizon == 8 {
                both.wait();
            }
            HorizonOutcome::Refuted
        };
        let known = KnownPlan {
            horizon: 9,
            plan: vec![9],
            cost: 9,
        };
        let budget = Budget::unlimited();
        let report = run_with_plan(Some(known), 2, (3, None), &budget, &script);
        assert_eq!(report.map(|report| report.outcome), optimal(9));
        let mut asked = lock(&asked).clone();
        for first in [(0, 3), (1, 8)] {
            let start = asked.iter().find(|pair| pair.0 == first.0);
            assert_eq!(start, Some(&first));
        }
        asked.sort_by_key(|pair| pair.1);
        let horizons: Vec<u32> = asked.iter().map(|pair| pair.1).collect();
        assert_eq!(horizons, [3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn the_first_worker_does_not_wait_for_a_slow_one() {
        let script = |worker: usize, horizon: u32, budget: &Budget| match (worker, horizon) {
            (0, 6) => plan(6),
            (0, _) => HorizonOutcome::Refuted,
            _ => work_until(budget, || false),
        };
        assert_eq!(outcome(2, &script), optimal(6));
    }

    #[test]
    fn a_worker_beyond_the_plan_is_stopped_and_that_is_no_limit() {
        let both = Barrier::new(2);
        let script = |_: usize, horizon: u32, budget: &Budget| {
            both.wait();
            match horizon {
                3 => plan(3),
                _ => work_until(budget, || false),
            }
        };
        assert_eq!(outcome(2, &script), optimal(3));
    }

    #[test]
    fn an_interrupt_ends_all_workers() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_interrupt(flag.clone());
        let both = Barrier::new(2);
        let script = |worker: usize, _: u32, budget: &Budget| {
            both.wait();
            flag.fetch_or(worker == 1, Relaxed);
            work_until(budget, || false)
        };
        let report = run(2, (3, None), &budget, &script).expect("nothing fails");
        let expected = Outcome::GaveUp {
            at_least: 3,
            why: Limit::Interrupt,
        };
        assert_eq!(report.outcome, expected);
    }

    #[test]
    fn the_limit_of_one_worker_ends_the_other() {
        for failing in [0, 1] {
            let both = Barrier::new(2);
            let script = |worker: usize, _: u32, budget: &Budget| {
                both.wait();
                match worker == failing {
                    true => HorizonOutcome::GaveUp(Limit::Memory),
                    false => work_until(budget, || false),
                }
            };
            let expected = Outcome::GaveUp {
                at_least: 3,
                why: Limit::Memory,
            };
            assert_eq!(outcome(2, &script), Ok(expected));
        }
    }

    #[test]
    fn a_panic_of_one_worker_ends_the_other() {
        for failing in [0, 1] {
            let both = Barrier::new(2);
            let script = |worker: usize, _: u32, budget: &Budget| {
                both.wait();
                assert!(worker != failing, "on purpose");
                work_until(budget, || false)
            };
            assert!(catch_unwind(AssertUnwindSafe(|| outcome(2, &script))).is_err());
        }
    }

    /// Two workers at one horizon contradict each other, whichever comes last; and a plan is known
    /// where all horizons are refuted.
    #[test]
    fn contradictions_are_reported() {
        for refutes in [0, 1] {
            let both = Barrier::new(2);
            let script = |worker: usize, horizon: u32, _: &Budget| {
                both.wait();
                match worker == refutes {
                    true => HorizonOutcome::Refuted,
                    false => plan(horizon),
                }
            };
            let report = run(2, (3, Some(3)), &Budget::unlimited(), &script);
            let found = Contradiction {
                cost: 3,
                at_least: Some(4),
            };
            assert_eq!(
                report.map(|report| report.outcome),
                Ok(Outcome::Contradiction(found))
            );
        }
        let known = KnownPlan {
            horizon: 9,
            plan: vec![9],
            cost: 9,
        };
        let refutes = |_: usize, _: u32, _: &Budget| HorizonOutcome::Refuted;
        let budget = Budget::unlimited();
        let report = run_with_plan(Some(known), 1, (3, Some(5)), &budget, &refutes);
        let found = Contradiction {
            cost: 9,
            at_least: None,
        };
        assert_eq!(
            report.map(|report| report.outcome),
            Ok(Outcome::Contradiction(found))
        );
    }

    /// A failure counts only if a single worker would have met it too.
    #[test]
    fn a_failure_beyond_the_plan_is_ignored() {
        let failed = || CannotSolve::Defect("on purpose".to_string());
        for stuck in [3, 5] {
            let fails = |_: usize, horizon: u32, _: &Budget| match horizon {
                4 => plan(4),
                _ if horizon == stuck => HorizonOutcome::Failed(failed()),
                _ => HorizonOutcome::Refuted,
            };
            let gives_up = |_: usize, horizon: u32, _: &Budget| match horizon {
                4 => plan(4),
                _ if horizon == stuck => HorizonOutcome::GaveUp(Limit::Incomplete),
                _ => HorizonOutcome::Refuted,
            };
            if stuck > 3 {
                assert_eq!(outcome(2, &fails), optimal(4));
                assert_eq!(outcome(2, &gives_up), optimal(4));
            } else {
                assert_eq!(outcome(2, &fails), Err(failed()));
                let given_up = outcome(2, &gives_up).expect("nothing fails");
                assert_eq!(given_up.at_least(), Some(3));
                assert!(!matches!(given_up, Outcome::Optimal { .. }));
            }
        }
    }
}
