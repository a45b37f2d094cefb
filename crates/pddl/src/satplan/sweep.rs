//! The sweep over horizons, on one thread or several.
//!
//! Each thread has a solver of its own, and asks here for its next horizon: the next of the
//! schedule that no other thread works on. A refuted horizon refutes all shorter ones, and a plan
//! makes all longer ones needless; threads that work on these are stopped, and ask again. In turn
//! (`Strategy::InTurn`), a plan is kept until the horizons below it are refuted, so that it has the
//! fewest steps; the other strategies end with the first plan.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ployglot_base::{Budget, Limit};

use super::HorizonResult;
use super::horizons::{Attempt, Schedule, Strategy};
use crate::task::OperatorId;

/// What the threads share.
pub(super) struct Sweep {
    in_turn: bool,
    state: Mutex<SweepState>,
    /// For each thread, whether its attempt has become needless.
    stop: Vec<Arc<AtomicBool>>,
}

/// The result of a sweep.
#[derive(Default)]
pub(super) struct Found {
    /// Proven: no plan has fewer steps.
    pub at_least: u32,
    /// The horizon of the best plan, and the operators of each step.
    pub plan: Option<(usize, Vec<Vec<OperatorId>>)>,
    /// There is no plan of any length.
    pub unsolvable: bool,
    /// The limit that ended a thread.
    pub limit: Option<Limit>,
}

struct SweepState {
    schedule: Schedule,
    /// For each thread, the horizon that it works on.
    working: Vec<Option<usize>>,
    found: Found,
}

/// How many horizons of the schedule are passed over because other threads work on them.
const PASSED: usize = 64;

impl Sweep {
    pub fn new(strategy: Strategy, step: u32, threads: usize) -> Self {
        Self {
            in_turn: strategy == Strategy::InTurn,
            state: Mutex::new(SweepState {
                schedule: Schedule::new(strategy, step as usize),
                working: vec![None; threads],
                found: Found::default(),
            }),
            stop: (0..threads).map(|_| Arc::default()).collect(),
        }
    }

    /// The budget of a thread.
    pub fn budget(&self, thread: usize, budget: &Budget) -> Budget {
        let budget = budget.clone();
        budget.with_interrupt(self.stop[thread].clone())
    }

    /// The next attempt of a thread, and the steps that every plan has at least; `None`: there is
    /// nothing left to do for it.
    pub fn next(&self, thread: usize) -> Option<(Attempt, u32)> {
        let mut state = self.lock();
        self.stop[thread].store(false, Relaxed);
        if state.found.unsolvable || state.found.limit.is_some() {
            return None;
        }
        let SweepState {
            schedule,
            working,
            found,
        } = &mut *state;
        let below = match &found.plan {
            Some(_) if !self.in_turn => return None,
            Some((horizon, _)) => *horizon,
            None => usize::MAX,
        };
        let taken = |horizon: usize| working.contains(&Some(horizon));
        let attempt = (0..PASSED)
            .map(|ahead| schedule.next(ahead))
            .find(|attempt| !taken(attempt.horizon))?;
        if attempt.horizon >= below {
            return None;
        }
        working[thread] = Some(attempt.horizon);
        Some((attempt, found.at_least))
    }

    /// Records the result of a thread's attempt.
    pub fn record(&self, thread: usize, attempt: Attempt, result: Result<HorizonResult, Limit>) {
        let mut state = self.lock();
        state.working[thread] = None;
        let stopped = self.stop[thread].load(Relaxed);
        let found = &mut state.found;
        let mut needless: Box<dyn Fn(usize) -> bool> = Box::new(|_| false);
        match result {
            Err(Limit::Interrupt) if stopped => {}
            Err(limit) => {
                found.limit.get_or_insert(limit);
                needless = Box::new(|_| true);
            }
            Ok(HorizonResult::OutOfConflicts) => {}
            Ok(HorizonResult::Unsolvable) => {
                found.unsolvable = true;
                needless = Box::new(|_| true);
            }
            Ok(HorizonResult::Refuted) => {
                found.at_least = found.at_least.max(attempt.horizon as u32 + 1);
                needless = Box::new(move |horizon| horizon <= attempt.horizon);
                state.schedule.refuted(attempt.horizon);
            }
            Ok(HorizonResult::Plan(plan)) => {
                let best = found
                    .plan
                    .as_ref()
                    .map_or(usize::MAX, |(horizon, _)| *horizon);
                if attempt.horizon < best {
                    found.plan = Some((attempt.horizon, plan));
                }
                let in_turn = self.in_turn;
                needless = Box::new(move |horizon| !in_turn || horizon >= attempt.horizon);
            }
        }
        for (other, working) in state.working.iter().enumerate() {
            if working.is_some_and(&needless) {
                self.stop[other].store(true, Relaxed);
            }
        }
    }

    /// A limit was reached: all threads are stopped.
    pub fn end(&self, limit: Limit) {
        self.lock().found.limit.get_or_insert(limit);
        self.stop.iter().for_each(|stop| stop.store(true, Relaxed));
    }

    /// What was found, after all threads have ended.
    pub fn into_found(self) -> Found {
        let state = self.state.into_inner();
        state.unwrap_or_else(PoisonError::into_inner).found
    }

    fn lock(&self) -> MutexGuard<'_, SweepState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
