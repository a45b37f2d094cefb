//! A* with dominance pruning: drops states that differ from a better one only in melted ice.
//!
//! More melted ice is never better: every plan that is possible with some ice melted is also
//! possible with less of it melted. So among states with the same avatar and blocks, one with no
//! more steps and no more melted ice dominates the others. A hash table is keyed by avatar and
//! blocks; each entry is a chain of states that do not dominate each other. A new state is compared
//! with its chain, and the states that it dominates are removed.
//!
//! A walk over normal ground changes nothing but the avatar's cell, so it is no node of its own:
//! the successors of a state are all pushes and all steps onto ice that such walks lead to.
//!
//! The same search without an end at the goal finds how long an optimal plan can be at most (`depth`), which ends
//! the sweeps of constraint models.
//!
//! The bound must be admissible. It need not be consistent: a state that is reached again with
//! fewer steps dominates its earlier node, and is expanded again.

use super::analysis::{Analysis, BitState};
use super::bits::Bits;
use super::bound::{bit_state, with_words};
use super::rules::{Bombastic, Move};
use crate::*;

pub(super) fn run(
    level: &Bombastic,
    _measure: &str,
    switches: &Switches,
    budget: &Budget,
) -> Report<Move> {
    let gave_up = Report {
        outcome: Outcome::GaveUp {
            at_least: 0,
            why: Limit::Incomplete,
        },
        effort: Effort::default(),
    };
    with_words!(level, search(level, switches, budget), gave_up)
}

fn search<const N: usize>(level: &Bombastic, switches: &Switches, budget: &Budget) -> Report<Move> {
    let mut search = Search::<N>::new(level, switches);
    let outcome = search.run(bit_state(level, &level.start()), budget);
    Report {
        outcome,
        effort: search.effort,
    }
}

/// The most steps of a state that may be on an optimal plan: no optimal plan is longer. All states are
/// listed that are not dominated and not dead ends; `None` if that takes more work than `most`: comparisons of words, and
/// bounds of states.
pub(super) fn depth(level: &Bombastic, most: u64) -> Option<u32> {
    with_words!(level, depth_of_nodes(level, most), None)
}

fn depth_of_nodes<const N: usize>(level: &Bombastic, most: u64) -> Option<u32> {
    let mut search = Search::<N>::new(level, &Switches::all_on());
    search.generate(bit_state(level, &level.start()), 0, NONE, None, 0);
    let mut depth = 0;
    while let Some(id) = search.next() {
        let node = &search.nodes[id as usize];
        let (steps, assessed) = (node.steps, node.assessed);
        // A plan ends where it reaches the goal.
        let is_goal = search.is_goal(id);
        if !is_goal && !assessed && !search.assess(id) {
            continue;
        }
        depth = depth.max(steps);
        if is_goal {
            continue;
        }
        if search.compared * N as u64 + search.effort.expanded * BOUND > most {
            return None;
        }
        search.effort.expanded += 1;
        search.expand(id);
    }
    Some(depth)
}

/// A bound of a state takes as long as so many comparisons.
const BOUND: u64 = 16;

/// No node.
const NONE: u32 = u32::MAX;
/// Expansions between two checks of the budget on a small board; on a large board each takes
/// longer, so there are fewer.
const CHECK_EVERY: u64 = 1024;

#[derive(Clone, Copy)]
struct Node<const N: usize> {
    state: BitState<N>,
    steps: u32,
    parent: u32,
    /// The next node in the chain with the same avatar and blocks.
    next: u32,
    /// The side of the push that led here; `None`: a walk that ended on ice.
    pushed: Option<Side>,
    /// A lower bound on the pushes from here.
    pushes: u32,
    /// Whether the full bound was computed, and not only the quick one.
    assessed: bool,
    /// Expanded, a dead end, or dominated after it was put into the open list.
    done: bool,
}

