//! The formulas of a task as an and-inverter graph: the only gate is a conjunction whose inputs may
//! be negated. The other nodes of the task's circuit are translated here, once, so that the clauses
//! of a step need no other gates:
//!
//! - "at most k of n" becomes a totalizer (Bailleux and Boufkhad 2003) that counts the inputs that
//!   hold or those that do not, whichever limit is smaller;
//! - a choice is written out, variable by variable; a branch is cut where a part of the body is
//!   false already. One with too many bindings is an error;
//! - a derived fact that does not depend on itself is replaced by its body. The others stay as
//!   leaves.

use std::ops::Not;

use ployglot_base::{Limit, Poll};
use rustc_hash::FxHashMap;

use super::{Stop, Unsupported};
use crate::circuit::*;
use crate::task::Task;

/// A gate, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Edge(u32);

/// A leaf, or a conjunction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Gate {
    True,
    Fact(FactId),
    /// A derived fact that depends on itself.
    Derived(DerivedId),
    /// All inputs hold: two or more, sorted, none twice.
    And(Box<[Edge]>),
}

/// The edge that always holds.
pub(super) const TRUE_EDGE: Edge = Edge(0);
/// The edge that never holds.
pub(super) const FALSE_EDGE: Edge = Edge(1);

impl Edge {
    pub fn gate(self) -> usize {
        self.0 as usize / 2
    }

    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Not for Edge {
    type Output = Edge;

    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

/// All gates; equal gates are stored once.
pub(super) struct Gates {
    gates: Vec<Gate>,
    ids: FxHashMap<Gate, u32>,
    /// The bodies of the derived facts that depend on themselves.
    pub bodies: FxHashMap<DerivedId, Edge>,
}

/// A choice that would need more gates than this is an error.
const MAX_GATES: usize = 4_000_000;

impl Gates {
    /// The gates of these nodes of the task, and the edges of the nodes in the same order.
    pub fn new(task: &Task, nodes: &[NodeId], poll: &Poll) -> Result<(Gates, Vec<Edge>), Stop> {
        let mut gates = Gates {
            gates: Vec::new(),
            ids: FxHashMap::default(),
            bodies: FxHashMap::default(),
        };
        gates.intern(Gate::True);
        let mut builder = GateBuilder {
            task,
            gates,
            known: FxHashMap::default(),
            poll,
        };
        for derived in &task.axioms.order {
            builder.edge(task.axioms.bodies[derived.0 as usize])?;
        }
        let edges = nodes
            .iter()
            .map(|&node| builder.edge(node))
            .collect::<Result<Vec<_>, _>>()?;
        for (at, &body) in task.axioms.bodies.iter().enumerate() {
            let derived = DerivedId(at as u32);
            if task.axioms.cycle_of[at].is_some() {
                builder.gates.intern(Gate::Derived(derived));
                let body = builder.edge(body)?;
                builder.gates.bodies.insert(derived, body);
            }
        }
        Ok((builder.gates, edges))
    }

    pub fn len(&self) -> usize {
        self.gates.len()
    }

    pub fn gate(&self, id: usize) -> &Gate {
        &self.gates[id]
    }

    /// The gate of a derived fact that depends on itself.
    pub fn leaf(&self, derived: DerivedId) -> usize {
        self.ids[&Gate::Derived(derived)] as usize
    }

    /// Edges whose conjunction is this edge.
    pub fn conjuncts<'a>(&'a self, edge: &'a Edge) -> &'a [Edge] {
        match self.gate(edge.gate()) {
            Gate::And(parts) if !edge.is_negative() => parts,
            _ => std::slice::from_ref(edge),
        }
    }

    fn intern(&mut self, gate: Gate) -> Edge {
        let next = self.gates.len() as u32;
        let id = *self.ids.entry(gate.clone()).or_insert(next);
        if id == next {
            self.gates.push(gate);
        }
        Edge(id * 2)
    }

    /// The conjunction.
    pub fn and(&mut self, mut parts: Vec<Edge>) -> Edge {
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|&part| part != TRUE_EDGE);
        // A gate and its negation are neighbours in sorted order.
        if parts.contains(&FALSE_EDGE) || parts.windows(2).any(|pair| pair[0] == !pair[1]) {
            return FALSE_EDGE;
        }
        match parts[..] {
            [] => TRUE_EDGE,
            [one] => one,
            _ => self.intern(Gate::And(parts.into_boxed_slice())),
        }
    }

    /// The disjunction.
    pub fn or(&mut self, parts: Vec<Edge>) -> Edge {
        !self.and(parts.into_iter().map(Edge::not).collect())
    }

    /// Edges for "at least 1", "at least 2", … up to `most` of the parts.
    fn counts(&mut self, parts: &[Edge], most: usize, poll: &Poll) -> Result<Vec<Edge>, Limit> {
        if parts.len() <= 1 || most == 0 {
            return Ok(parts.iter().take(most).copied().collect());
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        let left = self.counts(left, most, poll)?;
        let right = self.counts(right, most, poll)?;
        let at = |counts: &[Edge], number: usize| match number {
            0 => Some(TRUE_EDGE),
            _ => counts.get(number - 1).copied(),
        };
        let sums = 1..=most.min(parts.len());
        sums.map(|sum| {
            let mut pairs = Vec::new();
            for some in 0..=sum {
                if let (Some(left), Some(right)) = (at(&left, some), at(&right, sum - some)) {
                    poll.try_step()?;
                    pairs.push(self.and(vec![left, right]));
                }
            }
            Ok(self.or(pairs))
        })
        .collect()
    }

    /// That at most this many of the parts hold.
    fn at_most(&mut self, most: usize, parts: Vec<Edge>, poll: &Poll) -> Result<Edge, Limit> {
        let Some(others) = parts.len().checked_sub(most).filter(|&others| others > 0) else {
            return Ok(TRUE_EDGE);
        };
        if most < others {
            let counts = self.counts(&parts, most + 1, poll)?;
            Ok(!*counts.last().expect("there are more than `most` parts"))
        } else {
            let negated: Vec<Edge> = parts.into_iter().map(Edge::not).collect();
            let counts = self.counts(&negated, others, poll)?;
            Ok(*counts.last().expect("`others` is positive"))
        }
    }
}

/// Translates nodes of the circuit to gates.
struct GateBuilder<'a> {
    task: &'a Task,
    gates: Gates,
    known: FxHashMap<NodeId, Edge>,
    poll: &'a Poll,
}

impl GateBuilder<'_> {
    /// The edge of a node.
    fn edge(&mut self, node: NodeId) -> Result<Edge, Stop> {
        if let Some(&known) = self.known.get(&node) {
            return Ok(known);
        }
        self.poll.try_step()?;
        let task = self.task;
        let edge = match task.circuit.node(node) {
            Node::True => TRUE_EDGE,
            Node::False => FALSE_EDGE,
            Node::Fact(fact) => self.gates.intern(Gate::Fact(*fact)),
            Node::Not(inner) => !self.edge(*inner)?,
            Node::And(parts) => {
                let parts = self.edges(parts)?;
                self.gates.and(parts)
            }
            Node::Or(parts) => {
                let parts = self.edges(parts)?;
                self.gates.or(parts)
            }
            Node::AtMost(most, parts) => {
                let parts = self.edges(parts)?;
                self.gates.at_most(*most as usize, parts, self.poll)?
            }
            Node::Derived(derived) => match task.axioms.cycle_of[derived.0 as usize] {
                None => self.edge(task.axioms.bodies[derived.0 as usize])?,
                Some(_) => self.gates.intern(Gate::Derived(*derived)),
            },
            Node::Choice(choice) => {
                let choice = &task.circuit.choices[*choice as usize];
                self.choose(choice, 0, &mut vec![None; choice.sizes.len()])?
            }
            Node::Compare(..) => return Err(Unsupported::Numbers.into()),
        };
        self.known.insert(node, edge);
        Ok(edge)
    }

