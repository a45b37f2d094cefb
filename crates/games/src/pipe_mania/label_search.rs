//! A* over labels: the cheapest walk that uses no remembered slot twice.
//!
//! A label is a walk to a node, with the set of slots it has used (of those that its last slot
//! remembers), and the set of required cells it misses. A label dominates another one at the same
//! node if it costs no more, has used no more and misses no more: every completion of the other is
//! a completion of this one, at no greater cost. If walks can begin in several B pieces, a path
//! must not end where it began; then it takes two dominating labels with different starts, because
//! wherever the dominated one would end, one of the two may end there.

use std::collections::BTreeMap;

use super::graph::{Direction, Node, UNREACHABLE};
use super::path_problem::{Best, PathProblem};
use super::rounds::{Memory, RemainingCost};
use crate::*;

/// How a run of the search ended.
pub(super) enum Ended {
    /// The cheapest walk was found: its cost, and its nodes.
    Walk(u32, Vec<Node>),
    /// No walk is cheaper than the best path.
    Nothing,
    /// The effort is spent.
    Paused,
}

pub(super) struct LabelSearch {
    labels: Vec<Label>,
    /// For each label, `stride` words: the required cells that it misses, then the remembered slots
    /// that it has used.
    masks: Vec<u64>,
    /// The number of words for the required cells.
    required_words: usize,
    stride: usize,
    /// For each node, the label that was last expanded there: the head of a list.
    expanded_at: Vec<u32>,
    /// The open labels with the least bound on the cost of a completed walk, and that bound.
    now: (u32, Vec<u32>),
    /// The other open labels by their bound.
    later: BTreeMap<u32, Vec<u32>>,
    /// Whether only walks that are paths are extended. The path found need not be the cheapest.
    strict: bool,
    /// In a strict search, for each slot, the least cost of a label that was expanded there.
    first_cost: Vec<u32>,
    /// Whether the search has not started yet.
    fresh: bool,
}

/// A walk to a node.
#[derive(Clone, Copy)]
struct Label {
    node: Node,
    /// The label of the walk without its last node; `NONE` for a root.
    parent: u32,
    cost: u32,
    /// The cell where it began, if it must not end there.
    source: u32,
    /// The next label in the list of those expanded at the same node.
    next: u32,
}

const NONE: u32 = u32::MAX;

impl LabelSearch {
    pub(super) fn new(problem: &PathProblem) -> Self {
        Self {
            labels: Vec::new(),
            masks: Vec::new(),
            required_words: problem.required.len().div_ceil(64),
            stride: 0,
            expanded_at: vec![NONE; problem.graph.nodes()],
            now: (0, Vec::new()),
            later: BTreeMap::new(),
            strict: false,
            first_cost: Vec::new(),
            fresh: true,
        }
    }

    /// A search that extends only paths.
    pub(super) fn strict(problem: &PathProblem) -> Self {
        Self {
            strict: true,
            first_cost: vec![UNREACHABLE; problem.graph.slots()],
            ..Self::new(problem)
        }
    }

    /// Drops all labels.
    pub(super) fn restart(&mut self) {
        for label in self.labels.drain(..) {
            self.expanded_at[label.node as usize] = NONE;
        }
        self.masks.clear();
        self.now.1.clear();
        self.later.clear();
        self.fresh = true;
    }

    /// Starts, or continues after a pause. The memory must not have changed since the start.
    pub(super) fn run(
        &mut self,
        problem: &PathProblem,
        remaining: &RemainingCost,
        memory: &Memory,
        effort: u64,
        best: &mut Best,
        budget: &Budget,
    ) -> Result<Ended, Limit> {
        if std::mem::take(&mut self.fresh) {
            self.stride = self.required_words + memory.longest().div_ceil(64);
            self.start(problem);
        }
        let mut mask = vec![0; self.stride];
        for count in 0..effort {
            let Some((bound, id)) = self.pop() else {
                return Ok(Ended::Nothing);
            };
            if bound >= best.cost() {
                best.at_least = best.at_least.max(best.cost());
                return Ok(Ended::Nothing);
            }
            if count.is_multiple_of(256) {
                best.at_least = best.at_least.max(bound);
                best.effort.stored = best.effort.stored.max(self.labels.len() as u64);
                best.check("paths", bound, budget)?;
                self.afford(budget)?;
            }
            let label = self.labels[id as usize];
            if label.parent != NONE && problem.arrives(label.node) && self.is_complete(id) {
                return Ok(Ended::Walk(label.cost, self.walk(id)));
            }
            if self.is_dominated(label.node, label.cost, label.source, self.mask(id)) {
                continue;
            }
            let first = &mut self.expanded_at[label.node as usize];
            self.labels[id as usize].next = std::mem::replace(first, id);
            if self.strict {
                let first = &mut self.first_cost[problem.graph.slot(label.node) as usize];
                *first = (*first).min(label.cost);
            }
            best.effort.expanded += 1;
            best.effort.generated += self.extend(id, problem, remaining, memory, &mut mask);
        }
        Ok(Ended::Paused)
    }

    /// Adds a label for each root.
    fn start(&mut self, problem: &PathProblem) {
        let mut mask = vec![0; self.stride];
        for &node in &problem.roots {
            mask.fill(0);
            for (index, &cell) in problem.required.iter().enumerate() {
                mask[index / 64] |= u64::from(cell != node / 4) << (index % 64);
            }
            self.add(0, node, NONE, 0, problem.source(node), &mask);
        }
    }

