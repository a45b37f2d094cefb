//! Proofs by a list of nodes: every node that is cheaper than the claim is listed with its cost, and
//! none is an end.
//!
//! A node is what [`Listing`](ployglot_games::Listing) says: a state, or for Pipe Mania a path. What
//! is checked: each root is covered at its cost, no listed node is an end, and each successor of a
//! listed node is covered at the node's cost plus the step's. *Covered at g* means one of
//! - g is not below the claimed cost;
//! - the node is listed with a cost of at most g;
//! - it is no end, and g plus a lower bound is not below the claimed cost (g + 1 without any
//!   exclusion), or the bound says that no end can be reached.
//!
//! Why this proves the claim: take a way from a root to an end whose cost is below the claim. By
//! induction along the way every node of it is listed with at most its cost on the way: it is
//! covered, the first reason fails since costs do not fall along the way, and the third since the
//! bound is at most what the rest of the way costs. So the end of the way is listed, but no listed
//! node is an end. For the claim `unsolvable` the claimed cost is infinite.
//!
//! `format.rs` is the file, `list.rs` makes the list, `check.rs` checks it within bounded memory.

mod check;
mod format;
mod list;

pub(crate) use check::check;
pub use format::{read_list, write_list};
pub use list::{CannotList, Listed, list};

use ployglot_games::{Listing, NodeBound};

/// The lower bounds of these names, prepared for a level; `Err`: the name that the game lacks.
fn bounds<'a, G: Listing>(
    level: &'a G,
    measure: &str,
    names: &[String],
) -> Result<Vec<NodeBound<'a, G>>, String> {
    let find = |name: &String| {
        let found = G::EXCLUSIONS.iter().find(|known| known.name == name);
        let bound = found.map(|exclusion| (exclusion.prepare)(level, measure));
        bound.ok_or_else(|| name.clone())
    };
    names.iter().map(find).collect()
}

/// Whether a node that is no end need not be listed at this cost.
fn excluded<G: Listing>(bounds: &[NodeBound<G>], node: &G::Node, cost: u32, below: u32) -> bool {
    let reaches = |rest: u32| cost.saturating_add(rest) >= below;
    // A node that is no end needs a step, which costs at least 1.
    reaches(1) || bounds.iter().any(|bound| bound(node).is_none_or(reaches))
}
