//! What a level must be like, and how far it is from that.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use ployglot_base::Budget;
use ployglot_games::Game;

use crate::answer::{Answer, Status};
use crate::rating::{Difficulty, Rating, RatingLimits, rate};
use crate::{Request, solve};

/// What a level must be like; what is `None` or false is not asked.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    pub par: Option<RangeInclusive<u32>>,
    /// Whether there is a plan.
    pub solvable: Option<bool>,
    /// One best plan, but for the order of its moves.
    pub unique: bool,
    pub difficulty: Option<RangeInclusive<Difficulty>>,
    /// Percent of the positions within par.
    pub least_dead_ends: Option<u32>,
    /// Length of the longest forced stretch.
    pub least_forced: Option<u32>,
}

/// A level that was looked at.
pub(super) struct Look<G: Game> {
    pub answer: Option<Answer<G>>,
    pub rating: Option<Rating<G>>,
    pub distance: Distance,
}

/// How far a level is from a wish: first by what is wrong with it, worst last, then by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Distance {
    None,
    /// The par is right, and other figures are not.
    Figures(f64),
    Par(f64),
    /// It is solvable or not where the opposite is wanted, or nobody knows.
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

impl Wish {
    /// Any level will do.
    pub(super) fn is_plain(&self) -> bool {
        self.par.is_none() && self.solvable.is_none() && !self.needs_rating()
    }

    fn needs_rating(&self) -> bool {
        self.unique
            || self.difficulty.is_some()
            || self.least_dead_ends.is_some()
            || self.least_forced.is_some()
    }

    /// Solves the level, and rates it where that is needed and not in vain.
    pub(super) fn look<G: Game>(&self, level: &G, budget: &Budget) -> Look<G> {
        let mut look = Look {
            answer: None,
            rating: None,
            distance: Distance::None,
        };
        if self.is_plain() {
            return look;
        }
        look.distance = Distance::Far;
        let Ok(answer) = solve(level, &Request::default(), budget) else {
            return look;
        };
        look.distance = self.distance(&answer);
        look.answer = Some(answer);
        if look.distance == Distance::None
            && self.needs_rating()
            && let Ok(rating) = rate(level, RatingLimits::default(), budget)
        {
            look.distance = self.distance_of_figures(&rating);
            look.rating = Some(rating);
        }
        look
    }

    fn distance<G: Game>(&self, answer: &Answer<G>) -> Distance {
        let par = answer.cost.filter(|_| answer.status == Status::Optimal);
        if self.solvable == Some(false) {
            // Levels that are hard to solve are nearest to those that cannot be solved.
            return match (&answer.status, par) {
                (Status::Unsolvable, _) => Distance::None,
                (_, Some(par)) => Distance::Par(1.0 / f64::from(par + 1)),
                _ => Distance::Far,
            };
        }
        match (&self.par, par) {
            (Some(wanted), Some(par)) => {
                let off = wanted.start().saturating_sub(par) + par.saturating_sub(*wanted.end());
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

    fn distance_of_figures<G: Game>(&self, rating: &Rating<G>) -> Distance {
        let mut off = 0.0;
        if self.unique {
            // A figure that could not be had is worse than any that could.
            off += match (rating.distinct_plans, rating.best_plans) {
                (Some(plans), _) => (plans as f64).log2().abs(),
                (None, Some(plans)) => 20.0 + (plans as f64).log2(),
                (None, None) => 200.0,
            };
            off += f64::from(u8::from(rating.distinct_plans == Some(0)));
        }
        if let Some(wanted) = &self.difficulty {
            let word = rating.assessment.difficulty as i32;
            let (low, high) = (*wanted.start() as i32, *wanted.end() as i32);
            off += f64::from((low - word).max(0) + (word - high).max(0));
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

impl<G: Game> Look<G> {
    /// What is said of a level that came near.
    pub fn words(&self) -> Option<String> {
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
