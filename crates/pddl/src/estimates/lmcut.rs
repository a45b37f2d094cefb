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
//! Which of the most expensive inputs is the supporter matters: the cut of a goal whose operators were
//! cut before lies further back, and its operators are often those that other goals need. So a
//! conjunction in the goal zone has a supporter that is in the zone already or, failing that, one that
//! was in the fewest zones of this state, and of these one with the fewest operators that lead to it
//! at some cost.
//!
//! The operators of a cut lead into the goal zone, from which the goal is reached at no cost, and
//! their conditions are reached from the state without the zone. The second is usually clear: a gate
//! that costs less than the goal is reached without the zone. For each gate was reached in
//! `Exploration` after the inputs, or the condition of the action, that give it its cost, and these
//! cost as much or less; and all gates of the zone cost as much as the goal or more. Nor does an
//! action that leads into the zone give a gate such a cost. So only the conditions that cost as much
//! as the goal or more are asked about, backwards. The textbook's way, forwards from the state through
//! all that is reached, finds the same cuts (`forward_cut`, in the tests) and took most of the time.
//!
//! In A*, a state inherits landmarks of the state before it (`landmark_memory`), with the costs that they count, and
//! only what is missing is searched for.
//!
//! After a cut only the costs that decrease are computed again (`Exploration::decrease`). All
//! tables are flat vectors (`relaxed`), and marks are numbers of rounds, so that nothing is cleared.
//! Measured against the first version (nested vectors, hmax from scratch after each cut): see
//! `docs/benchmarks/planner.md`.

use std::sync::Arc;

use ployglot_base::{Budget, Guide, Space};

