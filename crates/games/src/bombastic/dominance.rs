//! A* that forgets positions which differ from a better one only in melted ice.
//!
//! Less ice is never better: whatever can be played with some ice melted can be played, step by step, with less of it
//! melted. So among positions with the same avatar and blocks, one that was reached no later and has melted no more makes
//! the others useless (it dominates them). Positions are kept in a table by avatar and blocks, each entry a chain of those
//! that none of the others dominates; a new one is compared with its chain, and what it dominates leaves it.
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
/// Positions between two looks at the budget.
const PATIENCE: u64 = 1024;

struct Node<const N: usize> {
    position: Position<N>,
    steps: u32,
    parent: u32,
    /// The next one of the chain with the same avatar and blocks.
    next: u32,
    side: Side,
    /// Dominated after it was put into the queue, or expanded already.
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
            effort: Effort::default(),
        }
    }

    fn run(&mut self, start: Position<N>, budget: &Budget) -> Outcome<Move> {
        self.meet(start, 0, NOBODY, Side::Up);
        let mut bound = 0;
        loop {
            while self.queue.get(bound).is_some_and(Vec::is_empty) {
                bound += 1;
            }
            let Some(id) = self.queue.get_mut(bound).and_then(Vec::pop) else {
                return Outcome::Unsolvable;
            };
            let node = &mut self.nodes[id as usize];
            if std::mem::replace(&mut node.done, true) {
                continue;
            }
            let (position, steps) = (node.position, node.steps);
            if position.blocks.within(self.knowledge.goals) {
                return Outcome::Optimal {
                    plan: self.plan(id),
                    cost: steps,
                };
            }
            if self.effort.expanded.is_multiple_of(PATIENCE) {
                let at_least = bound as u32;
                let progress = || Progress {
                    phase: "bound",
                    depth: at_least,
                    expanded: self.effort.expanded,
                    stored: self.nodes.len() as u64,
                    at_least,
                    ..Progress::default()
                };
                if let Err(why) = budget.check(progress) {
                    return Outcome::GaveUp { at_least, why };
                }
            }
            self.effort.expanded += 1;
            for side in Side::ALL {
                if let Some(next) = self.step(&position, side) {
                    self.effort.generated += 1;
                    self.meet(next, steps + 1, id, side);
                }
            }
        }
    }

    /// The position after a step, where the step is legal.
    fn step(&self, position: &Position<N>, side: Side) -> Option<Position<N>> {
        let knowledge = &self.knowledge;
        let beside = |bit: usize| match side {
            Side::Up => bit.checked_sub(knowledge.width),
            Side::Right => Some(bit + 1),
            Side::Down => Some(bit + knowledge.width),
            Side::Left => bit.checked_sub(1),
        };
        let carries = |bit: &usize| {
            *bit < N * 64 && knowledge.ground.contains(*bit) && !position.melted.contains(*bit)
        };
        let there = beside(position.avatar).filter(carries)?;
        let mut next = *position;
        if position.blocks.contains(there) {
            let free = |bit: &usize| carries(bit) && !position.blocks.contains(*bit);
            let beyond = beside(there).filter(free)?;
            next.blocks.remove(there);
            next.blocks.insert(beyond);
        }
        if knowledge.ice.contains(position.avatar) {
            next.melted.insert(position.avatar);
        }
        next.avatar = there;
        Some(next)
    }

    /// Puts a position into the queue, unless it is dominated or lost.
    fn meet(&mut self, position: Position<N>, steps: u32, parent: u32, side: Side) {
        let slot = self.slot(position.avatar, position.blocks);
        let mut other = self.table[slot];
        while other != NOBODY {
            let node = &self.nodes[other as usize];
            if node.steps <= steps && self.covers(node.position.melted, position.melted) {
                return;
            }
            other = node.next;
        }
        let Some(bound) = self.knowledge.lower_bound(&position) else {
            return;
        };
        let rest = self.drop_dominated(self.table[slot], &position, steps);
        self.chains += usize::from(self.table[slot] == NOBODY);
        self.table[slot] = self.nodes.len() as u32;
        let total = (steps + bound) as usize;
        if self.queue.len() <= total {
            self.queue.resize_with(total + 1, Vec::new);
        }
        self.queue[total].push(self.nodes.len() as u32);
        self.nodes.push(Node {
            position,
            steps,
            parent,
            next: rest,
            side,
            done: false,
        });
        self.effort.stored = self.nodes.len() as u64;
        if self.chains * 2 > self.table.len() {
            self.grow();
        }
    }

    /// The chain without those that the position dominates.
    fn drop_dominated(&mut self, chain: u32, position: &Position<N>, steps: u32) -> u32 {
        let (mut kept, mut last) = (NOBODY, NOBODY);
        let mut other = chain;
        while other != NOBODY {
            let node = &self.nodes[other as usize];
            let next = node.next;
            if steps <= node.steps && self.covers(position.melted, node.position.melted) {
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

    /// Whether one who melted `these` can do all that one who melted `those` can.
    fn covers(&self, these: Bits<N>, those: Bits<N>) -> bool {
        if self.dominates {
            these.within(those)
        } else {
            these == those
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
        let larger = vec![NOBODY; self.table.len() * 4];
        for head in std::mem::replace(&mut self.table, larger) {
            if head != NOBODY {
                let there = self.nodes[head as usize].position;
                let slot = self.slot(there.avatar, there.blocks);
                self.table[slot] = head;
            }
        }
    }

    fn plan(&self, mut id: u32) -> Vec<Move> {
        let mut plan = Vec::new();
        while self.nodes[id as usize].parent != NOBODY {
            plan.push(Move(self.nodes[id as usize].side));
            id = self.nodes[id as usize].parent;
        }
        plan.reverse();
        plan
    }
}
