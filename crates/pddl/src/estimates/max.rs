//! hmax: the cost of reaching the goal in the relaxed task, where a conjunction costs as much as
//! its most expensive part (Bonet and Geffner 2001). Computed by one run of Dijkstra's algorithm.
//!
//! In a large task one evaluation may take seconds. At a limit of the budget it ends with the bound
//! 0, and the search that asked for it ends at its own next check.

use ployglot_base::{Budget, Guide, Limit, Poll, Space};

use super::relaxed::{Gate, RelaxedTask};
use crate::queue::Queue;
use crate::task::Task;

/// The hmax estimate, with its buffers.
pub struct Max<'a> {
    task: &'a Task,
    graph: &'a RelaxedTask,
    exploration: Exploration,
    words: Vec<u64>,
    costs: Vec<u32>,
}

impl<'a> Max<'a> {
    /// `graph` is the relaxation of the task.
    pub fn new(task: &'a Task, graph: &'a RelaxedTask, budget: &Budget) -> Self {
        Self {
            task,
            graph,
            exploration: Exploration::new(graph, budget),
            words: vec![0; task.words()],
            costs: graph.action_costs().collect(),
        }
    }

    /// The work since the last call, in edges of the graph.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.exploration.work)
    }
}

impl Guide<Task> for Max<'_> {
    fn lower_bound(&mut self, state: &<Task as Space>::State) -> Option<u32> {
        self.task.pack(state, &mut self.words);
        let graph = self.graph;
        graph.floors(&self.words, &mut self.exploration.floors);
        let explored = self
            .exploration
            .run_to_goal(graph, &self.words, &self.costs, false);
        explored.map_or(Some(0), |()| self.exploration.cost(graph.goal))
    }
}

/// The cost of a gate that is not reached.
pub(super) const UNREACHED: u32 = u32::MAX;

/// A run of Dijkstra's algorithm over the literals and gates, with its buffers. Only literals wait
/// in the queue, and gates of a sum that exceeds the current cost; a gate that costs as much as the
/// input that opened it is processed at once.
pub(super) struct Exploration {
    poll: Poll,
    /// For each gate, its cost; `UNREACHED` until it is reached.
    pub costs: Vec<u32>,
    /// For each gate, how many more inputs it needs.
    missing: Vec<u32>,
    /// For each literal, the action that reached it first, or `u32::MAX` for those of the state;
    /// for each gate, the input that opened it.
    pub supporter: Vec<u32>,
    /// Empty, or, for each literal of a comparison, a cost below which it cannot be reached.
    pub floors: Vec<u32>,
    first_comparison: Gate,
    /// For each gate, the sum of the costs of its inputs that are reached.
    sums: Vec<u32>,
    queue: Queue,
    stack: Vec<u32>,
    /// Edges that were followed so far.
    pub work: u64,
}

impl Exploration {
    pub fn new(graph: &RelaxedTask, budget: &Budget) -> Self {
        Self {
            poll: Poll::new(budget, "estimate"),
            costs: vec![UNREACHED; graph.len()],
            missing: graph.needs.clone(),
            supporter: vec![u32::MAX; graph.len()],
            floors: Vec::new(),
            first_comparison: graph.first_comparison(),
            sums: Vec::new(),
            queue: Queue::default(),
            stack: Vec::new(),
            work: 0,
        }
    }

    /// The cost of a gate; `None` where it is unreachable even in the relaxation.
    pub fn cost(&self, gate: Gate) -> Option<u32> {
        Some(self.costs[gate.0 as usize]).filter(|&cost| cost != UNREACHED)
    }

    /// Computes the cost of every gate and literal, with these costs of the actions. A gate costs as
    /// much as the most expensive of the inputs it needs or, with `add`, their sum; if it has more
    /// inputs than it needs, the cheapest count. `Err`: at a limit, not all costs are known.
    pub fn run(
        &mut self,
        graph: &RelaxedTask,
        bits: &[u64],
        action_costs: &[u32],
        add: bool,
    ) -> Result<(), Limit> {
        self.explore(graph, bits, action_costs, add, None)
    }

    /// Like `run`, but ends when the cost of the goal is known. The costs of gates that the goal does
    /// not depend on at this cost may be missing.
    pub fn run_to_goal(
        &mut self,
        graph: &RelaxedTask,
        bits: &[u64],
        action_costs: &[u32],
        add: bool,
    ) -> Result<(), Limit> {
        self.explore(graph, bits, action_costs, add, Some(graph.goal.0))
    }

    fn explore(
        &mut self,
        graph: &RelaxedTask,
        bits: &[u64],
        action_costs: &[u32],
        add: bool,
        until: Option<u32>,
    ) -> Result<(), Limit> {
        self.work += graph.len() as u64;
        self.costs.fill(UNREACHED);
        self.missing.copy_from_slice(&graph.needs);
        self.supporter.fill(u32::MAX);
        self.queue.clear();
        if add {
            self.sums.clear();
            self.sums.resize(graph.len(), 0);
        }
        for gate in graph.true_literals(bits).chain(graph.open.iter().copied()) {
            self.offer(gate, 0, u32::MAX);
        }
        // A gate opens when the last input that it needs is taken from the queue; then its cost is
        // known. That of a literal is known when it is taken from the queue itself.
        let goal = until.filter(|&gate| graph.needs[gate as usize] > 0);
        while let Some((cost, gate)) = self.queue.pop() {
            if self.costs[gate as usize] != cost {
                continue;
            }
            if until == Some(gate) || goal.is_some_and(|goal| self.missing[goal as usize] == 0) {
                return Ok(());
            }
            self.stack.push(gate);
            while let Some(gate) = self.stack.pop() {
                if let Err(limit) = self.poll.try_step() {
                    self.stack.clear();
                    return Err(limit);
                }
                let conjunctions = graph.conjunctions.of(gate);
                let reaches = graph.reaches.of(gate);
                self.work += (conjunctions.len() + reaches.len()) as u64;
                for &output in conjunctions.iter().chain(graph.others.of(gate)) {
                    self.open_input(output, gate, cost, add);
                }
                for &(effect, action) in reaches {
                    let mut after = cost.saturating_add(action_costs[action as usize]);
                    if effect >= self.first_comparison {
                        after = after.max(self.floor(effect));
                    }
                    self.offer(effect, after.min(UNREACHED - 1), action);
                }
            }
        }
        Ok(())
    }

