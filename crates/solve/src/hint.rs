//! Hints in three grades: whether the goal can still be reached, which piece to move, and the move.

use ployglot_base::{Budget, Limit};
use ployglot_games::{Game, Gesture};

use crate::answer::Status;
use crate::rating::start_at;
use crate::{BadRequest, Request, solve};

/// What to do in a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Hint<M> {
    /// The state is a goal.
    Done,
    /// A plan leads from here to the goal.
    Solvable {
        /// The cost of the plan.
        left: u32,
        /// No plan from here costs less.
        proven: bool,
        /// The cell where the first move is made, and its direction.
        grip: Gesture,
        /// The first move of the plan.
        mv: M,
    },
    /// Proven: no plan leads from here to the goal, so a move must be taken back.
    Lost,
    /// This limit ended the solver without a plan.
    Unknown(Limit),
    /// A defect of the program: the referee rejects what the route claims, for this reason.
    Defect(String),
}

/// A hint for a state of a level, by the game's best route.
#[inline(never)]
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
    let proven = answer.status == Status::Optimal;
    Ok(match answer.status {
        Status::Unsolvable => Hint::Lost,
        Status::Limit(limit) => Hint::Unknown(limit),
        Status::Defect(why) => Hint::Defect(why),
        Status::Optimal | Status::Feasible(_) => match (answer.cost, first) {
            (Some(left), Some(mv)) => Hint::Solvable {
                left,
                proven,
                grip: level.gesture(state, mv),
                mv,
            },
            // The plan has no moves.
            _ => Hint::Done,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use ployglot_base::Space;
    use ployglot_games::{Document, Plotting, Text};

    #[test]
    fn an_interrupt_is_reported_as_such() {
        let text = "game: plotting\ngoal: 12\n\nRGBYPRGB\nYPRGBYPR\nGBYRPGBY\nPRYBGRYP\n";
        let document = Document::parse(text).expect("a level text");
        let level = Plotting::parse(&document).expect("a level");
        let raised = Arc::new(AtomicBool::new(true));
        let budget = Budget::unlimited().with_interrupt(raised);
        let found = hint(&level, &level.start(), &budget).expect("a good request");
        assert!(
            matches!(found, Hint::Unknown(Limit::Interrupt)),
            "an interrupt before the search is an unknown"
        );
    }
}
