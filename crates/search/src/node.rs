//! What A* knows about each stored state: the cheapest path to it so far, and its lower bound.
//! Shared by `astar` and `parallel`.
//!
//! The bound need not be consistent: a state that is reached by a cheaper path is opened again.
//! Bounds are raised to what the parent's bound implies (pathmax: Mérő 1984).

use crate::registry::StateId;

/// The parent of the start.
pub(crate) const NO_PARENT: u32 = u32::MAX;
/// The bound of a dead end.
const DEAD: u16 = u16::MAX;

/// What is known about a stored state.
pub(crate) struct Node {
    pub(crate) parent: u32,
    /// The cost of the cheapest path to the state so far.
    pub(crate) g: u32,
    /// The lower bound, cut at `u16`, which keeps it a lower bound; or `DEAD`.
    h: u16,
    /// The shard that stores the parent; 0 where there is only one.
    pub(crate) parent_shard: u8,
    closed: bool,
}

/// A path to a state, known by its last step.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    parent: u32,
    parent_shard: u8,
    g: u32,
    /// The lower bound that the parent's bound implies.
    h: u16,
}

impl Path {
    /// The empty path to the start.
    pub(crate) const START: Path = Path {
        parent: NO_PARENT,
        parent_shard: 0,
        g: 0,
        h: 0,
    };
}

impl Node {
    /// The path through this node, which is `id` in its shard, and on by a move of this cost.
    #[inline]
    pub(crate) fn path_on(&self, id: StateId, shard: u8, cost: u32) -> Path {
        Path {
            parent: id.0,
            parent_shard: shard,
            g: self.g.saturating_add(cost),
            h: u32::from(self.h).saturating_sub(cost) as u16,
        }
    }

    /// The lower bound on the cost from here.
    #[inline]
    pub(crate) fn h(&self) -> u32 {
        u32::from(self.h)
    }

    /// The lower bound on the cost of plans through this state.
    #[inline]
    pub(crate) fn f(&self) -> u32 {
        self.g.saturating_add(self.h())
    }

    /// Whether a plan through this state may cost less than this.
    #[inline]
    pub(crate) fn allows_below(&self, upper_bound: u32) -> bool {
        self.h != DEAD && self.f() < upper_bound
    }
}

/// The nodes of a registry's states, by their ids.
#[derive(Default)]
pub(crate) struct Nodes(Vec<Node>);

impl Nodes {
    /// Records a path to a state. Gives its node if the state must be opened: if it is new, or no
    /// path so far was as cheap. `lower_bound` is asked for new states only.
    #[inline]
    pub(crate) fn record(
        &mut self,
        id: StateId,
        new: bool,
        path: Path,
        lower_bound: impl FnOnce() -> Option<u32>,
    ) -> Option<&Node> {
        if new {
            self.0.push(Node {
                parent: path.parent,
                g: path.g,
                h: stored(lower_bound()).max(path.h),
                parent_shard: path.parent_shard,
                closed: false,
            });
        } else {
            let node = &mut self.0[id.index()];
            node.h = node.h.max(path.h);
            if path.g >= node.g {
                return None;
            }
            node.g = path.g;
            node.parent = path.parent;
            node.parent_shard = path.parent_shard;
            node.closed = false;
        }
        Some(&self.0[id.index()])
    }

    /// Raises the bound of a state to this one.
    pub(crate) fn raise(&mut self, id: StateId, lower_bound: Option<u32>) -> &Node {
        let node = &mut self.0[id.index()];
        node.h = node.h.max(stored(lower_bound));
        node
    }

    /// Closes a state that waits in the open list under these keys. False if it need not be
    /// expanded: it has been closed, or it waits under better keys too.
    #[inline]
    pub(crate) fn close(&mut self, id: StateId, f: u32, h: u32) -> bool {
        let node = &mut self.0[id.index()];
        let current = !node.closed && node.g == f - h;
        node.closed |= current;
        current
    }

    /// Undoes `close`.
    #[inline]
    pub(crate) fn reopen(&mut self, id: StateId) {
        self.0[id.index()].closed = false;
    }

    /// The node of a state; `None` for `NO_PARENT`.
    #[inline]
    pub(crate) fn get(&self, id: StateId) -> Option<&Node> {
        self.0.get(id.index())
    }
}

/// A bound as it is stored.
#[inline]
fn stored(lower_bound: Option<u32>) -> u16 {
    lower_bound.map_or(DEAD, |bound| bound.min(u32::from(DEAD) - 1) as u16)
}

impl std::ops::Index<StateId> for Nodes {
    type Output = Node;

    #[inline]
    fn index(&self, id: StateId) -> &Node {
        &self.0[id.index()]
    }
}
