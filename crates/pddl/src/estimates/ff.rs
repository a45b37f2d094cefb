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
    /// For each action, what its operator counts.
    costs: Vec<u32>,
    marked: Vec<bool>,
    /// The gates that are marked.
    visited: Vec<Gate>,
    open: Vec<Gate>,
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
    /// `graph` is the relaxation of the task. An operator counts 1 more than twice its cost, so that
    /// relaxed plans of free operators differ by their length.
    pub fn new(task: &'a Task, graph: &'a RelaxedTask, budget: &Budget) -> Self {
        let mut ff = Self {
            task,
            graph,
            exploration: Exploration::new(graph, budget),
            words: vec![0; task.words()],
            costs: Vec::new(),
            marked: vec![false; graph.len()],
            visited: Vec::new(),
            open: Vec::new(),
        };
        ff.count(|cost| cost.saturating_mul(2).saturating_add(1));
        ff
    }

    /// The work since the last call, in edges of the graph.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.exploration.work)
    }

    /// Changes what an operator counts where relaxed plans are compared: a function of its cost.
    pub fn count(&mut self, counted: impl Fn(u32) -> u32) {
        self.costs = self.graph.action_costs().map(counted).collect();
    }

    /// A relaxed plan from this state. `None`: there is no plan, not even in the relaxation. At a
    /// limit of the budget, the empty plan.
    pub fn relaxed_plan(&mut self, state: &<Task as Space>::State) -> Option<RelaxedPlan> {
        self.task.pack(state, &mut self.words);
        let graph = self.graph;
        let explored = self
            .exploration
            .run_to_goal(graph, &self.words, &self.costs, true);
        if explored.is_err() {
            return Some(RelaxedPlan {
                cost: 0,
                operators: Vec::new(),
            });
        }
        self.exploration.cost(graph.goal)?;
        let mut operators: Vec<u32> = Vec::new();
        self.open.push(graph.goal);
        while let Some(gate) = self.open.pop() {
            if std::mem::replace(&mut self.marked[gate.0 as usize], true) {
                continue;
            }
            self.visited.push(gate);
            if graph.is_literal(gate) {
                let supporter = self.exploration.supporter[gate.0 as usize];
                if supporter != u32::MAX {
                    let action = &graph.actions[supporter as usize];
                    operators.push(action.operator);
                    self.open.push(action.condition);
                }
            } else if graph.is_conjunction(gate) {
                self.open.extend_from_slice(graph.inputs.of(gate.0));
            } else {
                // As many inputs as the gate needs, the cheapest ones.
                let costs = &self.exploration.costs;
                let inputs = graph.inputs.of(gate.0).iter();
                let mut inputs: Vec<(u32, Gate)> = inputs
                    .map(|&input| (costs[input.0 as usize], input))
                    .filter(|(cost, _)| *cost != UNREACHED)
                    .collect();
                inputs.sort_unstable();
                let needed = graph.needs[gate.0 as usize] as usize;
                let cheapest = inputs.iter().take(needed);
                self.open.extend(cheapest.map(|&(_, input)| input));
            }
        }
        for gate in self.visited.drain(..) {
            self.marked[gate.0 as usize] = false;
        }
        operators.sort_unstable();
        operators.dedup();
        let costs = operators.iter().map(|&id| graph.costs[id as usize]);
        Some(RelaxedPlan {
            cost: costs.fold(0, u32::saturating_add),
            operators: operators.into_iter().map(OperatorId).collect(),
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
