//! The judge of every plan, whichever route it came from. It replays the moves by `play` and uses nothing else,
//! so no search, model or fast rule can vouch for itself.

use crate::rules::{Refusal, Rules};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling<G: Rules> {
    /// Every move is legal and the last one reaches the goal.
    Accepted { cost: u32, end: G::State },
    /// Move number `at` (from 1) is illegal in the state before it, where these moves would have been legal.
    Illegal {
        at: usize,
        before: G::State,
        mv: G::Move,
        refusal: Refusal,
        legal: Vec<G::Move>,
    },
    /// All moves are legal, but the goal is missed.
    Missed { end: G::State, shortfall: String },
}

pub fn judge<G: Rules>(level: &G, measure: &str, plan: &[G::Move]) -> Ruling<G> {
    let mut state = level.start();
    for (index, &mv) in plan.iter().enumerate() {
        match level.play(&state, mv) {
            Ok(next) => state = next,
            Err(refusal) => {
                let legal = legal_moves(level, &state);
                return Ruling::Illegal {
                    at: index + 1,
                    before: state,
                    mv,
                    refusal,
                    legal,
                };
            }
        }
    }
    match level.shortfall(&state) {
        None => Ruling::Accepted {
            cost: level.plan_cost(measure, plan, &state),
            end: state,
        },
        Some(shortfall) => Ruling::Missed {
            end: state,
            shortfall,
        },
    }
}

/// The writable moves that `play` accepts, in their order.
pub fn legal_moves<G: Rules>(level: &G, state: &G::State) -> Vec<G::Move> {
    let mut moves = level.writable_moves(state);
    moves.retain(|&mv| level.play(state, mv).is_ok());
    moves
}
