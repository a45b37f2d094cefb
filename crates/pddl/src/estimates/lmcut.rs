//! LM-cut (Helmert and Domshlak 2009): disjunctive action landmarks, that is, sets of operators of
//! which every plan uses one, are found as cuts of the justification graph of hmax. The cost of
//! each cut, that of its cheapest operator, is added to the estimate and subtracted from the costs
//! of its operators, so the sum over the cuts is a lower bound.
//!
//! Here the graph has gates. A gate that needs t of its n inputs cannot open before one of its
//! n − t + 1 most expensive inputs, so in the justification graph it depends on all of these; for a
//! conjunction that is the one most expensive input, for a disjunction all inputs. An operator with
//! several effects is one operator with one cost, however its effects are cut.

use ployglot_base::{Budget, Guide, Space};

use super::max::Exploration;
use super::relaxed::{Gate, RelaxedTask};
use crate::task::Task;

/// The LM-cut estimate, with its buffers.
pub struct LandmarkCut<'a> {
    task: &'a Task,
    graph: &'a RelaxedTask,
    exploration: Exploration,
    words: Vec<u64>,
    /// For each operator, the cost that is left.
    costs: Vec<u32>,
    /// For each literal, the actions that have it as an effect.
    achievers: Vec<Vec<u32>>,
}

impl<'a> LandmarkCut<'a> {
    /// `graph` is the relaxation of the task.
    pub fn new(task: &'a Task, graph: &'a RelaxedTask, budget: &Budget) -> Self {
        let mut achievers = vec![Vec::new(); graph.len()];
        for (id, action) in graph.actions.iter().enumerate() {
            action
                .effects
                .iter()
                .for_each(|effect| achievers[effect.0 as usize].push(id as u32));
        }
        let words = vec![0; task.words()];
        Self {
            task,
            graph,
            exploration: Exploration::new(graph, budget),
            words,
            costs: Vec::new(),
            achievers,
        }
    }

    /// The most expensive inputs: one of them must open before the gate does.
    fn critical(&self, gate: Gate) -> Vec<Gate> {
        let mut inputs: Vec<(u32, Gate)> = self
            .graph
            .inputs(gate)
            .iter()
            .map(|&input| (self.exploration.costs[input.0 as usize], input))
            .collect();
        inputs.sort();
        let needs = self.graph.needs[gate.0 as usize] as usize;
        inputs
            .iter()
            .skip(needs.saturating_sub(1))
            .map(|&(_, input)| input)
            .collect()
    }

    /// The gates from which the goal is reached at no cost.
    fn goal_zone(&self) -> Vec<bool> {
        let mut zone = vec![false; self.graph.len()];
        let mut open = vec![self.graph.goal];
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut zone[gate.0 as usize], true) {
                continue;
            }
            if self.graph.is_literal(gate) {
                for &action in &self.achievers[gate.0 as usize] {
                    let action = &self.graph.actions[action as usize];
                    let reachable = self.exploration.cost(action.condition).is_some();
                    if reachable && self.costs[action.operator as usize] == 0 {
                        open.push(action.condition);
                    }
                }
            } else {
                open.extend(self.critical(gate));
            }
        }
        zone
    }

    /// The operators that lead into the goal zone from the gates that are reached without it.
    fn cut(&self, zone: &[bool]) -> Vec<u32> {
        let mut before = vec![false; self.graph.len()];
        let mut crossing = Vec::new();
        let mut open: Vec<Gate> = self
            .graph
            .true_literals(&self.words)
            .chain(self.graph.open.iter().copied())
            .collect();
        while let Some(gate) = open.pop() {
            let at = gate.0 as usize;
            if zone[at] || std::mem::replace(&mut before[at], true) {
                continue;
            }
            // A gate is reached through any of its critical inputs.
            for &output in &self.graph.outputs[at] {
                if !before[output.0 as usize]
                    && !zone[output.0 as usize]
                    && self.critical(output).contains(&gate)
                {
                    open.push(output);
                }
            }
            for &action in &self.graph.triggers[at] {
                let action = &self.graph.actions[action as usize];
                for &effect in &action.effects {
                    if zone[effect.0 as usize] {
                        crossing.push(action.operator);
                    } else {
                        open.push(effect);
                    }
                }
            }
        }
        crossing.sort();
        crossing.dedup();
        crossing
    }
}

impl Guide<Task> for LandmarkCut<'_> {
    fn lower_bound(&mut self, state: &<Task as Space>::State) -> Option<u32> {
        self.task.pack(state, &mut self.words);
        self.costs.clear();
        self.costs.resize(self.graph.operators, 0);
        for action in &self.graph.actions {
            self.costs[action.operator as usize] = action.cost;
        }
        let mut bound = 0u32;
        loop {
            let (graph, costs) = (self.graph, &self.costs);
            let cost_of = |action: u32| costs[graph.actions[action as usize].operator as usize];
            let explored = self.exploration.run(graph, &self.words, &cost_of, false);
            if explored.is_err() {
                // At a limit, the cuts so far are a bound.
                return Some(bound);
            }
            if self.exploration.cost(graph.goal)? == 0 {
                return Some(bound);
            }
            let zone = self.goal_zone();
            let cut = self.cut(&zone);
            let least = cut
                .iter()
                .map(|&operator| self.costs[operator as usize])
                .min()
                .unwrap_or(0);
            if least == 0 {
                // Cannot happen, because the goal has a positive cost; but no loop without
                // progress.
                return Some(bound);
            }
            bound = bound.saturating_add(least);
            cut.iter()
                .for_each(|&operator| self.costs[operator as usize] -= least);
        }
    }
}
