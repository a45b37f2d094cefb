//! LM-cut: hmax is raised by sets of operators of which every plan uses one (Helmert and Domshlak 2009). After each such cut its
//! operators become cheaper by the cheapest of them, so what the cuts add up to is still a lower bound.
//!
//! Here the graph has gates. A gate that needs t of its n inputs cannot open before one of its n − t + 1 dearest inputs has, so
//! in the justification graph it hangs on all of these; for a conjunction that is the one dearest input, for a disjunction all. An
//! operator with several effects is one operator with one cost, however its effects are cut.

use ployglot_base::{Guide, Space};

use super::max::Explore;
use super::relaxed::{Gate, Relaxed};
use crate::task::Task;

pub struct LandmarkCut<'a> {
    task: &'a Task,
    graph: &'a Relaxed,
    explore: Explore,
    words: Vec<u64>,
    costs: Vec<u32>,
    /// The actions that have a literal as an effect.
    achievers: Vec<Vec<u32>>,
}

impl<'a> LandmarkCut<'a> {
    pub fn new(task: &'a Task, graph: &'a Relaxed) -> Self {
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
            explore: Explore::new(graph),
            words,
            costs: Vec::new(),
            achievers,
        }
    }

    /// The inputs of which one must open before the gate does: the dearest ones.
    fn critical(&self, gate: Gate) -> Vec<Gate> {
        let mut inputs: Vec<(u32, Gate)> = self
            .graph
            .inputs(gate)
            .iter()
            .map(|&input| (self.explore.costs[input.0 as usize], input))
            .collect();
        inputs.sort();
        let needs = self.graph.needs[gate.0 as usize] as usize;
        inputs
            .iter()
            .skip(needs.saturating_sub(1))
            .map(|&(_, input)| input)
            .collect()
    }

    /// What leads to the goal for nothing.
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
                    let reachable = self.explore.cost(action.condition).is_some();
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

    /// The operators that lead into the goal zone from what can be reached before it.
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
            // A gate is reached through any one of its critical inputs.
            for &fed in &self.graph.feeds[at] {
                if !before[fed.0 as usize]
                    && !zone[fed.0 as usize]
                    && self.critical(fed).contains(&gate)
                {
                    open.push(fed);
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
            self.explore.run(graph, &self.words, &cost_of, false);
            if self.explore.cost(graph.goal)? == 0 {
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
                // A start that lies in the goal zone cannot be: the goal costs something. Be safe all the same.
                return Some(bound);
            }
            bound = bound.saturating_add(least);
            cut.iter()
                .for_each(|&operator| self.costs[operator as usize] -= least);
        }
    }
}
