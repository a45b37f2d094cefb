//! How hard a level is for a person, in one word, from the figures of its rating. Each figure that
//! was considered adds a sentence, so that a reader can check the word.

use std::fmt;

use ployglot_base::text::amount;
use ployglot_games::Game;

use super::{GreedyPlay, Rating, StateCount};
use crate::answer::Status;

/// How hard a level is for a person. A level with a plan gets points for the length of its best
/// known plan, dead ends, few good first moves, a greedy player that fails, many states, and a best
/// plan that is unique; it loses one if the greedy player solves it at par.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difficulty {
    /// It is not known whether there is a plan.
    #[default]
    Unknown,
    /// Proven: there is no plan.
    Impossible,
    /// At most 1 point.
    Trivial,
    /// 2 or 3 points.
    Easy,
    /// 4 or 5 points.
    Medium,
    /// 6 or 7 points.
    Hard,
    /// 8 points or more.
    Fiendish,
}

/// The difficulty of a level, with the reasons for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assessment {
    /// The difficulty in one word.
    pub difficulty: Difficulty,
    /// A sentence for each figure that was considered.
    pub reasons: Vec<String>,
}

impl fmt::Display for Difficulty {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Difficulty::Unknown => "unknown",
            Difficulty::Impossible => "impossible",
            Difficulty::Trivial => "trivial",
            Difficulty::Easy => "easy",
            Difficulty::Medium => "medium",
            Difficulty::Hard => "hard",
            Difficulty::Fiendish => "fiendish",
        })
    }
}

/// The difficulty of a level, by the other figures of its rating that are known.
pub(super) fn assess<G: Game>(rating: &Rating<G>) -> Assessment {
    let difficulty = match rating.answer.status {
        Status::Unsolvable => Difficulty::Impossible,
        Status::Optimal | Status::Feasible(_) => return assess_solvable(rating),
        Status::Limit(_) | Status::Defect(_) => Difficulty::Unknown,
    };
    let reason = match difficulty {
        Difficulty::Impossible => "it is proven that no plan exists",
        _ => "no plan was found, and it is not proven that there is none",
    };
    Assessment {
        difficulty,
        reasons: vec![reason.to_string()],
    }
}

/// The difficulty of a level with a plan, by its points.
fn assess_solvable<G: Game>(rating: &Rating<G>) -> Assessment {
    let mut points = 0i32;
    let mut reasons = Vec::new();
    let moves = |made: u32| amount(made, "moves");
    let mut consider = |value: i32, reason: String| {
        points += value;
        reasons.push(reason);
    };
    let cost = rating.answer.cost.unwrap_or(0);
    let measure = rating.answer.measure;
    let length = [4, 9, 17, 31]
        .iter()
        .filter(|&&least| cost >= least)
        .count() as i32;
    let best = match rating.answer.status {
        Status::Optimal => "its best plan",
        _ => "the best plan that was found",
    };
    consider(length, format!("{best} takes {}", amount(cost, measure)));
    if let Some(share) = rating.dead_ends {
        let percent = share.percent();
        let value = [10.0, 40.0]
            .iter()
            .filter(|&&least| percent >= least)
            .count() as i32;
        let at_least = if share.exact { "" } else { "at least " };
        consider(
            value,
            format!("{at_least}{percent:.0} % of the states within par are dead ends"),
        );
    }
    let first = rating.first_moves;
    if let Some(keep) = first.keep_par
        && first.all > 0
    {
        let value = i32::from(4 * keep <= first.all);
        consider(
            value,
            format!("{keep} of {} first moves keep the par", first.all),
        );
    }
    match rating.greedy {
        Some(GreedyPlay::Solved(made)) if made <= cost => {
            consider(
                -1,
                "always taking the move that looks best solves it at par".to_string(),
            );
        }
        Some(GreedyPlay::Solved(made)) => {
            consider(
                1,
                format!(
                    "always taking the move that looks best needs {}",
                    moves(made)
                ),
            );
        }
        Some(GreedyPlay::Stuck(made)) => {
            consider(
                2,
                format!(
                    "always taking the move that looks best ends in a dead end after {}",
                    moves(made)
                ),
            );
        }
        Some(GreedyPlay::Unfinished(made)) => {
            consider(
                2,
                format!(
                    "always taking the move that looks best has not solved it after {}",
                    moves(made)
                ),
            );
        }
        None => {}
    }
    if let StateCount::AtLeast(count) | StateCount::Exactly(count) = rating.reachable
        && count >= 10_000
    {
        let more = if matches!(rating.reachable, StateCount::AtLeast(_)) {
            "more than "
        } else {
            ""
        };
        consider(1, format!("{more}{count} states can be reached"));
    }
    if let Some(1) = rating.distinct_plans {
        consider(
            1,
            "the best plan is unique but for the order of its moves".to_string(),
        );
    }
    let difficulty = match points {
        ..=1 => Difficulty::Trivial,
        2..=3 => Difficulty::Easy,
        4..=5 => Difficulty::Medium,
        6..=7 => Difficulty::Hard,
        _ => Difficulty::Fiendish,
    };
    Assessment {
        difficulty,
        reasons,
    }
}
