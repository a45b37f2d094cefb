//! A look at the budget from inside a long phase, and a way out of it at a limit.
//!
//! A phase calls a step of its [`Poll`] wherever it may spend a while; every few hundred steps the
//! budget is checked. At a limit there are two ways out:
//!
//! - [`Poll::try_step`] returns the limit. Phases that are loops (grounding, listing states, an
//!   estimate) pass it on with `?`. After a limit, every later step fails too, so that a phase may
//!   end in several stages.
//! - [`Poll::step`] leaves the innermost call of [`Budget::stoppable`] by unwinding, without a panic
//!   message. (Salsa cancels queries in the same way.) It is for phases of many small recursive
//!   functions (reading a text, unrolling a model, encoding a constraint), where a result for the
//!   limit in each of them would be most of their code. What the work was changing may then be
//!   incomplete; the caller drops it.
//!
//! A poll that outlives its call of `stoppable` does nothing.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::budget::{Budget, Progress};
use crate::outcome::Limit;

/// See [`Budget::last_check`].
const GRACE: Duration = Duration::from_millis(500);
/// Steps between two checks of the budget. A step takes far less than a millisecond.
const CHECK: u32 = 1 << 8;
/// Checks of the budget between two readings of the memory. A step takes some hundred bytes in the
/// phases that poll, so this is some megabytes; the budget alone reads the memory twenty times a
/// second, in which time a gigabyte can be filled.
const READING: u32 = 1 << 6;
/// Steps until the next check after `postpone`.
const POSTPONED: u32 = 1 << 18;
/// Allocations below this many bytes are not asked for.
const LARGE: usize = 1 << 20;

/// Looks at the budget during one phase, and ends the phase when the budget has ended. Clones belong
/// to the same phase. The default has no budget and never ends anything.
#[derive(Clone, Default)]
pub struct Poll(Arc<State>);

#[derive(Default)]
struct State {
    /// The phase for the progress, and the budget; `None` after the call.
    budget: Mutex<Option<(&'static str, Budget)>>,
    /// Steps until the next check. It is an atomic only so that what has a poll can be sent to
    /// another thread.
    left: AtomicU32,
    /// Checks so far.
    checks: AtomicU32,
    /// The limit that ended the phase.
    ended: OnceLock<Limit>,
}

/// The payload of the unwinding.
struct Reached(Limit);

impl Budget {
    /// Checks what was found: within this budget, and if that has ended, once more within half a
    /// second, so that what was found just before the end is not lost.
    pub fn last_check<T>(&self, check: impl Fn(&Budget) -> Result<T, Limit>) -> Result<T, Limit> {
        check(self).or_else(|limit| {
            let grace = Budget::unlimited().with_time(GRACE);
            check(&grace).map_err(|_| limit)
        })
    }

    /// Calls `work` with a poll. `Err` if the budget ended before the work did.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ployglot_base::{Budget, Limit};
    ///
    /// let budget = Budget::unlimited().with_time(Duration::from_millis(20));
    /// let forever = budget.stoppable("counting", |poll| -> () {
    ///     loop {
    ///         poll.step();
    ///     }
    /// });
    /// assert_eq!(forever, Err(Limit::Time));
    /// assert_eq!(Budget::unlimited().stoppable("adding", |_| 1 + 1), Ok(2));
    /// ```
    pub fn stoppable<T>(
        &self,
        phase: &'static str,
        work: impl FnOnce(&Poll) -> T,
    ) -> Result<T, Limit> {
        let poll = Poll::new(self, phase);
        let result = catch_unwind(AssertUnwindSafe(|| {
            poll.step();
            work(&poll)
        }));
        poll.set_budget(None);
        match result {
            Ok(done) => Ok(done),
            Err(payload) => match payload.downcast::<Reached>() {
                Ok(reached) => Err(reached.0),
                Err(panic) => resume_unwind(panic),
            },
        }
    }
}

impl Poll {
    /// Starts a phase, with its name for the progress. The first step checks the budget.
    pub fn new(budget: &Budget, phase: &'static str) -> Self {
        let poll = Self::default();
        poll.set_budget(Some((phase, budget.clone())));
        poll
    }

    /// One small piece of work, about as long as an allocation. `Err`: the phase must end.
    #[inline]
    pub fn try_step(&self) -> Result<(), Limit> {
        self.try_steps(1)
    }

    #[inline]
    fn try_steps(&self, count: usize) -> Result<(), Limit> {
        let left = self.0.left.load(Relaxed);
        match u32::try_from(count) {
            Ok(count) if count < left => {
                self.0.left.store(left - count, Relaxed);
                Ok(())
            }
            _ => self.check(),
        }
    }

    /// To be called before this many bytes are allocated at once. `Err`: the memory does not allow
    /// it.
    #[inline]
    pub fn affords(&self, bytes: usize) -> Result<(), Limit> {
        if bytes < LARGE {
            return Ok(());
        }
        match self.with_budget(|_, budget| budget.affords(bytes as u64)) {
            Some(false) => self.end(Limit::Memory),
            _ => Ok(()),
        }
    }

    /// To be called before one more entry of this size is added to a table that doubles its
    /// capacity when it is full.
    #[inline]
    pub fn affords_entry(&self, len: usize, capacity: usize, bytes: usize) -> Result<(), Limit> {
        if len < capacity {
            return Ok(());
        }
        self.affords(capacity.saturating_mul(2).saturating_mul(bytes))
    }

    /// The limit that ended the phase.
    pub fn ended(&self) -> Option<Limit> {
        self.0.ended.get().copied()
    }

