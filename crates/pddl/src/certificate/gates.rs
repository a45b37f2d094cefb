//! The formulas of a task as threshold gates over the facts before a step. A gate is a definition
//! `n <-> a1 l1 + a2 l2 + … >= d`: a conjunction, a disjunction, or a count. Gates are numbered so
//! that a gate reads facts and earlier gates only, so the values of the facts determine all gates,
//! and unit propagation computes them.
//!
//! Derived facts that depend on each other (a cycle of n facts) are unrolled: in layer 0 none
//! holds; in layer k + 1 those hold whose bodies hold by layer k. The bodies are monotone in the
//! facts of the cycle, so layer n is the least fixed point. The size grows with the square of the
//! cycle; tasks for which that is too much are refused.

use ployglot_base::Poll;
use rustc_hash::FxHashMap;

use super::CannotCertify;
use super::opb::{Constraint, Kind, Known, Lit};
use crate::circuit::{DerivedId, Node, NodeId};
use crate::task::Task;

/// More literals than this in all gates are refused.
const MOST_LITERALS: usize = 20_000_000;

pub struct Gates<'a> {
    task: &'a Task,
    poll: &'a Poll,
    /// The definitions, in order.
    pub gates: Vec<Constraint>,
    numbers: FxHashMap<Constraint, u32>,
    literals: usize,
    /// For each derived fact, its value.
    derived: Vec<Option<Known>>,
    /// The values of nodes outside cycles.
    nodes: FxHashMap<NodeId, Known>,
    /// Inside a cycle: the values of its facts in the layer below, and of nodes in this layer.
    layer: Option<Layer>,
}

struct Layer {
    facts: FxHashMap<DerivedId, Known>,
    nodes: FxHashMap<NodeId, Known>,
}

impl<'a> Gates<'a> {
    pub fn new(task: &'a Task, poll: &'a Poll) -> Result<Self, CannotCertify> {
        let mut gates = Self {
            task,
            poll,
            gates: Vec::new(),
            numbers: FxHashMap::default(),
            literals: 0,
            derived: vec![None; task.axioms.bodies.len()],
            nodes: FxHashMap::default(),
            layer: None,
        };
        // In this order, recursion through long chains of derived facts is not deep.
        for &derived in &task.axioms.order {
            gates.derived(derived)?;
        }
        Ok(gates)
    }

    /// The literal of a formula.
    pub fn literal(&mut self, node: NodeId) -> Result<Known, CannotCertify> {
        self.poll.try_step()?;
        let known = match &self.layer {
            Some(layer) => layer.nodes.get(&node),
            None => self.nodes.get(&node),
        };
        if let Some(&known) = known {
            return Ok(known);
        }
        let task = self.task;
        let known = match task.circuit.node(node) {
            Node::False => Known::FALSE,
            Node::True => Known::TRUE,
            Node::Fact(fact) => Known::Lit(Lit::of(Kind::Fact, fact.0)),
            Node::Not(inner) => !self.literal(*inner)?,
            Node::And(parts) => {
                let parts = self.all(parts)?;
                let count = parts.len() as u64;
                self.gate(parts, count)?
            }
            Node::Or(parts) => {
                let parts = self.all(parts)?;
                self.gate(parts, 1)?
            }
            // As many as are too many for the rest do not hold.
            Node::AtMost(most, parts) => {
                let parts = self.all(parts)?;
                let without = (parts.len() as u64).saturating_sub(u64::from(*most));
                self.gate(parts.into_iter().map(|part| !part).collect(), without)?
            }
            Node::Derived(derived) => {
                let below = self.layer.as_ref();
                match below.and_then(|layer| layer.facts.get(derived)) {
                    Some(&known) => known,
                    None => self.derived(*derived)?,
                }
            }
            Node::Compare(..) => {
                return Err(CannotCertify::Feature(
                    "it compares numbers, which the encoding does not have",
                ));
            }
            Node::Choice(_) => {
                return Err(CannotCertify::Feature(
                    "it has a quantifier with too many bindings to be written out",
                ));
            }
        };
        match &mut self.layer {
            Some(layer) => layer.nodes.insert(node, known),
            None => self.nodes.insert(node, known),
        };
        Ok(known)
    }