struct Search<const N: usize> {
    analysis: Analysis<N>,
    use_dominance: bool,
    nodes: Vec<Node<N>>,
    /// Hash table with open addressing, keyed by avatar and blocks; holds the heads of the chains.
    table: Vec<u32>,
    /// The number of chains.
    chains: usize,
    /// The open list: buckets by the bound on the whole plan; last in, first out.
    open: Vec<Vec<u32>>,
    /// The bound of the node being expanded: no plan through it or its successors is shorter.
    at_least: usize,
    effort: Effort,
    /// How often a state was compared with a chain, or with a node of it.
    compared: u64,
}

impl<const N: usize> Search<N> {
    fn new(level: &Bombastic, switches: &Switches) -> Self {
        Self {
            analysis: Analysis::new(level, switches),
            use_dominance: switches.on("dominance"),
            nodes: Vec::new(),
            table: vec![NONE; 1 << 10],
            chains: 0,
            open: Vec::new(),
            at_least: 0,
            effort: Effort::default(),
            compared: 0,
        }
    }

    fn run(&mut self, start: BitState<N>, budget: &Budget) -> Outcome<Move> {
        self.generate(start, 0, NONE, None, 0);
        while let Some(id) = self.next() {
            let node = &self.nodes[id as usize];
            if self.is_goal(id) {
                return Outcome::Optimal {
                    plan: self.plan(id),
                    cost: node.steps,
                };
            }
            if !node.assessed && !self.assess(id) {
                continue;
            }
            if self
                .effort
                .expanded
                .is_multiple_of((CHECK_EVERY / (N * N) as u64).max(1))
            {
                let at_least = self.at_least as u32;
                let progress = || Progress {
                    phase: "bound",
                    depth: at_least,
                    expanded: self.effort.expanded,
                    stored: self.nodes.len() as u64,
                    at_least,
                    ..Progress::default()
                };
                if let Err(why) = budget.check(progress).and_then(|()| self.reserve(budget)) {
                    return Outcome::GaveUp { at_least, why };
                }
            }
            self.effort.expanded += 1;
            self.expand(id);
        }
        Outcome::Unsolvable
    }

    /// Takes a node with the least bound from the open list; `None` if the list is empty.
    fn next(&mut self) -> Option<u32> {
        loop {
            while self.open.get(self.at_least).is_some_and(Vec::is_empty) {
                self.at_least += 1;
            }
            let id = self.open.get_mut(self.at_least)?.pop()?;
            if !self.nodes[id as usize].done {
                return Some(id);
            }
        }
    }

    fn is_goal(&self, id: u32) -> bool {
        let blocks = self.nodes[id as usize].state.blocks;
        blocks.is_subset(self.analysis.goals)
    }

    /// Reserves memory for the nodes until the next check of the budget. Doubling the vector would
    /// take too much at once.
    fn reserve(&mut self, budget: &Budget) -> Result<(), Limit> {
        let room = (4 << 20) / size_of::<Node<N>>();
        if self.nodes.capacity() - self.nodes.len() >= room {
            return Ok(());
        }
        let more = room + self.nodes.len() / 4;
        if !budget.affords((more * size_of::<Node<N>>()) as u64) {
            return Err(Limit::Memory);
        }
        self.nodes.reserve_exact(more);
        Ok(())
    }

    /// Computes the full bound of a node. Returns whether to expand it now; if not, it is a dead
    /// end, is dominated, or is back in the open list.
    fn assess(&mut self, id: u32) -> bool {
        let mut state = self.nodes[id as usize].state;
        let Some(bound) = self.analysis.assess(&mut state) else {
            // It stays in its chain: the states that it dominates are dead ends too.
            self.nodes[id as usize].done = true;
            return false;
        };
        let node = &mut self.nodes[id as usize];
        let (steps, parent, pushed) = (node.steps, node.parent, node.pushed);
        if state.blocks != node.state.blocks {
            // Without the removed blocks it belongs to another chain.
            node.done = true;
            if !self.is_dominated(&state, steps, NONE) {
                let total = self.total(steps, bound.steps);
                let id = self.insert(state, steps, parent, pushed, bound.pushes, total);
                self.nodes[id as usize].assessed = true;
            }
            return false;
        }
        node.state = state;
        node.pushes = bound.pushes;
        node.assessed = true;
        if self.is_dominated(&state, steps, id) {
            // It leaves the chain; otherwise it could prune the state that dominates it.
            self.nodes[id as usize].done = true;
            self.unlink(id);
            return false;
        }
        let total = self.total(steps, bound.steps);
        if total > self.at_least {
            self.open[total].push(id);
            return false;
        }
        true
    }

