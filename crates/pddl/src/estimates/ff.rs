//! The FF estimate: the cost of a relaxed plan, extracted from the best supporters of the additive
//! estimate (Hoffmann and Nebel 2001; Keyder and Geffner 2008). Not admissible. The operators of
//! the relaxed plan that are applicable in the state are the preferred operators.

use ployglot_base::{Budget, Guide, Space};

use super::max::{Exploration, UNREACHED};
use super::relaxed::{Gate, RelaxedTask};
use crate::task::{OperatorId, Task};

/// The FF estimate, with its buffers.
pub struct Ff<'a> {
    task: &'a Task,
    graph: &'a RelaxedTask,
    exploration: Exploration,
    words: Vec<u64>,
    /// For each action, 1 more than twice its operator's cost, so that relaxed plans of free operators differ
    /// by their length.
    costs: Vec<u32>,
    marked: Vec<bool>,
}

/// A plan of the relaxed task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelaxedPlan {
    /// The sum of the operators' costs.
    pub cost: u32,
    /// The operators, sorted by id.
    pub operators: Vec<OperatorId>,
}

impl<'a> Ff<'a> {
    /// `graph` is the relaxation of the task.
    pub fn new(task: &'a Task, graph: &'a RelaxedTask, budget: &Budget) -> Self {
        let marked = vec![false; graph.len()];
        let counted = |cost: u32| cost.saturating_mul(2).saturating_add(1);
        Self {
            task,
            graph,
            exploration: Exploration::new(graph, budget),
            words: vec![0; task.words()],
            costs: graph.action_costs().map(counted).collect(),
            marked,
        }
    }

    /// A relaxed plan from this state. `None`: there is no plan, not even in the relaxation. At a
    /// limit of the budget, the empty plan.
    pub fn relaxed_plan(&mut self, state: &<Task as Space>::State) -> Option<RelaxedPlan> {
        self.task.pack(state, &mut self.words);
        let graph = self.graph;
        let explored = self.exploration.run(graph, &self.words, &self.costs, true);
        if explored.is_err() {
            return Some(RelaxedPlan {
                cost: 0,
                operators: Vec::new(),
            });
        }
        self.exploration.cost(graph.goal)?;
        self.marked.fill(false);
        let mut operators: Vec<(u32, u32)> = Vec::new();
        let mut open = vec![graph.goal];
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut self.marked[gate.0 as usize], true) {
                continue;
            }
            if graph.is_literal(gate) {
                let supporter = self.exploration.supporter[gate.0 as usize];
                if supporter != u32::MAX {
                    let action = &graph.actions[supporter as usize];
                    operators.push((action.operator, graph.costs[action.operator as usize]));
                    open.push(action.condition);
                }
                continue;
            }
            // As many inputs as the gate needs, the cheapest ones.
            let mut inputs: Vec<(u32, Gate)> = graph
                .inputs
                .of(gate.0)
                .iter()
                .map(|&input| (self.exploration.costs[input.0 as usize], input))
                .collect();
            inputs.sort();
            let needed = graph.needs[gate.0 as usize] as usize;
            open.extend(
                inputs
                    .iter()
                    .take(needed)
                    .filter(|(cost, _)| *cost != UNREACHED)
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

/// For greedy searches only: the value is an estimate, not a lower bound.
impl Guide<Task> for Ff<'_> {
    fn lower_bound(&mut self, state: &<Task as Space>::State) -> Option<u32> {
        self.relaxed_plan(state).map(|plan| plan.cost)
    }

    fn is_admissible(&self) -> bool {
        false
    }
}
