//! A level as a question about walks, and what is known of the answer.

use super::distances::Distances;
use super::graph::{Graph, NEVER, Node, Way};
use super::piece::Kind;
use super::rules::{PipeMania, Place};
use super::trim;
use crate::*;

/// A piece, and the sides through which the path enters and leaves it.
pub(super) type Passage = (Place, Side, Side);

/// What is known so far.
#[derive(Default)]
pub(super) struct Best {
    /// No path costs less.
    pub(super) at_least: u32,
    /// The cheapest path so far: its cost, and how it passes the pieces between its ends.
    pub(super) path: Option<(u32, Vec<Passage>)>,
    pub(super) effort: Effort,
}

impl Best {
    pub(super) fn cost(&self) -> u32 {
        self.path.as_ref().map_or(NEVER, |(cost, _)| *cost)
    }

    /// A path was found; it counts if it is cheaper.
    pub(super) fn offer(&mut self, cost: u32, problem: &Problem, path: &[Node]) {
        if cost < self.cost() {
            self.path = Some((cost, problem.passages(path)));
        }
    }

    /// Whether to go on; and the progress to whoever watches.
    pub(super) fn check(
        &self,
        phase: &'static str,
        depth: u32,
        budget: &Budget,
    ) -> Result<(), Limit> {
        budget.check(|| Progress {
            phase,
            depth,
            expanded: self.effort.expanded,
            stored: self.effort.stored,
            at_least: self.at_least,
            best: self.path.as_ref().map(|(cost, _)| *cost),
            ..Progress::default()
        })
    }
}

/// A level as a question about walks.
pub(super) struct Problem<'a> {
    pub(super) graph: Graph,
    pub(super) switches: &'a Switches,
    /// The nodes where a walk may begin, as if it had entered the B from behind, and those where it may end.
    pub(super) roots: Vec<Node>,
    pub(super) targets: Vec<Node>,
    /// The cell where it must end; `None`: in any B.
    to: Option<u32>,
    /// Whether a walk may begin in one end and end in another, and the other way round.
    many_ways: bool,
    /// The required cells, sorted.
    pub(super) required: Vec<u32>,
}

impl<'a> Problem<'a> {
    /// `None`: there are no two ends.
    pub(super) fn new(
        level: &PipeMania,
        measure: &str,
        switches: &'a Switches,
        budget: &Budget,
    ) -> Result<Option<Self>, Limit> {
        budget.check(Progress::default)?;
        let mut graph = Graph::new(level, measure != "pieces");
        let ends: Vec<u32> = level
            .ends()
            .into_iter()
            .map(|end| graph.cell(end))
            .collect();
        if ends.len() < 2 {
            return Ok(None);
        }
        let mut from = level.from.map(|end| graph.cell(end));
        let mut to = level.to.map(|end| graph.cell(end));
        if let [first, second] = ends[..] {
            // Of two ends, the one that is not named is the other one; and without one-way pieces, a path can be read
            // backwards.
            let two_way = level
                .board
                .cells()
                .iter()
                .all(|tile| tile.kind != Kind::OneWay);
            let other = |end: u32| if end == first { second } else { first };
            from = from.or(to.map(other)).or(two_way.then_some(first));
            to = to.or(from.map(other));
        }
        let nodes = |mine: Option<u32>, yours: Option<u32>| -> Vec<Node> {
            let ends = ends
                .iter()
                .filter(|&&end| mine.is_none_or(|mine| mine == end));
            let ends = ends.filter(|&&end| yours != Some(end));
            ends.flat_map(|&end| graph.nodes_of(end)).collect()
        };
        let (roots, targets) = (nodes(from, to), nodes(to, from));
        graph.name_ends(from, to);
        let required = level.required().into_iter();
        let required = required.map(|place| graph.cell(place)).collect();
        Ok(Some(Self {
            roots,
            targets,
            graph,
            switches,
            to,
            many_ways: from.is_none() && to.is_none(),
            required,
        }))
    }

