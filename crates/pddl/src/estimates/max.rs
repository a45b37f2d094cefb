//! hmax: the cost of reaching the goal in the relaxed task, where a conjunction costs as much as
//! its most expensive part (Bonet and Geffner 2001). Computed by one run of Dijkstra's algorithm.
//!
//! In a large task one evaluation may take seconds. At a limit of the budget it ends with the bound
//! 0, and the search that asked for it ends at its own next check.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ployglot_base::{Budget, Guide, Limit, Space};

use super::relaxed::{Gate, RelaxedTask};
use crate::poll::Poll;
use crate::task::Task;

/// The hmax estimate, with its buffers.
pub struct Max<'a> {
    task: &'a Task,
    graph: &'a RelaxedTask,
    exploration: Exploration,
    words: Vec<u64>,
}

impl<'a> Max<'a> {
    /// `graph` is the relaxation of the task.
    pub fn new(task: &'a Task, graph: &'a RelaxedTask, budget: &Budget) -> Self {
        Self {
            task,
            graph,
            exploration: Exploration::new(graph, budget),
            words: vec![0; task.words()],
        }
    }
}

impl Guide<Task> for Max<'_> {
    fn lower_bound(&mut self, state: &<Task as Space>::State) -> Option<u32> {
        self.task.pack(state, &mut self.words);
        let costs = |action: u32| self.graph.actions[action as usize].cost;
        let explored = self.exploration.run(self.graph, &self.words, &costs, false);
        explored.map_or(Some(0), |()| self.exploration.cost(self.graph.goal))
    }
}

/// The cost of a gate that is not reached.
pub(super) const UNREACHED: u32 = u32::MAX;

/// A run of Dijkstra's algorithm over the gates, with its buffers.
pub(super) struct Exploration {
    poll: Poll,
    /// For each gate, its cost; `UNREACHED` until it is reached.
    pub costs: Vec<u32>,
    /// For each gate, how many more inputs it needs.
    missing: Vec<u32>,
    /// For each literal, the action that reached it first; `u32::MAX` for those of the state.
    pub supporter: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, Gate)>>,
}

impl Exploration {
    pub fn new(graph: &RelaxedTask, budget: &Budget) -> Self {
        Self {
            poll: Poll::new(budget, "estimate"),
            costs: vec![UNREACHED; graph.len()],
            missing: graph.needs.clone(),
            supporter: vec![u32::MAX; graph.len()],
            queue: BinaryHeap::new(),
        }
    }

    /// The cost of a gate; `None` where it is unreachable even in the relaxation.
    pub fn cost(&self, gate: Gate) -> Option<u32> {
        Some(self.costs[gate.0 as usize]).filter(|&cost| cost != UNREACHED)
    }

    /// Computes the cost of every gate and literal. A gate costs as much as the most expensive of
    /// the inputs it needs or, with `add`, their sum; if it has more inputs than it needs, the
    /// cheapest count. `Err`: at a limit, not all costs are known.
    pub fn run(
        &mut self,
        graph: &RelaxedTask,
        bits: &[u64],
        cost_of: &dyn Fn(u32) -> u32,
        add: bool,
    ) -> Result<(), Limit> {
        self.costs.fill(UNREACHED);
        self.missing.copy_from_slice(&graph.needs);
        self.supporter.fill(u32::MAX);
        self.queue.clear();
        // The sums of the costs of the inputs that are reached.
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
            self.poll.step()?;
            for &output in &graph.outputs[gate.0 as usize] {
                let at = output.0 as usize;
                if self.missing[at] == 0 || self.missing[at] == u32::MAX {
                    continue;
                }
                self.missing[at] -= 1;
                if add {
                    sums[at] = sums[at].saturating_add(cost);
                }
                if self.missing[at] == 0 {
                    let total = if add {
                        sums[at].min(UNREACHED - 1)
                    } else {
                        cost
                    };
                    self.offer(output, total, u32::MAX);
                }
            }
            for &action in &graph.triggers[gate.0 as usize] {
                let after = cost.saturating_add(cost_of(action)).min(UNREACHED - 1);
                for &effect in &graph.actions[action as usize].effects {
                    self.offer(effect, after, action);
                }
            }
        }
        Ok(())
    }

    /// Lowers the cost of a gate, if this is less.
    fn offer(&mut self, gate: Gate, cost: u32, supporter: u32) {
        let held = &mut self.costs[gate.0 as usize];
        if cost < *held {
            *held = cost;
            self.supporter[gate.0 as usize] = supporter;
            self.queue.push(Reverse((cost, gate)));
        }
    }
}
