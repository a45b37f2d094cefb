//! A plan at once, then better ones and rising bounds, until they meet.
//!
//! Beams of growing width look for plans while A* raises the bound, turn by turn, each for about as many states as the
//! other (counted, so that the same run gives the same answer). A* opens no state that cannot beat the best plan so far,
//! and a beam keeps none. What A* proves is a proof, so this costs at most about twice what A* alone would, and has
//! something to show all the way.

use ployglot_base::{Budget, Effort, Guide, Limit, Report, Space};

use crate::astar::{Astar, Stage};
use crate::beam::{Aim, Cast, beam};

pub fn anytime<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut exact = Astar::new(space, guide(), budget);
    let mut scout = guide();
    let mut width = Some(1 << 5);
    let mut turn = 1 << 8;
    loop {
        if let Some(narrow) = width {
            let mut effort = Effort::default();
            let aim = Aim {
                width: narrow,
                below: exact.below(),
                at_least: exact.at_least(),
            };
            let cast = beam(space, &mut scout, &aim, budget, &mut effort);
            exact.add_effort(effort);
            turn = effort.expanded.max(turn);
            width = match cast {
                Ok(Cast::Found(found)) => {
                    exact.give(found);
                    Some(narrow * 2)
                }
                Ok(Cast::Narrow) => Some(narrow * 4),
                // Too much for the memory, or nothing more to find: the rest is for A* alone.
                Ok(Cast::Nothing) | Err(Limit::Memory) => None,
                Err(why) => return exact.report(Err(why)),
            };
        }
        let expansions = if width.is_some() { turn } else { u64::MAX };
        match exact.run(expansions) {
            Ok(Stage::Paused) => {}
            Err(Limit::Memory) => return exact.dive(guide()),
            ended => return exact.report(ended),
        }
    }
}
