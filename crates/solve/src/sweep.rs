//! A sweep over horizons, by one worker or by several at once.
//!
//! The first worker takes the least horizon that is not answered, the others the least that nobody has taken: so they look
//! ahead, and the first meets those at their horizon who are slow there; whoever answers it stops the rest. What is proven is
//! always what the least horizon that is not refuted proves: a model has exactly as many steps as its horizon, so that a
//! greater one without a plan says nothing about it. The sweep ends at the least horizon that has a plan, that nobody can
//! answer, or that is beyond the last; whoever is at a greater one then is stopped, and those at lesser ones go on. If a limit
//! ends it sooner, the cheapest plan is kept, with the bound. A worker for whom none is left joins the first.
//!
//! Where a plan is known beforehand, all that is left is to refute what is shorter, each horizon by one worker, and the greatest
//! takes the longest: the first worker begins with the least, the others with the greatest, and whoever finds none left is done.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ployglot_base::{Budget, Effort, Limit, Outcome, Progress, Report};

use crate::pddl::Unfit;

/// Which horizons there are.
pub(crate) struct Horizons<'a> {
    pub first: u32,
    /// Beyond it there is nothing to try: that is the proof that there is no plan.
    pub last: Option<u32>,
    /// A plan that needs this many steps costs at least this much.
    pub proves: &'a (dyn Fn(u32) -> u32 + Sync),
}

/// A plan that is known beforehand. All workers should be alike then, as good as they can be at refuting.
pub(crate) struct Known<M> {
    pub horizon: u32,
    pub plan: Vec<M>,
    pub cost: u32,
}

/// What a worker says of a horizon.
pub(crate) enum Reply<M> {
    Plan {
        plan: Vec<M>,
        cost: u32,
    },
    Refuted,
    GaveUp(Limit),
    /// The model or the solver cannot do it: why.
    Failed(Unfit),
}

/// Who answers horizons; made in the thread where it works.
pub(crate) trait Worker<M> {
    fn ask(&mut self, horizon: u32, budget: &Budget) -> Reply<M>;

    /// Since it was made.
    fn effort(&self) -> Effort;
}

/// Unrolling a model recurses as deep as its expressions. (Only the part that is used takes memory.)
const STACK: usize = 256 << 20;

