//! The gates at one step, as clauses (Tseitin 1968). A gate gets a literal on demand, and only the
//! direction of its definition that is needed (Plaisted and Greenbaum 1986): where the gate must
//! hold, the literal implies the gate; where it must fail, the gate implies the literal. Facts that
//! are known at the step are constants, so the first steps are small: a fact that cannot have
//! changed yet has no variable.
//!
//! Derived facts that depend on themselves must be the least fixed point of their bodies, but the
//! plain clauses accept every fixed point. One direction needs no more than the plain clauses: a
//! fact that is false in any fixed point is false in the least. For the other direction, a fact
//! that holds must be derived from facts of a lower level, where levels are binary numbers; facts
//! that only support each other in a cycle have no such levels.

use ployglot_csp::sat::{Clauses, Lit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::gates::{Edge, Gate, Gates, TRUE_EDGE};
use crate::circuit::DerivedId;
use crate::task::Task;
use ployglot_base::Poll;

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

/// The gates of a task, with their literals at the current step.
pub(super) struct Layer<'a> {
    task: &'a Task,
    /// At a limit, literals have no meaning any more, and the clauses must not be used.
    pub poll: &'a Poll,
    pub gates: &'a Gates,
    /// The literal that is always true.
    pub top: Lit,
    /// For each fact, its literal at the current step.
    pub facts: Vec<Lit>,
    /// For each gate, its literal at the current step.
    literals: Vec<Option<Lit>>,
    /// For each gate, the directions that are defined, as the bits of `Needs`.
    done: Vec<u8>,
    /// For each cycle, the gates through which its derived facts depend on each other.
    inside: Vec<FxHashSet<usize>>,
    /// The bits of a derived fact's level.
    levels: FxHashMap<DerivedId, Vec<Lit>>,
    /// The literals made by the method `below`.
    below: FxHashMap<(DerivedId, DerivedId), Lit>,
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
        let inside = cycles.map(|members| reaching(gates, members)).collect();
        Self {
            task,
            poll,
            gates,
            top,
            facts,
            literals: vec![None; gates.len()],
            done: vec![0; gates.len()],
            inside,
            levels: FxHashMap::default(),
            below: FxHashMap::default(),
            pending: Vec::new(),
        }
    }

    /// Moves to the next step, where the facts have these literals.
    pub fn advance(&mut self, facts: Vec<Lit>) {
        self.facts = facts;
        self.literals.fill(None);
        self.done.fill(0);
        self.levels.clear();
        self.below.clear();
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
            Gate::Fact(fact) => self.facts[fact.0 as usize],
            Gate::Derived(derived) => self.derived(id, *derived, needs, out),
            Gate::And(parts) => {
                if let Some(known) = self.literals[id]
                    && self.done[id] & needs.0 == needs.0
                {
                    return known;
                }
                let mut inputs: Vec<Lit> = Vec::with_capacity(parts.len());
                for &part in parts {
                    let input = self.edge(part, needs, out);
                    if input == !self.top {
                        self.literals[id] = Some(input);
                        self.done[id] = Needs::BOTH.0;
                        return input;
                    }
                    if input != self.top {
                        inputs.push(input);
                    }
                }
                // Defining the inputs may have defined this gate, through a cycle of derived facts,
                // so this is read only now.
                let missing = Needs(needs.0 & !self.done[id]);
                self.done[id] |= needs.0;
                let literal = match inputs[..] {
                    [] => self.top,
                    [one] => one,
                    _ => {
                        let literal = self.literals[id].unwrap_or_else(|| out.fresh());
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
                self.literals[id] = Some(literal);
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
        let literal = *self.literals[id].get_or_insert_with(|| out.fresh());
        let missing = Needs(needs.0 & !self.done[id]);
        self.done[id] |= needs.0;
        if missing != Needs(0) {
            self.pending.push((id, derived, missing));
        }
        literal
    }

    /// Defines the literal of a derived fact in these directions.
    fn define(&mut self, id: usize, derived: DerivedId, missing: Needs, out: &mut impl Clauses) {
        let literal = self.literals[id].expect("it has one since it is pending");
        let body = self.gates.bodies[&derived];
        if missing.has(Needs::FAIL) {
            let body = self.edge(body, Needs::FAIL, out);
            out.clause(&[!body, literal]);
        }
        if missing.has(Needs::HOLD) {
            let founded = self.founded(body, derived, &mut FxHashMap::default(), out);
            out.clause(&[!literal, founded]);
        }
    }

    /// A literal that implies the edge where the derived facts of `of`'s cycle are replaced by
    /// "holds on a lower level than `of`".
    fn founded(
        &mut self,
        edge: Edge,
        of: DerivedId,
        known: &mut FxHashMap<Edge, Lit>,
        out: &mut impl Clauses,
    ) -> Lit {
        if self.poll.try_step().is_err() {
            return self.top;
        }
        let cycle =
            self.task.axioms.cycle_of[of.0 as usize].expect("it depends on itself") as usize;
        if !self.inside[cycle].contains(&edge.gate()) {
            return self.edge(edge, Needs::HOLD, out);
        }
        if let Some(&known) = known.get(&edge) {
            return known;
        }
        let gates = self.gates;
        let literal = match gates.gate(edge.gate()) {
            Gate::Derived(other) => self.below(*other, of, out),
            Gate::And(parts) => {
                let negative = edge.is_negative();
                let side = |part: Edge| if negative { !part } else { part };
                let inputs: Vec<Lit> = parts
                    .iter()
                    .map(|&part| self.founded(side(part), of, known, out))
                    .collect();
                let literal = out.fresh();
                if negative {
                    let some: Vec<Lit> = inputs.iter().copied().chain([!literal]).collect();
                    out.clause(&some);
                } else {
                    inputs
                        .iter()
                        .for_each(|&input| out.clause(&[!literal, input]));
                }
                literal
            }
            Gate::True | Gate::Fact(_) => unreachable!("these do not depend on derived facts"),
        };
        known.insert(edge, literal);
        literal
    }

    /// A literal that implies that `low` holds, and that its level is lower than that of `high`.
    fn below(&mut self, low: DerivedId, high: DerivedId, out: &mut impl Clauses) -> Lit {
        if let Some(&known) = self.below.get(&(low, high)) {
            return known;
        }
        let below = out.fresh();
        self.below.insert((low, high), below);
        let (low_bits, high_bits) = (self.level(low, out), self.level(high, out));
        // Compare from the highest bit down: where the bits are equal, the lower bits decide.
        let mut less = below;
        for (&low, &high) in low_bits.iter().zip(&high_bits) {
            let rest = out.fresh();
            out.clause(&[!less, !low, high]);
            out.clause(&[!less, low, high, rest]);
            out.clause(&[!less, !low, !high, rest]);
            less = rest;
        }
        out.clause(&[!less]);
        let gate = self.gates.leaf(low);
        let low = self.derived(gate, low, Needs::HOLD, out);
        out.clause(&[!below, low]);
        below
    }

    /// The bits of a fact's level, highest first. There are as many levels as its cycle has facts.
    fn level(&mut self, derived: DerivedId, out: &mut impl Clauses) -> Vec<Lit> {
        let cycle = self.task.axioms.cycle_of[derived.0 as usize].expect("it depends on itself");
        let facts = self.task.axioms.cycles[cycle as usize].len();
        let bits = facts.next_power_of_two().trailing_zeros();
        let level = self.levels.entry(derived);
        level
            .or_insert_with(|| (0..bits).map(|_| out.fresh()).collect())
            .clone()
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