    /// Adds the successors of a label to the open list; returns their number.
    fn extend(
        &mut self,
        id: u32,
        problem: &PathProblem,
        remaining: &RemainingCost,
        memory: &Memory,
        mask: &mut [u64],
    ) -> u64 {
        let label = self.labels[id as usize];
        let here = problem.graph.slot(label.node);
        let before = self.labels.len();
        for (next, edge_cost) in problem.graph.edges(label.node, Direction::Forward) {
            let slot = problem.graph.slot(next);
            if next / 4 == label.source || self.remembers(id, memory.of(here), slot) {
                continue;
            }
            self.extend_mask(id, here, next, problem, memory, mask);
            let cost = label.cost + edge_cost;
            let Some(bound) = remaining.bound(next, label.source, mask) else {
                continue;
            };
            if self.strict && self.uses(id, slot, problem) {
                continue;
            }
            // A completed walk is not extended, so labels that continue from the same B do not
            // dominate it.
            let complete = mask[..self.required_words].iter().all(|&word| word == 0);
            let arrived = complete && problem.arrives(next);
            if arrived || !self.is_dominated(next, cost, label.source, mask) {
                self.add(cost + bound, next, id, cost, label.source, mask);
            }
        }
        (self.labels.len() - before) as u64
    }

    fn add(&mut self, bound: u32, node: Node, parent: u32, cost: u32, source: u32, mask: &[u64]) {
        let id = self.labels.len() as u32;
        self.labels.push(Label {
            node,
            parent,
            cost,
            source,
            next: NONE,
        });
        self.masks.extend_from_slice(mask);
        match bound == self.now.0 {
            true => self.now.1.push(id),
            false => self.later.entry(bound).or_default().push(id),
        }
    }

    /// The newest of the labels with the least bound.
    fn pop(&mut self) -> Option<(u32, u32)> {
        let earlier = |(bound, _): (&u32, &Vec<u32>)| *bound < self.now.0;
        if self.now.1.is_empty() || self.later.first_key_value().is_some_and(earlier) {
            let next = self.later.pop_first();
            let old = std::mem::replace(&mut self.now, next?);
            if !old.1.is_empty() {
                self.later.insert(old.0, old.1);
            }
        }
        self.now.1.pop().map(|id| (self.now.0, id))
    }

    fn mask(&self, id: u32) -> &[u64] {
        &self.masks[id as usize * self.stride..][..self.stride]
    }

    /// Whether the walk has visited all required cells.
    fn is_complete(&self, id: u32) -> bool {
        self.mask(id)[..self.required_words]
            .iter()
            .all(|&word| word == 0)
    }

    /// Whether labels that were expanded at the node dominate this one.
    fn is_dominated(&self, node: Node, cost: u32, source: u32, mask: &[u64]) -> bool {
        let mut other = self.expanded_at[node as usize];
        let mut another = None;
        while other != NONE {
            let label = &self.labels[other as usize];
            let within = |(theirs, ours): (&u64, &u64)| theirs & !ours == 0;
            if label.cost <= cost && self.mask(other).iter().zip(mask).all(within) {
                if label.source == source || another.is_some_and(|seen| seen != label.source) {
                    return true;
                }
                another = Some(label.source);
            }
            other = label.next;
        }
        false
    }

    /// Whether a label remembers that it has used a slot.
    fn remembers(&self, id: u32, known: &[u32], slot: u32) -> bool {
        let known = known.binary_search(&slot);
        known.is_ok_and(|bit| self.mask(id)[self.required_words + bit / 64] >> (bit % 64) & 1 == 1)
    }

    /// Whether a walk has used a slot. The walk is followed back until it costs less than every
    /// label that was expanded in that slot.
    fn uses(&self, id: u32, slot: u32, problem: &PathProblem) -> bool {
        let mut here = id;
        while here != NONE {
            let label = &self.labels[here as usize];
            if label.cost < self.first_cost[slot as usize] {
                return false;
            }
            if problem.graph.slot(label.node) == slot {
                return true;
            }
            here = label.parent;
        }
        false
    }

    /// Writes the mask of a label after a step to `next`.
    fn extend_mask(
        &self,
        id: u32,
        here: u32,
        next: Node,
        problem: &PathProblem,
        memory: &Memory,
        mask: &mut [u64],
    ) {
        let before = self.mask(id);
        mask.fill(0);
        mask[..self.required_words].copy_from_slice(&before[..self.required_words]);
        if self.required_words > 0
            && let Ok(index) = problem.required.binary_search(&(next / 4))
        {
            mask[index / 64] &= !(1 << (index % 64));
        }
        let known = memory.of(here);
        let (before, after) = (
            &before[self.required_words..],
            &mut mask[self.required_words..],
        );
        let mut old = 0;
        for (bit, &slot) in memory.of(problem.graph.slot(next)).iter().enumerate() {
            while old < known.len() && known[old] < slot {
                old += 1;
            }
            let has = old < known.len() && known[old] == slot;
            let used = has && before[old / 64] >> (old % 64) & 1 == 1;
            after[bit / 64] |= u64::from(used || slot == here) << (bit % 64);
        }
    }

    /// The nodes of a walk.
    fn walk(&self, id: u32) -> Vec<Node> {
        let mut walk = Vec::new();
        let mut here = id;
        while here != NONE {
            walk.push(self.labels[here as usize].node);
            here = self.labels[here as usize].parent;
        }
        walk.reverse();
        walk
    }

    /// Checks the memory budget before the tables double.
    fn afford(&self, budget: &Budget) -> Result<(), Limit> {
        const AHEAD: usize = 1024;
        let full = self.labels.len() + AHEAD > self.labels.capacity();
        let bytes = self.labels.capacity() * size_of::<Label>() + self.masks.capacity() * 8;
        if full && self.labels.len() > AHEAD && !budget.affords(2 * bytes as u64) {
            return Err(Limit::Memory);
        }
        Ok(())
    }
}
