//! The greedy player: always makes the move after which the guide's lower bound is least, and never
//! returns to a state or takes a move back.

use std::collections::HashSet;

use ployglot_base::{Budget, Guide, Limit, Progress, Space, Switches};
use ployglot_games::Game;

/// How the greedy player's game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GreedyPlay {
    /// At the goal, after this many moves.
    Solved(u32),
    /// In a state with no move to a new state, or in a proven dead end, after this many moves.
    Stuck(u32),
    /// Without a goal after this many moves, where the game was ended.
    Unfinished(u32),
}

/// Plays at most `most_moves` moves.
pub(super) fn play<G: Game>(
    level: &G,
    most_moves: u32,
    budget: &Budget,
) -> Result<GreedyPlay, Limit> {
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    let mut state = level.start();
    let mut seen = HashSet::from([packed(level, &state)]);
    for made in 0..most_moves {
        if level.is_goal(&state) {
            return Ok(GreedyPlay::Solved(made));
        }
        let mut moves = Vec::new();
        level.moves(&state, &mut moves);
        let mut best: Option<(u32, G::State)> = None;
        for &mv in &moves {
            budget.check(|| Progress {
                phase: "greedy",
                depth: made,
                ..Progress::default()
            })?;
            let next = level.apply(&state, mv);
            if !seen.contains(&packed(level, &next))
                && let Some(bound) = guide.lower_bound(&next)
                && best.as_ref().is_none_or(|(least, _)| bound < *least)
            {
                best = Some((bound, next));
            }
        }
        match best {
            None => return Ok(GreedyPlay::Stuck(made)),
            Some((_, next)) => state = next,
        }
        seen.insert(packed(level, &state));
    }
    Ok(match level.is_goal(&state) {
        true => GreedyPlay::Solved(most_moves),
        false => GreedyPlay::Unfinished(most_moves),
    })
}

fn packed<S: Space>(space: &S, state: &S::State) -> Box<[u64]> {
    let mut packed = vec![0; space.words()].into_boxed_slice();
    space.pack(state, &mut packed);
    packed
}
