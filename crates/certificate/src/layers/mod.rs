//! Proofs by a list of nodes: every node that is cheaper than the claim is listed with its cost, and
//! none is an end.
//!
//! A node is what [`Listing`](ployglot_games::Listing) says: a state, or for Pipe Mania a path. What
//! is checked: each root is covered at its cost, no listed node is an end, and each successor of a
//! listed node is covered at the node's cost plus the step's. *Covered at g* means one of
//! - g is not below the claimed cost;
//! - the node is listed with a cost of at most g; or, where the game has *losses* (bits of which
//!   fewer are never worse), a node is that has the same bytes but for fewer losses;
//! - it is no end, and g plus a lower bound is not below the claimed cost (g + 1 without any
//!   exclusion), or the bound says that no end can be reached.
//!
//! Why this proves the claim: suppose that a listed node of cost g had a way to an end of cost r with
//! g + r below the claim, and take one with the least r. It is no end, so the way has a first step, to
//! a node of some cost g' with r' < r left and g' + r' = g + r. That node is covered. The first reason
//! fails, since g' is below the claim, and the third, since the bound is at most r'. So a node is
//! listed with a cost of at most g', from which an end can be reached for at most r': a contradiction.
//! The same holds for the roots. For the claim `unsolvable` the claimed cost is infinite.
//!
//! `format.rs` is the file, `list.rs` makes the list with `arena.rs`, `check.rs` checks it within bounded memory.

mod arena;
mod check;
mod format;
mod list;

pub(crate) use check::check;
pub use format::{read_list, write_list};
pub use list::{CannotList, Listed, list};

use ployglot_games::{Listing, NodeBound, Reason};

/// The exclusions of a level that a list uses.
struct Exclusions<'a, G: Listing> {
    bounds: Vec<NodeBound<'a, G>>,
    /// How many bytes at the end of a node are a set of losses; 0 if they are not used.
    losses: usize,
}

impl<'a, G: Listing> Exclusions<'a, G> {
    /// No exclusions.
    fn none() -> Self {
        Self {
            bounds: Vec::new(),
            losses: 0,
        }
    }

    /// Those of these names, prepared for a level; `Err`: the name that the game lacks.
    fn new(level: &'a G, measure: &str, names: &[String]) -> Result<Self, String> {
        let mut exclusions = Self::none();
        for name in names {
            let found = G::EXCLUSIONS.iter().find(|known| known.name == name);
            match found.ok_or_else(|| name.clone())?.reason {
                Reason::Bound(prepare) => exclusions.bounds.push(prepare(level, measure)),
                Reason::Losses(bytes) => exclusions.losses = bytes(level),
            }
        }
        Ok(exclusions)
    }

    /// Whether a node that is no end need not be listed at this cost.
    fn exclude(&self, node: &G::Node, cost: u32, below: u32) -> bool {
        let reaches = |rest: u32| cost.saturating_add(rest) >= below;
        // A node that is no end needs a step, which costs at least 1.
        reaches(1)
            || self
                .bounds
                .iter()
                .any(|bound| bound(node).is_none_or(reaches))
    }
}

/// The key of a node and its losses.
fn split(node: &[u8], losses: usize) -> (&[u8], &[u8]) {
    node.split_at(node.len().saturating_sub(losses))
}

/// Whether every bit of the first is in the second.
fn is_subset(some: &[u8], all: &[u8]) -> bool {
    some.iter().zip(all).all(|(some, all)| some & !all == 0)
}
