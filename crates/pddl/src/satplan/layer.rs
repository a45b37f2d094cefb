//! The gates at one step, as clauses (Tseitin 1968). A gate gets a literal on demand, and only the
//! direction of its definition that is needed (Plaisted and Greenbaum 1986): where the gate must
//! hold, the literal implies the gate; where it must fail, the gate implies the literal. Facts that
//! are known at the step are constants, so the first steps are small: a fact that cannot have
//! changed yet has no variable.
//!
//! Derived facts that depend on themselves must be the least fixed point of their bodies, but the
//! plain clauses accept every fixed point. One direction needs no more than the plain clauses: a
//! fact that is false in any fixed point is false in the least. In the other direction, a solution may
//! have facts that only support each other. Such a loop is found in the solution, and then forbidden by
//! its loop formula (Lin and Zhao 2004, ASSAT): its facts are false unless a body of one of them holds
//! without them. Before, each fact had a level as a binary number, and was derived from facts of lower
//! levels: for a cycle of 3,000 facts the solver took a minute to find the levels.

use ployglot_base::{Limit, Poll};
use ployglot_csp::sat::{Clauses, Lit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::gates::{Edge, Gate, Gates, TRUE_EDGE};
use crate::circuit::DerivedId;
use crate::graph::strong_components;
use crate::task::Task;

/// Which directions of a definition are needed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Needs(u8);

impl Needs {
    /// The gate must hold: the literal implies the gate.
    pub const HOLD: Needs = Needs(1);
    /// The gate must fail: the gate implies the literal.
    pub const FAIL: Needs = Needs(2);
    /// The literal is equivalent to the gate.
    pub const BOTH: Needs = Needs(3);

    fn has(self, other: Needs) -> bool {
        self.0 & other.0 != 0
    }

    fn flip(self, negative: bool) -> Needs {
        if negative {
            Needs(self.0 >> 1 | (self.0 & 1) << 1)
        } else {
            self
        }
    }
}

/// The literals of a step.
struct Step {
    /// For each fact, its literal.
    facts: Vec<Lit>,
    /// For each gate, its literal.
    literals: Vec<Option<Lit>>,
    /// For each gate, the directions that are defined, as the bits of `Needs`.
    done: Vec<u8>,
}

/// Derived facts that depend on each other.
struct Cycle {
    /// The gates through which they do.
    inside: FxHashSet<usize>,
    /// For each of the facts, those whose bodies read it.
    readers: FxHashMap<DerivedId, Vec<DerivedId>>,
}

/// Derived facts of a cycle that only support each other in a solution.
pub(super) struct Loop {
    step: usize,
    cycle: usize,
    facts: FxHashSet<DerivedId>,
}

/// The gates of a task, with their literals at the current step.
pub(super) struct Layer<'a> {
    task: &'a Task,
    /// At a limit, literals have no meaning any more, and the clauses must not be used.
    pub poll: &'a Poll,
    pub gates: &'a Gates,
    /// The literal that is always true.
    pub top: Lit,
    now: Step,
    /// The steps before, if there are cycles.
    past: Vec<Step>,
    cycles: Vec<Cycle>,
    /// Derived facts that have a literal, with their gates and the directions that are not defined
    /// yet.
    pending: Vec<(usize, DerivedId, Needs)>,
}

impl<'a> Layer<'a> {
    pub fn new(
        task: &'a Task,
        gates: &'a Gates,
        top: Lit,
        facts: Vec<Lit>,
        poll: &'a Poll,
    ) -> Self {
        let cycles = task.axioms.cycles.iter();
        Self {
            task,
            poll,
            gates,
            top,
            now: Step::new(gates, facts),
            past: Vec::new(),
            cycles: cycles.map(|members| Cycle::new(gates, members)).collect(),
            pending: Vec::new(),
        }
    }

    /// For each fact, its literal at the current step.
    pub fn facts(&self) -> &[Lit] {
        &self.now.facts
    }

    /// Moves to the next step, where the facts have these literals.
    pub fn advance(&mut self, facts: Vec<Lit>) {
        let before = std::mem::replace(&mut self.now, Step::new(self.gates, facts));
        if !self.cycles.is_empty() {
            self.past.push(before);
        }
    }

