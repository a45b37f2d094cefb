//! The FF estimate: the cost of a plan of the relaxation, found through the cheapest supporters by the additive estimate (Hoffmann
//! and Nebel 2001; Keyder and Geffner 2008). Not admissible. Its operators that can be taken now are the preferred ones.

use ployglot_base::{Guide, Space};

use super::max::{CLOSED, Explore};
use super::relaxed::{Gate, Relaxed};
use crate::task::{OperatorId, Task};

pub struct Ff<'a> {
    task: &'a Task,
    graph: &'a Relaxed,
    explore: Explore,
    words: Vec<u64>,
    marked: Vec<bool>,
}

/// A plan of the relaxation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelaxedPlan {
    pub cost: u32,
    /// Its operators, sorted.
    pub operators: Vec<OperatorId>,
}

impl<'a> Ff<'a> {
    pub fn new(task: &'a Task, graph: &'a Relaxed) -> Self {
        let marked = vec![false; graph.len()];
        Self {
            task,
            graph,
            explore: Explore::new(graph),
            words: vec![0; task.words()],
            marked,
        }
    }

    /// `None`: no plan exists from here, not even in the relaxation.
    pub fn relaxed_plan(&mut self, state: &<Task as Space>::State) -> Option<RelaxedPlan> {
        self.task.pack(state, &mut self.words);
        // Every step counts a little, so that plans of free steps are still told apart.
        let graph = self.graph;
        let costs = |action: u32| {
            graph.actions[action as usize]
                .cost
                .saturating_mul(2)
                .saturating_add(1)
        };
        self.explore.run(graph, &self.words, &costs, true);
        self.explore.cost(graph.goal)?;
        self.marked.fill(false);
        let mut operators: Vec<(u32, u32)> = Vec::new();
        let mut open = vec![graph.goal];
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut self.marked[gate.0 as usize], true) {
                continue;
            }
            if graph.is_literal(gate) {
                let supporter = self.explore.supporter[gate.0 as usize];
                if supporter != u32::MAX {
                    let action = &graph.actions[supporter as usize];
                    operators.push((action.operator, action.cost));
                    open.push(action.condition);
                }
                continue;
            }
            // The cheapest inputs, as many as the gate needs.
            let mut inputs: Vec<(u32, Gate)> = graph
                .inputs(gate)
                .iter()
                .map(|&input| (self.explore.costs[input.0 as usize], input))
                .collect();
            inputs.sort();
            let needed = graph.needs[gate.0 as usize] as usize;
            open.extend(
                inputs
                    .iter()
                    .take(needed)
                    .filter(|(cost, _)| *cost != CLOSED)
                    .map(|&(_, input)| input),
            );
        }
        operators.sort();
        operators.dedup();
        let cost = operators
            .iter()
            .fold(0u32, |sum, &(_, cost)| sum.saturating_add(cost));
        Some(RelaxedPlan {
            cost,
            operators: operators
                .into_iter()
                .map(|(id, _)| OperatorId(id))
                .collect(),
        })
    }
}

/// As a guide it is good for greedy searches only: its bound is no bound.
impl Guide<Task> for Ff<'_> {
    fn lower_bound(&mut self, state: &<Task as Space>::State) -> Option<u32> {
        self.relaxed_plan(state).map(|plan| plan.cost)
    }
}
