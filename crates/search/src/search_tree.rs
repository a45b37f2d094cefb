//! Stored states, each with the state that it was reached from. The start is the first state.

use ployglot_base::Space;

use crate::plan::{self, FoundPlan};
use crate::registry::{Registry, StateId};

pub(crate) struct SearchTree {
    pub(crate) registry: Registry,
    /// The parent of each state of the registry; that of the start has no meaning.
    pub(crate) parents: Vec<u32>,
}

impl SearchTree {
    /// For packed states of this many words.
    pub(crate) fn new(words: usize) -> Self {
        Self {
            registry: Registry::new(words),
            parents: Vec::new(),
        }
    }

    /// The packed states on the path to this one, without the start.
    pub(crate) fn path_to(&self, end: StateId) -> impl Iterator<Item = &[u64]> {
        let parent = |id: StateId| (id.0 != 0).then(|| StateId(self.parents[id.index()]));
        let path = plan::path(end, parent);
        path.into_iter().map(|id| self.registry.state(id))
    }

    /// The plan that leads to this state.
    pub(crate) fn plan_to<S: Space>(&self, space: &S, end: StateId) -> FoundPlan<S::Move> {
        plan::along(space, self.path_to(end))
    }
}
