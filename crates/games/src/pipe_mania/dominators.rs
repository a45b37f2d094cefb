//! Dominator trees: for each node, the nodes that are on every walk to it.
//!
//! Built with the simpler variant of the algorithm of Lengauer and Tarjan (1979) that Georgiadis
//! describes (2005): semidominators with path compression, then nearest common ancestors, in nearly
//! linear time. Trimming runs it many times on a shrinking set of open nodes, so these are first
//! copied into a compact graph.

use super::graph::{Direction, Graph, Node};
use crate::Limit;

/// The open nodes of a graph and their edges. Nodes have ids from 1; 0 means none.
pub(super) struct OpenGraph {
    nodes: Vec<Node>,
    removed: Vec<bool>,
    left: usize,
    /// By direction (0 forward, 1 backward) and id: the ids of the successors or predecessors.
    edges: [Vec<[u32; 2]>; 2],
    /// By id: the other ids with the same slot, and how many there are.
    conflicting: Vec<([u32; 3], u8)>,
    /// By direction: where walks begin (roots), and where they end (targets).
    starts: [Vec<u32>; 2],
    /// Ids below this are roots that no walk enters; they are never removed.
    outside: usize,
}

impl OpenGraph {
    pub(super) fn new(graph: &Graph, roots: &[Node], targets: &[Node]) -> Self {
        let mut id_of = vec![0u32; graph.nodes()];
        let mut nodes = vec![0];
        let outside = roots.iter().copied().filter(|&root| !graph.is_open(root));
        nodes.extend(outside);
        let outside = nodes.len();
        nodes.extend(graph.open_nodes());
        for (id, &node) in nodes.iter().enumerate().skip(1) {
            id_of[node as usize] = id as u32;
        }
        let count = nodes.len();
        let mut edges = [vec![[0; 2]; count], vec![[0; 2]; count]];
        let mut conflicting = vec![([0; 3], 0); count];
        for id in 1..count {
            let (mut degree, node) = (0, nodes[id]);
            for (next, _) in graph.edges(node, Direction::Forward) {
                let next = id_of[next as usize];
                edges[0][id][degree] = next;
                degree += 1;
                // All predecessors are in the neighbouring cell; there are at most two.
                let back = &mut edges[1][next as usize];
                back[usize::from(back[0] != 0)] = id as u32;
            }
            if id >= outside {
                let (others, count) = &mut conflicting[id];
                for other in graph.conflicting(node) {
                    others[usize::from(*count)] = id_of[other as usize];
                    *count += 1;
                }
            }
        }
        let ids = |nodes: &[Node]| {
            let ids = nodes.iter().map(|&node| id_of[node as usize]);
            ids.filter(|&id| id != 0).collect::<Vec<_>>()
        };
        Self {
            removed: vec![false; count],
            left: count,
            starts: [ids(roots), ids(targets)],
            nodes,
            edges,
            conflicting,
            outside,
        }
    }

    pub(super) fn node(&self, id: u32) -> Node {
        self.nodes[id as usize]
    }

    /// The ids that may be removed and have not been.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        let ids = self.outside as u32..self.nodes.len() as u32;
        ids.filter(|&id| !self.removed[id as usize])
    }

    pub(super) fn remove(&mut self, id: u32) {
        let removed = std::mem::replace(&mut self.removed[id as usize], true);
        self.left -= usize::from(!removed);
    }

    /// Whether so many nodes were removed that building a new graph pays.
    pub(super) fn is_sparse(&self) -> bool {
        self.left * 2 < self.nodes.len()
    }

    /// The other ids with the same slot, removed or not.
    pub(super) fn conflicting(&self, id: u32) -> &[u32] {
        let (conflicting, count) = &self.conflicting[id as usize];
        &conflicting[..usize::from(*count)]
    }

    fn next(&self, id: u32, backward: bool) -> impl Iterator<Item = u32> {
        let next = self.edges[usize::from(backward)][id as usize];
        next.into_iter()
            .filter(|&next| next != 0 && !self.removed[next as usize])
    }
}

/// A dominator tree below a virtual root.
pub(super) struct DominatorTree {
    /// By id: its place in `order`, from 1; 0 if it is not reached.
    place: Vec<u32>,
    /// The ids in preorder: each is followed directly by all ids that it dominates.
    order: Vec<u32>,
    /// By place: one past the place of the last dominated id.
    last: Vec<u32>,
}