    fn all(&mut self, parts: &[NodeId]) -> Result<Vec<Known>, CannotCertify> {
        parts.iter().map(|&part| self.literal(part)).collect()
    }

    /// The value of a derived fact outside the cycle that is being unrolled.
    fn derived(&mut self, derived: DerivedId) -> Result<Known, CannotCertify> {
        let at = derived.0 as usize;
        if let Some(known) = self.derived[at] {
            return Ok(known);
        }
        // Other derived facts do not read the layer of the cycle that reads them.
        let outer = self.layer.take();
        let task = self.task;
        match task.axioms.cycle_of[at] {
            None => {
                let known = self.literal(task.axioms.bodies[at])?;
                self.derived[at] = Some(known);
            }
            Some(cycle) => self.unroll(&task.axioms.cycles[cycle as usize])?,
        }
        self.layer = outer;
        Ok(self.derived[at].expect("it was just computed"))
    }

    fn unroll(&mut self, members: &[DerivedId]) -> Result<(), CannotCertify> {
        let mut values = vec![Known::FALSE; members.len()];
        for _ in 0..members.len() {
            let facts = members.iter().copied().zip(values.iter().copied());
            self.layer = Some(Layer {
                facts: facts.collect(),
                nodes: FxHashMap::default(),
            });
            let mut next = Vec::with_capacity(members.len());
            for member in members {
                let body = self.task.axioms.bodies[member.0 as usize];
                next.push(self.literal(body)?);
            }
            let is_fixed = next == values;
            values = next;
            if is_fixed {
                break;
            }
        }
        self.layer = None;
        for (member, value) in members.iter().zip(values) {
            self.derived[member.0 as usize] = Some(value);
        }
        Ok(())
    }

    /// The gate "at least this many of the parts hold", without constants and repetitions.
    fn gate(&mut self, parts: Vec<Known>, degree: u64) -> Result<Known, CannotCertify> {
        let mut degree = degree;
        let mut lits: Vec<Lit> = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Known::Constant(true) => degree = degree.saturating_sub(1),
                Known::Constant(false) => {}
                Known::Lit(lit) => lits.push(lit),
            }
        }
        lits.sort();
        let mut terms: Vec<(u64, Lit)> = Vec::with_capacity(lits.len());
        for lit in lits {
            match terms.last_mut() {
                Some((count, last)) if *last == lit => *count += 1,
                // Of a literal and its negation, exactly one holds.
                Some((count, last)) if last.var == lit.var => {
                    degree = degree.saturating_sub(1);
                    *count -= 1;
                    if *count == 0 {
                        terms.pop();
                    }
                }
                _ => terms.push((1, lit)),
            }
        }
        let gate = Constraint { terms, degree };
        if gate.degree == 0 {
            return Ok(Known::TRUE);
        }
        if gate.total() < gate.degree {
            return Ok(Known::FALSE);
        }
        if let [(count, lit)] = gate.terms[..]
            && count >= gate.degree
        {
            return Ok(Known::Lit(lit));
        }
        let next = self.gates.len() as u32;
        let number = match self.numbers.get(&gate) {
            Some(&number) => number,
            None => {
                self.literals += gate.terms.len();
                if self.literals > MOST_LITERALS {
                    return Err(CannotCertify::Feature(
                        "its formulas are too large once its derived facts are unrolled",
                    ));
                }
                self.numbers.insert(gate.clone(), next);
                self.gates.push(gate);
                next
            }
        };
        Ok(Known::Lit(Lit::of(Kind::Gate, number)))
    }
}
