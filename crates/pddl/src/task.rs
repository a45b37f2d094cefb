//! A grounded task: facts are bits, formulas are nodes of a circuit, and the whole is a `Space` that any search of the project
//! walks through.

use ployglot_base::Space;
use smallvec::SmallVec;

use crate::circuit::*;
use crate::evaluate::Evaluation;
use crate::invariants::mutex_groups;
use crate::lifted::{Change, Fact, FunctionId, ObjectId};
use crate::plan::Step;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperatorId(pub u32);

#[derive(Clone, Debug)]
pub struct Operator {
    pub step: Step,
    pub precondition: NodeId,
    /// One for each condition. First everything that fires deletes, then everything that fires adds.
    pub effects: Vec<GroundEffect>,
    pub changes: Vec<NumberChange>,
    /// What it costs, added up over the conditions that hold before it.
    pub costs: Vec<(NodeId, u32)>,
}

#[derive(Clone, Debug)]
pub struct GroundEffect {
    pub condition: NodeId,
    pub adds: Vec<FactId>,
    pub deletes: Vec<FactId>,
}

#[derive(Clone, Debug)]
pub struct NumberChange {
    pub condition: NodeId,
    pub how: Change,
    pub target: NumberId,
    pub by: Number,
}

/// What derived facts follow from.
#[derive(Clone, Debug, Default)]
pub struct Axioms {
    /// The derived fact holds where its body does.
    pub bodies: Vec<NodeId>,
    /// For each derived fact, the group of facts that it depends on and that depend on it; `None` where it does not depend
    /// on itself: then it is no more than a name for its body.
    pub circle: Vec<Option<u32>>,
    pub circles: Vec<Vec<DerivedId>>,
}

#[derive(Clone, Debug)]
pub struct Task {
    pub facts: Vec<Fact>,
    pub numbers: Vec<(FunctionId, Vec<ObjectId>)>,
    pub circuit: Circuit,
    pub operators: Vec<Operator>,
    pub axioms: Axioms,
    pub goal: NodeId,
    /// Sets of facts of which at most one holds, in every state that can be reached; see `invariants`.
    pub groups: Vec<Vec<FactId>>,
    /// By fact.
    groups_of: Vec<Vec<u32>>,
    start: State,
    /// Operators by a fact that each needs, and those that need none.
    by_fact: Vec<Vec<OperatorId>>,
    always: Vec<OperatorId>,
}

/// The bits of the facts, then the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State(pub(crate) SmallVec<[u64; 8]>);

impl State {
    pub fn holds(&self, fact: FactId) -> bool {
        self.0[fact.0 as usize / 64] >> (fact.0 % 64) & 1 == 1
    }

    pub(crate) fn set(&mut self, fact: FactId, holds: bool) {
        let bit = 1 << (fact.0 % 64);
        let word = &mut self.0[fact.0 as usize / 64];
        *word = if holds { *word | bit } else { *word & !bit };
    }
}

impl Axioms {
    /// Finds the circles among the derived facts (Tarjan's strongly connected components, without recursion).
    pub fn new(circuit: &Circuit, bodies: Vec<NodeId>) -> Self {
        let needs: Vec<Vec<u32>> = bodies
            .iter()
            .map(|&body| derived_in(circuit, body))
            .collect();
        let count = bodies.len();
        let (mut index, mut low) = (vec![u32::MAX; count], vec![0; count]);
        let (mut stack, mut on_stack, mut next) = (Vec::new(), vec![false; count], 0);
        let mut axioms = Axioms {
            circle: vec![None; count],
            circles: Vec::new(),
            bodies,
        };
        for root in 0..count {
            if index[root] != u32::MAX {
                continue;
            }
            let mut calls: Vec<(usize, usize)> = vec![(root, 0)];
            while let Some(&mut (at, ref mut edge)) = calls.last_mut() {
                if *edge == 0 {
                    index[at] = next;
                    low[at] = next;
                    next += 1;
                    stack.push(at);
                    on_stack[at] = true;
                }
                if let Some(&to) = needs[at].get(*edge) {
                    *edge += 1;
                    let to = to as usize;
                    if index[to] == u32::MAX {
                        calls.push((to, 0));
                    } else if on_stack[to] {
                        low[at] = low[at].min(index[to]);
                    }
                    continue;
                }
                calls.pop();
                if let Some(&(above, _)) = calls.last() {
                    low[above] = low[above].min(low[at]);
                }
                if low[at] == index[at] {
                    let from = stack
                        .iter()
                        .rposition(|&member| member == at)
                        .expect("it is on the stack");
                    let members: Vec<usize> = stack.drain(from..).collect();
                    members.iter().for_each(|&member| on_stack[member] = false);
                    if members.len() > 1 || needs[at].contains(&(at as u32)) {
                        let circle = axioms.circles.len() as u32;
                        members
                            .iter()
                            .for_each(|&member| axioms.circle[member] = Some(circle));
                        axioms.circles.push(
                            members
                                .iter()
                                .map(|&member| DerivedId(member as u32))
                                .collect(),
                        );
                    }
                }
            }
        }
        axioms
    }
}

