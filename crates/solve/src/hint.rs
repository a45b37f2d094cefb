//! A hint in three grades: whether it can still be done, where to look, and the move itself.

use ployglot_base::Budget;
use ployglot_games::{Game, Gesture};

use crate::answer::Status;
use crate::rating::start_at;
use crate::{BadRequest, Request, solve};

#[derive(Clone, Debug, PartialEq)]
pub enum Hint<M> {
    /// Nothing is left to do.
    Done,
    /// This many more are needed; `proven` where fewer will not do. Where to take hold, and the move.
    Solvable {
        left: u32,
        proven: bool,
        grip: Gesture,
        mv: M,
    },
    /// Proven: take a move back.
    Lost,
    /// The solver ran into a limit.
    Unknown,
}

/// What to do in this state.
pub fn hint<G: Game>(
    level: &G,
    state: &G::State,
    budget: &Budget,
) -> Result<Hint<G::Move>, BadRequest> {
    if level.is_goal(state) {
        return Ok(Hint::Done);
    }
    let answer = solve(&start_at(level, state), &Request::default(), budget)?;
    let first = answer
        .plan
        .as_deref()
        .and_then(|plan| plan.first().copied());
    Ok(match (answer.status, answer.cost, first) {
        (status @ (Status::Optimal | Status::Feasible(_)), Some(left), Some(mv)) => {
            Hint::Solvable {
                left,
                proven: status == Status::Optimal,
                grip: level.gesture(state, mv),
                mv,
            }
        }
        (Status::Unsolvable, ..) => Hint::Lost,
        _ => Hint::Unknown,
    })
}
