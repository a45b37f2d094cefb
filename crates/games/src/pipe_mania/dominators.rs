//! Which nodes are on every walk to a node: trees of dominators.
//!
//! They are made by the simpler variant of the algorithm of Lengauer and Tarjan (1979) that Georgiadis describes (2005):
//! semidominators with path compression, then nearest common ancestors, in nearly linear time. It runs many times on what is
//! left of a board, so the open nodes are gathered in a compact web first.

use super::graph::{Graph, Node, Way};
use crate::Limit;

/// The open nodes of a graph and their steps, numbered from 1; 0 stands for none.
pub(super) struct Web {
    nodes: Vec<Node>,
    removed: Vec<bool>,
    left: usize,
    /// For each number: where it leads, and from where one comes.
    steps: [Vec<[u32; 2]>; 2],
    /// The others that use up the same slot, and how many there are.
    twins: Vec<([u32; 3], u8)>,
    starts: [Vec<u32>; 2],
    /// The roots that no walk enters come first, and are never removed.
    outside: usize,
}

impl Web {
    pub(super) fn new(graph: &Graph, roots: &[Node], targets: &[Node]) -> Self {
        let mut number = vec![0u32; graph.nodes()];
        let mut nodes = vec![0];
        let outside = roots.iter().copied().filter(|&root| !graph.is_open(root));
        nodes.extend(outside);
        let outside = nodes.len();
        nodes.extend(graph.open_nodes());
        for (id, &node) in nodes.iter().enumerate().skip(1) {
            number[node as usize] = id as u32;
        }
        let count = nodes.len();
        let mut steps = [vec![[0; 2]; count], vec![[0; 2]; count]];
        let mut twins = vec![([0; 3], 0); count];
        for id in 1..count {
            let (mut ways, node) = (0, nodes[id]);
            for (next, _) in graph.steps(node, Way::Forward) {
                let next = number[next as usize];
                steps[0][id][ways] = next;
                ways += 1;
                // A piece is entered from its neighbour, which two ways may lead through.
                let back = &mut steps[1][next as usize];
                back[usize::from(back[0] != 0)] = id as u32;
            }
            if id >= outside {
                let (others, count) = &mut twins[id];
                for twin in graph.twins(node) {
                    others[usize::from(*count)] = number[twin as usize];
                    *count += 1;
                }
            }
        }
        let numbers = |nodes: &[Node]| {
            let numbers = nodes.iter().map(|&node| number[node as usize]);
            numbers.filter(|&id| id != 0).collect::<Vec<_>>()
        };
        Self {
            removed: vec![false; count],
            left: count,
            starts: [numbers(roots), numbers(targets)],
            nodes,
            steps,
            twins,
            outside,
        }
    }

    pub(super) fn node(&self, id: u32) -> Node {
        self.nodes[id as usize]
    }

    /// What can be removed and is not.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        let ids = self.outside as u32..self.nodes.len() as u32;
        ids.filter(|&id| !self.removed[id as usize])
    }

    pub(super) fn remove(&mut self, id: u32) {
        let removed = std::mem::replace(&mut self.removed[id as usize], true);
        self.left -= usize::from(!removed);
    }

    /// Whether so much was removed that a new web would be worth its making.
    pub(super) fn is_sparse(&self) -> bool {
        self.left * 2 < self.nodes.len()
    }

    /// The others that use up the same slot, removed or not.
    pub(super) fn twins(&self, id: u32) -> &[u32] {
        let (twins, count) = &self.twins[id as usize];
        &twins[..usize::from(*count)]
    }

    fn next(&self, id: u32, backward: bool) -> impl Iterator<Item = u32> {
        let next = self.steps[usize::from(backward)][id as usize];
        next.into_iter()
            .filter(|&next| next != 0 && !self.removed[next as usize])
    }
}

/// A tree of dominators, below an invisible root.
pub(super) struct Tree {
    /// For each number of the web, its place in `order`, from 1; 0 if it is not reached.
    place: Vec<u32>,
    /// The numbers, each before all that it dominates, and these right behind it.
    order: Vec<u32>,
    /// For each place, one past the last that is dominated.
    last: Vec<u32>,
}

