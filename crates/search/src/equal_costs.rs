//! Searches by layers need moves of equal cost. Where they find other costs, A* takes over.

use ployglot_base::{Budget, Effort, Guide, Limit, Report, Space};

use crate::astar::astar;

/// Why a search by layers ended early.
pub(crate) enum Stop {
    Limit(Limit),
    /// The moves do not all cost the same; or, for a search that counts moves, not all cost 1.
    UnequalCosts,
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

/// A* instead of a search that has done this much work.
pub(crate) fn astar_instead<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
    effort: Effort,
) -> Report<S::Move> {
    let mut report = astar(space, guide, budget);
    report.effort += effort;
    report
}
