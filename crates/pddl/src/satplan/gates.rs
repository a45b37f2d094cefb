//! The formulas of a task as gates of one kind: a conjunction whose inputs may be negated. What the circuit of the task has beside that
//! is taken apart here, once, so that the clauses of a step need to know nothing else:
//!
//! - "at most k of n" is a tree of counts (the totalizer of Bailleux and Boufkhad 2003), of what holds or of what does not, whichever
//!   is fewer;
//! - a choice is written out, variable by variable, and a branch is left where a part of it is false already; one that comes to too
//!   many bindings is refused;
//! - a derived fact that does not depend on itself is its body. Those that do stay as leaves.

use std::ops::Not;

use rustc_hash::FxHashMap;

use super::Refused;
use crate::circuit::*;
use crate::task::Task;

/// A gate, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Edge(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Gate {
    True,
    Fact(FactId),
    /// One of a circle of derived facts.
    Derived(DerivedId),
    /// Two or more, sorted, none twice.
    And(Box<[Edge]>),
}

pub(super) const YES: Edge = Edge(0);
pub(super) const NO: Edge = Edge(1);

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

/// All gates, each once.
pub(super) struct Gates {
    gates: Vec<Gate>,
    ids: FxHashMap<Gate, u32>,
    /// For each derived fact that depends on itself.
    pub bodies: FxHashMap<DerivedId, Edge>,
}

/// Choices that come to more gates than this are refused.
const MOST_GATES: usize = 4_000_000;

impl Gates {
    /// Takes what the task reads: the edges come back in the order of the nodes.
    pub fn new(task: &Task, nodes: &[NodeId]) -> Result<(Gates, Vec<Edge>), Refused> {
        let mut gates = Gates {
            gates: Vec::new(),
            ids: FxHashMap::default(),
            bodies: FxHashMap::default(),
        };
        gates.intern(Gate::True);
        let mut take = Take {
            task,
            gates,
            known: FxHashMap::default(),
        };
        let edges = nodes
            .iter()
            .map(|&node| take.edge(node))
            .collect::<Result<Vec<_>, _>>()?;
        for (at, &body) in task.axioms.bodies.iter().enumerate() {
            let derived = DerivedId(at as u32);
            if task.axioms.circle[at].is_some() {
                take.gates.intern(Gate::Derived(derived));
                let body = take.edge(body)?;
                take.gates.bodies.insert(derived, body);
            }
        }
        Ok((take.gates, edges))
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

    /// The parts that must all hold for this to hold.
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

    pub fn and(&mut self, mut parts: Vec<Edge>) -> Edge {
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|&part| part != YES);
        // A gate and its negation are neighbours.
        if parts.contains(&NO) || parts.windows(2).any(|pair| pair[0] == !pair[1]) {
            return NO;
        }
        match parts[..] {
            [] => YES,
            [one] => one,
            _ => self.intern(Gate::And(parts.into_boxed_slice())),
        }
    }

    pub fn or(&mut self, parts: Vec<Edge>) -> Edge {
        !self.and(parts.into_iter().map(Edge::not).collect())
    }

    /// Edges for "at least 1", "at least 2", … up to `most` of the parts.
    fn counts(&mut self, parts: &[Edge], most: usize) -> Vec<Edge> {
        if parts.len() <= 1 || most == 0 {
            return parts.iter().take(most).copied().collect();
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        let (left, right) = (self.counts(left, most), self.counts(right, most));
        let at = |counts: &[Edge], number: usize| match number {
            0 => Some(YES),
            _ => counts.get(number - 1).copied(),
        };
        let sums = 1..=most.min(parts.len());
        sums.map(|sum| {
            let ways =
                (0..=sum).filter_map(|some| Some([at(&left, some)?, at(&right, sum - some)?]));
            let ways: Vec<_> = ways.collect();
            let ways = ways.into_iter().map(|way| self.and(way.to_vec())).collect();
            self.or(ways)
        })
        .collect()
    }

    fn at_most(&mut self, most: usize, parts: Vec<Edge>) -> Edge {
        let Some(others) = parts.len().checked_sub(most).filter(|&others| others > 0) else {
            return YES;
        };
        if most < others {
            !*self
                .counts(&parts, most + 1)
                .last()
                .expect("there are more than that")
        } else {
            let negated: Vec<Edge> = parts.into_iter().map(Edge::not).collect();
            *self.counts(&negated, others).last().expect("at least one")
        }
    }
}

/// The way from the circuit to the gates.
struct Take<'a> {
    task: &'a Task,
    gates: Gates,
    known: FxHashMap<NodeId, Edge>,
}

impl Take<'_> {
    fn edge(&mut self, node: NodeId) -> Result<Edge, Refused> {
        if let Some(&known) = self.known.get(&node) {
            return Ok(known);
        }
        let task = self.task;
        let edge = match task.circuit.node(node) {
            Node::True => YES,
            Node::False => NO,
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
                self.gates.at_most(*most as usize, parts)
            }
            Node::Derived(derived) => match task.axioms.circle[derived.0 as usize] {
                None => self.edge(task.axioms.bodies[derived.0 as usize])?,
                Some(_) => self.gates.intern(Gate::Derived(*derived)),
            },
            Node::Choice(choice) => {
                let choice = &task.circuit.choices[*choice as usize];
                self.choose(choice, 0, &mut vec![None; choice.sizes.len()])?
            }
            Node::Compare(..) => return Err(Refused::Numbers),
        };
        self.known.insert(node, edge);
        Ok(edge)
    }

    fn edges(&mut self, nodes: &[NodeId]) -> Result<Vec<Edge>, Refused> {
        nodes.iter().map(|&node| self.edge(node)).collect()
    }

    /// That the variables from `next` on can be bound so that all parts hold.
    fn choose(
        &mut self,
        choice: &Choice,
        next: usize,
        values: &mut Vec<Option<u32>>,
    ) -> Result<Edge, Refused> {
        if self.gates.len() > MOST_GATES {
            return Err(Refused::Quantifier);
        }
        let mut sure = Vec::new();
        let mut open = false;
        for part in &choice.parts {
            match self.open(part, choice, values)? {
                Some(edge) => sure.push(edge),
                None => open = true,
            }
        }
        let sure = self.gates.and(sure);
        if sure == NO || !open {
            let empty = choice.sizes[next..].contains(&0);
            return Ok(if empty { NO } else { sure });
        }
        let mut ways = Vec::new();
        for value in 0..choice.sizes[next] {
            values[next] = Some(value);
            ways.push(self.choose(choice, next + 1, values)?);
        }
        values[next] = None;
        let some = self.gates.or(ways);
        Ok(self.gates.and(vec![sure, some]))
    }

    /// `None`: it depends on variables that are not bound yet.
    fn open(
        &mut self,
        part: &Open,
        choice: &Choice,
        values: &[Option<u32>],
    ) -> Result<Option<Edge>, Refused> {
        let constant = |holds: bool| Some(if holds { YES } else { NO });
        Ok(match part {
            Open::Closed(node) => Some(self.edge(*node)?),
            Open::And(parts) | Open::Or(parts) => {
                let and = matches!(part, Open::And(_));
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
            Open::Is(variable, value, positive) => {
                values[*variable].and_then(|held| constant((held == *value) == *positive))
            }
            Open::Same(left, right, table, positive) => match (values[*left], values[*right]) {
                (Some(left), Some(right)) => {
                    constant((table[left as usize] == Some(right)) == *positive)
                }
                _ => None,
            },
            Open::Table(variables, nodes) => {
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