    /// Defines all gates at the current step, those that others read first, where recursion through
    /// them would be too deep.
    pub fn define_deep_gates(&mut self, out: &mut impl Clauses) {
        if !self.task.axioms.deep.is_empty() {
            for id in 0..self.gates.len() {
                self.gate(id, Needs::BOTH, out);
            }
            self.literal(TRUE_EDGE, Needs::HOLD, out);
        }
    }

    /// The literal of an edge, defined in the directions that are needed.
    pub fn literal(&mut self, edge: Edge, needs: Needs, out: &mut impl Clauses) -> Lit {
        let literal = self.edge(edge, needs, out);
        while let Some((id, derived, missing)) = self.pending.pop() {
            self.define(id, derived, missing, out);
        }
        literal
    }

    /// The literal of an edge. The derived facts that it depends on may be pending.
    fn edge(&mut self, edge: Edge, needs: Needs, out: &mut impl Clauses) -> Lit {
        let literal = self.gate(edge.gate(), needs.flip(edge.is_negative()), out);
        if edge.is_negative() {
            !literal
        } else {
            literal
        }
    }

    fn gate(&mut self, id: usize, needs: Needs, out: &mut impl Clauses) -> Lit {
        if self.poll.try_step().is_err() {
            return self.top;
        }
        let gates = self.gates;
        match gates.gate(id) {
            Gate::True => self.top,
            Gate::Fact(fact) => self.now.facts[fact.0 as usize],
            Gate::Derived(derived) => self.derived(id, *derived, needs, out),
            Gate::And(parts) => {
                if let Some(known) = self.now.literals[id]
                    && self.now.done[id] & needs.0 == needs.0
                {
                    return known;
                }
                let mut inputs: Vec<Lit> = Vec::with_capacity(parts.len());
                for &part in parts {
                    let input = self.edge(part, needs, out);
                    if input == !self.top {
                        self.now.literals[id] = Some(input);
                        self.now.done[id] = Needs::BOTH.0;
                        return input;
                    }
                    if input != self.top {
                        inputs.push(input);
                    }
                }
                // Defining the inputs may have defined this gate, through a cycle of derived facts,
                // so this is read only now.
                let missing = Needs(needs.0 & !self.now.done[id]);
                self.now.done[id] |= needs.0;
                let literal = match inputs[..] {
                    [] => self.top,
                    [one] => one,
                    _ => {
                        let literal = self.now.literals[id].unwrap_or_else(|| out.fresh());
                        if missing.has(Needs::HOLD) {
                            inputs
                                .iter()
                                .for_each(|&input| out.clause(&[!literal, input]));
                        }
                        if missing.has(Needs::FAIL) {
                            inputs.iter_mut().for_each(|input| *input = !*input);
                            inputs.push(literal);
                            out.clause(&inputs);
                        }
                        literal
                    }
                };
                self.now.literals[id] = Some(literal);
                literal
            }
        }
    }

    /// The literal of a derived fact. Its definition is pending, because it may lead through all
    /// facts of its cycle, too deep for recursion.
    fn derived(
        &mut self,
        id: usize,
        derived: DerivedId,
        needs: Needs,
        out: &mut impl Clauses,
    ) -> Lit {
        let literal = *self.now.literals[id].get_or_insert_with(|| out.fresh());
        let missing = Needs(needs.0 & !self.now.done[id]);
        self.now.done[id] |= needs.0;
        if missing != Needs(0) {
            self.pending.push((id, derived, missing));
        }
        literal
    }

    /// Defines the literal of a derived fact in these directions.
    fn define(&mut self, id: usize, derived: DerivedId, missing: Needs, out: &mut impl Clauses) {
        let literal = self.now.literals[id].expect("it has one since it is pending");
        let body = self.gates.bodies[&derived];
        if missing.has(Needs::FAIL) {
            let body = self.edge(body, Needs::FAIL, out);
            out.clause(&[!body, literal]);
        }
        if missing.has(Needs::HOLD) {
            let body = self.edge(body, Needs::HOLD, out);
            out.clause(&[!literal, body]);
        }
    }