    /// The bucket of the open list for a node with this bound.
    fn total(&mut self, steps: u32, bound: u32) -> usize {
        let total = self.at_least.max((steps + bound) as usize);
        if self.open.len() <= total {
            self.open.resize_with(total + 1, Vec::new);
        }
        total
    }

    /// Generates the successors: every push and every step onto ice after a walk over normal
    /// ground.
    fn expand(&mut self, id: u32) {
        let node = &mut self.nodes[id as usize];
        node.done = true;
        let (state, steps, pushes) = (node.state, node.steps, node.pushes);
        let mut after = state;
        if self.analysis.ice.contains(state.avatar) {
            after.ground.remove(state.avatar);
        }
        let free = after.ground & !state.blocks;
        let firm = free & !self.analysis.ice;
        let mut layer = Bits::one(state.avatar);
        let mut fresh = free & !layer;
        for walked in steps + 1.. {
            for side in Side::ALL {
                let ahead = self.analysis.toward(layer, side);
                let room = self.analysis.toward(free, side.opposite());
                for block in (ahead & state.blocks & room).iter() {
                    let beyond = self.analysis.toward(Bits::one(block), side);
                    let mut next = BitState {
                        avatar: block,
                        ..after
                    };
                    next.blocks.remove(block);
                    next.blocks = next.blocks | beyond;
                    self.effort.generated += 1;
                    self.generate(next, walked, id, Some(side), pushes.saturating_sub(1));
                }
            }
            let around = self.analysis.around(layer) & fresh;
            fresh = fresh & !around;
            for ice in (around & !firm).iter() {
                let next = BitState {
                    avatar: ice,
                    ..after
                };
                self.effort.generated += 1;
                self.generate(next, walked, id, None, pushes);
            }
            layer = around & firm;
            if layer.is_empty() {
                return;
            }
        }
    }

    /// Adds a state to the open list, unless it is dominated.
    fn generate(
        &mut self,
        state: BitState<N>,
        steps: u32,
        parent: u32,
        pushed: Option<Side>,
        pushes: u32,
    ) {
        if self.is_dominated(&state, steps, NONE) {
            return;
        }
        let bound = self.analysis.quick_bound(&state, pushes);
        let total = self.total(steps, bound);
        self.insert(state, steps, parent, pushed, pushes, total);
    }

    fn insert(
        &mut self,
        state: BitState<N>,
        steps: u32,
        parent: u32,
        pushed: Option<Side>,
        pushes: u32,
        total: usize,
    ) -> u32 {
        let id = self.nodes.len() as u32;
        let slot = self.slot(state.avatar, state.blocks);
        let rest = self.drop_dominated(self.table[slot], &state, steps);
        self.chains += usize::from(self.table[slot] == NONE);
        self.table[slot] = id;
        self.open[total].push(id);
        self.nodes.push(Node {
            state,
            steps,
            parent,
            next: rest,
            pushed,
            pushes,
            assessed: false,
            done: false,
        });
        self.effort.stored = self.nodes.len() as u64;
        if self.chains * 2 > self.table.len() {
            self.grow();
        }
        id
    }

    /// Whether a node of its chain, other than `itself`, dominates a state.
    fn is_dominated(&mut self, state: &BitState<N>, steps: u32, itself: u32) -> bool {
        let slot = self.slot(state.avatar, state.blocks);
        let mut other = self.table[slot];
        self.compared += 1;
        while other != NONE {
            self.compared += 1;
            let node = &self.nodes[other as usize];
            if node.steps <= steps
                && self.covers(node.state.ground, state.ground)
                && other != itself
            {
                return true;
            }
            other = node.next;
        }
        false
    }

