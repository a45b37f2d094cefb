//! The variables of a term, and its value for given values of them.

use std::collections::HashSet;

use ployglot_csp::VarId;

use super::nodes::{Bool, BoolNode, Int, IntId, IntNode, Nodes};
use crate::deep::deep;

/// Collects the variables of terms, each once, in the order of their first occurrence.
struct Collector<'n> {
    nodes: &'n Nodes,
    found: Vec<VarId>,
    known: HashSet<VarId>,
    bools: HashSet<usize>,
    ints: HashSet<IntId>,
    /// The work ends when more variables than this are found.
    most: usize,
}

impl Nodes {
    /// The variables of a boolean term.
    pub fn variables_of(&self, term: Bool) -> Vec<VarId> {
        let mut collector = Collector::new(self, usize::MAX);
        collector.bool(term);
        collector.found
    }

    /// The variables of an integer term.
    pub fn variables_of_int(&self, term: Int) -> Vec<VarId> {
        let mut collector = Collector::new(self, usize::MAX);
        collector.int(term);
        collector.found
    }

    /// The variables of a boolean term; `None` if there are more than `most`.
    pub fn small_scope(&self, term: Bool, most: usize) -> Option<Vec<VarId>> {
        let mut collector = Collector::new(self, most);
        collector.bool(term);
        (collector.found.len() <= most).then_some(collector.found)
    }
}

impl<'n> Collector<'n> {
    fn new(nodes: &'n Nodes, most: usize) -> Self {
        Collector {
            nodes,
            found: Vec::new(),
            known: HashSet::new(),
            bools: HashSet::new(),
            ints: HashSet::new(),
            most,
        }
    }

    fn var(&mut self, var: VarId) {
        if self.known.insert(var) {
            self.found.push(var);
        }
    }

    fn bool(&mut self, term: Bool) {
        if self.found.len() > self.most || !self.bools.insert(term.node()) {
            return;
        }
        deep(|| match self.nodes.bool(term) {
            BoolNode::True => {}
            BoolNode::Literal(literal) => self.var(literal.variable()),
            BoolNode::And(parts) => parts.iter().for_each(|&part| self.bool(part)),
            BoolNode::Iff(a, b) => {
                self.bool(*a);
                self.bool(*b);
            }
            BoolNode::Linear { terms, .. } => {
                terms
                    .iter()
                    .for_each(|&(_, term)| self.int(Int::Node(term)));
            }
            BoolNode::AllDifferent(items, _) | BoolNode::Table(items, _) => {
                items.iter().for_each(|&item| self.int(item));
            }
        });
    }

    fn int(&mut self, term: Int) {
        let Int::Node(node) = term else { return };
        if self.found.len() > self.most || !self.ints.insert(node) {
            return;
        }
        deep(|| match self.nodes.int(node) {
            IntNode::Var(var) => self.var(*var),
            IntNode::FromBool(term) => self.bool(*term),
            IntNode::Sum(terms, _) => {
                terms
                    .iter()
                    .for_each(|&(_, term)| self.int(Int::Node(term)));
            }
            IntNode::Element { items, indices } => {
                indices
                    .iter()
                    .for_each(|open| self.int(Int::Node(open.index)));
                items.iter().for_each(|&item| self.int(item));
            }
            IntNode::Product(a, b)
            | IntNode::Quotient(a, b)
            | IntNode::Remainder(a, b)
            | IntNode::Power(a, b) => {
                self.int(*a);
                self.int(*b);
            }
            IntNode::Absolute(of) => self.int(Int::Node(*of)),
            IntNode::Minimum(items) | IntNode::Maximum(items) => {
                items.iter().for_each(|&item| self.int(item));
            }
        });
    }
}
