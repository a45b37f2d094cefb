//! The phases of solving a level through a model, and the time that each takes: as in the papers,
//! the time before the solver starts is reported by itself.
//!
//! The budget measures the phases (`Budget::timed`), because only it reads the clock. Where several
//! threads work at once, their times add up.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A phase of solving a level through a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The texts of the model and of the level are read.
    Reading,
    /// The model is unrolled for the level, or its actions are grounded.
    Unrolling,
    /// The problem is put into the solver's own terms: clauses, propagators, rows.
    Encoding,
    /// The solver searches.
    Solving,
}

impl Phase {
    /// All phases, in their order.
    pub const ALL: [Phase; 4] = [
        Phase::Reading,
        Phase::Unrolling,
        Phase::Encoding,
        Phase::Solving,
    ];

    /// The name in JSON, databases and reports.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Unrolling => "unrolling",
            Phase::Encoding => "encoding",
            Phase::Solving => "solving",
        }
    }
}

/// The seconds that each phase took. Routes without a model have none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseTimes([f64; 4]);

impl PhaseTimes {
    /// The seconds of a phase.
    pub fn seconds(self, phase: Phase) -> f64 {
        self.0[phase as usize]
    }

    /// Whether no phase took any time.
    pub fn is_empty(self) -> bool {
        self == PhaseTimes::default()
    }
}

impl Sub for PhaseTimes {
    type Output = PhaseTimes;

    /// What was added after `before`.
    fn sub(self, before: PhaseTimes) -> PhaseTimes {
        PhaseTimes(Phase::ALL.map(|phase| (self.seconds(phase) - before.seconds(phase)).max(0.0)))
    }
}

/// Adds up the time of each phase; shared by all clones of a budget.
#[derive(Default)]
pub(crate) struct PhaseClock([AtomicU64; 4]);

impl PhaseClock {
    pub(crate) fn add(&self, phase: Phase, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.0[phase as usize].fetch_add(nanos, Relaxed);
    }

    pub(crate) fn times(&self) -> PhaseTimes {
        PhaseTimes(Phase::ALL.map(|phase| self.0[phase as usize].load(Relaxed) as f64 / 1e9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;

    #[test]
    fn the_time_of_a_phase_adds_up_over_clones() {
        let budget = Budget::unlimited();
        let sleep = || std::thread::sleep(Duration::from_millis(2));
        budget.timed(Phase::Reading, sleep);
        let before = budget.phase_times();
        budget.clone().timed(Phase::Solving, sleep);
        let times = budget.phase_times() - before;
        assert!(times.seconds(Phase::Solving) >= 0.002, "{times:?}");
        assert_eq!(times.seconds(Phase::Reading), 0.0);
        assert!(before.seconds(Phase::Reading) >= 0.002 && !times.is_empty());
    }
}
