//! Trimming: closes nodes that no path can use, though walks can.
//!
//! Of the walks that lead to a node, all may have to pass a certain other node first: it *dominates* it. And all that
//! lead on to the end may have to pass certain nodes. What dominates a node on either side is on every path
//! through it; so if two of these nodes use up the same piece, no path leads through it, and it is closed. That takes ways
//! from other nodes, so we look again until nothing changes. Often the whole board falls apart, and where it does
//! not, the search has less to do.

use super::dominators::{Tree, Web};
use super::graph::{Graph, Node};
use super::problem::Best;
use crate::*;

/// Closes nodes that no path uses.
pub(super) fn trim(
    graph: &mut Graph,
    roots: &[Node],
    targets: &[Node],
    best: &mut Best,
    budget: &Budget,
) -> Result<(), Limit> {
    let mut web = Web::new(graph, roots, targets);
    loop {
        let mut check = || best.check("trim", best.at_least, budget);
        let before = Tree::new(&web, false, &mut check)?;
        let after = Tree::new(&web, true, &mut check)?;
        let closed = contradictions(&web, &before, &after, &mut check)?;
        best.effort.expanded += (before.len() + after.len()) as u64;
        if closed.is_empty() {
            return Ok(());
        }
        for id in closed {
            graph.close(web.node(id));
            web.remove(id);
        }
        if web.is_sparse() {
            web = Web::new(graph, roots, targets);
        }
    }
}

/// So many pairs are compared between two looks at the clock.
const MOST_UNCHECKED: usize = 1 << 20;

/// The nodes that no walk passes from begin to end, and those whose dominators use up a piece twice.
fn contradictions(
    web: &Web,
    before: &Tree,
    after: &Tree,
    check: &mut impl FnMut() -> Result<(), Limit>,
) -> Result<Vec<u32>, Limit> {
    let mut closed = Vec::new();
    for id in web.ids() {
        let lost = !before.reaches(id) || !after.reaches(id);
        let above = |&twin: &u32| before.above(twin, id) || after.above(twin, id);
        if lost || web.twins(id).iter().any(above) {
            closed.push(id);
        }
    }
    if !closed.is_empty() {
        return Ok(closed);
    }
    // One twin on the way there, the other on the way on.
    let mut unchecked = 0;
    for first in web.ids() {
        for &second in web.twins(first) {
            let (below, over) = (before.below(first), after.below(second));
            let both = |&&id: &&u32| after.above_or_at(second, id) && before.above_or_at(first, id);
            let fewer = if below.len() <= over.len() {
                below
            } else {
                over
            };
            closed.extend(fewer.iter().filter(both));
            unchecked += fewer.len();
            if unchecked > MOST_UNCHECKED {
                unchecked = 0;
                check()?;
            }
        }
    }
    Ok(closed)
}