    /// The loops of a solution, up to this step.
    pub fn loops(&self, last: usize, value: impl Fn(Lit) -> bool) -> Result<Vec<Loop>, Limit> {
        let mut found = Vec::new();
        let steps = self.past.iter().chain([&self.now]).take(last + 1);
        for (number, step) in steps.enumerate() {
            let holds = |fact: &DerivedId| {
                let leaf = self.gates.leaf(*fact);
                step.done[leaf] & Needs::HOLD.0 != 0 && step.literals[leaf].is_some_and(&value)
            };
            for (cycle, members) in self.task.axioms.cycles.iter().enumerate() {
                if !members.iter().any(holds) {
                    continue;
                }
                let unfounded = self.unfounded(step, cycle, members, &value)?;
                let readers = &self.cycles[cycle].readers;
                let number_of: FxHashMap<DerivedId, u32> =
                    unfounded.iter().copied().zip(0..).collect();
                let edges = |fact: &DerivedId| {
                    let inner = readers[fact]
                        .iter()
                        .filter_map(|reader| number_of.get(reader));
                    inner.copied().collect()
                };
                let edges: Vec<Vec<u32>> = unfounded.iter().map(edges).collect();
                // Facts that do not depend on each other are forbidden by formulas of their own.
                for part in strong_components(&edges) {
                    let facts = part.into_iter().map(|at| unfounded[at as usize]);
                    let facts: FxHashSet<DerivedId> = facts.collect();
                    if facts.iter().any(holds) {
                        found.push(Loop {
                            step: number,
                            cycle,
                            facts,
                        });
                    }
                }
            }
        }
        Ok(found)
    }

    /// The facts of a cycle that do not follow in a solution, also those that do not hold in it: a
    /// solver that makes few facts true shows only a small part of a loop at a time.
    fn unfounded(
        &self,
        step: &Step,
        cycle: usize,
        members: &[DerivedId],
        value: &impl Fn(Lit) -> bool,
    ) -> Result<Vec<DerivedId>, Limit> {
        let mut open = members.to_vec();
        let mut founded: FxHashSet<DerivedId> = FxHashSet::default();
        while let Some(fact) = open.pop() {
            self.poll.try_step()?;
            let body = self.gates.bodies[&fact];
            if !founded.contains(&fact) && self.follows(step, cycle, body, &founded, value) {
                founded.insert(fact);
                open.extend(&self.cycles[cycle].readers[&fact]);
            }
        }
        let members = members.iter().copied();
        Ok(members.filter(|fact| !founded.contains(fact)).collect())
    }

    /// Whether the edge holds in a solution if of the cycle's facts only the founded ones do.
    fn follows(
        &self,
        step: &Step,
        cycle: usize,
        edge: Edge,
        founded: &FxHashSet<DerivedId>,
        value: &impl Fn(Lit) -> bool,
    ) -> bool {
        let id = edge.gate();
        match self.gates.gate(id) {
            Gate::True => !edge.is_negative(),
            Gate::Fact(fact) => value(step.facts[fact.0 as usize]) != edge.is_negative(),
            _ if !self.cycles[cycle].inside.contains(&id) => {
                // A gate without a literal has no influence.
                step.literals[id].is_some_and(|literal| value(literal) != edge.is_negative())
            }
            Gate::Derived(derived) => founded.contains(derived),
            Gate::And(parts) if edge.is_negative() => parts
                .iter()
                .any(|&part| self.follows(step, cycle, !part, founded, value)),
            Gate::And(parts) => parts
                .iter()
                .all(|&part| self.follows(step, cycle, part, founded, value)),
        }
    }

