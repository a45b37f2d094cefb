//! The greedy player: always takes the move after which the goal seems nearest, never returns to a position, and never
//! takes a move back.

use std::collections::HashSet;

use ployglot_base::{Budget, Guide, Limit, Progress, Space, Switches};
use ployglot_games::Game;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// At the goal, after this many moves.
    Wins(u32),
    /// Nowhere new to go, or where surely no plan leads on.
    Stuck(u32),
    /// Still wandering after this many moves.
    Wanders(u32),
}

pub(super) fn play<G: Game>(level: &G, patience: u32, budget: &Budget) -> Result<Fate, Limit> {
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    let mut state = level.start();
    let mut seen = HashSet::from([packed(level, &state)]);
    for made in 0..patience {
        if level.is_goal(&state) {
            return Ok(Fate::Wins(made));
        }
        budget.check(|| Progress {
            phase: "greedy",
            depth: made,
            ..Progress::default()
        })?;
        let mut moves = Vec::new();
        level.moves(&state, &mut moves);
        let next = moves
            .iter()
            .map(|&mv| level.apply(&state, mv))
            .filter(|next| !seen.contains(&packed(level, next)))
            .filter_map(|next| guide.lower_bound(&next).map(|bound| (bound, next)))
            .min_by_key(|(bound, _)| *bound);
        match next {
            None => return Ok(Fate::Stuck(made)),
            Some((_, next)) => state = next,
        }
        seen.insert(packed(level, &state));
    }
    Ok(match level.is_goal(&state) {
        true => Fate::Wins(patience),
        false => Fate::Wanders(patience),
    })
}

fn packed<S: Space>(space: &S, state: &S::State) -> Box<[u64]> {
    let mut packed = vec![0; space.words()].into_boxed_slice();
    space.pack(state, &mut packed);
    packed
}
