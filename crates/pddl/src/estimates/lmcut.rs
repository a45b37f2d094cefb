//! LM-cut (Helmert and Domshlak 2009): disjunctive action landmarks, that is, sets of operators of
//! which every plan uses one, are found as cuts of the justification graph of hmax. The cost of
//! each cut, that of its cheapest operator, is added to the estimate and subtracted from the costs
//! of its operators, so the sum over the cuts is a lower bound.
//!
//! Here the graph has gates. A gate that needs t of its n inputs cannot open before one of the
//! inputs that cost as much as the gate or more, because fewer than t inputs cost less. So in the
//! justification graph it depends on all of these; of a conjunction's inputs, one of the most
//! expensive ones is enough (its supporter), and for a disjunction these are all its inputs. An
//! operator with several effects is one operator with one cost, however its effects are cut.
//!
//! After a cut only the costs that decrease are computed again (`Exploration::decrease`). All
//! tables are flat vectors (`relaxed`), and marks are numbers of rounds, so that nothing is cleared.
//! Measured against the first version (nested vectors, hmax from scratch after each cut): see
//! `docs/benchmarks/planner.md`.

use ployglot_base::{Budget, Guide, Space};

use super::max::{Exploration, UNREACHED};
use super::relaxed::{Gate, RelaxedTask};
use crate::lists::Lists;
use crate::task::Task;

/// The LM-cut estimate, with its buffers.
pub struct LandmarkCut<'a> {
    task: &'a Task,
    graph: &'a RelaxedTask,
    exploration: Exploration,
    words: Vec<u64>,
    /// For each operator, its actions.
    actions_of: Lists<u32>,
    /// For each action, the cost of its operator, and what is left of it.
    full_costs: Vec<u32>,
    costs: Vec<u32>,
    /// For each gate: `round` if it is in the goal zone, `round + 1` if it is reached without it,
    /// less in rounds before.
    marks: Vec<u32>,
    /// For each operator, `round` if its actions are in the cut.
    cut_marks: Vec<u32>,
    round: u32,
    /// The literals of the state that something depends on, and the gates that are always open.
    first: Vec<Gate>,
    stack: Vec<Gate>,
    /// The actions of the operators in the cut.
    cut: Vec<u32>,
}

impl<'a> LandmarkCut<'a> {
    /// `graph` is the relaxation of the task.
    pub fn new(task: &'a Task, graph: &'a RelaxedTask, budget: &Budget) -> Self {
        let operators = graph.actions.iter().map(|action| action.operator);
        Self {
            task,
            graph,
            exploration: Exploration::new(graph, budget),
            words: vec![0; task.words()],
            actions_of: Lists::sorted(graph.costs.len(), operators.zip(0u32..)),
            full_costs: graph.action_costs().collect(),
            costs: Vec::new(),
            marks: vec![0; graph.len()],
            cut_marks: vec![0; graph.costs.len()],
            round: 0,
            first: Vec::new(),
            stack: Vec::new(),
            cut: Vec::new(),
        }
    }

