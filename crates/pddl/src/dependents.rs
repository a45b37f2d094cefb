//! The circuit of a task upside down: which formulas depend on a fact, directly or through axioms.
//!
//! Where derived facts depend on each other in long chains, the formulas of all facts together are
//! far more than the nodes of the circuit. So they are not stored: those of a fact are visited when
//! they are needed.

use ployglot_base::{Limit, Poll};

use crate::circuit::*;
use crate::lists::Lists;
use crate::task::Task;

/// For each node of a task's circuit, the nodes that read it.
pub(crate) struct Dependents {
    readers: Lists<u32>,
    /// For each fact, its node, if it has one.
    of_fact: Vec<Option<NodeId>>,
}

/// The nodes that the last visit came to.
pub(crate) struct Visited {
    /// Marks with another stamp are out of date.
    marks: Vec<u32>,
    stamp: u32,
    open: Vec<u32>,
}

impl Dependents {
    pub fn new(task: &Task, poll: &Poll) -> Result<Self, Limit> {
        let circuit = &task.circuit;
        let mut of_fact = vec![None; task.facts.len()];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut inside = Vec::new();
        for (id, node) in circuit.nodes() {
            poll.try_step()?;
            match node {
                Node::Fact(fact) => of_fact[fact.0 as usize] = Some(id),
                Node::Derived(derived) => {
                    edges.push((task.axioms.bodies[derived.0 as usize].0, id.0))
                }
                Node::Choice(choice) => {
                    inside.clear();
                    let parts = circuit.choices[*choice as usize].parts.iter();
                    parts.for_each(|part| part.nodes(&mut inside));
                    edges.extend(inside.iter().map(|part| (part.0, id.0)));
                }
                other => edges.extend(other.children().iter().map(|child| (child.0, id.0))),
            }
        }
        Ok(Self {
            readers: Lists::sorted(circuit.len(), edges.iter().copied()),
            of_fact,
        })
    }

    /// No node is visited yet.
    pub fn unvisited(&self) -> Visited {
        Visited {
            marks: vec![0; self.readers.len()],
            stamp: 0,
            open: Vec::new(),
        }
    }

    /// Visits the nodes that depend on these facts, each once, as long as `visit` returns true.
    pub fn visit(
        &self,
        facts: &[FactId],
        visited: &mut Visited,
        mut visit: impl FnMut(NodeId) -> bool,
    ) {
        visited.stamp += 1;
        visited.open.clear();
        for fact in facts {
            let node = self.of_fact[fact.0 as usize];
            node.into_iter().for_each(|node| visited.add(node.0));
        }
        while let Some(node) = visited.open.pop() {
            if !visit(NodeId(node)) {
                return;
            }
            for &reader in self.readers.of(node) {
                visited.add(reader);
            }
        }
    }
}

impl Visited {
    /// Whether the last visit came to this node.
    pub fn has(&self, node: NodeId) -> bool {
        self.marks[node.0 as usize] == self.stamp
    }

    fn add(&mut self, node: u32) {
        if std::mem::replace(&mut self.marks[node as usize], self.stamp) != self.stamp {
            self.open.push(node);
        }
    }
}
