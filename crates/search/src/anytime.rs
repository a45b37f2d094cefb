//! Anytime search: a plan at once, then better plans and rising bounds, until they meet.
//!
//! Beams of growing width look for plans while A* raises the bound. They take turns, each for about
//! as many states as the other (counted in states, so that the same run gives the same answer). A*
//! opens no state that cannot improve on the best plan so far, and a beam keeps none. The proof is
//! that of A*, so the whole costs at most about twice as much as A* alone, and has a plan to show
//! early.

use ployglot_base::{Budget, Effort, Guide, Limit, Report, Space};

use crate::astar::{Astar, Stage};
use crate::beam::{BeamRequest, BeamResult, beam};

/// Beams and A* in turns; see the module's documentation.
pub fn anytime<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut astar = Astar::new(space, guide(), budget);
    let mut beam_guide = guide();
    // The start first: a plan that costs less than its bound is a contradiction.
    match astar.run(0) {
        Ok(Stage::Paused) => {}
        ended => return astar.finish(ended, guide),
    }
    let mut next_width = Some(1 << 5);
    let mut turn = 1 << 8;
    loop {
        if let Some(width) = next_width {
            let mut effort = Effort::default();
            let request = BeamRequest {
                width,
                below: astar.below(),
                at_least: astar.at_least(),
            };
            let result = beam(space, &mut beam_guide, &request, budget, &mut effort);
            astar.add_effort(effort);
            turn = effort.expanded.max(turn);
            next_width = match result {
                Ok(BeamResult::Found(found)) => {
                    astar.add_plan(found);
                    Some(width * 2)
                }
                Ok(BeamResult::TooNarrow) => Some(width * 4),
                // No plan at all.
                Ok(BeamResult::Exhausted) if request.below == u32::MAX => {
                    return astar.report(Ok(Stage::Exhausted));
                }
                // Beams need too much memory, or have nothing more to find: the rest is for A*
                // alone.
                Ok(BeamResult::Exhausted) | Err(Limit::Memory) => None,
                Err(why) => return astar.report(Err(why)),
            };
        }
        let expansions = if next_width.is_some() { turn } else { u64::MAX };
        match astar.run(expansions) {
            Ok(Stage::Paused) => {}
            ended => return astar.finish(ended, guide),
        }
    }
}