use super::landmark_memory::{Landmark, Memory};
use super::max::{Exploration, UNREACHED};
use super::relaxed::{Gate, RelaxedTask};
use crate::lists::Lists;
use crate::task::{OperatorId, State, Task};

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
    /// For each action, its condition.
    conditions: Vec<Gate>,
    /// For each gate: `round` if it is in the goal zone; `round + ASKED` or `round + REACHED`; less if
    /// it was not marked in this round.
    marks: Vec<u32>,
    /// For each action, `round` if it leads into the goal zone at some cost.
    entering_marks: Vec<u32>,
    /// For each operator, `round` if its actions are in the cut.
    cut_marks: Vec<u32>,
    round: u32,
    /// For each gate, of how many goal zones it was part in the evaluation of this state.
    zones: Vec<u32>,
    /// The actions that lead into the goal zone at some cost, and those of them whose condition costs
    /// as much as the goal or more.
    entering: Vec<u32>,
    doubtful: Vec<u32>,
    stack: Vec<Gate>,
    /// Gates that are reached without the goal zone, whose outputs have not been looked at.
    seeds: Vec<Gate>,
    /// The actions of the operators in the cut.
    cut: Vec<u32>,
    /// The landmarks of the last state.
    found: Vec<Arc<Landmark>>,
    /// `None`: each bound depends on its state alone.
    memory: Option<Memory>,
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
            conditions: graph
                .actions
                .iter()
                .map(|action| action.condition)
                .collect(),
            marks: vec![0; graph.len()],
            entering_marks: vec![0; graph.actions.len()],
            cut_marks: vec![0; graph.costs.len()],
            round: 0,
            zones: vec![0; graph.len()],
            entering: Vec::new(),
            doubtful: Vec::new(),
            stack: Vec::new(),
            seeds: Vec::new(),
            cut: Vec::new(),
            found: Vec::new(),
            memory: None,
        }
    }

    /// The same for a search that lists the moves of some states, by `narrow`, and then asks for the
    /// bounds of the states after them: these inherit landmarks. So the bound of a state may differ
    /// between two states before.
    pub fn inheriting(task: &'a Task, graph: &'a RelaxedTask, budget: &Budget) -> Self {
        Self {
            memory: Some(Memory::default()),
            ..Self::new(task, graph, budget)
        }
    }

    /// The work since the last call, in edges of the graph.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.exploration.work)
    }

    /// Starts a round: nothing is marked.
    fn next_round(&mut self) {
        if self.round >= u32::MAX - 6 {
            self.marks.fill(0);
            self.cut_marks.fill(0);
            self.entering_marks.fill(0);
            self.round = 0;
        }
        self.round += 3;
    }

    /// Marks the gates from which the goal is reached at no cost, and collects the actions that lead
    /// into this zone at some cost. All gates of the zone cost at least as much as the goal.
    fn mark_goal_zone(&mut self) {
        let (graph, round) = (self.graph, self.round);
        self.entering.clear();
        self.stack.push(graph.goal);
        while let Some(gate) = self.stack.pop() {
            let at = gate.0 as usize;
            if std::mem::replace(&mut self.marks[at], round) == round {
                continue;
            }
            self.zones[at] += 1;
            if graph.is_literal(gate) {
                let achievers = graph.achievers.of(gate.0);
                self.exploration.work += achievers.len() as u64;
                for &action in achievers {
                    if self.costs[action as usize] > 0 {
                        let mark = &mut self.entering_marks[action as usize];
                        if std::mem::replace(mark, round) != round {
                            self.entering.push(action);
                        }
                        continue;
                    }
                    let condition = self.conditions[action as usize];
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
                let supporter = self.choose_supporter(gate);
                self.exploration.supporter[at] = supporter.0;
                self.stack.push(supporter);
            } else {
                let costs = &self.exploration.costs;
                let reached = costs[at]..UNREACHED;
                let critical = |input: &&Gate| reached.contains(&costs[input.0 as usize]);
                self.stack.extend(inputs.iter().filter(critical));
            }
        }
    }

    /// One of the most expensive inputs of a conjunction in the goal zone, so that the cuts are small
    /// and their operators are not needed by other cuts.
    fn choose_supporter(&self, conjunction: Gate) -> Gate {
        let graph = self.graph;
        let costs = &self.exploration.costs;
        let cost = costs[conjunction.0 as usize];
        let inputs = graph.inputs.of(conjunction.0).iter();
        let expensive = inputs.filter(|input| costs[input.0 as usize] == cost);
        let preference = |input: &&Gate| {
            let at = input.0 as usize;
            if self.marks[at] == self.round {
                return (0, 0);
            }
            let achievers = match graph.is_literal(**input) {
                true => graph.achievers.of(input.0),
                false => &[],
            };
            let entering = |action: &&u32| self.costs[**action as usize] > 0;
            (
                1 + self.zones[at],
                achievers.iter().filter(entering).count(),
            )
        };
        *expensive
            .min_by_key(preference)
            .expect("a conjunction costs as much as one of its inputs")
    }

    /// Collects the operators that lead into the goal zone from gates that are reached without it.
    fn find_cut(&mut self) {
        self.cut.clear();
        let goal_cost = self.exploration.costs[self.graph.goal.0 as usize];
        // The others are asked about below.
        let mut doubtful = std::mem::take(&mut self.doubtful);
        doubtful.clear();
        for at in 0..self.entering.len() {
            let action = self.entering[at];
            let condition = self.conditions[action as usize].0 as usize;
            match self.exploration.costs[condition] {
                UNREACHED => {}
                cost if cost < goal_cost => self.cut_operator_of(action),
                _ if self.marks[condition] == self.round => {}
                _ => doubtful.push(action),
            }
        }
        if !doubtful.is_empty() {
            self.find_reached(&doubtful, goal_cost);
            for &action in &doubtful {
                let condition = self.conditions[action as usize].0 as usize;
                if self.marks[condition] == self.round + REACHED {
                    self.cut_operator_of(action);
                }
            }
        }
        self.doubtful = doubtful;
    }

    /// Adds the actions of this action's operator to the cut.
    fn cut_operator_of(&mut self, action: u32) {
        let operator = self.graph.actions[action as usize].operator;
        let mark = &mut self.cut_marks[operator as usize];
        if std::mem::replace(mark, self.round) != self.round {
            self.cut.extend_from_slice(self.actions_of.of(operator));
        }
    }

    /// Marks which conditions of these actions are reached from the state without the goal zone,
    /// backwards from them to gates that are cheaper than the goal, which all are.
    fn find_reached(&mut self, doubtful: &[u32], goal_cost: u32) {
        let (graph, zone) = (self.graph, self.round);
        let (asked, reached) = (zone + ASKED, zone + REACHED);
        for &action in doubtful {
            self.ask(self.conditions[action as usize]);
        }
        while let Some(gate) = self.stack.pop() {
            let at = gate.0 as usize;
            let costs = &self.exploration.costs;
            if graph.is_literal(gate) {
                let achievers = graph.achievers.of(gate.0);
                self.exploration.work += achievers.len() as u64;
                let enters = |action: u32| self.entering_marks[action as usize] == zone;
                // A path through an operator that enters the zone contains the cut.
                let cheap = |&action: &u32| {
                    let condition = self.conditions[action as usize];
                    costs[condition.0 as usize] < goal_cost && !enters(action)
                };
                if achievers.iter().any(cheap) {
                    self.marks[at] = reached;
                    self.seeds.push(gate);
                    continue;
                }
                for &action in achievers {
                    let condition = self.conditions[action as usize];
                    if self.exploration.cost(condition).is_some()
                        && self.entering_marks[action as usize] != zone
                    {
                        self.ask(condition);
                    }
                }
            } else if graph.is_conjunction(gate) {
                self.ask(Gate(self.exploration.supporter[at]));
            } else {
                let critical = costs[at]..UNREACHED;
                for &input in graph.inputs.of(gate.0) {
                    if critical.contains(&self.exploration.costs[input.0 as usize]) {
                        self.ask(input);
                    }
                }
            }
        }
        while let Some(gate) = self.seeds.pop() {
            let conjunctions = graph.conjunctions.of(gate.0);
            let reaches = graph.reaches.of(gate.0);
            self.exploration.work += (conjunctions.len() + reaches.len()) as u64;
            for &output in conjunctions {
                let at = output.0 as usize;
                if self.marks[at] == asked && self.exploration.supporter[at] == gate.0 {
                    self.marks[at] = reached;
                    self.seeds.push(output);
                }
            }
            for &output in graph.others.of(gate.0) {
                let at = output.0 as usize;
                let costs = &self.exploration.costs;
                if self.marks[at] == asked && costs[gate.0 as usize] >= costs[at] {
                    self.marks[at] = reached;
                    self.seeds.push(output);
                }
            }
            for &(effect, action) in reaches {
                let mark = &mut self.marks[effect.0 as usize];
                if *mark == asked && self.entering_marks[action as usize] != zone {
                    *mark = reached;
                    self.seeds.push(effect);
                }
            }
        }
    }

    /// Puts a gate on the stack that is not in the goal zone and was not asked about before.
    fn ask(&mut self, gate: Gate) {
        let mark = &mut self.marks[gate.0 as usize];
        if *mark < self.round {
            *mark = self.round + ASKED;
            self.stack.push(gate);
        }
    }
}

