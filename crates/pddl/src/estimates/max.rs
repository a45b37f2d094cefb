//! hmax: the cost to make the goal available, where a conjunction costs as much as its dearest part (Bonet and Geffner 2001). One
//! Dijkstra run over the relaxation from the state.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ployglot_base::{Guide, Space};

use super::relaxed::{Gate, Relaxed};
use crate::task::Task;

pub struct Max<'a> {
    task: &'a Task,
    graph: &'a Relaxed,
    explore: Explore,
    words: Vec<u64>,
}

impl<'a> Max<'a> {
    pub fn new(task: &'a Task, graph: &'a Relaxed) -> Self {
        Self {
            task,
            graph,
            explore: Explore::new(graph),
            words: vec![0; task.words()],
        }
    }
}

impl Guide<Task> for Max<'_> {
    fn lower_bound(&mut self, state: &<Task as Space>::State) -> Option<u32> {
        self.task.pack(state, &mut self.words);
        let costs = |action: u32| self.graph.actions[action as usize].cost;
        self.explore.run(self.graph, &self.words, &costs, false);
        self.explore.cost(self.graph.goal)
    }
}

pub(super) const CLOSED: u32 = u32::MAX;

/// One Dijkstra run over the gates, with its scratch space.
pub(super) struct Explore {
    pub costs: Vec<u32>,
    missing: Vec<u32>,
    /// The action that made a literal available; `u32::MAX` for what was available already.
    pub supporter: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, Gate)>>,
}

impl Explore {
    pub fn new(graph: &Relaxed) -> Self {
        Self {
            costs: vec![CLOSED; graph.len()],
            missing: graph.needs.clone(),
            supporter: vec![u32::MAX; graph.len()],
            queue: BinaryHeap::new(),
        }
    }

    /// `None`: out of reach even here, so there is no plan.
    pub fn cost(&self, gate: Gate) -> Option<u32> {
        Some(self.costs[gate.0 as usize]).filter(|&cost| cost != CLOSED)
    }

    /// Finds the cost of every gate and literal. A gate costs what its dearest needed input costs, or, with `add`, what they cost
    /// together; among more inputs than it needs it takes the cheapest.
    pub fn run(&mut self, graph: &Relaxed, bits: &[u64], cost_of: &dyn Fn(u32) -> u32, add: bool) {
        self.costs.fill(CLOSED);
        self.missing.copy_from_slice(&graph.needs);
        self.supporter.fill(u32::MAX);
        self.queue.clear();
        // While a gate waits, its cost so far is kept here.
        let mut sums: Vec<u32> = if add {
            vec![0; graph.len()]
        } else {
            Vec::new()
        };
        for gate in graph.true_literals(bits).chain(graph.open.iter().copied()) {
            self.offer(gate, 0, u32::MAX);
        }
        while let Some(Reverse((cost, gate))) = self.queue.pop() {
            if self.costs[gate.0 as usize] != cost {
                continue;
            }
            for &fed in &graph.feeds[gate.0 as usize] {
                let at = fed.0 as usize;
                if self.missing[at] == 0 || self.missing[at] == u32::MAX {
                    continue;
                }
                self.missing[at] -= 1;
                if add {
                    sums[at] = sums[at].saturating_add(cost);
                }
                if self.missing[at] == 0 {
                    let total = if add { sums[at].min(CLOSED - 1) } else { cost };
                    self.offer(fed, total, u32::MAX);
                }
            }
            for &action in &graph.triggers[gate.0 as usize] {
                let after = cost.saturating_add(cost_of(action)).min(CLOSED - 1);
                for &effect in &graph.actions[action as usize].effects {
                    self.offer(effect, after, action);
                }
            }
        }
    }

    fn offer(&mut self, gate: Gate, cost: u32, supporter: u32) {
        let held = &mut self.costs[gate.0 as usize];
        if cost < *held {
            *held = cost;
            self.supporter[gate.0 as usize] = supporter;
            self.queue.push(Reverse((cost, gate)));
        }
    }
}
