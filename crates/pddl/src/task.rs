//! A grounded task: facts are bits, formulas are nodes of a circuit, and the whole is a `Space`
//! that every search of the project can run on.

use ployglot_base::{Limit, Poll, Space};
use smallvec::SmallVec;

use crate::circuit::*;
use crate::cutoff::Cutoff;
use crate::evaluate::Evaluation;
use crate::graph::strong_components;
use crate::invariants::mutex_groups;
use crate::lifted::{Change, Fact, FunctionId, ObjectId};
use crate::plan::Step;

/// An index into the operators of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperatorId(pub u32);

/// A grounded action.
#[derive(Clone, Debug)]
pub struct Operator {
    /// The action and its arguments.
    pub step: Step,
    /// The condition under which the operator is applicable.
    pub precondition: NodeId,
    /// One for each condition. First all effects that fire delete, then all effects that fire add.
    pub effects: Vec<GroundEffect>,
    /// Changes of numbers, in order.
    pub changes: Vec<NumberChange>,
    /// The cost is the sum over the conditions that hold before the operator.
    pub costs: Vec<(NodeId, u32)>,
}

impl Operator {
    /// The part of the cost that is due in every state: a lower bound on the cost.
    pub(crate) fn unconditional_cost(&self) -> u32 {
        let unconditional = self
            .costs
            .iter()
            .filter(|(condition, _)| *condition == TRUE);
        unconditional.fold(0, |sum, (_, cost)| sum.saturating_add(*cost))
    }

    /// The facts that some effect adds or deletes; a fact may occur several times.
    pub(crate) fn changed_facts(&self) -> impl Iterator<Item = FactId> {
        let effects = self.effects.iter();
        effects.flat_map(|effect| effect.adds.iter().chain(&effect.deletes).copied())
    }
}

/// A conditional effect without variables.
#[derive(Clone, Debug)]
pub struct GroundEffect {
    /// The effect fires where this holds before the operator.
    pub condition: NodeId,
    /// The facts that become true.
    pub adds: Vec<FactId>,
    /// The facts that become false, unless another effect that fires adds them.
    pub deletes: Vec<FactId>,
}

/// A conditional change of a number.
#[derive(Clone, Debug)]
pub struct NumberChange {
    /// The change happens where this holds before the operator.
    pub condition: NodeId,
    /// Assignment, increase, decrease or scaling.
    pub how: Change,
    /// The number that changes.
    pub target: NumberId,
    /// The amount.
    pub by: Number,
}

/// The definitions of the derived facts.
#[derive(Clone, Debug, Default)]
pub struct Axioms {
    /// For each derived fact, its body: the fact holds where the body does.
    pub bodies: Vec<NodeId>,
    /// For each derived fact, the index in `cycles` of the facts that it depends on and that depend
    /// on it; `None` where it does not depend on itself, and so is only a name for its body.
    pub cycle_of: Vec<Option<u32>>,
    /// The strongly connected components of derived facts that depend on themselves.
    pub cycles: Vec<Vec<DerivedId>>,
    /// Empty, or, where chains of derived facts are so long that recursion through them would
    /// exhaust the stack, the facts that each fact reads directly.
    pub(crate) deep: Vec<Vec<u32>>,
    /// The same facts in an order in which a fact comes after those that it reads, except in cycles;
    /// empty where `deep` is.
    pub(crate) order: Vec<DerivedId>,
}

/// Recursion through more derived facts than this is avoided.
pub(crate) const MAX_CHAIN: usize = 200;

/// A planning task without variables.
#[derive(Clone, Debug)]
pub struct Task {
    /// The facts that operators change, and that are not known to be constant.
    pub facts: Vec<Fact>,
    /// The numbers that operators change.
    pub numbers: Vec<(FunctionId, Vec<ObjectId>)>,
    /// All formulas of the task.
    pub circuit: Circuit,
    /// The grounded actions.
    pub operators: Vec<Operator>,
    /// The definitions of the derived facts.
    pub axioms: Axioms,
    /// The goal condition.
    pub goal: NodeId,
    /// Mutex groups: sets of facts of which at most one holds, in every reachable state (see
    /// `invariants`).
    pub groups: Vec<Vec<FactId>>,
    pub(crate) start: State,
    pub(crate) index: Index,
    pub(crate) cutoff: Cutoff,
}

/// Lookup tables made from the other fields of a task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// For each fact, the mutex groups that it belongs to.
    groups_of: Vec<Vec<u32>>,
    /// For each fact, operators that need it. Every operator with a positive literal in its
    /// precondition is listed under one such fact.
    by_fact: Vec<Vec<OperatorId>>,
    /// The other operators.
    always: Vec<OperatorId>,
}

/// A state: the bits of the facts, then the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State(pub(crate) SmallVec<[u64; 8]>);

impl State {
    pub(crate) fn new(facts: &[bool], numbers: &[f64]) -> Self {
        let words = facts.len().div_ceil(64);
        let mut state = State(SmallVec::from_elem(0, words + numbers.len()));
        for (fact, &holds) in facts.iter().enumerate() {
            state.set(FactId(fact as u32), holds);
        }
        for (at, value) in numbers.iter().enumerate() {
            state.0[words + at] = canonical_bits(*value);
        }
        state
    }