    /// Takes on another board of open ways, and other roots, and gives back its own.
    pub(super) fn take_on(&mut self, open: Vec<u8>, roots: Vec<Node>) -> (Vec<u8>, Vec<Node>) {
        let own = std::mem::replace(&mut self.roots, roots);
        (self.graph.replace_open(open), own)
    }

    /// Whether a walk may end in a node.
    pub(super) fn arrives(&self, node: Node) -> bool {
        match self.to {
            Some(end) => node / 4 == end,
            None => self.graph.is_end(node),
        }
    }

    /// For each node, the cost of the cheapest walk from there to an end.
    pub(super) fn distances(&self, budget: &Budget) -> Result<Distances, Limit> {
        if self.many_ways {
            return self.graph.two_nearest(&self.targets, budget);
        }
        let targets: Vec<_> = self.targets.iter().map(|&node| (node, 0)).collect();
        let near = self.graph.distances(&targets, Way::Backward, budget)?;
        Ok(Distances::single(near))
    }

    /// Closes what no path uses that is cheaper than the best.
    pub(super) fn trim(&mut self, best: &mut Best, budget: &Budget) -> Result<(), Limit> {
        if best.path.is_some() {
            let onward = self.distances(budget)?;
            let roots: Vec<_> = self.roots.iter().map(|&node| (node, 0)).collect();
            let before = self.graph.distances(&roots, Way::Forward, budget)?;
            let dear = |&node: &Node| {
                let (before, onward) = (before[node as usize], onward.of(node, NEVER));
                before.saturating_add(onward) >= best.cost()
            };
            let dear: Vec<Node> = self.graph.open_nodes().filter(dear).collect();
            dear.into_iter().for_each(|node| self.graph.close(node));
        }
        trim::trim(&mut self.graph, &self.roots, &self.targets, best, budget)
    }

    /// What tells walks from this root apart from others: its cell, where they may not end.
    pub(super) fn source(&self, root: Node) -> u32 {
        if self.many_ways { root / 4 } else { NEVER }
    }

    /// The cheapest walk: its cost and its nodes.
    pub(super) fn cheapest_walk(&self, distances: &Distances) -> Option<(u32, Vec<Node>)> {
        let onward = |node: Node, source: u32| {
            let steps = self.graph.steps(node, Way::Forward);
            steps
                .map(|(next, step)| (distances.of(next, source).saturating_add(step), next))
                .min()
        };
        let roots = self.roots.iter();
        let firsts = roots.filter_map(|&root| Some((onward(root, self.source(root))?.0, root)));
        let (cost, root) = firsts.min().filter(|&(cost, _)| cost != NEVER)?;
        let source = self.source(root);
        let mut walk = vec![root];
        let mut node = root;
        while walk.len() == 1 || distances.of(node, source) > 0 {
            node = onward(node, source)
                .expect("the distances came from there")
                .1;
            walk.push(node);
        }
        Some((cost, walk))
    }

    /// The pairs of places in a walk between which it makes a loop: each slot that it uses again, and where it was used
    /// last.
    pub(super) fn crossings(&self, walk: &[Node]) -> Vec<(usize, usize)> {
        let uses = walk.iter().enumerate();
        let mut uses: Vec<_> = uses
            .map(|(at, &node)| (self.graph.slot(node), at))
            .collect();
        uses.sort_unstable();
        let pairs = uses.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        pairs.map(|pair| (pair[0].1, pair[1].1)).collect()
    }

    /// How a path passes the pieces between its ends.
    fn passages(&self, path: &[Node]) -> Vec<Passage> {
        let between = path.windows(2).skip(1);
        between
            .map(|pair| {
                let entered = Side::ALL[pair[0] as usize % 4];
                let out = Side::ALL[pair[1] as usize % 4].opposite();
                (self.graph.place(pair[0] / 4), entered, out)
            })
            .collect()
    }
}