impl Tree {
    /// Of the walks from where paths begin; or backward from where they end.
    pub(super) fn new(
        web: &Web,
        backward: bool,
        check: &mut impl FnMut() -> Result<(), Limit>,
    ) -> Result<Self, Limit> {
        let visit = Visit::new(web, backward, check)?;
        let dominator = visit.dominators(web, backward, check)?;
        let count = visit.ids.len();
        let mut size = vec![1u32; count];
        for vertex in (1..count).rev() {
            size[dominator[vertex] as usize] += size[vertex];
        }
        // Each vertex comes after its dominator, so the places can be dealt out in one go.
        let mut free = vec![1u32; count];
        let (mut order, mut last) = (vec![0; count], vec![0; count]);
        let mut place = visit.number;
        for vertex in 1..count {
            let above = dominator[vertex] as usize;
            let at = free[above];
            free[above] += size[vertex];
            free[vertex] = at + 1;
            order[at as usize] = visit.ids[vertex];
            last[at as usize] = at + size[vertex];
            place[visit.ids[vertex] as usize] = at;
        }
        Ok(Self { place, order, last })
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn reaches(&self, id: u32) -> bool {
        self.place[id as usize] != 0
    }

    /// Whether the one is another one and on every walk to it.
    pub(super) fn above(&self, id: u32, other: u32) -> bool {
        id != other && self.above_or_at(id, other)
    }

    pub(super) fn above_or_at(&self, id: u32, other: u32) -> bool {
        let (place, other) = (self.place[id as usize], self.place[other as usize]);
        place != 0 && place <= other && other < self.last[place as usize]
    }

    /// Those that are reached only through this one, and itself.
    pub(super) fn below(&self, id: u32) -> &[u32] {
        match self.place[id as usize] as usize {
            0 => &[],
            place => &self.order[place..self.last[place] as usize],
        }
    }
}

/// A depth-first visit, which numbers what it meets from 1.
struct Visit {
    /// By the numbers of the web.
    number: Vec<u32>,
    /// By the numbers of the visit: the number in the web, the number from which it was met, and whether a walk may start there.
    ids: Vec<u32>,
    parent: Vec<u32>,
    is_start: Vec<bool>,
}

/// So many steps are made between two looks at the clock.
const UNCHECKED: usize = 1 << 16;

impl Visit {
    fn new(
        web: &Web,
        backward: bool,
        check: &mut impl FnMut() -> Result<(), Limit>,
    ) -> Result<Self, Limit> {
        let starts = &web.starts[usize::from(backward)];
        let mut visit = Self {
            number: vec![0; web.nodes.len()],
            ids: vec![0],
            parent: vec![0],
            is_start: Vec::new(),
        };
        let mut stack: Vec<(u32, u32)> = Vec::new();
        stack.extend(
            starts
                .iter()
                .filter(|&&id| !web.removed[id as usize])
                .map(|&id| (id, 0)),
        );
        while let Some((id, parent)) = stack.pop() {
            if visit.number[id as usize] != 0 {
                continue;
            }
            if visit.ids.len() % UNCHECKED == 1 {
                check()?;
            }
            let mine = visit.ids.len() as u32;
            visit.number[id as usize] = mine;
            visit.ids.push(id);
            visit.parent.push(parent);
            let unmet = web
                .next(id, backward)
                .filter(|&next| visit.number[next as usize] == 0);
            stack.extend(unmet.map(|next| (next, mine)));
        }
        visit.is_start = vec![false; visit.ids.len()];
        for &id in starts {
            visit.is_start[visit.number[id as usize] as usize] = true;
        }
        Ok(visit)
    }

    /// For each number of the visit, the number of its immediate dominator.
    fn dominators(
        &self,
        web: &Web,
        backward: bool,
        check: &mut impl FnMut() -> Result<(), Limit>,
    ) -> Result<Vec<u32>, Limit> {
        let count = self.ids.len();
        let mut semi: Vec<u32> = (0..count as u32).collect();
        let mut best = semi.clone();
        let mut above = self.parent.clone();
        let mut chain = Vec::new();
        for vertex in (1..count).rev() {
            if vertex.is_multiple_of(UNCHECKED) {
                check()?;
            }
            let mut least = if self.is_start[vertex] {
                0
            } else {
                self.parent[vertex]
            };
            for before in web.next(self.ids[vertex], !backward) {
                let mut from = self.number[before as usize];
                if from == 0 {
                    continue;
                }
                if from as usize > vertex {
                    // The least semidominator on the way up to what is not yet linked, with path compression.
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
