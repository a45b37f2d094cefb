//! Which horizons are asked about, in which order, and for how long.
//!
//! The formula of a horizon says that the goal holds after so many steps; as steps may be empty, a plan within a horizon is one within
//! all longer ones, and a refuted horizon refutes all shorter ones. Just before the first horizon that has a plan the questions are
//! hardest, so it can be better not to insist (Rintanen 2004). After Madagascar (Rintanen 2014):
//!
//! - in turn: one horizon after the other, each until it is answered. With a step of 1 the first plan has as few steps as can be;
//! - `geometric`, as M: of the open horizons, each gets a little less than the one before it;
//! - `even`, as MpC: horizons that grow by √2, all at the same rate.
//!
//! Shares are counted in conflicts, not in seconds, so the same run gives the same plan. All questions go to one solver: what one
//! horizon teaches about the first steps, the others know. (Madagascar keeps one solver for each. Its own way to decide variables,
//! which makes Mp of M, would need a door into the solver's loop, and is not here.)

/// How the horizons are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    #[default]
    InTurn,
    Geometric,
    Even,
}

/// The one list of strategies, with their names and what they are.
pub const STRATEGIES: &[(&str, Strategy, &str)] = &[
    (
        "in-turn",
        Strategy::InTurn,
        "one horizon after the other, each until it is answered",
    ),
    (
        "geometric",
        Strategy::Geometric,
        "several at once, each with a little less than the one before it; as M",
    ),
    (
        "even",
        Strategy::Even,
        "several at once that grow by √2, all with the same; as MpC",
    ),
];

/// What is asked next: a horizon, and for how many conflicts at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub horizon: usize,
    pub conflicts: Option<u32>,
}

/// The questions of a strategy, round by round.
pub(super) struct Questions {
    strategy: Strategy,
    step: usize,
    /// The next horizon in this round, counted from the first, and the number of the round.
    place: usize,
    round: u32,
    /// The shortest horizon that is open, counted from 0.
    first: usize,
    started: bool,
}

/// Conflicts of the first open horizon in the first round; each round has half as many more.
const SHARE: f64 = 400.0;
const GROWTH: f64 = 1.5;
/// How much less the next horizon gets.
const RATIO: f64 = 0.9;
/// So many horizons are open at once, at most.
const WINDOW: usize = 16;

impl Questions {
    pub fn new(strategy: Strategy, step: usize) -> Self {
        Self {
            strategy,
            step: step.max(1),
            place: 0,
            round: 0,
            first: 1,
            started: false,
        }
    }

    fn horizon(&self, index: usize) -> usize {
        match self.strategy {
            Strategy::Even => {
                (self.step as f64 * 2f64.sqrt().powi(index as i32 - 1)).round() as usize
            }
            Strategy::InTurn | Strategy::Geometric => self.step * index,
        }
    }

    pub fn next(&mut self) -> Question {
        // Whether there is anything to do at all.
        if !std::mem::replace(&mut self.started, true) {
            return Question {
                horizon: 0,
                conflicts: None,
            };
        }
        if self.strategy == Strategy::InTurn {
            return Question {
                horizon: self.horizon(self.first),
                conflicts: None,
            };
        }
        // A round asks about one horizon more than the one before it.
        if self.place > (self.round as usize).min(WINDOW - 1) {
            self.place = 0;
            self.round += 1;
        }
        let share = SHARE * GROWTH.powi(self.round.min(40) as i32);
        let ratio = if self.strategy == Strategy::Geometric {
            RATIO.powi(self.place as i32)
        } else {
            1.0
        };
        let horizon = self.horizon(self.first + self.place);
        self.place += 1;
        Question {
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
        self.place = self.place.saturating_sub(self.first - before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn horizons(strategy: Strategy, step: usize, count: usize) -> Vec<usize> {
        let mut questions = Questions::new(strategy, step);
        (0..count).map(|_| questions.next().horizon).collect()
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
    fn what_is_refuted_is_not_asked_again() {
        let mut questions = Questions::new(Strategy::Geometric, 5);
        for _ in 0..5 {
            questions.next();
        }
        questions.refuted(10);
        let rest: Vec<usize> = (0..6).map(|_| questions.next().horizon).collect();
        assert_eq!(rest, [15, 20, 25, 15, 20, 25]);
        let mut questions = Questions::new(Strategy::InTurn, 3);
        questions.next();
        questions.refuted(0);
        assert_eq!(
            questions.next(),
            Question {
                horizon: 3,
                conflicts: None
            }
        );
        questions.refuted(3);
        assert_eq!(questions.next().horizon, 6);
    }
}