impl DominatorTree {
    /// The dominators of the walks from the roots; with `backward`, of the reversed walks from the
    /// targets.
    pub(super) fn new(
        graph: &OpenGraph,
        backward: bool,
        check: &mut impl FnMut() -> Result<(), Limit>,
    ) -> Result<Self, Limit> {
        let search = DepthFirst::new(graph, backward, check)?;
        let dominator = search.dominators(graph, backward, check)?;
        let count = search.ids.len();
        let mut size = vec![1u32; count];
        for vertex in (1..count).rev() {
            size[dominator[vertex] as usize] += size[vertex];
        }
        // Each vertex comes after its dominator, so one pass assigns all places.
        let mut free = vec![1u32; count];
        let (mut order, mut last) = (vec![0; count], vec![0; count]);
        let mut place = search.vertex_of;
        for vertex in 1..count {
            let above = dominator[vertex] as usize;
            let at = free[above];
            free[above] += size[vertex];
            free[vertex] = at + 1;
            order[at as usize] = search.ids[vertex];
            last[at as usize] = at + size[vertex];
            place[search.ids[vertex] as usize] = at;
        }
        Ok(Self { place, order, last })
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn reaches(&self, id: u32) -> bool {
        self.place[id as usize] != 0
    }

    /// Whether `id` differs from `other` and is on every walk to it.
    pub(super) fn strictly_dominates(&self, id: u32, other: u32) -> bool {
        id != other && self.dominates(id, other)
    }

    /// Whether `id` is on every walk to `other`; every reached id dominates itself.
    pub(super) fn dominates(&self, id: u32, other: u32) -> bool {
        let (place, other) = (self.place[id as usize], self.place[other as usize]);
        place != 0 && place <= other && other < self.last[place as usize]
    }

    /// The ids that `id` dominates, itself included.
    pub(super) fn dominated_by(&self, id: u32) -> &[u32] {
        match self.place[id as usize] as usize {
            0 => &[],
            place => &self.order[place..self.last[place] as usize],
        }
    }
}

/// A depth-first spanning tree. Its vertices are numbered from 1 in the order of the search.
struct DepthFirst {
    /// By id: its vertex; 0 if it is not reached.
    vertex_of: Vec<u32>,
    /// By vertex: its id.
    ids: Vec<u32>,
    /// By vertex: its parent in the tree.
    parent: Vec<u32>,
    /// By vertex: whether a walk may start there.
    is_start: Vec<bool>,
}

/// The number of vertices between two checks of the budget.
const CHECK_EVERY: usize = 1 << 16;

impl DepthFirst {
    fn new(
        graph: &OpenGraph,
        backward: bool,
        check: &mut impl FnMut() -> Result<(), Limit>,
    ) -> Result<Self, Limit> {
        let starts = &graph.starts[usize::from(backward)];
        let mut search = Self {
            vertex_of: vec![0; graph.nodes.len()],
            ids: vec![0],
            parent: vec![0],
            is_start: Vec::new(),
        };
        let mut stack: Vec<(u32, u32)> = Vec::new();
        stack.extend(
            starts
                .iter()
                .filter(|&&id| !graph.removed[id as usize])
                .map(|&id| (id, 0)),
        );
        while let Some((id, parent)) = stack.pop() {
            if search.vertex_of[id as usize] != 0 {
                continue;
            }
            if search.ids.len() % CHECK_EVERY == 1 {
                check()?;
            }
            let vertex = search.ids.len() as u32;
            search.vertex_of[id as usize] = vertex;
            search.ids.push(id);
            search.parent.push(parent);
            let unvisited = graph
                .next(id, backward)
                .filter(|&next| search.vertex_of[next as usize] == 0);
            stack.extend(unvisited.map(|next| (next, vertex)));
        }
        search.is_start = vec![false; search.ids.len()];
        for &id in starts {
            search.is_start[search.vertex_of[id as usize] as usize] = true;
        }
        Ok(search)
    }

    /// For each vertex, its immediate dominator.
    fn dominators(
        &self,
        graph: &OpenGraph,
        backward: bool,
        check: &mut impl FnMut() -> Result<(), Limit>,
    ) -> Result<Vec<u32>, Limit> {
        let count = self.ids.len();
        let mut semi: Vec<u32> = (0..count as u32).collect();
        let mut best = semi.clone();
        let mut above = self.parent.clone();
        let mut chain = Vec::new();
        for vertex in (1..count).rev() {
            if vertex.is_multiple_of(CHECK_EVERY) {
                check()?;
            }
            let mut least = if self.is_start[vertex] {
                0
            } else {
                self.parent[vertex]
            };
            for before in graph.next(self.ids[vertex], !backward) {
                let mut from = self.vertex_of[before as usize];
                if from == 0 {
                    continue;
                }
                if from as usize > vertex {
                    // The least semidominator on the path up to the first vertex that is not yet
                    // linked, with path compression.
                    let mut here = from;
                    while above[here as usize] as usize > vertex {
                        chain.push(here);
                        here = above[here as usize];
                    }
                    while let Some(lower) = chain.pop() {
                        let upper = above[lower as usize] as usize;
                        if semi[best[upper] as usize] < semi[best[lower as usize] as usize] {
                            best[lower as usize] = best[upper];
                        }
                        above[lower as usize] = above[upper];
                    }
                    from = semi[best[from as usize] as usize];
                }
                least = least.min(from);
            }
            semi[vertex] = least;
        }
        let mut dominator = self.parent.clone();
        for vertex in 1..count {
            let mut above = dominator[vertex];
            while above > semi[vertex] {
                above = dominator[above as usize];
            }
            dominator[vertex] = above;
        }
        Ok(dominator)
    }
}
