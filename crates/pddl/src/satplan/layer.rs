//! The gates at one step, as clauses (Tseitin 1968). A gate gets a literal when somebody asks for it, and of its definition only the
//! direction that is needed (Plaisted and Greenbaum 1986): where it must hold, the literal implies the gate; where it must fail, the
//! gate implies the literal. What is known at the step folds away, so the first steps are small: what cannot have happened yet has no
//! literal of its own.
//!
//! Derived facts that depend on themselves must be the least solution of their bodies, and clauses alone would accept any solution. One
//! direction needs no more than clauses: what a body gives is in every solution, so what is left out of any solution is not in the
//! least. For the other, a fact that holds must have been derived from facts of a lower level, where levels are numbers in binary; a
//! circle that only supports itself has none.

use ployglot_csp::sat::{Clauses, Lit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::gates::{Edge, Gate, Gates};
use crate::circuit::DerivedId;
use crate::task::Task;

/// Which directions of a definition are needed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Needs(u8);

impl Needs {
    /// The literal implies the gate.
    pub const HOLD: Needs = Needs(1);
    /// The gate implies the literal.
    pub const FAIL: Needs = Needs(2);
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

/// The gates of a task, and what of them has literals at the step in hand.
pub(super) struct Layer<'a> {
    task: &'a Task,
    pub gates: &'a Gates,
    /// Always true.
    pub top: Lit,
    /// Of the step in hand.
    pub facts: Vec<Lit>,
    literals: Vec<Option<Lit>>,
    done: Vec<u8>,
    /// The gates through which the facts of a circle depend on each other.
    inside: Vec<FxHashSet<usize>>,
    levels: FxHashMap<DerivedId, Vec<Lit>>,
    below: FxHashMap<(DerivedId, DerivedId), Lit>,
}

impl<'a> Layer<'a> {
    pub fn new(task: &'a Task, gates: &'a Gates, top: Lit, facts: Vec<Lit>) -> Self {
        let circles = task.axioms.circles.iter();
        let inside = circles.map(|members| reaching(gates, members)).collect();
        Self {
            task,
            gates,
            top,
            facts,
            literals: vec![None; gates.len()],
            done: vec![0; gates.len()],
            inside,
            levels: FxHashMap::default(),
            below: FxHashMap::default(),
        }
    }

    /// Goes to the next step, where the facts have these literals.
    pub fn advance(&mut self, facts: Vec<Lit>) {
        self.facts = facts;
        self.literals.fill(None);
        self.done.fill(0);
        self.levels.clear();
        self.below.clear();
    }

    /// The literal of an edge, defined as far as is needed.
    pub fn literal(&mut self, edge: Edge, needs: Needs, out: &mut impl Clauses) -> Lit {
        let literal = self.gate(edge.gate(), needs.flip(edge.is_negative()), out);
        if edge.is_negative() {
            !literal
        } else {
            literal
        }
    }

    fn gate(&mut self, id: usize, needs: Needs, out: &mut impl Clauses) -> Lit {
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
                    let input = self.literal(part, needs, out);
                    if input == !self.top {
                        self.literals[id] = Some(input);
                        self.done[id] = Needs::BOTH.0;
                        return input;
                    }
                    if input != self.top {
                        inputs.push(input);
                    }
                }
                // Through a circle the inputs may have led back here, so look only now.
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
        let body = self.gates.bodies[&derived];
        if missing.has(Needs::FAIL) {
            let body = self.literal(body, Needs::FAIL, out);
            out.clause(&[!body, literal]);
        }
        if missing.has(Needs::HOLD) {
            let founded = self.founded(body, derived, &mut FxHashMap::default(), out);
            out.clause(&[!literal, founded]);
        }
        literal
    }

    /// A literal that implies the edge with the facts of `of`'s circle taken from lower levels only.
    fn founded(
        &mut self,
        edge: Edge,
        of: DerivedId,
        known: &mut FxHashMap<Edge, Lit>,
        out: &mut impl Clauses,
    ) -> Lit {
        let circle = self.task.axioms.circle[of.0 as usize].expect("it depends on itself") as usize;
        if !self.inside[circle].contains(&edge.gate()) {
            return self.literal(edge, Needs::HOLD, out);
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
            Gate::True | Gate::Fact(_) => unreachable!("these do not lead into a circle"),
        };
        known.insert(edge, literal);
        literal
    }

    /// Implies that `low` holds, and on a lower level than `high`.
    fn below(&mut self, low: DerivedId, high: DerivedId, out: &mut impl Clauses) -> Lit {
        if let Some(&known) = self.below.get(&(low, high)) {
            return known;
        }
        let below = out.fresh();
        self.below.insert((low, high), below);
        let (low_bits, high_bits) = (self.level(low, out), self.level(high, out));
        // From the highest bit on: where both are alike, the rest decides.
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

    /// The number of a fact's level, highest bit first: as many levels as its circle has facts.
    fn level(&mut self, derived: DerivedId, out: &mut impl Clauses) -> Vec<Lit> {
        let circle = self.task.axioms.circle[derived.0 as usize].expect("it depends on itself");
        let facts = self.task.axioms.circles[circle as usize].len();
        let bits = facts.next_power_of_two().trailing_zeros();
        let level = self.levels.entry(derived);
        level
            .or_insert_with(|| (0..bits).map(|_| out.fresh()).collect())
            .clone()
    }
}

/// The gates from which a walk along inputs, not through derived facts, comes to one of these.
fn reaching(gates: &Gates, members: &[DerivedId]) -> FxHashSet<usize> {
    let leaves: FxHashSet<usize> = members.iter().map(|&member| gates.leaf(member)).collect();
    let mut known: FxHashMap<usize, bool> = leaves.iter().map(|&leaf| (leaf, true)).collect();
    for member in members {
        reaches(gates, gates.bodies[member].gate(), &mut known);
    }
    known
        .into_iter()
        .filter(|&(_, found)| found)
        .map(|(id, _)| id)
        .collect()
}

fn reaches(gates: &Gates, id: usize, known: &mut FxHashMap<usize, bool>) -> bool {
    if let Some(&known) = known.get(&id) {
        return known;
    }
    let mut found = false;
    if let Gate::And(parts) = gates.gate(id) {
        parts
            .iter()
            .for_each(|part| found |= reaches(gates, part.gate(), known));
    }
    known.insert(id, found);
    found
}
