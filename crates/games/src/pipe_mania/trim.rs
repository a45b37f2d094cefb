//! Nodes that no path can use, though walks can.
//!
//! Of the walks that lead to a node, all may have to pass a certain other node first: it *dominates* it. And all that
//! lead on to the end may have to pass certain nodes. What dominates a node on either side is on every path
//! through it; so if two of these nodes use up the same piece, no path leads through it, and it is closed. That takes ways
//! from other nodes, so we look again until nothing changes. Often the whole board falls apart, and where it does
//! not, the search has less to do.
//!
//! The trees of dominators are made by Georgiadis' simpler variant of the algorithm of Lengauer and Tarjan (semidominators,
//! then nearest common ancestors), in nearly linear time.

use super::graph::{Graph, Node, Way};
use super::paths::Best;
use crate::*;

/// Closes nodes that no path uses.
pub(super) fn trim(
    graph: &mut Graph,
    roots: &[Node],
    targets: &[Node],
    best: &mut Best,
    budget: &Budget,
) -> Result<(), Limit> {
    loop {
        best.check("trim", best.at_least, budget)?;
        let before = Tree::new(graph, roots, Way::Forward);
        let after = Tree::new(graph, targets, Way::Backward);
        best.effort.expanded += (before.order.len() + after.order.len()) as u64;
        let closed = contradictions(graph, &before, &after);
        if closed.is_empty() {
            return Ok(());
        }
        closed.into_iter().for_each(|node| graph.close(node));
    }
}

/// The open nodes that no walk passes from begin to end, and those whose dominators use up a piece twice.
fn contradictions(graph: &Graph, before: &Tree, after: &Tree) -> Vec<Node> {
    let mut closed = Vec::new();
    for node in graph.open_nodes() {
        let lost = !before.reaches(node) || !after.reaches(node);
        let mut twins = graph.twins(node);
        if lost || twins.any(|twin| before.above(twin, node) || after.above(twin, node)) {
            closed.push(node);
        }
    }
    if !closed.is_empty() {
        return closed;
    }
    // One twin on the way there, the other on the way on.
    for first in graph.open_nodes() {
        for second in graph.twins(first) {
            if !before.reaches(first) || !after.reaches(second) {
                continue;
            }
            let (below, over) = (before.below(first), after.below(second));
            if below.len() <= over.len() {
                closed.extend(below.iter().filter(|&&node| after.above(second, node)));
            } else {
                closed.extend(over.iter().filter(|&&node| before.above(first, node)));
            }
        }
    }
    closed
}

/// A tree of dominators, below an invisible root.
struct Tree {
    /// For each node, its place in `order`, from 1; 0 if it is not reached.
    place: Vec<u32>,
    /// The nodes, each before all that it dominates, and these right behind it. The first entry is the root.
    order: Vec<Node>,
    /// For each place, one past the last that is dominated.
    last: Vec<u32>,
}

impl Tree {
    fn new(graph: &Graph, starts: &[Node], way: Way) -> Self {
        let (number, visited, parent) = depth_first(graph, starts, way);
        let dominator = dominators(graph, starts, way, &number, &visited, parent);
        let count = visited.len();
        let mut size = vec![1u32; count];
        for vertex in (1..count).rev() {
            size[dominator[vertex] as usize] += size[vertex];
        }
        // Each vertex comes after its dominator, so the places can be dealt out in one go.
        let mut free = vec![1u32; count];
        let (mut order, mut last) = (vec![0; count], vec![0; count]);
        let mut place = number;
        for vertex in 1..count {
            let above = dominator[vertex] as usize;
            let at = free[above];
            free[above] += size[vertex];
            free[vertex] = at + 1;
            order[at as usize] = visited[vertex];
            last[at as usize] = at + size[vertex];
            place[visited[vertex] as usize] = at;
        }
        Self { place, order, last }
    }

    fn reaches(&self, node: Node) -> bool {
        self.place[node as usize] != 0
    }

    /// Whether the one node is on every walk to the other.
    fn above(&self, node: Node, other: Node) -> bool {
        let (place, other) = (self.place[node as usize], self.place[other as usize]);
        place != 0 && place < other && other < self.last[place as usize]
    }

    /// The nodes that are reached only through this one, and itself.
    fn below(&self, node: Node) -> &[Node] {
        let place = self.place[node as usize] as usize;
        &self.order[place..self.last[place] as usize]
    }
}

/// Numbers the nodes in the order of a depth-first visit, from 1; the node and the parent of each number.
fn depth_first(graph: &Graph, starts: &[Node], way: Way) -> (Vec<u32>, Vec<Node>, Vec<u32>) {
    let mut number = vec![0u32; graph.nodes()];
    let (mut visited, mut parents) = (vec![0], vec![0]);
    let mut stack: Vec<(Node, u32)> = starts.iter().map(|&node| (node, 0)).collect();
    while let Some((node, parent)) = stack.pop() {
        if number[node as usize] != 0 {
            continue;
        }
        let mine = visited.len() as u32;
        number[node as usize] = mine;
        visited.push(node);
        parents.push(parent);
        for (next, _) in graph.steps(node, way) {
            if number[next as usize] == 0 {
                stack.push((next, mine));
            }
        }
    }
    (number, visited, parents)
}

/// For each number of a depth-first visit, the number of its immediate dominator.
fn dominators(
    graph: &Graph,
    starts: &[Node],
    way: Way,
    number: &[u32],
    visited: &[Node],
    parent: Vec<u32>,
) -> Vec<u32> {
    let count = visited.len();
    let mut semi: Vec<u32> = (0..count as u32).collect();
    let mut best = semi.clone();
    let mut above = parent.clone();
    let mut chain = Vec::new();
    let mut is_start = vec![false; count];
    starts.iter().for_each(|&node| is_start[number[node as usize] as usize] = true);
    for vertex in (1..count as u32).rev() {
        let mut least = parent[vertex as usize];
        if is_start[vertex as usize] {
            least = 0;
        }
        for (before, _) in graph.steps(visited[vertex as usize], way.other()) {
            let mut from = number[before as usize];
            if from == 0 {
                continue;
            }
            if from > vertex {
                // The least semidominator on the way up to what is not yet linked, with path compression.
                chain.clear();
                let mut here = from;
                while above[here as usize] > vertex {
                    chain.push(here);
                    here = above[here as usize];
                }
                while let Some(lower) = chain.pop() {
                    let upper = above[lower as usize];
                    if semi[best[upper as usize] as usize] < semi[best[lower as usize] as usize] {
                        best[lower as usize] = best[upper as usize];
                    }
                    above[lower as usize] = above[upper as usize];
                }
                from = semi[best[from as usize] as usize];
            }
            least = least.min(from);
        }
        semi[vertex as usize] = least;
    }
    let mut dominator = parent;
    for vertex in 1..count {
        let mut above = dominator[vertex];
        while above > semi[vertex] {
            above = dominator[above as usize];
        }
        dominator[vertex] = above;
    }
    dominator
}