    /// Whether the fact is true.
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
    /// Finds the derived facts that depend on themselves.
    pub(crate) fn new(circuit: &Circuit, bodies: Vec<NodeId>, poll: &Poll) -> Result<Self, Limit> {
        let edges: Vec<Vec<u32>> = bodies
            .iter()
            .map(|&body| derived_in(circuit, body, poll))
            .collect::<Result<_, _>>()?;
        let mut axioms = Axioms {
            cycle_of: vec![None; bodies.len()],
            cycles: Vec::new(),
            bodies,
            deep: Vec::new(),
            order: Vec::new(),
        };
        // The length of the longest chain from each fact, and the facts in the order of their
        // components.
        let mut length = vec![1usize; edges.len()];
        let mut order = Vec::new();
        for component in strong_components(&edges) {
            poll.try_step()?;
            let read = component.iter().flat_map(|&member| &edges[member as usize]);
            let longest = read.map(|&other| length[other as usize]).max().unwrap_or(0);
            for &member in &component {
                length[member as usize] = longest + 1;
                order.push(DerivedId(member));
            }
            let first = component[0];
            if component.len() > 1 || edges[first as usize].contains(&first) {
                let cycle = axioms.cycles.len() as u32;
                for &member in &component {
                    axioms.cycle_of[member as usize] = Some(cycle);
                }
                axioms
                    .cycles
                    .push(component.into_iter().map(DerivedId).collect());
            }
        }
        if length.iter().any(|&length| length > MAX_CHAIN) {
            (axioms.deep, axioms.order) = (edges, order);
        }
        Ok(axioms)
    }
}

/// The derived facts that a node reads directly, not through other derived facts.
fn derived_in(circuit: &Circuit, node: NodeId, poll: &Poll) -> Result<Vec<u32>, Limit> {
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut open = vec![node];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        poll.try_step()?;
        match circuit.node(id) {
            Node::Derived(derived) => found.push(derived.0),
            Node::Choice(choice) => {
                let parts = circuit.choices[*choice as usize].parts.iter();
                parts.for_each(|part| part.nodes(&mut open));
            }
            other => open.extend_from_slice(other.children()),
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

impl Node {
    /// The nodes that this node combines; none for leaves and for choices.
    pub fn children(&self) -> &[NodeId] {
        match self {
            Node::Not(inner) => std::slice::from_ref(inner),
            Node::And(parts) | Node::Or(parts) | Node::AtMost(_, parts) => parts,
            _ => &[],
        }
    }
}

impl OpenFormula {
    /// Adds the closed formulas that this one mentions.
    pub(crate) fn nodes(&self, found: &mut Vec<NodeId>) {
        match self {
            OpenFormula::Closed(node) => found.push(*node),
            OpenFormula::And(parts) | OpenFormula::Or(parts) => {
                parts.iter().for_each(|part| part.nodes(found))
            }
            OpenFormula::Table(_, nodes) => found.extend_from_slice(nodes),
            OpenFormula::Is(..) | OpenFormula::Same(..) => {}
        }
    }
}

impl Task {
    /// Finds the mutex groups of a task that has its operator index.
    pub(crate) fn with_mutex_groups(mut self, poll: &Poll) -> Result<Self, Limit> {
        self.groups = mutex_groups(&self, poll)?;
        for (id, group) in self.groups.iter().enumerate() {
            for fact in group {
                self.index.groups_of[fact.0 as usize].push(id as u32);
            }
        }
        Ok(self)
    }

    /// Fills the lookup tables of a task without mutex groups: enough for the many small tasks of
    /// projections, where searching for groups would cost more than it saves.
    pub(crate) fn with_operator_index(mut self, poll: &Poll) -> Result<Self, Limit> {
        // Each operator is listed under the one of its needed facts that the fewest operators need.
        let facts = self.facts.len();
        let mut needs: Vec<Vec<u32>> = Vec::new();
        let mut waiting = vec![0u32; facts];
        for operator in &self.operators {
            poll.try_step()?;
            let conjuncts = self.circuit.conjuncts(operator.precondition);
            let needed = conjuncts
                .iter()
                .filter_map(|&part| match self.circuit.node(part) {
                    Node::Fact(fact) => Some(fact.0),
                    _ => None,
                });
            let needed: Vec<u32> = needed.collect();
            needed.iter().for_each(|&fact| waiting[fact as usize] += 1);
            needs.push(needed);
        }
        let mut index = Index {
            groups_of: vec![Vec::new(); facts],
            by_fact: vec![Vec::new(); facts],
            always: Vec::new(),
        };
        for (id, needed) in needs.iter().enumerate() {
            poll.try_step()?;
            let id = OperatorId(id as u32);
            match needed.iter().min_by_key(|&&fact| waiting[fact as usize]) {
                Some(&fact) => index.by_fact[fact as usize].push(id),
                None => index.always.push(id),
            }
        }
        self.index = index;
        Ok(self)
    }

    /// The limit of the task's budget that ended the evaluation of a formula. After that, the values
    /// of formulas have no meaning, and nothing may be claimed by them.
    pub fn cut_off(&self) -> Option<Limit> {
        self.cutoff.ended()
    }

    /// The mutex groups that a fact belongs to, as indices into `groups`.
    pub fn groups_of(&self, fact: FactId) -> &[u32] {
        &self.index.groups_of[fact.0 as usize]
    }

    /// Whether the fact holds at the start.
    pub fn starts_with(&self, fact: FactId) -> bool {
        self.start.holds(fact)
    }

    /// The number of words of a state that hold facts; the other words hold numbers.
    pub(crate) fn fact_words(&self) -> usize {
        self.facts.len().div_ceil(64)
    }

    /// Makes the operator's changes of numbers in the state `after`; `None` where a number would
    /// have no finite value.
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

/// One bit pattern for each number: no negative zero, one NaN.
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
        moves.extend_from_slice(&self.index.always);
        for (word, &bits) in state.0[..self.fact_words()].iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let fact = word * 64 + bits.trailing_zeros() as usize;
                moves.extend_from_slice(&self.index.by_fact[fact]);
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
            changed.expect("the operator is applicable");
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
                    .fold(0, |sum: u32, (_, cost)| sum.saturating_add(*cost))
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
