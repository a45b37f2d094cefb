//! The referee: judges every plan, whichever route found it. It replays the moves with
//! `Rules::play` and shares no code with searches, models or the fast rules.

use crate::rules::{Refusal, Rules};

/// The referee's decision about a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling<G: Rules> {
    /// Every move is legal and the last one reaches the goal.
    Accepted {
        /// The cost by the measure asked for.
        cost: u32,
        /// The state after the last move.
        end: G::State,
    },
    /// A move is illegal.
    Illegal {
        /// The number of the move, counted from 1.
        at: usize,
        /// The state in which it was tried.
        before: G::State,
        /// The move.
        mv: G::Move,
        /// The rule that it breaks.
        refusal: Refusal,
        /// The moves that are legal in that state.
        legal: Vec<G::Move>,
    },
    /// All moves are legal, but the last one does not reach the goal.
    Missed {
        /// The state after the last move.
        end: G::State,
        /// What that state lacks to be a goal.
        shortfall: String,
    },
}

/// Replays a plan from the start of the level and judges it.
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