    /// Adds the loop formula: the facts are false unless one of their bodies holds without them.
    pub fn forbid(&mut self, forbidden: &Loop, out: &mut impl Clauses) {
        let is_past = forbidden.step < self.past.len();
        if is_past {
            std::mem::swap(&mut self.now, &mut self.past[forbidden.step]);
        }
        let mut known = FxHashMap::default();
        let mut facts: Vec<DerivedId> = forbidden.facts.iter().copied().collect();
        facts.sort_unstable();
        let support = out.fresh();
        let mut some = vec![!support];
        for fact in &facts {
            some.push(self.without(self.gates.bodies[fact], forbidden, &mut known, out));
        }
        some.retain(|&literal| literal != !self.top);
        out.clause(&some);
        for &fact in &facts {
            let literal = self.derived(self.gates.leaf(fact), fact, Needs::HOLD, out);
            out.clause(&[!literal, support]);
        }
        self.literal(TRUE_EDGE, Needs::HOLD, out);
        if is_past {
            std::mem::swap(&mut self.now, &mut self.past[forbidden.step]);
        }
    }

    /// A literal that implies the edge where the facts of the loop are false.
    fn without(
        &mut self,
        edge: Edge,
        forbidden: &Loop,
        known: &mut FxHashMap<Edge, Lit>,
        out: &mut impl Clauses,
    ) -> Lit {
        if !self.cycles[forbidden.cycle].inside.contains(&edge.gate()) {
            return self.edge(edge, Needs::HOLD, out);
        }
        if let Some(&known) = known.get(&edge) {
            return known;
        }
        let gates = self.gates;
        let literal = match gates.gate(edge.gate()) {
            Gate::Derived(fact) if forbidden.facts.contains(fact) => !self.top,
            Gate::And(parts) => {
                let negative = edge.is_negative();
                // A disjunction is the negation of a conjunction.
                let (neutral, absorbing) = if negative {
                    (!self.top, self.top)
                } else {
                    (self.top, !self.top)
                };
                let mut inputs: Vec<Lit> = Vec::with_capacity(parts.len() + 1);
                for &part in parts {
                    let part = if negative { !part } else { part };
                    inputs.push(self.without(part, forbidden, known, out));
                }
                inputs.retain(|&input| input != neutral);
                if inputs.contains(&absorbing) {
                    absorbing
                } else if inputs.is_empty() {
                    neutral
                } else {
                    let literal = out.fresh();
                    if negative {
                        inputs.push(!literal);
                        out.clause(&inputs);
                    } else {
                        inputs
                            .iter()
                            .for_each(|&input| out.clause(&[!literal, input]));
                    }
                    literal
                }
            }
            _ => self.edge(edge, Needs::HOLD, out),
        };
        known.insert(edge, literal);
        literal
    }
}

impl Step {
    fn new(gates: &Gates, facts: Vec<Lit>) -> Self {
        Self {
            facts,
            literals: vec![None; gates.len()],
            done: vec![0; gates.len()],
        }
    }
}

impl Cycle {
    fn new(gates: &Gates, members: &[DerivedId]) -> Self {
        let inside = reaching(gates, members);
        let mut readers: FxHashMap<DerivedId, Vec<DerivedId>> =
            members.iter().map(|&member| (member, Vec::new())).collect();
        for &member in members {
            let mut seen = FxHashSet::default();
            let mut open = vec![gates.bodies[&member].gate()];
            while let Some(id) = open.pop() {
                if !inside.contains(&id) || !seen.insert(id) {
                    continue;
                }
                match gates.gate(id) {
                    Gate::Derived(read) => readers.entry(*read).or_default().push(member),
                    Gate::And(parts) => open.extend(parts.iter().map(|part| part.gate())),
                    Gate::True | Gate::Fact(_) => {}
                }
            }
        }
        Self { inside, readers }
    }
}

/// The gates that depend on one of these derived facts through inputs, without passing through
/// another derived fact.
fn reaching(gates: &Gates, members: &[DerivedId]) -> FxHashSet<usize> {
    let mut found: FxHashSet<usize> = members.iter().map(|&member| gates.leaf(member)).collect();
    // The inputs of a gate have smaller numbers.
    for id in 0..gates.len() {
        if let Gate::And(parts) = gates.gate(id)
            && parts.iter().any(|part| found.contains(&part.gate()))
        {
            found.insert(id);
        }
    }
    found
}