/// The derived facts that a node reads, directly.
fn derived_in(circuit: &Circuit, node: NodeId) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        match circuit.node(node) {
            Node::Derived(derived) => found.push(derived.0),
            Node::Choice(choice) => {
                circuit.choices[*choice as usize]
                    .parts
                    .iter()
                    .for_each(|part| part.nodes(&mut open));
            }
            other => other.children().iter().for_each(|&child| open.push(child)),
        }
    }
    found.sort();
    found.dedup();
    found
}

impl Node {
    pub fn children(&self) -> &[NodeId] {
        match self {
            Node::Not(inner) => std::slice::from_ref(inner),
            Node::And(parts) | Node::Or(parts) | Node::AtMost(_, parts) => parts,
            _ => &[],
        }
    }
}

impl Open {
    fn nodes(&self, found: &mut Vec<NodeId>) {
        match self {
            Open::Closed(node) => found.push(*node),
            Open::And(parts) | Open::Or(parts) => parts.iter().for_each(|part| part.nodes(found)),
            Open::Table(_, nodes) => found.extend_from_slice(nodes),
            Open::Is(..) | Open::Same(..) => {}
        }
    }
}

/// What a task is made of.
pub(crate) struct Parts {
    pub facts: Vec<Fact>,
    pub numbers: Vec<(FunctionId, Vec<ObjectId>)>,
    pub circuit: Circuit,
    pub operators: Vec<Operator>,
    pub axioms: Axioms,
    pub goal: NodeId,
    /// Which facts hold at the start, and what the numbers are.
    pub start: Vec<bool>,
    pub values: Vec<f64>,
}

impl Task {
    pub(crate) fn new(parts: Parts) -> Self {
        let mut task = Self::without_groups(parts);
        task.groups = mutex_groups(&task);
        for (id, group) in task.groups.iter().enumerate() {
            for fact in group {
                task.groups_of[fact.0 as usize].push(id as u32);
            }
        }
        task
    }

    /// The same, without looking for mutex groups: for those who make many tasks, and ask little of each.
    pub(crate) fn without_groups(parts: Parts) -> Self {
        let Parts {
            facts,
            numbers,
            circuit,
            operators,
            axioms,
            goal,
            start,
            values,
        } = parts;
        let words = facts.len().div_ceil(64);
        let mut state = State(SmallVec::from_elem(0, words + values.len()));
        for (fact, _) in start.iter().enumerate().filter(|(_, holds)| **holds) {
            state.0[fact / 64] |= 1 << (fact % 64);
        }
        for (at, value) in values.iter().enumerate() {
            state.0[words + at] = canonical_bits(*value);
        }
        // Each operator waits for the one of its needed facts that the fewest others wait for.
        let mut needs: Vec<Vec<u32>> = Vec::new();
        let mut waiting = vec![0u32; facts.len()];
        for operator in &operators {
            let conjuncts = circuit.conjuncts(operator.precondition);
            let needed = conjuncts
                .iter()
                .filter_map(|&part| match circuit.node(part) {
                    Node::Fact(fact) => Some(fact.0),
                    _ => None,
                });
            needs.push(needed.collect());
            needs
                .last()
                .into_iter()
                .flatten()
                .for_each(|&fact| waiting[fact as usize] += 1);
        }
        let mut by_fact = vec![Vec::new(); facts.len()];
        let mut always = Vec::new();
        for (id, needed) in needs.iter().enumerate() {
            let id = OperatorId(id as u32);
            match needed.iter().min_by_key(|&&fact| waiting[fact as usize]) {
                Some(&fact) => by_fact[fact as usize].push(id),
                None => always.push(id),
            }
        }
        Self {
            groups_of: vec![Vec::new(); facts.len()],
            facts,
            numbers,
            circuit,
            operators,
            axioms,
            goal,
            groups: Vec::new(),
            start: state,
            by_fact,
            always,
        }
    }

    /// The groups that a fact belongs to.
    pub fn groups_of(&self, fact: FactId) -> &[u32] {
        &self.groups_of[fact.0 as usize]
    }

    /// Whether the fact holds at the start.
    pub fn starts_with(&self, fact: FactId) -> bool {
        self.start.holds(fact)
    }

