//! The properties that a level must have, and how far a level is from them.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use ployglot_base::Budget;
use ployglot_games::Game;

use crate::answer::{Answer, Status};
use crate::rating::{Difficulty, Rating, RatingLimits, rate};
use crate::{Request, solve};

/// The properties that a level must have. A property that is `None` or false is not required.
#[derive(Clone, Debug, Default)]
pub struct Requirements {
    /// The cost of a best plan, by the game's default measure.
    pub par: Option<RangeInclusive<u32>>,
    /// Whether there is a plan.
    pub solvable: Option<bool>,
    /// All best plans have the same moves, perhaps in another order.
    pub unique: bool,
    /// The difficulty that the rating assesses.
    pub difficulty: Option<RangeInclusive<Difficulty>>,
    /// The least share of dead ends among the states within par, in percent.
    pub least_dead_ends: Option<u32>,
    /// The least length of the longest run of forced moves.
    pub least_forced: Option<u32>,
}

/// What is known of a level that was evaluated.
pub(super) struct Evaluation<G: Game> {
    pub answer: Option<Answer<G>>,
    pub rating: Option<Rating<G>>,
    pub distance: Distance,
}

/// How far a level is from the requirements: first by the kind of what is missing, worst last, then
/// by an amount.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Distance {
    /// The level meets the requirements.
    None,
    /// The par is right, but other figures are not.
    Figures(f64),
    /// The par is wrong.
    Par(f64),
    /// The level is solvable where the opposite is required, or the reverse, or it was not solved.
    Far,
}

impl Distance {
    fn order(self) -> (u8, f64) {
        match self {
            Distance::None => (0, 0.0),
            Distance::Figures(amount) => (1, amount),
            Distance::Par(amount) => (2, amount),
            Distance::Far => (3, 0.0),
        }
    }

    pub fn compare(self, other: Self) -> Ordering {
        let ((kind, amount), (other_kind, other_amount)) = (self.order(), other.order());
        kind.cmp(&other_kind).then(amount.total_cmp(&other_amount))
    }
}

impl Requirements {
    /// Whether every level meets them.
    pub(super) fn are_empty(&self) -> bool {
        self.par.is_none() && self.solvable.is_none() && !self.needs_rating()
    }

    fn needs_rating(&self) -> bool {
        self.unique
            || self.difficulty.is_some()
            || self.least_dead_ends.is_some()
            || self.least_forced.is_some()
    }

    /// Solves the level, and rates it if the requirements need that and the rest of them is met.
    pub(super) fn evaluate<G: Game>(&self, level: &G, budget: &Budget) -> Evaluation<G> {
        let mut evaluation = Evaluation {
            answer: None,
            rating: None,
            distance: Distance::None,
        };
        if self.are_empty() {
            return evaluation;
        }
        evaluation.distance = Distance::Far;
        let Ok(answer) = solve(level, &Request::default(), budget) else {
            return evaluation;
        };
        evaluation.distance = self.distance(&answer);
        evaluation.answer = Some(answer);
        if evaluation.distance != Distance::None || !self.needs_rating() {
            return evaluation;
        }
        // A level that was not rated, or not completely, is not known to meet the requirements.
        evaluation.distance = Distance::Far;
        let Ok(rating) = rate(level, RatingLimits::default(), budget) else {
            return evaluation;
        };
        if rating.limit.is_none() && !rating.answer.is_defect() {
            evaluation.distance = self.distance_of_figures(&rating);
        }
        evaluation.answer = Some(rating.answer.clone());
        evaluation.rating = Some(rating);
        evaluation
    }

