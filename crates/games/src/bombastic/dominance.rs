//! A* that forgets positions which differ from a better one only in melted ice.
//!
//! Less ice is never better: whatever can be played with some ice melted can be played, step by step, with less of it
//! melted. So among positions with the same avatar and blocks, one that was reached no later and has melted no more makes
//! the others useless (it dominates them). Positions are kept in a table by avatar and blocks, each entry a chain of those
//! that none of the others dominates; a new one is compared with its chain, and what it dominates leaves it.
//!
//! A walk over normal ground changes nothing, so it is no node of its own: a position is expanded to every push and every
//! step on ice that such walks lead to.
//!
//! Needs of the bound: that it is never too high. It need not be consistent, because a position that is met again earlier
//! dominates its own past, and is expanded again.

use super::bits::Bits;
use super::bound::{position, with_words};
use super::knowledge::{Knowledge, Position};
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
    let outcome = search.run(position(level, &level.start()), budget);
    Report {
        outcome,
        effort: search.effort,
    }
}

/// No node.
const NOBODY: u32 = u32::MAX;
/// Positions of a small board between two looks at the budget; on a large board each takes longer.
const PATIENCE: u64 = 1024;

#[derive(Clone, Copy)]
struct Node<const N: usize> {
    position: Position<N>,
    steps: u32,
    parent: u32,
    /// The next one of the chain with the same avatar and blocks.
    next: u32,
    /// The side of the push that led here; `None`: a walk that ended on ice.
    pushed: Option<Side>,
    /// So many pushes are needed from here, at least.
    pushes: u32,
    /// Whether it was looked at closely, and not only glanced at.
    assessed: bool,
    /// Expanded, lost, or dominated after it was put into the queue.
    done: bool,
}

struct Search<const N: usize> {
    knowledge: Knowledge<N>,
    dominates: bool,
    nodes: Vec<Node<N>>,
    /// Open addressing by avatar and blocks; holds the heads of the chains.
    table: Vec<u32>,
    chains: usize,
    /// Open nodes by their bound on the whole plan; the latest first.
    queue: Vec<Vec<u32>>,
    /// The bound of the node that is expanded: no plan through it, so none through its children, is shorter.
    at_least: usize,
    effort: Effort,
}

impl<const N: usize> Search<N> {
    fn new(level: &Bombastic, switches: &Switches) -> Self {
        Self {
            knowledge: Knowledge::new(level, switches),
            dominates: switches.on("dominance"),
            nodes: Vec::new(),
            table: vec![NOBODY; 1 << 10],
            chains: 0,
            queue: Vec::new(),
            at_least: 0,
            effort: Effort::default(),
        }
    }

    fn run(&mut self, start: Position<N>, budget: &Budget) -> Outcome<Move> {
        self.meet(start, 0, NOBODY, None, 0);
        loop {
            while self.queue.get(self.at_least).is_some_and(Vec::is_empty) {
                self.at_least += 1;
            }
            let Some(id) = self.queue.get_mut(self.at_least).and_then(Vec::pop) else {
                return Outcome::Unsolvable;
            };
            let node = &self.nodes[id as usize];
            if node.done {
                continue;
            }
            if node.position.blocks.within(self.knowledge.goals) {
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
                .is_multiple_of((PATIENCE / (N * N) as u64).max(1))
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
                if let Err(why) = budget.check(progress).and_then(|()| self.make_room(budget)) {
                    return Outcome::GaveUp { at_least, why };
                }
            }
            self.effort.expanded += 1;
            self.expand(id);
        }
    }

