//! One look for the cheapest walk that breaks no memory: A* over labels.
//!
//! A label is a walk to a node, with what it has used of the pieces that its last piece remembers, and what it lacks of the
//! required ones. A label pushes another one at the same node aside if it costs no more, has used no more, and lacks no
//! more: whatever the other one can become, this one can become at no greater cost.
//!

use std::collections::BTreeMap;

use super::graph::{NEVER, Node, Way};
use super::paths::{Best, Problem};
use crate::*;

/// For each slot, the slots that it remembers, sorted.
pub(super) struct Memory {
    index: Vec<u32>,
    lists: Vec<Vec<u32>>,
    longest: usize,
}

impl Memory {
    pub(super) fn new(slots: usize) -> Self {
        Self {
            index: vec![0; slots],
            lists: vec![Vec::new()],
            longest: 0,
        }
    }

    fn of(&self, slot: u32) -> &[u32] {
        &self.lists[self.index[slot as usize] as usize]
    }

    pub(super) fn learn(&mut self, slot: u32, remembered: u32) {
        let index = &mut self.index[slot as usize];
        if *index == 0 {
            *index = self.lists.len() as u32;
            self.lists.push(Vec::new());
        }
        let list = &mut self.lists[*index as usize];
        if let Err(at) = list.binary_search(&remembered) {
            list.insert(at, remembered);
            self.longest = self.longest.max(list.len());
        }
    }
}

/// How a run ended.
pub(super) enum Ended {
    /// With the cheapest walk: its cost, and its nodes from begin to end.
    Walk(u32, Vec<Node>),
    /// There is none, or none cheaper than the best path.
    Nothing,
}

/// A walk to a node.
#[derive(Clone, Copy)]
struct Label {
    node: Node,
    /// The walk without its last step; `NONE` where it starts.
    parent: u32,
    cost: u32,
    /// The next label that was expanded at the same node.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// Tables of distances by way of required cells may hold this many numbers.
const MOST_BY_WAY: usize = 1 << 24;

/// What is kept between runs, and the tables of the current one.
pub(super) struct Rounds<'a> {
    problem: &'a Problem<'a>,
    /// For each node, the least cost to come there (as it is entered) and to go on from there.
    come: Vec<u32>,
    go_on: Vec<u32>,
    /// The same by way of a required cell, for some of them.
    come_by: Vec<Vec<u32>>,
    go_on_by: Vec<Vec<u32>>,
    labels: Vec<Label>,
    /// For each label, `stride` words: the required cells that it lacks, then the remembered slots that it has used.
    masks: Vec<u64>,
    lacking: usize,
    stride: usize,
    /// For each node, the first label that was expanded there.
    expanded_at: Vec<u32>,
    open: BTreeMap<u32, Vec<u32>>,
    expanded: u64,
}