    /// A cost below which the literal of a comparison cannot be reached.
    fn floor(&self, literal: Gate) -> u32 {
        let at = (literal.0 - self.first_comparison.0) as usize;
        self.floors.get(at).copied().unwrap_or(0)
    }

    /// One more input of the gate is reached.
    #[inline]
    fn open_input(&mut self, gate: Gate, input: u32, cost: u32, add: bool) {
        let at = gate.0 as usize;
        let missing = &mut self.missing[at];
        if *missing == 0 || *missing == u32::MAX {
            return;
        }
        *missing -= 1;
        let mut total = cost;
        if add {
            total = self.sums[at].saturating_add(cost).min(UNREACHED - 1);
            self.sums[at] = total;
        }
        if *missing > 0 {
            return;
        }
        if total > cost {
            self.offer(gate, total, input);
        } else if cost < self.costs[at] {
            self.costs[at] = cost;
            self.supporter[at] = input;
            self.stack.push(gate.0);
        }
    }

    /// Lowers the cost of a literal or gate, if this is less.
    #[inline]
    fn offer(&mut self, gate: Gate, cost: u32, supporter: u32) {
        let held = &mut self.costs[gate.0 as usize];
        if cost < *held {
            *held = cost;
            self.supporter[gate.0 as usize] = supporter;
            self.queue.push(cost, gate.0);
        }
    }

    /// Updates the costs of all gates and literals after these actions became cheaper; the costs
    /// are those of a run without `add`.
    pub fn decrease(
        &mut self,
        graph: &RelaxedTask,
        action_costs: &[u32],
        cheaper: &[u32],
    ) -> Result<(), Limit> {
        for &action in cheaper {
            let before = self.costs[graph.actions[action as usize].condition.0 as usize];
            if before != UNREACHED {
                let after = before.saturating_add(action_costs[action as usize]);
                for &effect in graph.effects.of(action) {
                    self.offer(effect, after.min(UNREACHED - 1), action);
                }
            }
        }
        while let Some((cost, gate)) = self.queue.pop() {
            if self.costs[gate as usize] != cost {
                continue;
            }
            self.stack.push(gate);
            while let Some(gate) = self.stack.pop() {
                if let Err(limit) = self.poll.try_step() {
                    self.stack.clear();
                    return Err(limit);
                }
                let conjunctions = graph.conjunctions.of(gate);
                let reaches = graph.reaches.of(gate);
                self.work += (conjunctions.len() + reaches.len()) as u64;
                for &output in conjunctions {
                    // Only the supporter, which is the most expensive input, can change the cost.
                    if self.supporter[output.0 as usize] == gate {
                        self.update_conjunction(graph, output);
                    }
                }
                for &output in graph.others.of(gate) {
                    self.update_other(graph, output, gate);
                }
                let cost = self.costs[gate as usize];
                for &(effect, action) in reaches {
                    let after = cost.saturating_add(action_costs[action as usize]);
                    self.offer(effect, after.min(UNREACHED - 1), action);
                }
            }
        }
        Ok(())
    }

    /// Finds the new supporter of a conjunction whose old one became cheaper, and puts the
    /// conjunction on the stack if it is cheaper too.
    #[inline]
    fn update_conjunction(&mut self, graph: &RelaxedTask, gate: Gate) {
        let at = gate.0 as usize;
        // The old supporter stays where it is still one of the most expensive inputs.
        let old = self.supporter[at];
        let mut most = (self.costs[old as usize], old);
        for &input in graph.inputs.of(gate.0) {
            let cost = self.costs[input.0 as usize];
            if cost > most.0 {
                most = (cost, input.0);
            }
        }
        self.supporter[at] = most.1;
        if most.0 < self.costs[at] {
            self.costs[at] = most.0;
            self.stack.push(gate.0);
        }
    }

    /// Updates the cost of a gate that does not need all its inputs.
    fn update_other(&mut self, graph: &RelaxedTask, gate: Gate, input: u32) {
        let at = gate.0 as usize;
        let (held, cost) = (self.costs[at], self.costs[input as usize]);
        if held == UNREACHED || cost >= held {
            return;
        }
        let needs = graph.needs[at] as usize;
        let cost = if needs == 1 {
            cost
        } else {
            let inputs = graph.inputs.of(gate.0).iter();
            let mut costs: Vec<u32> = inputs.map(|input| self.costs[input.0 as usize]).collect();
            *costs.select_nth_unstable(needs - 1).1
        };
        if cost < held {
            self.costs[at] = cost;
            self.stack.push(gate.0);
        }
    }
}
