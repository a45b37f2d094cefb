//! When to look at the budget. A look costs little, but an expansion may cost less; and a space with slow moves must not
//! overstay its time. So the number of steps between two looks follows the time that they took.

use std::time::Duration;

use ployglot_base::{Budget, Limit, Progress};

/// Counts steps, and asks the budget every few milliseconds.
pub struct Pace {
    left: u32,
    every: u32,
    last: Duration,
}

const SHORT: Duration = Duration::from_millis(2);
const LONG: Duration = Duration::from_millis(8);
const MOST: u32 = 1 << 14;

impl Pace {
    pub fn new(budget: &Budget) -> Self {
        Self {
            left: 0,
            every: 1,
            last: budget.elapsed(),
        }
    }

    /// To be called at each step.
    #[inline]
    pub fn tick(
        &mut self,
        budget: &Budget,
        progress: impl FnOnce() -> Progress,
    ) -> Result<(), Limit> {
        if self.left > 0 {
            self.left -= 1;
            return Ok(());
        }
        self.look(budget, progress)
    }

    fn look(&mut self, budget: &Budget, progress: impl FnOnce() -> Progress) -> Result<(), Limit> {
        budget.check(progress)?;
        let now = budget.elapsed();
        let took = now.saturating_sub(self.last);
        if took < SHORT {
            self.every = (self.every * 2).min(MOST);
        } else if took > LONG {
            self.every = (self.every / 2).max(1);
        }
        self.last = now;
        self.left = self.every - 1;
        Ok(())
    }
}