    fn edges(&mut self, nodes: &[NodeId]) -> Result<Vec<Edge>, Stop> {
        nodes.iter().map(|&node| self.edge(node)).collect()
    }

    /// That the variables from `next` on can be bound so that all parts hold, given `values` for
    /// the ones before.
    fn choose(
        &mut self,
        choice: &Choice,
        next: usize,
        values: &mut Vec<Option<u32>>,
    ) -> Result<Edge, Stop> {
        self.poll.try_step()?;
        if self.gates.len() > MAX_GATES {
            return Err(Unsupported::Quantifier.into());
        }
        let mut closed = Vec::new();
        let mut open = false;
        for part in &choice.parts {
            match self.open(part, choice, values)? {
                Some(edge) => closed.push(edge),
                None => open = true,
            }
        }
        let closed = self.gates.and(closed);
        if closed == FALSE_EDGE || !open {
            let empty = choice.sizes[next..].contains(&0);
            return Ok(if empty { FALSE_EDGE } else { closed });
        }
        let mut branches = Vec::new();
        for value in 0..choice.sizes[next] {
            values[next] = Some(value);
            branches.push(self.choose(choice, next + 1, values)?);
        }
        values[next] = None;
        let some = self.gates.or(branches);
        Ok(self.gates.and(vec![closed, some]))
    }

    /// The edge of a part; `None` where it depends on variables that are not bound yet.
    fn open(
        &mut self,
        part: &OpenFormula,
        choice: &Choice,
        values: &[Option<u32>],
    ) -> Result<Option<Edge>, Stop> {
        let constant = |holds: bool| Some(if holds { TRUE_EDGE } else { FALSE_EDGE });
        Ok(match part {
            OpenFormula::Closed(node) => Some(self.edge(*node)?),
            OpenFormula::And(parts) | OpenFormula::Or(parts) => {
                let and = matches!(part, OpenFormula::And(_));
                let mut edges = Vec::new();
                for part in parts {
                    match self.open(part, choice, values)? {
                        Some(edge) => edges.push(edge),
                        None => return Ok(None),
                    }
                }
                Some(if and {
                    self.gates.and(edges)
                } else {
                    self.gates.or(edges)
                })
            }
            OpenFormula::Is(variable, value, positive) => {
                values[*variable].and_then(|held| constant((held == *value) == *positive))
            }
            OpenFormula::Same(left, right, table, positive) => {
                match (values[*left], values[*right]) {
                    (Some(left), Some(right)) => {
                        constant((table[left as usize] == Some(right)) == *positive)
                    }
                    _ => None,
                }
            }
            OpenFormula::Table(variables, nodes) => {
                let (mut index, mut radix) = (0, 1);
                for &variable in variables {
                    let Some(value) = values[variable] else {
                        return Ok(None);
                    };
                    index += value as usize * radix;
                    radix *= choice.sizes[variable] as usize;
                }
                Some(self.edge(nodes[index])?)
            }
        })
    }
}
