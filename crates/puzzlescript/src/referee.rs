//! The referee: replays a plan by the slow engine. It shares no code with the space that searches
//! explore.

use crate::game::{Game, Input};
use crate::play::Play;
use crate::slow::Slow;

/// What the referee says of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The last move wins the level, and none before it.
    Wins,
    /// The level is won by this many moves of the plan, before its end.
    WinsEarlier(usize),
    /// The level is not won.
    DoesNotWin,
    /// There is no level of this index.
    NoLevel,
}

/// Replays a plan on a level, given by its index among levels and messages.
pub fn referee(game: &Game, entry: usize, plan: &[Input]) -> Ruling {
    let Some(mut play) = Play::new(game, Slow::new(game), entry, None) else {
        return Ruling::NoLevel;
    };
    for (index, &input) in plan.iter().enumerate() {
        if play.wins() > 0 {
            return Ruling::WinsEarlier(index);
        }
        play.press(Some(input));
    }
    match play.wins() {
        0 => Ruling::DoesNotWin,
        _ => Ruling::Wins,
    }
}