    /// The work since the last call, in edges of the graph.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.exploration.work)
    }

    /// Starts a round: nothing is marked.
    fn next_round(&mut self) {
        if self.round >= u32::MAX - 4 {
            self.marks.fill(0);
            self.cut_marks.fill(0);
            self.round = 0;
        }
        self.round += 2;
    }

    /// Marks the gates from which the goal is reached at no cost. All of them cost at least as much
    /// as the goal.
    fn mark_goal_zone(&mut self) {
        let (graph, round) = (self.graph, self.round);
        self.stack.push(graph.goal);
        while let Some(gate) = self.stack.pop() {
            let at = gate.0 as usize;
            if std::mem::replace(&mut self.marks[at], round) == round {
                continue;
            }
            if graph.is_literal(gate) {
                let achievers = graph.achievers.of(gate.0);
                self.exploration.work += achievers.len() as u64;
                for &action in achievers {
                    if self.costs[action as usize] > 0 {
                        continue;
                    }
                    let condition = graph.actions[action as usize].condition;
                    if self.marks[condition.0 as usize] != round
                        && self.exploration.cost(condition).is_some()
                    {
                        self.stack.push(condition);
                    }
                }
                continue;
            }
            let inputs = graph.inputs.of(gate.0);
            if graph.is_conjunction(gate) {
                self.stack.push(Gate(self.exploration.supporter[at]));
            } else {
                let costs = &self.exploration.costs;
                let reached = costs[at]..UNREACHED;
                let critical = |input: &&Gate| reached.contains(&costs[input.0 as usize]);
                self.stack.extend(inputs.iter().filter(critical));
            }
        }
    }

    /// Collects the operators that lead into the goal zone from the gates that are reached without
    /// it.
    fn find_cut(&mut self) {
        let (graph, zone, before) = (self.graph, self.round, self.round + 1);
        self.cut.clear();
        for &gate in &self.first {
            self.marks[gate.0 as usize] = before;
        }
        self.stack.extend_from_slice(&self.first);
        while let Some(gate) = self.stack.pop() {
            let conjunctions = graph.conjunctions.of(gate.0);
            let reaches = graph.reaches.of(gate.0);
            self.exploration.work += (conjunctions.len() + reaches.len()) as u64;
            // A gate is reached through any of its critical inputs.
            for &output in conjunctions {
                let at = output.0 as usize;
                if self.exploration.supporter[at] == gate.0 && self.marks[at] < zone {
                    self.marks[at] = before;
                    self.stack.push(output);
                }
            }
            for &output in graph.others.of(gate.0) {
                let at = output.0 as usize;
                let cost = self.exploration.costs[gate.0 as usize];
                let opened = self.exploration.cost(output);
                if self.marks[at] < zone && opened.is_some_and(|opened| cost >= opened) {
                    self.marks[at] = before;
                    self.stack.push(output);
                }
            }
            let mut rest = reaches;
            while let Some(&(_, action)) = rest.first() {
                // The effects of an action are next to each other.
                let (effects, others) = rest.split_at(graph.effects.of(action).len());
                rest = others;
                let mut marks = effects
                    .iter()
                    .map(|(effect, _)| self.marks[effect.0 as usize]);
                if marks.any(|mark| mark == zone) {
                    // Paths through its other effects contain the operator, so they are cut too.
                    let operator = graph.actions[action as usize].operator;
                    let cut = &mut self.cut_marks[operator as usize];
                    if std::mem::replace(cut, zone) != zone {
                        self.cut.extend_from_slice(self.actions_of.of(operator));
                    }
                    continue;
                }
                for (effect, _) in effects {
                    let mark = &mut self.marks[effect.0 as usize];
                    if *mark < zone {
                        *mark = before;
                        self.stack.push(*effect);
                    }
                }
            }
        }
    }
}

impl Guide<Task> for LandmarkCut<'_> {
    fn lower_bound(&mut self, state: &<Task as Space>::State) -> Option<u32> {
        self.task.pack(state, &mut self.words);
        let graph = self.graph;
        self.costs.clone_from(&self.full_costs);
        let explored = self.exploration.run(graph, &self.words, &self.costs, false);
        if explored.is_err() {
            return Some(0);
        }
        self.first.clear();
        let holding = graph.true_literals(&self.words);
        let first = holding.chain(graph.open.iter().copied());
        self.first.extend(first.filter(|&gate| graph.is_read(gate)));
        let mut bound = 0u32;
        while self.exploration.cost(graph.goal)? > 0 {
            self.next_round();
            self.mark_goal_zone();
            self.find_cut();
            let costs = self.cut.iter().map(|&action| self.costs[action as usize]);
            let least = costs.min().unwrap_or(0);
            debug_assert!(least > 0, "the goal has a positive cost");
            if least == 0 {
                // Cannot happen; but no loop without progress.
                break;
            }
            bound = bound.saturating_add(least);
            for &action in &self.cut {
                self.costs[action as usize] -= least;
            }
            let updated = self.exploration.decrease(graph, &self.costs, &self.cut);
            if updated.is_err() {
                // At a limit, the cuts so far are a bound.
                break;
            }
        }
        Some(bound)
    }
}