    fn unlink(&mut self, id: u32) {
        let Node { state, next, .. } = self.nodes[id as usize];
        let slot = self.slot(state.avatar, state.blocks);
        if self.table[slot] == id {
            self.table[slot] = next;
            return;
        }
        let mut before = self.table[slot];
        while self.nodes[before as usize].next != id {
            before = self.nodes[before as usize].next;
        }
        self.nodes[before as usize].next = next;
    }

    /// Removes from a chain the nodes that the state dominates; returns the new head.
    fn drop_dominated(&mut self, chain: u32, state: &BitState<N>, steps: u32) -> u32 {
        let (mut kept, mut last) = (NONE, NONE);
        let mut other = chain;
        while other != NONE {
            let node = &self.nodes[other as usize];
            let next = node.next;
            if steps <= node.steps && self.covers(state.ground, node.state.ground) {
                self.nodes[other as usize].done = true;
            } else if last == NONE {
                (kept, last) = (other, other);
            } else {
                self.nodes[last as usize].next = other;
                last = other;
            }
            other = next;
        }
        if last != NONE {
            self.nodes[last as usize].next = NONE;
        }
        kept
    }

    /// Whether every plan on the ground `other` is also possible on `this`.
    fn covers(&self, this: Bits<N>, other: Bits<N>) -> bool {
        if self.use_dominance {
            other.is_subset(this)
        } else {
            other == this
        }
    }

    /// The slot of the table for the chain with this avatar and these blocks, existing or not.
    fn slot(&self, avatar: usize, blocks: Bits<N>) -> usize {
        let mut hash = avatar as u64;
        for word in blocks.0 {
            hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 32;
        }
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let head = self.table[slot];
            if head == NONE {
                return slot;
            }
            let there = &self.nodes[head as usize].state;
            if there.avatar == avatar && there.blocks == blocks {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let larger = vec![NONE; self.table.len() * 2];
        for head in std::mem::replace(&mut self.table, larger) {
            if head != NONE {
                let there = self.nodes[head as usize].state;
                let slot = self.slot(there.avatar, there.blocks);
                self.table[slot] = head;
            }
        }
    }

    fn plan(&self, mut id: u32) -> Vec<Move> {
        let mut parts = Vec::new();
        while self.nodes[id as usize].parent != NONE {
            let node = &self.nodes[id as usize];
            let parent = &self.nodes[node.parent as usize];
            let mut part = Vec::new();
            let mut end = node.state.avatar;
            if let Some(side) = node.pushed {
                end = self.analysis.bit_toward(end, side.opposite());
                part.push(Move(side));
            }
            self.walk_back(&parent.state, end, &mut part);
            assert_eq!(
                part.len() as u32,
                node.steps - parent.steps,
                "the walk has as many steps as in the search"
            );
            parts.extend(part);
            id = node.parent;
        }
        parts.reverse();
        parts
    }

    /// Appends the steps of the shortest walk over normal ground to `end`, the last one first.
    fn walk_back(&self, state: &BitState<N>, end: usize, part: &mut Vec<Move>) {
        let firm = state.ground & !state.blocks & !self.analysis.ice;
        let mut layers = vec![Bits::one(state.avatar)];
        let mut reached = layers[0];
        while !reached.contains(end) {
            let last = layers[layers.len() - 1] & (firm | layers[0]);
            let next = self.analysis.around(last) & state.ground & !state.blocks & !reached;
            assert!(!next.is_empty(), "the walk was found before");
            reached = reached | next;
            layers.push(next);
        }
        let mut here = end;
        for layer in layers.iter().rev().skip(1) {
            let firm = *layer & (firm | layers[0]);
            let comes =
                |side: &Side| firm.contains(self.analysis.bit_toward(here, side.opposite()));
            let side = Side::ALL.into_iter().find(comes);
            let side = side.expect("every layer is beside the one before");
            here = self.analysis.bit_toward(here, side.opposite());
            part.push(Move(side));
        }
    }
}