    /// Room for the nodes until the next look at the budget. A vector that doubles would take too much at once.
    fn make_room(&mut self, budget: &Budget) -> Result<(), Limit> {
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

    /// Looks closely at a node. Whether it is to be expanded now; if not, it is lost or dominated, or comes back later.
    fn assess(&mut self, id: u32) -> bool {
        let mut position = self.nodes[id as usize].position;
        let Some(bound) = self.knowledge.assess(&mut position) else {
            // It stays in its chain: what it dominates is lost, too.
            self.nodes[id as usize].done = true;
            return false;
        };
        let node = &mut self.nodes[id as usize];
        let (steps, parent, pushed) = (node.steps, node.parent, node.pushed);
        if position.blocks != node.position.blocks {
            // Without the blocks that are out of play it belongs to another chain.
            node.done = true;
            if !self.is_dominated(&position, steps, NOBODY) {
                let total = self.total(steps, bound.steps);
                let id = self.insert(position, steps, parent, pushed, bound.pushes, total);
                self.nodes[id as usize].assessed = true;
            }
            return false;
        }
        node.position = position;
        node.pushes = bound.pushes;
        node.assessed = true;
        if self.is_dominated(&position, steps, id) {
            // It leaves the chain, or the one that dominates it might in turn fall to it.
            self.nodes[id as usize].done = true;
            self.unlink(id);
            return false;
        }
        let total = self.total(steps, bound.steps);
        if total > self.at_least {
            self.queue[total].push(id);
            return false;
        }
        true
    }

    /// The bucket for a node with this bound.
    fn total(&mut self, steps: u32, bound: u32) -> usize {
        let total = self.at_least.max((steps + bound) as usize);
        if self.queue.len() <= total {
            self.queue.resize_with(total + 1, Vec::new);
        }
        total
    }

    /// Walks over normal ground as far as it goes, and meets what comes of it: every push, and every step on ice.
    fn expand(&mut self, id: u32) {
        let node = &mut self.nodes[id as usize];
        node.done = true;
        let (position, steps, pushes) = (node.position, node.steps, node.pushes);
        let mut after = position;
        if self.knowledge.ice.contains(position.avatar) {
            after.ground.remove(position.avatar);
        }
        let free = after.ground & !position.blocks;
        let firm = free & !self.knowledge.ice;
        let mut layer = Bits::one(position.avatar);
        let mut fresh = free & !layer;
        for walked in steps + 1.. {
            for side in Side::ALL {
                let ahead = self.knowledge.toward(layer, side);
                let room = self.knowledge.toward(free, side.opposite());
                for block in (ahead & position.blocks & room).iter() {
                    let beyond = self.knowledge.toward(Bits::one(block), side);
                    let mut next = Position {
                        avatar: block,
                        ..after
                    };
                    next.blocks.remove(block);
                    next.blocks = next.blocks | beyond;
                    self.effort.generated += 1;
                    self.meet(next, walked, id, Some(side), pushes.saturating_sub(1));
                }
            }
            let around = self.knowledge.around(layer) & fresh;
            fresh = fresh & !around;
            for ice in (around & !firm).iter() {
                let next = Position {
                    avatar: ice,
                    ..after
                };
                self.effort.generated += 1;
                self.meet(next, walked, id, None, pushes);
            }
            layer = around & firm;
            if layer.is_empty() {
                return;
            }
        }
    }

    /// Puts a position into the queue, unless it is dominated.
    fn meet(
        &mut self,
        position: Position<N>,
        steps: u32,
        parent: u32,
        pushed: Option<Side>,
        pushes: u32,
    ) {
        if self.is_dominated(&position, steps, NOBODY) {
            return;
        }
        let bound = self.knowledge.glance(&position, pushes);
        let total = self.total(steps, bound);
        self.insert(position, steps, parent, pushed, pushes, total);
    }

    fn insert(
        &mut self,
        position: Position<N>,
        steps: u32,
        parent: u32,
        pushed: Option<Side>,
        pushes: u32,
        total: usize,
    ) -> u32 {
        let id = self.nodes.len() as u32;
        let slot = self.slot(position.avatar, position.blocks);
        let rest = self.drop_dominated(self.table[slot], &position, steps);
        self.chains += usize::from(self.table[slot] == NOBODY);
        self.table[slot] = id;
        self.queue[total].push(id);
        self.nodes.push(Node {
            position,
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

    /// Whether a node of its chain, but for `itself`, makes a position useless.
    fn is_dominated(&self, position: &Position<N>, steps: u32, itself: u32) -> bool {
        let slot = self.slot(position.avatar, position.blocks);
        let mut other = self.table[slot];
        while other != NOBODY {
            let node = &self.nodes[other as usize];
            if node.steps <= steps
                && self.covers(node.position.ground, position.ground)
                && other != itself
            {
                return true;
            }
            other = node.next;
        }
        false
    }

    fn unlink(&mut self, id: u32) {
        let Node { position, next, .. } = self.nodes[id as usize];
        let slot = self.slot(position.avatar, position.blocks);
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

    /// The chain without those that the position dominates.
    fn drop_dominated(&mut self, chain: u32, position: &Position<N>, steps: u32) -> u32 {
        let (mut kept, mut last) = (NOBODY, NOBODY);
        let mut other = chain;
        while other != NOBODY {
            let node = &self.nodes[other as usize];
            let next = node.next;
            if steps <= node.steps && self.covers(position.ground, node.position.ground) {
                self.nodes[other as usize].done = true;
            } else if last == NOBODY {
                (kept, last) = (other, other);
            } else {
                self.nodes[last as usize].next = other;
                last = other;
            }
            other = next;
        }
        if last != NOBODY {
            self.nodes[last as usize].next = NOBODY;
        }
        kept
    }

    /// Whether one who has this ground can do all that one can who has the other.
    fn covers(&self, this: Bits<N>, other: Bits<N>) -> bool {
        if self.dominates {
            other.within(this)
        } else {
            other == this
        }
    }

    /// Where the chain of this avatar and these blocks hangs, or would.
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
            if head == NOBODY {
                return slot;
            }
            let there = &self.nodes[head as usize].position;
            if there.avatar == avatar && there.blocks == blocks {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let larger = vec![NOBODY; self.table.len() * 2];
        for head in std::mem::replace(&mut self.table, larger) {
            if head != NOBODY {
                let there = self.nodes[head as usize].position;
                let slot = self.slot(there.avatar, there.blocks);
                self.table[slot] = head;
            }
        }
    }

    fn plan(&self, mut id: u32) -> Vec<Move> {
        let mut parts = Vec::new();
        while self.nodes[id as usize].parent != NOBODY {
            let node = &self.nodes[id as usize];
            let parent = &self.nodes[node.parent as usize];
            let mut part = Vec::new();
            let mut end = node.position.avatar;
            if let Some(side) = node.pushed {
                end = self.knowledge.bit_toward(end, side.opposite());
                part.push(Move(side));
            }
            self.walk_back(&parent.position, end, &mut part);
            assert_eq!(
                part.len() as u32,
                node.steps - parent.steps,
                "the walk is found again"
            );
            parts.extend(part);
            id = node.parent;
        }
        parts.reverse();
        parts
    }

    /// Appends the steps of the shortest walk over normal ground to `end`, the last one first.
    fn walk_back(&self, position: &Position<N>, end: usize, part: &mut Vec<Move>) {
        let firm = position.ground & !position.blocks & !self.knowledge.ice;
        let mut layers = vec![Bits::one(position.avatar)];
        let mut reached = layers[0];
        while !reached.contains(end) {
            let last = layers[layers.len() - 1] & (firm | layers[0]);
            let next = self.knowledge.around(last) & position.ground & !position.blocks & !reached;
            assert!(!next.is_empty(), "the walk was found before");
            reached = reached | next;
            layers.push(next);
        }
        let mut here = end;
        for layer in layers.iter().rev().skip(1) {
            let firm = *layer & (firm | layers[0]);
            let comes =
                |side: &Side| firm.contains(self.knowledge.bit_toward(here, side.opposite()));
            let side = Side::ALL.into_iter().find(comes);
            let side = side.expect("every layer is beside the one before");
            here = self.knowledge.bit_toward(here, side.opposite());
            part.push(Move(side));
        }
    }
}
