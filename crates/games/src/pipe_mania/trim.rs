//! Trimming: closes nodes that walks can use but paths cannot.
//!
//! A node *dominates* another if every walk from the start to the other passes it; likewise
//! backward from the end. The forward and backward dominators of a node are on every path through
//! it. So if two of them use the same slot, no path uses the node, and it is closed. Closing a node
//! can create new dominators, so this is repeated until nothing changes. Often no node is left,
//! which proves that there is no path; otherwise the search has less to do.

use super::dominators::{DominatorTree, OpenGraph};
use super::graph::{Graph, Node};
use super::path_problem::Best;
use crate::*;

/// Closes nodes that no path uses.
pub(super) fn trim(
    graph: &mut Graph,
    roots: &[Node],
    targets: &[Node],
    best: &mut Best,
    budget: &Budget,
) -> Result<(), Limit> {
    let mut open = OpenGraph::new(graph, roots, targets);
    loop {
        let mut check = || best.check("trim", best.at_least, budget);
        let before = DominatorTree::new(&open, false, &mut check)?;
        let after = DominatorTree::new(&open, true, &mut check)?;
        let closed = contradictions(&open, &before, &after, &mut check)?;
        best.effort.expanded += (before.len() + after.len()) as u64;
        if closed.is_empty() {
            return Ok(());
        }
        for id in closed {
            graph.close(open.node(id));
            open.remove(id);
        }
        if open.is_sparse() {
            open = OpenGraph::new(graph, roots, targets);
        }
    }
}

/// The number of pairs compared between two checks of the budget.
const CHECK_EVERY: usize = 1 << 20;

/// The nodes that are on no walk from start to end, and those with two dominators in the same slot.
fn contradictions(
    open: &OpenGraph,
    before: &DominatorTree,
    after: &DominatorTree,
    check: &mut impl FnMut() -> Result<(), Limit>,
) -> Result<Vec<u32>, Limit> {
    let mut closed = Vec::new();
    for id in open.ids() {
        let lost = !before.reaches(id) || !after.reaches(id);
        let dominates = |&other: &u32| {
            before.strictly_dominates(other, id) || after.strictly_dominates(other, id)
        };
        if lost || open.conflicting(id).iter().any(dominates) {
            closed.push(id);
        }
    }
    if !closed.is_empty() {
        return Ok(closed);
    }
    // Of two conflicting nodes, one dominates forward and the other backward.
    let mut unchecked = 0;
    for first in open.ids() {
        for &second in open.conflicting(first) {
            let (forward, backward) = (before.dominated_by(first), after.dominated_by(second));
            let both = |&&id: &&u32| after.dominates(second, id) && before.dominates(first, id);
            let fewer = if forward.len() <= backward.len() {
                forward
            } else {
                backward
            };
            closed.extend(fewer.iter().filter(both));
            unchecked += fewer.len();
            if unchecked > CHECK_EVERY {
                unchecked = 0;
                check()?;
            }
        }
    }
    Ok(closed)
}
