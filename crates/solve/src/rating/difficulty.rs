//! A word for how hard a level is to a person, from figures that were counted. Each figure that speaks for or against adds a
//! sentence, so that nobody has to believe the word.

use std::fmt;

use ployglot_games::Game;

use super::{Amount, Fate, Rating};
use crate::answer::Status;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difficulty {
    /// There is no plan, or it is not known whether there is.
    #[default]
    Unknown,
    Impossible,
    Trivial,
    Easy,
    Medium,
    Hard,
    Fiendish,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub difficulty: Difficulty,
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

pub(super) fn judge<G: Game>(rating: &Rating<G>) -> Verdict {
    let difficulty = match rating.answer.status {
        Status::Unsolvable => Difficulty::Impossible,
        Status::Optimal | Status::Feasible(_) => return weigh(rating),
        Status::Limit(_) | Status::Defect(_) => Difficulty::Unknown,
    };
    let reason = match difficulty {
        Difficulty::Impossible => "it is proven that no plan exists",
        _ => "no plan was found, and none was excluded",
    };
    Verdict {
        difficulty,
        reasons: vec![reason.to_string()],
    }
}

/// Points for what makes a level hard.
fn weigh<G: Game>(rating: &Rating<G>) -> Verdict {
    let mut points = 0i32;
    let mut reasons = Vec::new();
    let mut say = |worth: i32, reason: String| {
        points += worth;
        reasons.push(reason);
    };
    let cost = rating.answer.cost.unwrap_or(0);
    let measure = rating.answer.measure;
    let long = [4, 9, 17, 31]
        .iter()
        .filter(|&&least| cost >= least)
        .count() as i32;
    say(long, format!("its best plan takes {cost} {measure}"));
    if let Some(share) = rating.dead_ends {
        let percent = share.percent();
        let worth = [10.0, 40.0]
            .iter()
            .filter(|&&least| percent >= least)
            .count() as i32;
        let at_least = if share.exact { "" } else { "at least " };
        say(
            worth,
            format!("{at_least}{percent:.0} % of the positions within par are dead ends"),
        );
    }
    let first = rating.first_moves;
    if let Some(keep) = first.keep_par
        && first.all > 0
    {
        let worth = i32::from(4 * keep <= first.all);
        say(
            worth,
            format!("{keep} of {} first moves keep the par", first.all),
        );
    }
    match rating.greedy {
        Some(Fate::Wins(made)) if made <= cost => {
            say(
                -1,
                "always taking the move that looks best solves it at par".to_string(),
            );
        }
        Some(Fate::Wins(made)) => {
            say(
                1,
                format!("always taking the move that looks best needs {made} moves"),
            );
        }
        Some(Fate::Stuck(made)) => {
            say(
                2,
                format!(
                    "always taking the move that looks best ends in a dead end after {made} moves"
                ),
            );
        }
        Some(Fate::Wanders(made)) => {
            say(
                2,
                format!("always taking the move that looks best leads nowhere in {made} moves"),
            );
        }
        None => {}
    }
    if let Amount::AtLeast(count) | Amount::Exactly(count) = rating.reachable
        && count >= 10_000
    {
        let more = if matches!(rating.reachable, Amount::AtLeast(_)) {
            "more than "
        } else {
            ""
        };
        say(1, format!("{more}{count} positions can be reached"));
    }
    if let Some(1) = rating.distinct_plans {
        say(
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
    Verdict {
        difficulty,
        reasons,
    }
}
