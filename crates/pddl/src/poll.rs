//! Looks at the budget while a long phase works, at a price that a tight loop can pay.
//!
//! A phase makes one `Poll` and calls `step` wherever it may spend a while. Once a limit is reached,
//! every later `step` fails too, so that a phase may end in several stages.

use std::cell::Cell;

use ployglot_base::{Budget, Limit, Progress};

/// Counts the steps of one phase, and checks the budget every few hundred.
#[derive(Clone)]
pub(crate) struct Poll {
    budget: Budget,
    /// The name of the phase in the progress.
    phase: &'static str,
    /// Steps until the next check, and all steps so far.
    left: Cell<u32>,
    done: Cell<u64>,
    ended: Cell<Option<Limit>>,
}

/// Steps between two checks. A step takes far less than a millisecond.
const INTERVAL: u32 = 256;
/// Checks between two readings of the memory. The budget alone reads it twenty times a second, and
/// in that time a gigabyte can be filled.
const READING: u64 = 64;
/// Allocations below this size need not be announced: the next check comes soon enough.
const SMALL: usize = 16 << 20;

impl Poll {
    /// Starts a phase. The first step checks the budget.
    pub fn new(budget: &Budget, phase: &'static str) -> Self {
        Self {
            budget: budget.clone(),
            phase,
            left: Cell::new(0),
            done: Cell::new(0),
            ended: Cell::new(None),
        }
    }

    /// One small step of work. `Err`: the phase must end.
    #[inline]
    pub fn step(&self) -> Result<(), Limit> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => self.check(),
        }
    }

    #[cold]
    fn check(&self) -> Result<(), Limit> {
        if let Some(limit) = self.ended.get() {
            return Err(limit);
        }
        let progress = || Progress {
            phase: self.phase,
            expanded: self.done.get(),
            ..Progress::default()
        };
        let checks = self.done.get() / u64::from(INTERVAL);
        let memory = checks % READING != READING - 1 || self.budget.affords(1);
        let checked = self.budget.check(progress);
        match checked.and(if memory { Ok(()) } else { Err(Limit::Memory) }) {
            Ok(()) => {
                self.done.set(self.done.get() + u64::from(INTERVAL));
                self.left.set(INTERVAL - 1);
                Ok(())
            }
            Err(limit) => self.end(limit),
        }
    }

    /// To be called before a table grows by this many bytes. `Err`: the memory does not allow it.
    #[inline]
    pub fn affords(&self, bytes: usize) -> Result<(), Limit> {
        if bytes < SMALL || self.budget.affords(bytes as u64) {
            return Ok(());
        }
        self.end(Limit::Memory)
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

    fn end(&self, limit: Limit) -> Result<(), Limit> {
        self.ended.set(Some(limit));
        self.left.set(0);
        Err(limit)
    }

    /// The limit that ended the phase.
    pub fn ended(&self) -> Option<Limit> {
        self.ended.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_limit_ends_the_phase_for_good() {
        let budget = Budget::unlimited().with_time(Duration::ZERO);
        let poll = Poll::new(&budget, "test");
        assert_eq!(poll.step(), Err(Limit::Time));
        assert_eq!(poll.step(), Err(Limit::Time));
        assert_eq!(poll.ended(), Some(Limit::Time));
    }

    #[test]
    fn a_large_table_needs_the_memory_before_it_grows() {
        let budget = Budget::unlimited().with_memory(1 << 30);
        let poll = Poll::new(&budget, "test");
        assert_eq!(poll.affords_entry(1000, 1 << 40, 8), Ok(()));
        assert_eq!(poll.affords_entry(1 << 40, 1 << 40, 8), Err(Limit::Memory));
        assert_eq!(poll.step(), Err(Limit::Memory));
    }
}