/// Sweeps with so many workers; the first works in this thread.
pub(crate) fn sweep<M: Send + 'static, W: Worker<M>>(
    horizons: &Horizons,
    known: Option<Known<M>>,
    workers: usize,
    make: impl Fn(usize) -> W + Sync,
    budget: &Budget,
) -> Result<Report<M>, Unfit> {
    let book = Shared::new(horizons, workers);
    if let Some(known) = known {
        let mut book = book.open();
        book.know(known.horizon, known.plan, known.cost);
        book.alike = true;
    }
    // Who gets which horizon first does not depend on who is up first.
    let tasks: Vec<_> = (0..workers)
        .map(|who| book.open().take(who).map(|task| (who, task)))
        .collect();
    let work = |(who, task): (usize, Task)| {
        let alarm = Alarm(&book);
        book.work(task, who, make(who), horizons, budget);
        drop(alarm);
    };
    std::thread::scope(|scope| {
        let work = &work;
        let mut tasks = tasks.into_iter().flatten();
        let own = tasks.next();
        let helpers: Vec<_> = tasks
            .filter_map(|task| {
                let (who, builder) = (task.0, std::thread::Builder::new().stack_size(STACK));
                let helper = builder.spawn_scoped(scope, move || work(task));
                // Where the system has no thread for a helper, the others do its work.
                if helper.is_err() {
                    book.open().tasks[who] = None;
                }
                helper.ok()
            })
            .collect();
        own.into_iter().for_each(work);
        for helper in helpers {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    let book = std::mem::replace(&mut *book.open(), Book::new(horizons, 0));
    let effort = book.effort();
    let outcome = book.outcome()?;
    Ok(Report { outcome, effort })
}

/// A horizon that somebody works at, and the flag that stops them.
#[derive(Clone)]
struct Task {
    horizon: u32,
    stop: Arc<AtomicBool>,
}

/// What is known so far.
struct Book<M> {
    /// The least horizon that is not refuted, and what that proves.
    least: u32,
    at_least: u32,
    /// Greater ones that are refuted.
    refuted: BTreeSet<u32>,
    /// The sweep goes no further than this horizon, and why.
    end: u32,
    why: End,
    /// The cheapest plan, with its cost.
    best: Option<(Vec<M>, u32)>,
    /// Whether no worker is better than another.
    alike: bool,
    /// The limit that ended it all.
    limit: Option<Limit>,
    /// By the number of the worker.
    tasks: Vec<Option<Task>>,
    efforts: Vec<Effort>,
}

/// What there is at the horizon where a sweep ends.
enum End {
    Nothing,
    Plan,
    GaveUp(Limit),
    Failed(Unfit),
}

impl<M> Book<M> {
    fn new(horizons: &Horizons, workers: usize) -> Self {
        Self {
            least: horizons.first,
            at_least: (horizons.proves)(horizons.first),
            refuted: BTreeSet::new(),
            end: horizons
                .last
                .map_or(u32::MAX, |last| last.saturating_add(1)),
            why: End::Nothing,
            best: None,
            alike: false,
            limit: None,
            tasks: vec![None; workers],
            efforts: vec![Effort::default(); workers],
        }
    }

    /// The next horizon for this worker, if there is one left.
    fn take(&mut self, who: usize) -> Option<Task> {
        if self.is_over() {
            return None;
        }
        let mut open = (self.least..self.end).filter(|horizon| !self.refuted.contains(horizon));
        let least = open.clone().next();
        let nobodys = |horizon: &u32| {
            let mut tasks = self.tasks.iter().flatten();
            tasks.all(|task| task.horizon != *horizon)
        };
        let horizon = match (self.alike, who) {
            (true, 0) => open.find(nobodys),
            (true, _) => open.rfind(nobodys),
            // The first worker is never kept waiting by another who is slower at the horizon that matters most.
            (false, 0) => least,
            (false, _) => open.find(nobodys).or(least),
        }?;
        let task = Task {
            horizon,
            stop: Arc::default(),
        };
        self.tasks[who] = Some(task.clone());
        Some(task)
    }

    /// Notes the answer of a worker, who is free again.
    fn note(&mut self, who: usize, reply: Reply<M>, horizons: &Horizons) {
        let Some(task) = self.tasks[who].take() else {
            return;
        };
        let horizon = task.horizon;
        match reply {
            Reply::Refuted => {
                if horizon >= self.least {
                    self.refuted.insert(horizon);
                }
                while self.refuted.remove(&self.least) {
                    self.least += 1;
                }
                self.at_least = (horizons.proves)(self.least);
            }
            Reply::Plan { plan, cost } => self.know(horizon, plan, cost),
            Reply::Failed(why) => self.end_at(horizon, End::Failed(why)),
            // It was we who stopped it: no limit was hit, or whoever looks next will see it.
            Reply::GaveUp(_) if task.stop.load(Relaxed) => {}
            Reply::GaveUp(Limit::Incomplete) => {
                self.end_at(horizon, End::GaveUp(Limit::Incomplete));
            }
            Reply::GaveUp(limit) => self.limit = Some(limit),
        }
        self.stop_the_idle();
    }

    fn know(&mut self, horizon: u32, plan: Vec<M>, cost: u32) {
        if self.best.as_ref().is_none_or(|best| cost < best.1) {
            self.best = Some((plan, cost));
        }
        self.end_at(horizon, End::Plan);
    }

    fn end_at(&mut self, horizon: u32, why: End) {
        if horizon < self.end {
            (self.end, self.why) = (horizon, why);
        }
    }

    fn is_over(&self) -> bool {
        self.limit.is_some() || self.least >= self.end || self.is_proven()
    }

    /// No plan is cheaper than ours.
    fn is_proven(&self) -> bool {
        let cost = self.best.as_ref().map(|best| best.1);
        cost.is_some_and(|cost| cost <= self.at_least)
    }

    /// Stops those whose answers nobody needs.
    fn stop_the_idle(&self) {
        let over = self.is_over();
        for task in self.tasks.iter().flatten() {
            let answered = task.horizon < self.least || self.refuted.contains(&task.horizon);
            if over || answered || task.horizon >= self.end {
                task.stop.store(true, Relaxed);
            }
        }
    }

    /// Of all workers together, who hold what they hold at once.
    fn effort(&self) -> Effort {
        let sum = |part: fn(&Effort) -> u64| self.efforts.iter().map(part).sum();
        Effort {
            expanded: sum(|effort| effort.expanded),
            generated: sum(|effort| effort.generated),
            stored: sum(|effort| effort.stored),
        }
    }

    fn outcome(self) -> Result<Outcome<M>, Unfit> {
        let (proven, reached) = (self.is_proven(), self.least >= self.end);
        let why = match self.why {
            End::Failed(why) if reached && !proven => return Err(why),
            End::Nothing if reached => return Ok(Outcome::Unsolvable),
            End::GaveUp(limit) if reached => limit,
            _ if reached => Limit::Incomplete,
            _ => self.limit.unwrap_or(Limit::Incomplete),
        };
        let at_least = self.at_least;
        Ok(match self.best {
            Some((plan, cost)) if proven => Outcome::Optimal { plan, cost },
            Some((plan, cost)) => Outcome::Feasible {
                plan,
                cost,
                at_least,
                why,
            },
            None => Outcome::GaveUp { at_least, why },
        })
    }
}

/// The book that all workers write in.
struct Shared<M>(Arc<Mutex<Book<M>>>);

impl<M: Send + 'static> Shared<M> {
    fn new(horizons: &Horizons, workers: usize) -> Self {
        Self(Arc::new(Mutex::new(Book::new(horizons, workers))))
    }

    /// Nobody may look at the budget while it is open: whoever watches reads the book.
    fn open(&self) -> MutexGuard<'_, Book<M>> {
        open(&self.0)
    }

    /// Answers one horizon after the other.
    fn work(
        &self,
        mut task: Task,
        who: usize,
        mut worker: impl Worker<M>,
        horizons: &Horizons,
        budget: &Budget,
    ) {
        loop {
            let share = self.share(&task, budget);
            let progress = || Progress {
                phase: "horizon",
                expanded: worker.effort().expanded,
                ..Progress::default()
            };
            let reply = match share.check(progress) {
                Ok(()) => worker.ask(task.horizon, &share),
                Err(limit) => Reply::GaveUp(limit),
            };
            let mut book = self.open();
            book.efforts[who] = worker.effort();
            book.note(who, reply, horizons);
            match book.take(who) {
                Some(next) => task = next,
                None => return,
            }
        }
    }

    /// What a worker may spend on a task, whose watcher is told of the whole sweep.
    fn share(&self, task: &Task, budget: &Budget) -> Budget {
        let (book, depth) = (self.0.clone(), task.horizon);
        budget
            .until(task.stop.clone())
            .map_progress(move |progress| {
                let book = open(&book);
                Progress {
                    depth,
                    at_least: book.at_least,
                    best: book.best.as_ref().map(|best| best.1),
                    ..progress
                }
            })
    }
}

fn open<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the sweep when its worker panics, lest the others work for nobody.
struct Alarm<'a, M: Send + 'static>(&'a Shared<M>);

impl<M: Send + 'static> Drop for Alarm<'_, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut book = self.0.open();
            book.limit = Some(Limit::Interrupt);
            book.stop_the_idle();
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

    use ployglot_base::Random;

    /// A worker that does what the test says; a plan is its horizon.
    struct Fake<'a> {
        who: usize,
        script: &'a Script<'a>,
        asked: u64,
    }

    type Script<'a> = dyn Fn(usize, u32, &Budget) -> Reply<u32> + Sync + 'a;

    impl Worker<u32> for Fake<'_> {
        fn ask(&mut self, horizon: u32, budget: &Budget) -> Reply<u32> {
            self.asked += 1;
            (self.script)(self.who, horizon, budget)
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
    ) -> Result<Report<u32>, Unfit> {
        run_knowing(None, workers, range, budget, script)
    }

    fn run_knowing(
        known: Option<Known<u32>>,
        workers: usize,
        (first, last): (u32, Option<u32>),
        budget: &Budget,
        script: &Script,
    ) -> Result<Report<u32>, Unfit> {
        let horizons = Horizons {
            first,
            last,
            proves: &|horizon| horizon,
        };
        let make = |who| Fake {
            who,
            script,
            asked: 0,
        };
        sweep(&horizons, known, workers, make, budget)
    }

    /// From the first horizon 3 on, without a last.
    fn outcome(workers: usize, script: &Script) -> Result<Outcome<u32>, Unfit> {
        let report = run(workers, (3, None), &Budget::unlimited(), script)?;
        Ok(report.outcome)
    }

    fn plan(horizon: u32) -> Reply<u32> {
        Reply::Plan {
            plan: vec![horizon],
            cost: horizon,
        }
    }

    fn optimal(cost: u32) -> Result<Outcome<u32>, Unfit> {
        Ok(Outcome::Optimal {
            plan: vec![cost],
            cost,
        })
    }

    /// Works in vain until the budget, or what is asked, ends it.
    fn toil(budget: &Budget, mut enough: impl FnMut() -> bool) -> Reply<u32> {
        for _ in 0..60_000 {
            if let Err(limit) = budget.check(Progress::default) {
                return Reply::GaveUp(limit);
            }
            if enough() {
                return Reply::GaveUp(Limit::Time);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("nobody stops the worker");
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
                false => Reply::Refuted,
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
    fn there_may_be_nothing_to_try() {
        let script =
            |_: usize, _: u32, _: &Budget| -> Reply<u32> { unreachable!("beyond the last") };
        for workers in [1, 2] {
            let report = run(workers, (3, Some(2)), &Budget::unlimited(), &script);
            assert_eq!(report.map(|r| r.outcome), Ok(Outcome::Unsolvable));
        }
    }

    #[test]
    fn a_limit_keeps_the_plan_of_a_greater_horizon_and_proves_no_more_than_the_least() {
        let heard = Arc::new(AtomicBool::new(false));
        let ears = heard.clone();
        let budget = Budget::unlimited().with_watch(move |progress| {
            assert_eq!(progress.at_least, 3);
            ears.fetch_or(progress.best == Some(6), Relaxed);
        });
        // The first worker never comes to an end. Meanwhile the other one refutes 4 and 5, has a plan of 6, and joins the first.
        let script = |_: usize, horizon: u32, budget: &Budget| match horizon {
            3 => toil(budget, || heard.load(Relaxed)),
            6 => plan(6),
            _ => Reply::Refuted,
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
    fn whoever_has_nothing_left_joins_the_first_and_may_be_sooner() {
        let script = |who: usize, horizon: u32, budget: &Budget| match (who, horizon) {
            (0, 3) => toil(budget, || false),
            (_, 3) => Reply::Refuted,
            _ => plan(horizon),
        };
        assert_eq!(outcome(2, &script), optimal(4));
    }

    #[test]
    fn a_known_plan_is_not_asked_for_but_all_that_is_shorter() {
        let known = |horizon| {
            Some(Known {
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
                    Reply::Refuted
                }
                // The time is over when all else is done.
                _ => toil(budget, || refuted.load(Relaxed) == 4),
            };
            let swept = |plan| {
                run_knowing(
                    known(plan),
                    workers,
                    (3, None),
                    &Budget::unlimited(),
                    &refutes,
                )
            };
            assert_eq!(swept(5).map(|report| report.outcome), optimal(5));
            assert_eq!(refuted.load(Relaxed), 2);
            assert_eq!(swept(3).map(|report| report.outcome), optimal(3));
            let expected = Outcome::Feasible {
                plan: vec![6],
                cost: 6,
                at_least: 5,
                why: Limit::Time,
            };
            assert_eq!(swept(6).map(|report| report.outcome), Ok(expected));
        }
    }

    #[test]
    fn below_a_known_plan_each_horizon_has_one_worker_and_they_begin_at_both_ends() {
        let asked = Mutex::new(Vec::new());
        let both = Barrier::new(2);
        let script = |who: usize, horizon: u32, _: &Budget| {
            open(&asked).push((who, horizon));
            // Both have begun.
            if horizon == 3 || horizon == 8 {
                both.wait();
            }
            Reply::Refuted
        };
        let known = Known {
            horizon: 9,
            plan: vec![9],
            cost: 9,
        };
        let budget = Budget::unlimited();
        let report = run_knowing(Some(known), 2, (3, None), &budget, &script);
        assert_eq!(report.map(|report| report.outcome), optimal(9));
        let mut asked = open(&asked).clone();
        for first in [(0, 3), (1, 8)] {
            let firsts = asked.iter().find(|pair| pair.0 == first.0);
            assert_eq!(firsts, Some(&first));
        }
        asked.sort_by_key(|pair| pair.1);
        let horizons: Vec<u32> = asked.iter().map(|pair| pair.1).collect();
        assert_eq!(horizons, [3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn the_first_does_not_wait_for_a_slow_one() {
        let script = |who: usize, horizon: u32, budget: &Budget| match (who, horizon) {
            (0, 6) => plan(6),
            (0, _) => Reply::Refuted,
            _ => toil(budget, || false),
        };
        assert_eq!(outcome(2, &script), optimal(6));
    }

    #[test]
    fn whoever_is_at_a_greater_horizon_than_the_plan_is_stopped_and_that_is_no_limit() {
        let both = Barrier::new(2);
        let script = |_: usize, horizon: u32, budget: &Budget| {
            both.wait();
            match horizon {
                3 => plan(3),
                _ => toil(budget, || false),
            }
        };
        assert_eq!(outcome(2, &script), optimal(3));
    }

    #[test]
    fn an_interrupt_ends_all_workers() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_interrupt(flag.clone());
        let both = Barrier::new(2);
        let script = |who: usize, _: u32, budget: &Budget| {
            both.wait();
            flag.fetch_or(who == 1, Relaxed);
            toil(budget, || false)
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
        for whose in [0, 1] {
            let both = Barrier::new(2);
            let script = |who: usize, _: u32, budget: &Budget| {
                both.wait();
                match who == whose {
                    true => Reply::GaveUp(Limit::Memory),
                    false => toil(budget, || false),
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
        for whose in [0, 1] {
            let both = Barrier::new(2);
            let script = |who: usize, _: u32, budget: &Budget| {
                both.wait();
                assert!(who != whose, "on purpose");
                toil(budget, || false)
            };
            assert!(catch_unwind(AssertUnwindSafe(|| outcome(2, &script))).is_err());
        }
    }

    /// What cannot be answered counts only where one worker alone would have come to it.
    #[test]
    fn a_failure_beyond_the_plan_is_none() {
        let failed = || Unfit("on purpose".to_string());
        for stuck in [3, 5] {
            let fails = |_: usize, horizon: u32, _: &Budget| match horizon {
                4 => plan(4),
                _ if horizon == stuck => Reply::Failed(failed()),
                _ => Reply::Refuted,
            };
            let gives_up = |_: usize, horizon: u32, _: &Budget| match horizon {
                4 => plan(4),
                _ if horizon == stuck => Reply::GaveUp(Limit::Incomplete),
                _ => Reply::Refuted,
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
