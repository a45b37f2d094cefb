//! The cheapest path of a level as a problem on the graph of walks, and the best answer so far.

use super::distances::Distances;
use super::graph::{Direction, Graph, Node, UNREACHABLE};
use super::piece::Kind;
use super::rules::{PipeMania, Place};
use super::trim;
use crate::*;

/// A piece, and the sides through which the path enters and leaves it.
pub(super) type Passage = (Place, Side, Side);

/// The best answer so far.
#[derive(Default)]
pub(super) struct Best {
    /// No path costs less.
    pub(super) at_least: u32,
    /// The cheapest path so far: its cost, and its passages through the pieces between its ends.
    pub(super) path: Option<(u32, Vec<Passage>)>,
    pub(super) effort: Effort,
}

impl Best {
    /// The cost of the cheapest path so far; `UNREACHABLE` if there is none.
    pub(super) fn cost(&self) -> u32 {
        self.path.as_ref().map_or(UNREACHABLE, |(cost, _)| *cost)
    }

    /// Records a path if it is cheaper than the best one.
    pub(super) fn offer(&mut self, cost: u32, problem: &PathProblem, path: &[Node]) {
        if cost < self.cost() {
            self.path = Some((cost, problem.passages(path)));
        }
    }

    /// Checks the budget and reports progress.
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

/// The cheapest path of a level as a problem on the graph of walks.
pub(super) struct PathProblem<'a> {
    pub(super) graph: Graph,
    pub(super) switches: &'a Switches,
    /// The nodes where a walk may begin; the B counts as entered from the side opposite its exit.
    pub(super) roots: Vec<Node>,
    /// The nodes where a walk may end.
    pub(super) targets: Vec<Node>,
    /// The cell where a walk must end; `None`: in any B.
    to: Option<u32>,
    /// Whether any B may be the start and any other B the end.
    free_ends: bool,
    /// The required cells, sorted.
    pub(super) required: Vec<u32>,
}

impl<'a> PathProblem<'a> {
    /// `None`: the level has fewer than two B pieces.
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
            // With two B pieces, one named end determines the other. Without one-way pieces a path
            // can be reversed, so either may be the start.
            let two_way = level
                .board
                .cells()
                .iter()
                .all(|tile| tile.kind != Kind::OneWay);
            let other = |end: u32| if end == first { second } else { first };
            from = from.or(to.map(other)).or(two_way.then_some(first));
            to = to.or(from.map(other));
        }
        let nodes = |own: Option<u32>, excluded: Option<u32>| -> Vec<Node> {
            let ends = ends.iter().filter(|&&end| own.is_none_or(|own| own == end));
            let ends = ends.filter(|&&end| excluded != Some(end));
            ends.flat_map(|&end| graph.nodes_of(end)).collect()
        };
        let (roots, targets) = (nodes(from, to), nodes(to, from));
        graph.set_ends(from, to);
        let required = level.required().into_iter();
        let required = required.map(|place| graph.cell(place)).collect();
        Ok(Some(Self {
            roots,
            targets,
            graph,
            switches,
            to,
            free_ends: from.is_none() && to.is_none(),
            required,
        }))
    }

    /// Replaces the open nodes and the roots, and returns the previous ones.
    pub(super) fn swap_board(&mut self, open: Vec<u8>, roots: Vec<Node>) -> (Vec<u8>, Vec<Node>) {
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
        if self.free_ends {
            return self.graph.two_nearest(&self.targets, budget);
        }
        let targets: Vec<_> = self.targets.iter().map(|&node| (node, 0)).collect();
        let near = self
            .graph
            .distances(&targets, Direction::Backward, budget)?;
        Ok(Distances::single(near))
    }

    /// Closes nodes that are on no path cheaper than the best one.
    pub(super) fn trim(&mut self, best: &mut Best, budget: &Budget) -> Result<(), Limit> {
        if best.path.is_some() {
            let onward = self.distances(budget)?;
            let roots: Vec<_> = self.roots.iter().map(|&node| (node, 0)).collect();
            let before = self.graph.distances(&roots, Direction::Forward, budget)?;
            let too_expensive = |&node: &Node| {
                let (before, onward) = (before[node as usize], onward.of(node, UNREACHABLE));
                before.saturating_add(onward) >= best.cost()
            };
            let too_expensive: Vec<Node> = self.graph.open_nodes().filter(too_expensive).collect();
            too_expensive
                .into_iter()
                .for_each(|node| self.graph.close(node));
        }
        trim::trim(&mut self.graph, &self.roots, &self.targets, best, budget)
    }

    /// The cell where walks from this root may not end; `UNREACHABLE` if the graph excludes that
    /// already.
    pub(super) fn source(&self, root: Node) -> u32 {
        if self.free_ends {
            root / 4
        } else {
            UNREACHABLE
        }
    }

    /// The cheapest walk: its cost and its nodes.
    pub(super) fn cheapest_walk(&self, distances: &Distances) -> Option<(u32, Vec<Node>)> {
        let onward = |node: Node, source: u32| {
            let edges = self.graph.edges(node, Direction::Forward);
            edges
                .map(|(next, edge_cost)| {
                    (distances.of(next, source).saturating_add(edge_cost), next)
                })
                .min()
        };
        let roots = self.roots.iter();
        let firsts = roots.filter_map(|&root| Some((onward(root, self.source(root))?.0, root)));
        let (cost, root) = firsts.min().filter(|&(cost, _)| cost != UNREACHABLE)?;
        let source = self.source(root);
        let mut walk = vec![root];
        let mut node = root;
        while walk.len() == 1 || distances.of(node, source) > 0 {
            node = onward(node, source)
                .expect("a finite distance has a successor")
                .1;
            walk.push(node);
        }
        Some((cost, walk))
    }

    /// The loops of a walk: for each slot that is used again, the indices of the previous use and
    /// of this one.
    pub(super) fn crossings(&self, walk: &[Node]) -> Vec<(usize, usize)> {
        let uses = walk.iter().enumerate();
        let mut uses: Vec<_> = uses
            .map(|(at, &node)| (self.graph.slot(node), at))
            .collect();
        uses.sort_unstable();
        let pairs = uses.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        pairs.map(|pair| (pair[0].1, pair[1].1)).collect()
    }

    /// The passages of a path through the pieces between its ends.
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