impl<'a> Rounds<'a> {
    /// `None`: even a walk does not exist.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<Option<Self>, Limit> {
        let graph = &problem.graph;
        let zero = |nodes: &[Node]| nodes.iter().map(|&node| (node, 0)).collect::<Vec<_>>();
        let go_on = graph.distances(&zero(&problem.targets), Way::Backward, budget)?;
        let first = problem.roots.iter().flat_map(|&root| {
            let steps = graph.steps(root, Way::Forward);
            steps.map(|(next, step)| go_on[next as usize].saturating_add(step))
        });
        let Some(cost) = first.min().filter(|&cost| cost != NEVER) else {
            return Ok(None);
        };
        best.at_least = cost;
        let come = graph.distances(&zero(&problem.roots), Way::Forward, budget)?;
        let (mut come_by, mut go_on_by) = (Vec::new(), Vec::new());
        if problem.switches.on("required-bound") {
            for &cell in problem.required.iter().take(MOST_BY_WAY / graph.nodes()) {
                let known = |table: &[u32]| {
                    let nodes = graph.ways_in(cell);
                    nodes.map(|node| (node, table[node as usize])).collect::<Vec<_>>()
                };
                come_by.push(graph.distances(&known(&come), Way::Forward, budget)?);
                go_on_by.push(graph.distances(&known(&go_on), Way::Backward, budget)?);
            }
        }
        Ok(Some(Self {
            problem,
            come,
            go_on,
            come_by,
            go_on_by,
            labels: Vec::new(),
            masks: Vec::new(),
            lacking: problem.required.len().div_ceil(64),
            stride: 0,
            expanded_at: vec![NONE; graph.nodes()],
            open: BTreeMap::new(),
            expanded: 0,
        }))
    }

    pub(super) fn effort(&self) -> Effort {
        Effort {
            expanded: self.expanded,
            generated: self.labels.len() as u64,
            stored: self.labels.len() as u64,
        }
    }

    pub(super) fn run(
        &mut self,
        way: Way,
        memory: &Memory,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<Ended, Limit> {
        self.reset(memory);
        self.start(way);
        let mut mask = vec![0; self.stride];
        while let Some(mut bucket) = self.open.first_entry() {
            let bound = *bucket.key();
            if bound >= best.cost() {
                break;
            }
            let Some(id) = bucket.get_mut().pop() else {
                bucket.remove();
                continue;
            };
            if self.expanded.is_multiple_of(256) {
                best.at_least = best.at_least.max(bound);
                budget.check(|| Progress {
                    phase: "paths",
                    depth: bound,
                    expanded: self.expanded,
                    stored: self.labels.len() as u64,
                    at_least: best.at_least,
                    best: best.path.as_ref().map(|(cost, _)| *cost),
                    ..Progress::default()
                })?;
            }
            let label = self.labels[id as usize];
            if label.parent != NONE && self.problem.arrives(label.node, way) {
                if self.is_complete(id) {
                    let walk = self.walk(id, way);
                    return Ok(Ended::Walk(label.cost, walk));
                }
                let named = match way {
                    Way::Forward => self.problem.to,
                    Way::Backward => self.problem.from,
                };
                if named.is_some() {
                    continue;
                }
            }
            if self.pushed(label.node, label.cost, self.mask(id)) {
                continue;
            }
            let first = &mut self.expanded_at[label.node as usize];
            self.labels[id as usize].next = std::mem::replace(first, id);
            self.expanded += 1;
            self.extend(id, way, memory, &mut mask);
        }
        Ok(Ended::Nothing)
    }

    fn reset(&mut self, memory: &Memory) {
        for label in self.labels.drain(..) {
            self.expanded_at[label.node as usize] = NONE;
        }
        self.masks.clear();
        self.open.clear();
        self.expanded = 0;
        self.stride = self.lacking + memory.longest.div_ceil(64);
    }

    /// One label for each node where a walk may start.
    fn start(&mut self, way: Way) {
        let problem = self.problem;
        let starts = match way {
            Way::Forward => &problem.roots,
            Way::Backward => &problem.targets,
        };
        let mut mask = vec![0; self.stride];
        for &node in starts {
            mask.fill(0);
            for (index, &cell) in problem.required.iter().enumerate() {
                mask[index / 64] |= u64::from(cell != node / 4) << (index % 64);
            }
            let id = self.labels.len() as u32;
            self.add(node, NONE, 0, &mask);
            self.open.entry(0).or_default().push(id);
        }
    }

    fn add(&mut self, node: Node, parent: u32, cost: u32, mask: &[u64]) {
        self.labels.push(Label {
            node,
            parent,
            cost,
            next: NONE,
        });
        self.masks.extend_from_slice(mask);
    }

    fn mask(&self, id: u32) -> &[u64] {
        &self.masks[id as usize * self.stride..][..self.stride]
    }

    fn is_complete(&self, id: u32) -> bool {
        self.mask(id)[..self.lacking].iter().all(|&word| word == 0)
    }

    /// Whether a label that was expanded at the node pushes this one aside.
    fn pushed(&self, node: Node, cost: u32, mask: &[u64]) -> bool {
        let mut other = self.expanded_at[node as usize];
        while other != NONE {
            let label = &self.labels[other as usize];
            let within = |(mine, yours): (&u64, &u64)| mine & !yours == 0;
            if label.cost <= cost && self.mask(other).iter().zip(mask).all(within) {
                return true;
            }
            other = label.next;
        }
        false
    }

    /// Opens what a label leads to.
    fn extend(&mut self, id: u32, way: Way, memory: &Memory, mask: &mut [u64]) {
        let problem = self.problem;
        let label = self.labels[id as usize];
        let here = problem.graph.slot(label.node);
        for (next, step) in problem.graph.steps(label.node, way) {
            let slot = problem.graph.slot(next);
            if slot == here || self.remembers(id, memory.of(here), slot) {
                continue;
            }
            self.carry(id, here, next, memory, mask);
            let cost = label.cost + step;
            let Some(bound) = self.bound(next, way, mask) else {
                continue;
            };
            // A walk that is complete goes no further, so what goes on from the same B does not stand for it.
            let complete = mask[..self.lacking].iter().all(|&word| word == 0);
            let arrived = complete && problem.arrives(next, way);
            if !arrived && self.pushed(next, cost, mask) {
                continue;
            }
            let child = self.labels.len() as u32;
            self.add(next, id, cost, mask);
            self.open.entry(cost + bound).or_default().push(child);
        }
    }

    /// Whether a label knows that it has used a slot.
    fn remembers(&self, id: u32, known: &[u32], slot: u32) -> bool {
        let known = known.binary_search(&slot);
        known.is_ok_and(|bit| self.mask(id)[self.lacking + bit / 64] >> (bit % 64) & 1 == 1)
    }

    /// The mask of a label after one more step.
    fn carry(&self, id: u32, here: u32, next: Node, memory: &Memory, mask: &mut [u64]) {
        let before = self.mask(id);
        mask.fill(0);
        mask[..self.lacking].copy_from_slice(&before[..self.lacking]);
        if self.lacking > 0
            && let Ok(index) = self.problem.required.binary_search(&(next / 4))
        {
            mask[index / 64] &= !(1 << (index % 64));
        }
        let known = memory.of(here);
        let (before, after) = (&before[self.lacking..], &mut mask[self.lacking..]);
        let mut old = 0;
        for (bit, &slot) in memory.of(self.problem.graph.slot(next)).iter().enumerate() {
            while old < known.len() && known[old] < slot {
                old += 1;
            }
            let has = old < known.len() && known[old] == slot;
            let used = has && before[old / 64] >> (old % 64) & 1 == 1;
            after[bit / 64] |= u64::from(used || slot == here) << (bit % 64);
        }
    }

    /// A bound on what is left from a node, with these required cells lacking.
    fn bound(&self, node: Node, way: Way, mask: &[u64]) -> Option<u32> {
        let (table, by) = match way {
            Way::Forward => (&self.go_on, &self.go_on_by),
            Way::Backward => (&self.come, &self.come_by),
        };
        let mut bound = table[node as usize];
        for (index, by_way) in by.iter().enumerate() {
            if mask[index / 64] >> (index % 64) & 1 == 1 {
                bound = bound.max(by_way[node as usize]);
            }
        }
        (bound != NEVER).then_some(bound)
    }

    /// The nodes of a walk, from begin to end.
    fn walk(&self, id: u32, way: Way) -> Vec<Node> {
        let mut walk = Vec::new();
        let mut here = id;
        while here != NONE {
            walk.push(self.labels[here as usize].node);
            here = self.labels[here as usize].parent;
        }
        if way == Way::Forward {
            walk.reverse();
        }
        walk
    }
}
