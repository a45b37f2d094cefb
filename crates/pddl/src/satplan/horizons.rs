//! Which horizons are tried, in which order, and with how much effort.
//!
//! The formula of a horizon states that the goal holds after that many steps. Steps may be empty,
//! so a plan within a horizon is a plan within all longer ones, and a refuted horizon refutes all
//! shorter ones. The formulas just below the shortest horizon with a plan are the hardest, so it
//! can be better not to solve every horizon before trying the next (Rintanen 2004). The strategies
//! are those of Madagascar (Rintanen 2014):
//!
//! - `in-turn`: one horizon after the other, each until it is solved or refuted. With a step of 1
//!   the first plan has the fewest steps;
//! - `geometric`, as M: several open horizons, each with a little less effort than the one before;
//! - `even`, as MpC: horizons that grow by √2, all with the same effort.
//!
//! Effort is counted in conflicts, not in seconds, so that runs are reproducible. All horizons use
//! one solver, so clauses learnt from one horizon are used for the others. (Madagascar has one
//! solver for each horizon.) Its decision heuristic, the difference between M and Mp, is in
//! `chaining`: Mp is `geometric` with it, MpC is `even` with it.

use crate::named::by_name;

/// How the horizons are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// One horizon after the other.
    #[default]
    InTurn,
    /// Several horizons at once, longer ones with fewer conflicts.
    Geometric,
    /// Several horizons at once, all with the same number of conflicts.
    Even,
}

impl Strategy {
    /// The one list of strategies, in the order of help texts.
    pub const ALL: [Self; 3] = [Self::InTurn, Self::Geometric, Self::Even];

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::InTurn => "in-turn",
            Self::Geometric => "geometric",
            Self::Even => "even",
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::InTurn => "one horizon after the other, each until it is solved or refuted",
            Self::Geometric => {
                "several at once, each with a little less effort than the one before it; as M and Mp"
            }
            Self::Even => "several at once that grow by √2, all with the same effort; as MpC",
        }
    }

    /// The strategy of this name. The error is a sentence for the user.
    pub fn parse(name: &str) -> Result<Self, String> {
        by_name("strategy", name, &Self::ALL, Self::name)
    }
}

/// The next horizon to try, with a limit on the solver's conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    pub horizon: usize,
    pub conflicts: Option<u32>,
}

/// The schedule of a strategy, round by round.
pub(super) struct Schedule {
    strategy: Strategy,
    step: usize,
    /// The number of attempts in this round.
    position: usize,
    round: u32,
    /// The index of the shortest open horizon.
    first: usize,
    started: bool,
}

/// Conflicts of the first open horizon in the first round, and their growth from round to round.
const FIRST_CONFLICTS: f64 = 400.0;
const GROWTH: f64 = 1.5;
/// The ratio of the conflicts of a horizon to those of the open horizon before it.
const RATIO: f64 = 0.9;
/// The greatest number of horizons that are tried in one round.
const WINDOW: usize = 16;

impl Schedule {
    pub fn new(strategy: Strategy, step: usize) -> Self {
        Self {
            strategy,
            step: step.max(1),
            position: 0,
            round: 0,
            first: 1,
            started: false,
        }
    }

    /// The horizon with this index, from 1.
    fn horizon(&self, index: usize) -> usize {
        match self.strategy {
            Strategy::Even => {
                (self.step as f64 * 2f64.sqrt().powi(index as i32 - 1)).round() as usize
            }
            Strategy::InTurn | Strategy::Geometric => self.step * index,
        }
    }

    /// The next attempt. `ahead` counts the attempts before it that other threads are making: in turn,
    /// so many horizons are passed over; the other strategies go on with their round.
    pub fn next(&mut self, ahead: usize) -> Attempt {
        // Horizon 0 first: the goal may hold at the start.
        if !std::mem::replace(&mut self.started, true) {
            return Attempt {
                horizon: 0,
                conflicts: None,
            };
        }
        if self.strategy == Strategy::InTurn {
            return Attempt {
                horizon: self.horizon(self.first + ahead),
                conflicts: None,
            };
        }
        // A round tries one horizon more than the round before it.
        if self.position > (self.round as usize).min(WINDOW - 1) {
            self.position = 0;
            self.round += 1;
        }
        let share = FIRST_CONFLICTS * GROWTH.powi(self.round.min(40) as i32);
        let ratio = if self.strategy == Strategy::Geometric {
            RATIO.powi(self.position as i32)
        } else {
            1.0
        };
        let horizon = self.horizon(self.first + self.position);
        self.position += 1;
        Attempt {
            horizon,
            conflicts: Some((share * ratio).min(f64::from(i32::MAX)) as u32),
        }
    }

    /// There is no plan within this horizon.
    pub fn refuted(&mut self, horizon: usize) {
        let before = self.first;
        while self.horizon(self.first) <= horizon {
            self.first += 1;
        }
        self.position = self.position.saturating_sub(self.first - before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn horizons(strategy: Strategy, step: usize, count: usize) -> Vec<usize> {
        let mut schedule = Schedule::new(strategy, step);
        (0..count).map(|_| schedule.next(0).horizon).collect()
    }

    #[test]
    fn rounds_grow_by_a_horizon() {
        assert_eq!(
            horizons(Strategy::Geometric, 5, 7),
            [0, 5, 5, 10, 5, 10, 15]
        );
        assert_eq!(horizons(Strategy::Even, 5, 7), [0, 5, 5, 7, 5, 7, 10]);
        assert_eq!(horizons(Strategy::InTurn, 2, 3), [0, 2, 2]);
    }

    #[test]
    fn refuted_horizons_are_not_tried_again() {
        let mut schedule = Schedule::new(Strategy::Geometric, 5);
        for _ in 0..5 {
            schedule.next(0);
        }
        schedule.refuted(10);
        let rest: Vec<usize> = (0..6).map(|_| schedule.next(0).horizon).collect();
        assert_eq!(rest, [15, 20, 25, 15, 20, 25]);
        let mut schedule = Schedule::new(Strategy::InTurn, 3);
        schedule.next(0);
        schedule.refuted(0);
        assert_eq!(
            schedule.next(0),
            Attempt {
                horizon: 3,
                conflicts: None
            }
        );
        schedule.refuted(3);
        assert_eq!(schedule.next(0).horizon, 6);
    }
}