/// The marks of gates outside the goal zone, added to the number of the round: the gate is asked
/// about, and it is reached without the zone.
const ASKED: u32 = 1;
const REACHED: u32 = 2;

impl Guide<Task> for LandmarkCut<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        match self.memory.take() {
            None => self.bound_alone(state),
            Some(mut memory) => {
                let bound = self.inherited_bound(state, &mut memory);
                self.memory = Some(memory);
                bound
            }
        }
    }

    /// Keeps all moves, and notes where they lead.
    fn narrow(&mut self, state: &State, moves: &mut Vec<OperatorId>) {
        if let Some(memory) = &mut self.memory {
            memory.note(self.task, state, moves);
        }
    }
}

impl LandmarkCut<'_> {
    /// The bound by the state alone.
    fn bound_alone(&mut self, state: &State) -> Option<u32> {
        self.costs.clone_from(&self.full_costs);
        self.found.clear();
        self.find_landmarks(state, 0)
    }

    /// The bound with the landmarks of a state before this one, where one is known.
    fn inherited_bound(&mut self, state: &State, memory: &mut Memory) -> Option<u32> {
        let Some((number, operator)) = memory.before(state) else {
            return self.bound_alone(state);
        };
        if memory.searches_alone(number) {
            let work = self.exploration.work;
            // Where the state before has no plan, neither has this one.
            let bound = self.bound_alone(memory.state(number))?;
            memory.settle(number, bound, &self.found, self.exploration.work - work);
        }
        let work = self.exploration.work;
        self.costs.clone_from(&self.full_costs);
        self.found.clear();
        let kept = self.inherit(memory.landmarks(number), operator);
        let inherited = self.found.len();
        let bound = self.find_landmarks(state, kept)?;
        memory.insert(state, &self.found, inherited, self.exploration.work - work);
        Some(bound)
    }

    /// Takes over the landmarks of the state before that do not contain the operator. Gives the sum of
    /// their costs.
    fn inherit(&mut self, landmarks: &[Arc<Landmark>], operator: OperatorId) -> u32 {
        let mut bound = 0u32;
        for landmark in landmarks {
            let mut actions = landmark.actions.iter();
            if actions.any(|&action| self.graph.actions[action as usize].operator == operator.0) {
                continue;
            }
            bound = bound.saturating_add(landmark.cost);
            for &action in &landmark.actions {
                self.costs[action as usize] -= landmark.cost;
            }
            self.found.push(landmark.clone());
        }
        bound
    }

    /// The bound, by landmarks with what is left of the costs in addition to those in `found`, whose
    /// costs have this sum. They are appended to `found`.
    fn find_landmarks(&mut self, state: &State, mut bound: u32) -> Option<u32> {
        self.task.pack(state, &mut self.words);
        self.zones.fill(0);
        let graph = self.graph;
        let explored = self.exploration.run(graph, &self.words, &self.costs, false);
        if explored.is_err() {
            return Some(bound);
        }
        while self.exploration.cost(graph.goal)? > 0 {
            self.next_round();
            self.mark_goal_zone();
            self.find_cut();
            #[cfg(test)]
            self.check_cut();
            let costs = self.cut.iter().map(|&action| self.costs[action as usize]);
            let least = costs.min().unwrap_or(0);
            debug_assert!(least > 0, "the goal has a positive cost");
            if least == 0 {
                // Cannot happen; but no loop without progress.
                break;
            }
            bound = bound.saturating_add(least);
            self.found.push(Arc::new(Landmark {
                cost: least,
                actions: self.cut.as_slice().into(),
            }));
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

#[cfg(test)]
mod tests {
    use ployglot_base::Random;
    use ployglot_testing::pddl::{problems::CLASSICS, random_task};

    use super::*;
    use crate::{ground, parse_domain, parse_problem};

    impl LandmarkCut<'_> {
        /// The actions of the cut, forwards: those that lead into the zone from gates that are
        /// reached from the state without it.
        fn forward_cut(&self) -> Vec<u32> {
            let (graph, zone) = (self.graph, self.round);
            let in_zone = |gate: Gate| self.marks[gate.0 as usize] == zone;
            let costs = &self.exploration.costs;
            let first = graph.true_literals(&self.words);
            let mut stack: Vec<Gate> = first.chain(graph.open.iter().copied()).collect();
            let mut reached = vec![false; graph.len()];
            let mut operators = Vec::new();
            while let Some(gate) = stack.pop() {
                if in_zone(gate) || std::mem::replace(&mut reached[gate.0 as usize], true) {
                    continue;
                }
                let supported =
                    |output: &&Gate| self.exploration.supporter[output.0 as usize] == gate.0;
                stack.extend(graph.conjunctions.of(gate.0).iter().filter(supported));
                let critical = |output: &&Gate| {
                    let opened = costs[output.0 as usize];
                    opened != UNREACHED && costs[gate.0 as usize] >= opened
                };
                stack.extend(graph.others.of(gate.0).iter().filter(critical));
                for &(_, action) in graph.reaches.of(gate.0) {
                    let effects = graph.effects.of(action);
                    match effects.iter().any(|&effect| in_zone(effect)) {
                        true => operators.push(graph.actions[action as usize].operator),
                        false => stack.extend_from_slice(effects),
                    }
                }
            }
            operators.sort_unstable();
            operators.dedup();
            let actions = operators.iter().flat_map(|&at| self.actions_of.of(at));
            actions.copied().collect()
        }

        pub(super) fn check_cut(&self) {
            let mut cut = self.cut.clone();
            cut.sort_unstable();
            let mut forward = self.forward_cut();
            forward.sort_unstable();
            assert_eq!(cut, forward);
        }
    }

    /// `lower_bound` checks each cut in the tests. Returns how many conditions it asked about.
    fn walk(domain: &str, problem: &str, random: &mut Random) -> usize {
        let domain = parse_domain(domain).expect("a domain").value;
        let problem = parse_problem(problem, &domain).expect("a problem").value;
        let task = ground(&domain, &problem).expect("it can be grounded");
        let budget = Budget::unlimited();
        let graph = RelaxedTask::new(&task, &budget).expect("no limit");
        let mut cut = LandmarkCut::new(&task, &graph, &budget);
        let mut asked = 0;
        let mut state = task.start();
        let mut moves = Vec::new();
        for _ in 0..10 {
            cut.lower_bound(&state);
            asked += cut.doubtful.len();
            moves.clear();
            task.moves(&state, &mut moves);
            if moves.is_empty() {
                break;
            }
            state = task.apply(&state, *random.choose(&moves));
        }
        asked
    }

    #[test]
    fn the_cuts_are_those_found_forwards() {
        let mut random = Random::new(7);
        let mut asked = 0;
        for (domain, problem, _) in CLASSICS {
            asked += walk(domain, problem, &mut random);
        }
        for seed in 0..300 {
            let (domain, problem) = random_task(seed);
            asked += walk(&domain, &problem, &mut random);
        }
        assert!(asked > 100, "{asked}");
    }
}
