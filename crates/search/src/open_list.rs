//! The open list of A*: the least f = g + h first, then the least h, then the state that was pushed
//! last, so that the search runs deep where it can. Shared by `astar` and `parallel`.
//!
//! A state that is reached by a cheaper path is pushed again. The old entry stays, and is skipped
//! when it is popped.

use crate::bucket_queue::BucketQueue;
use crate::node::Nodes;
use crate::registry::StateId;

#[derive(Default)]
pub(crate) struct OpenList {
    /// State ids by f, then by h.
    queue: BucketQueue,
}

impl OpenList {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    #[inline]
    pub(crate) fn push(&mut self, f: u32, h: u32, id: StateId) {
        self.queue.push(f, h, id.0);
    }

    /// The least f in the list, and the least h that goes with it.
    #[inline]
    pub(crate) fn least(&mut self) -> Option<(u32, u32)> {
        self.queue.least()
    }

    /// Removes the first entry, and closes its state. `None` if the entry is outdated, or there is
    /// none.
    #[inline]
    pub(crate) fn close_least(&mut self, nodes: &mut Nodes) -> Option<StateId> {
        let (f, h, id) = self.queue.pop()?;
        nodes.close(StateId(id), f, h).then_some(StateId(id))
    }
}