    /// As [`try_step`](Self::try_step), but leaves the call of [`Budget::stoppable`] at a limit.
    #[inline]
    pub fn step(&self) {
        self.steps(1);
    }

    /// As many calls of [`step`](Self::step), before the work is done.
    #[inline]
    pub fn steps(&self, count: usize) {
        self.try_steps(count).unwrap_or_else(|limit| leave(limit));
    }

    /// Leaves the call of [`Budget::stoppable`], after a function with this poll returned a limit.
    pub fn leave(&self, limit: Limit) -> ! {
        leave(limit)
    }

    /// Puts the next check off, by about as much work as takes a tenth of a second. For work that
    /// checks the budget by itself where it can be continued later, and should be left in between
    /// only if it takes too long.
    pub fn postpone(&self) {
        self.0.left.store(POSTPONED, Relaxed);
    }

    /// To be called before `count` things of type `T` are allocated at once.
    pub fn allocate<T>(&self, count: u64) {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let afforded = self.affords(count.saturating_mul(size_of::<T>()));
        afforded.unwrap_or_else(|limit| leave(limit));
        self.steps(count);
    }

    #[cold]
    fn check(&self) -> Result<(), Limit> {
        if let Some(limit) = self.ended() {
            return Err(limit);
        }
        let checks = self.0.checks.fetch_add(1, Relaxed);
        let checked = self.with_budget(|phase, budget| {
            if checks % READING == READING - 1 && !budget.affords(1) {
                return Err(Limit::Memory);
            }
            budget.check(|| Progress {
                phase,
                expanded: u64::from(checks) * u64::from(CHECK),
                ..Progress::default()
            })
        });
        match checked {
            Some(Err(limit)) => self.end(limit),
            _ => {
                self.0.left.store(CHECK, Relaxed);
                Ok(())
            }
        }
    }

    /// Every later step fails too.
    fn end(&self, limit: Limit) -> Result<(), Limit> {
        self.0.left.store(0, Relaxed);
        Err(*self.0.ended.get_or_init(|| limit))
    }

    fn set_budget(&self, budget: Option<(&'static str, Budget)>) {
        *self.0.budget.lock().unwrap_or_else(PoisonError::into_inner) = budget;
    }

    fn with_budget<T>(&self, ask: impl FnOnce(&'static str, &Budget) -> T) -> Option<T> {
        let budget = self.0.budget.lock();
        let budget = budget.unwrap_or_else(PoisonError::into_inner).clone();
        budget.map(|(phase, budget)| ask(phase, &budget))
    }
}

/// Leaves the innermost call of `stoppable`.
fn leave(limit: Limit) -> ! {
    resume_unwind(Box::new(Reached(limit)))
}

impl std::fmt::Debug for Poll {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Poll")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    #[test]
    fn an_interrupt_leaves_deep_work() {
        fn deep(poll: &Poll, levels: u32, flag: &AtomicBool) -> u32 {
            poll.step();
            flag.store(levels == 0, Relaxed);
            match levels {
                0 => (0..u32::MAX).inspect(|_| poll.step()).max().unwrap_or(0),
                _ => deep(poll, levels - 1, flag),
            }
        }
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_interrupt(flag.clone());
        let result = budget.stoppable("test", |poll| deep(poll, 100, &flag));
        assert_eq!(result, Err(Limit::Interrupt));
    }

    #[test]
    fn an_ended_budget_allows_no_work() {
        let budget = Budget::unlimited().with_time(Duration::ZERO);
        let result = budget.stoppable("test", |_| unreachable!("no time is left"));
        assert_eq!(result, Err::<(), _>(Limit::Time));
    }

    #[test]
    fn an_allocation_beyond_the_memory_is_refused_beforehand() {
        let budget = Budget::unlimited().with_memory(1 << 40);
        let result = budget.stoppable("test", |poll| poll.allocate::<u64>(1 << 50));
        assert_eq!(result, Err(Limit::Memory));
        assert_eq!(
            budget.stoppable("test", |poll| poll.allocate::<u64>(1 << 20)),
            Ok(())
        );
    }

    #[test]
    fn a_poll_does_nothing_after_its_call() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_interrupt(flag.clone());
        let poll = budget.stoppable("test", Poll::clone).expect("no limit");
        flag.store(true, Relaxed);
        (0..10 * CHECK).for_each(|_| poll.step());
    }

    #[test]
    fn a_limit_ends_the_phase_for_good() {
        let budget = Budget::unlimited().with_time(Duration::ZERO);
        let poll = Poll::new(&budget, "test");
        assert_eq!(poll.try_step(), Err(Limit::Time));
        assert_eq!(poll.try_step(), Err(Limit::Time));
        assert_eq!(poll.ended(), Some(Limit::Time));
    }

    #[test]
    fn a_large_table_needs_the_memory_before_it_grows() {
        let budget = Budget::unlimited().with_memory(1 << 30);
        let poll = Poll::new(&budget, "test");
        assert_eq!(poll.affords_entry(1000, 1 << 40, 8), Ok(()));
        assert_eq!(poll.affords_entry(1 << 40, 1 << 40, 8), Err(Limit::Memory));
        assert_eq!(poll.try_step(), Err(Limit::Memory));
    }

    #[test]
    fn a_panic_passes_through() {
        let caught = catch_unwind(|| {
            Budget::unlimited().stoppable("test", |_| resume_unwind(Box::new("on purpose")))
        });
        let payload = caught.map(|_: Result<(), Limit>| ()).expect_err("a panic");
        assert_eq!(payload.downcast_ref(), Some(&"on purpose"));
    }
}
