//! When to check the budget. A check costs little, but an expansion may cost less; and a search
//! through a space with slow moves must not exceed its time by much. So the number of steps between
//! two checks is adapted to the time that they took.

use std::time::Duration;

use ployglot_base::{Budget, Limit, Progress};

/// Counts steps, and checks the budget every few milliseconds.
pub(crate) struct Throttle {
    /// Steps until the next check, and from each check to the next.
    left: u32,
    interval: u32,
    last_check: Duration,
}

/// The time between two checks is kept between these.
const SHORT: Duration = Duration::from_millis(2);
const LONG: Duration = Duration::from_millis(8);
const MAX_INTERVAL: u32 = 1 << 14;

impl Throttle {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self {
            left: 0,
            interval: 1,
            last_check: budget.elapsed(),
        }
    }

    /// To be called at each step. `Err` if the search must end.
    #[inline]
    pub(crate) fn tick(
        &mut self,
        budget: &Budget,
        progress: impl FnOnce() -> Progress,
    ) -> Result<(), Limit> {
        self.count(budget, || budget.check(progress))
    }

    /// Like `tick` in the middle of a step: nothing is reported.
    #[inline]
    pub(crate) fn tick_quietly(&mut self, budget: &Budget) -> Result<(), Limit> {
        self.count(budget, || budget.check_quietly())
    }

    /// Like `tick_quietly`, in the middle of an insertion, which must be completed if memory runs
    /// out: it ends for time or by an interrupt only.
    #[inline]
    pub(crate) fn tick_for_time(&mut self, budget: &Budget) -> Result<(), Limit> {
        self.count(budget, || budget.check_time())
    }

    #[inline]
    fn count(
        &mut self,
        budget: &Budget,
        check: impl FnOnce() -> Result<(), Limit>,
    ) -> Result<(), Limit> {
        if self.left > 0 {
            self.left -= 1;
            return Ok(());
        }
        check()?;
        self.adapt(budget);
        Ok(())
    }

    /// Adapts the interval to the time since the last check.
    fn adapt(&mut self, budget: &Budget) {
        let now = budget.elapsed();
        let took = now.saturating_sub(self.last_check);
        if took < SHORT {
            self.interval = (self.interval * 2).min(MAX_INTERVAL);
        } else if took > LONG {
            self.interval = (self.interval / 2).max(1);
        }
        self.last_check = now;
        self.left = self.interval - 1;
    }
}