    /// The distance by what the solver found.
    fn distance<G: Game>(&self, answer: &Answer<G>) -> Distance {
        let par = answer.cost.filter(|_| answer.status == Status::Optimal);
        if self.solvable == Some(false) {
            // The longer the best plan, the nearer the level is to one without a plan.
            return match (&answer.status, par) {
                (Status::Unsolvable, _) => Distance::None,
                (_, Some(par)) => Distance::Par(1.0 / f64::from(par + 1)),
                _ => Distance::Far,
            };
        }
        match (&self.par, par) {
            (Some(required), Some(par)) => {
                let off =
                    required.start().saturating_sub(par) + par.saturating_sub(*required.end());
                match off {
                    0 => Distance::None,
                    off => Distance::Par(f64::from(off)),
                }
            }
            (Some(_), None) => Distance::Far,
            (None, _) => match answer.status {
                Status::Optimal | Status::Feasible(_) => Distance::None,
                Status::Unsolvable if self.solvable.is_none() => Distance::None,
                _ => Distance::Far,
            },
        }
    }

    /// The distance by the figures of a rating.
    fn distance_of_figures<G: Game>(&self, rating: &Rating<G>) -> Distance {
        let mut off = 0.0;
        if self.unique {
            // A figure that is not known counts as worse than any that is.
            off += match (rating.distinct_plans, rating.best_plans) {
                (Some(plans), _) => (plans as f64).log2().abs(),
                (None, Some(plans)) => 20.0 + (plans as f64).log2(),
                (None, None) => 200.0,
            };
            off += f64::from(u8::from(rating.distinct_plans == Some(0)));
        }
        if let Some(required) = &self.difficulty {
            let difficulty = rating.assessment.difficulty as i32;
            let (low, high) = (*required.start() as i32, *required.end() as i32);
            off += f64::from((low - difficulty).max(0) + (difficulty - high).max(0));
        }
        if let Some(least) = self.least_dead_ends {
            let dead = rating.dead_ends.map_or(-100.0, |share| share.percent());
            off += (f64::from(least) - dead).max(0.0) / 10.0;
        }
        if let Some(least) = self.least_forced {
            let forced = rating.forced.map_or(-10.0, f64::from);
            off += (f64::from(least) - forced).max(0.0);
        }
        if off > 0.0 {
            Distance::Figures(off)
        } else {
            Distance::None
        }
    }
}

impl<G: Game> Evaluation<G> {
    /// The properties of the level, for a message: `a par of 7`.
    pub fn description(&self) -> Option<String> {
        let answer = self.answer.as_ref()?;
        match (&answer.status, answer.cost, &self.rating) {
            (Status::Optimal, Some(cost), Some(rating)) => Some(match rating.distinct_plans {
                Some(plans) => format!(
                    "a par of {cost}, {plans} best plans, and is {}",
                    rating.assessment.difficulty
                ),
                None => format!("a par of {cost}, and is {}", rating.assessment.difficulty),
            }),
            (Status::Optimal, Some(cost), None) => Some(format!("a par of {cost}")),
            (Status::Unsolvable, ..) => Some("no plan".to_string()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use ployglot_base::{Limit, Random};
    use ployglot_games::{Generation, Plotting, Spec};

    /// The level has a plan, but a limit ends its rating: it is not known to be unique.
    #[test]
    fn a_level_whose_rating_was_not_finished_does_not_meet_requirements() {
        let spec = Spec::size(5, 6).with("colours", 3).with("goal", 5);
        let level = Plotting::generate(&spec, &mut Random::new(1)).expect("a level");
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        let budget = Budget::unlimited()
            .with_interrupt(flag)
            .with_watch(move |progress| raised.store(progress.phase == "graph", Relaxed));
        let unique = Requirements {
            unique: true,
            ..Requirements::default()
        };
        let evaluation = unique.evaluate(&level, &budget);
        assert!(
            evaluation
                .answer
                .is_some_and(|answer| answer.cost.is_some())
        );
        let limit = evaluation.rating.and_then(|rating| rating.limit);
        assert_eq!(limit, Some(Limit::Interrupt));
        assert_eq!(evaluation.distance, Distance::Far);
    }
}