    /// The facts that a node depends on, through axioms too; sorted.
    pub fn support(&self, node: NodeId) -> Vec<FactId> {
        let mut found = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            match self.circuit.node(node) {
                Node::Fact(fact) => found.push(*fact),
                Node::Derived(derived) => open.push(self.axioms.bodies[derived.0 as usize]),
                Node::Choice(choice) => {
                    let parts = self.circuit.choices[*choice as usize].parts.iter();
                    parts.for_each(|part| part.nodes(&mut open));
                }
                other => open.extend_from_slice(other.children()),
            }
        }
        found.sort();
        found
    }

    /// How many words of a state hold facts; the rest hold numbers.
    pub(crate) fn fact_words(&self) -> usize {
        self.facts.len().div_ceil(64)
    }

    /// What the changes of numbers make of a state; `None` where one would have no value.
    pub(crate) fn change_numbers(
        &self,
        evaluation: &mut Evaluation,
        operator: &Operator,
        after: &mut State,
    ) -> Option<()> {
        let words = self.fact_words();
        for change in &operator.changes {
            if !evaluation.holds(change.condition) {
                continue;
            }
            let by = change.by.value(evaluation.numbers());
            let slot = &mut after.0[words + change.target.0 as usize];
            let before = f64::from_bits(*slot);
            let value = match change.how {
                Change::Assign => by,
                Change::Increase => before + by,
                Change::Decrease => before - by,
                Change::ScaleUp => before * by,
                Change::ScaleDown => before / by,
            };
            if !value.is_finite() {
                return None;
            }
            *slot = canonical_bits(value);
        }
        Some(())
    }
}

/// One pattern for each number: no negative zero, one NaN.
fn canonical_bits(value: f64) -> u64 {
    if value.is_nan() {
        f64::NAN.to_bits()
    } else if value == 0.0 {
        0
    } else {
        value.to_bits()
    }
}

impl Space for Task {
    type State = State;
    type Move = OperatorId;

    fn start(&self) -> State {
        self.start.clone()
    }

    fn is_goal(&self, state: &State) -> bool {
        Evaluation::new(self, state).holds(self.goal)
    }

    fn moves(&self, state: &State, moves: &mut Vec<OperatorId>) {
        let mut evaluation = Evaluation::new(self, state);
        let first = moves.len();
        moves.extend_from_slice(&self.always);
        for (word, &bits) in state.0[..self.fact_words()].iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                moves.extend_from_slice(&self.by_fact[word * 64 + bits.trailing_zeros() as usize]);
                bits &= bits - 1;
            }
        }
        let mut kept = first;
        for at in first..moves.len() {
            let id = moves[at];
            let operator = &self.operators[id.0 as usize];
            let applicable = evaluation.holds(operator.precondition)
                && (operator.changes.is_empty()
                    || self
                        .change_numbers(&mut evaluation, operator, &mut state.clone())
                        .is_some());
            if applicable {
                moves[kept] = id;
                kept += 1;
            }
        }
        moves.truncate(kept);
        moves[first..].sort_unstable();
    }

    fn apply(&self, state: &State, mv: OperatorId) -> State {
        let operator = &self.operators[mv.0 as usize];
        let mut evaluation = Evaluation::new(self, state);
        let mut after = state.clone();
        let mut firing: SmallVec<[&GroundEffect; 16]> = SmallVec::new();
        for effect in &operator.effects {
            if evaluation.holds(effect.condition) {
                for fact in &effect.deletes {
                    after.0[fact.0 as usize / 64] &= !(1 << (fact.0 % 64));
                }
                firing.push(effect);
            }
        }
        for fact in firing.iter().flat_map(|effect| &effect.adds) {
            after.0[fact.0 as usize / 64] |= 1 << (fact.0 % 64);
        }
        if !operator.changes.is_empty() {
            let changed = self.change_numbers(&mut evaluation, operator, &mut after);
            changed.expect("the operator was listed");
        }
        after
    }

    fn cost(&self, state: &State, mv: OperatorId) -> u32 {
        let operator = &self.operators[mv.0 as usize];
        match operator.costs[..] {
            [] => 0,
            [(TRUE, cost)] => cost,
            _ => {
                let mut evaluation = Evaluation::new(self, state);
                operator
                    .costs
                    .iter()
                    .filter(|(condition, _)| evaluation.holds(*condition))
                    .map(|(_, cost)| cost)
                    .sum()
            }
        }
    }

    fn words(&self) -> usize {
        self.start.0.len().max(1)
    }

    fn pack(&self, state: &State, words: &mut [u64]) {
        words.fill(0);
        words[..state.0.len()].copy_from_slice(&state.0);
    }

    fn unpack(&self, words: &[u64]) -> State {
        State(SmallVec::from_slice(&words[..self.start.0.len()]))
    }
}
