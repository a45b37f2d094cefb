//! Integer terms as variables. A term that is neither a variable nor a constant gets a new
//! variable, and a constraint that defines it as a function of the parts of the term.

use std::collections::HashMap;

use ployglot_csp::{Comparison, Constraint, Domain, Literal, Operand, VarId};

use super::super::nodes::{Int, IntId, IntNode, Nodes, OpenIndex};
use super::Emitter;
use crate::deep::deep;
use crate::tree::Compare;

impl Emitter {
    /// The term as an argument of a constraint.
    pub fn operand(&mut self, nodes: &mut Nodes, int: Int) -> Operand {
        match int {
            Int::Constant(number) => Operand::Number(i32::try_from(number).unwrap_or_else(|_| {
                nodes.overflow = true;
                0
            })),
            Int::Node(id) => Operand::Var(self.variable_of(nodes, id)),
        }
    }

    /// The variable that has the value of the term.
    pub(super) fn variable_of(&mut self, nodes: &mut Nodes, id: IntId) -> VarId {
        self.resize(nodes);
        if let Some(var) = self.variables[id.index()] {
            return var;
        }
        let node = nodes.int(id).clone();
        let var = match node {
            IntNode::Var(var) => var,
            IntNode::FromBool(term) => {
                let literal = self.equivalent_literal(nodes, term);
                match literal {
                    Literal::AtLeast(var, 1) if *self.problem.domain(var) == Domain::bool() => var,
                    _ => {
                        let var = self.variable(nodes, Domain::bool(), None);
                        self.clause(&[!var.is_true(), literal]);
                        self.clause(&[var.is_true(), !literal]);
                        var
                    }
                }
            }
            _ => deep(|| self.function(nodes, id, node)),
        };
        self.resize(nodes);
        self.variables[id.index()] = Some(var);
        var
    }

    /// A new variable, defined as a function of the parts of the node.
    fn function(&mut self, nodes: &mut Nodes, id: IntId, node: IntNode) -> VarId {
        let (low, high) = nodes.bounds(Int::Node(id));
        let (Ok(low), Ok(high)) = (i32::try_from(low), i32::try_from(high)) else {
            nodes.overflow = true;
            return self.variable(nodes, Domain::constant(0), None);
        };
        let range = Domain::range(low, high);
        match node {
            IntNode::Element { items, indices } => {
                let domain = items.iter().fold(Domain::default(), |domain, &item| {
                    domain.union(&self.possible(nodes, item))
                });
                let operands = items.iter().map(|&item| self.operand(nodes, item));
                let operands: Vec<Operand> = operands.collect();
                let result = self.variable(nodes, domain, None);
                self.element(nodes, &operands, &indices, result);
                result
            }
            IntNode::Sum(terms, constant) => {
                let result = self.variable(nodes, range, None);
                let term = nodes.var(result);
                self.resize(nodes);
                let mut terms = terms.to_vec();
                if let Int::Node(term) = term {
                    terms.push((-1, term));
                }
                match constant.checked_neg() {
                    Some(bound) => self.linear(nodes, &[], &terms, Comparison::Equal, bound),
                    None => nodes.overflow = true,
                }
                result
            }
            IntNode::Product(a, b) => {
                let factors = [self.operand(nodes, a), self.operand(nodes, b)];
                let var = self.variable(nodes, range, None);
                let result = Operand::Var(var);
                self.problem.post(Constraint::Product { factors, result });
                var
            }
            IntNode::Quotient(a, b) | IntNode::Remainder(a, b) => {
                let (dividend, divisor) = (self.operand(nodes, a), self.operand(nodes, b));
                let var = self.variable(nodes, range, None);
                let result = Operand::Var(var);
                // Where the divisor is 0, the result may have any value.
                let zero = nodes.equal(b, Int::Constant(0));
                let prefix: Vec<Literal> = match zero.known() {
                    Some(_) => Vec::new(),
                    None => vec![self.equivalent_literal(nodes, zero)],
                };
                let constraint = match node {
                    IntNode::Quotient(..) => Constraint::Quotient {
                        dividend,
                        divisor,
                        result,
                    },
                    _ => Constraint::Remainder {
                        dividend,
                        divisor,
                        result,
                    },
                };
                self.post_constraint(&prefix, constraint);
                var
            }
            IntNode::Power(a, b) => {
                let (base, exponent) = (self.operand(nodes, a), self.operand(nodes, b));
                let var = self.variable(nodes, range, None);
                let result = Operand::Var(var);
                // Where the exponent is negative, the result may have any value.
                let negative = nodes.compare(Compare::Less, b, Int::Constant(0));
                let prefix: Vec<Literal> = match negative.known() {
                    Some(_) => Vec::new(),
                    None => vec![self.equivalent_literal(nodes, negative)],
                };
                let constraint = Constraint::Power {
                    base,
                    exponent,
                    result,
                };
                self.post_constraint(&prefix, constraint);
                var
            }
            IntNode::Absolute(of) => {
                let of = self.operand(nodes, Int::Node(of));
                let var = self.variable(nodes, range, None);
                let result = Operand::Var(var);
                self.problem.post(Constraint::Absolute { of, result });
                var
            }
            IntNode::Minimum(ref items) | IntNode::Maximum(ref items) => {
                let items = items.iter().map(|&item| self.operand(nodes, item));
                let items = items.collect();
                let var = self.variable(nodes, range, None);
                let result = Operand::Var(var);
                self.problem.post(match node {
                    IntNode::Minimum(_) => Constraint::Minimum { items, result },
                    _ => Constraint::Maximum { items, result },
                });
                var
            }
            IntNode::Var(_) | IntNode::FromBool(_) => unreachable!("variable_of handles these"),
        }
    }

    /// A superset of the values that the term may have, as far as it is cheap to compute.
    fn possible(&self, nodes: &Nodes, int: Int) -> Domain {
        match int {
            Int::Constant(number) => {
                i32::try_from(number).map_or(Domain::default(), Domain::constant)
            }
            Int::Node(id) => match nodes.int(id) {
                IntNode::Var(var) => self.problem.domain(*var).clone(),
                _ => match self.variables[id.index()] {
                    Some(var) => self.problem.domain(var).clone(),
                    None => {
                        let (low, high) = nodes.bounds(int);
                        let narrow = |bound: i64| {
                            bound.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
                        };
                        Domain::range(narrow(low), narrow(high))
                    }
                },
            },
        }
    }

    /// Pushes literals, at least one of which holds wherever the indices do not pick this item.
    /// Returns false if they never pick it.
    pub(super) fn push_index_differs(
        &mut self,
        nodes: &mut Nodes,
        prefix: &mut Vec<Literal>,
        indices: &[OpenIndex],
        item: usize,
    ) -> bool {
        let mut rest = item;
        let mut possible = true;
        for open in indices.iter().rev() {
            let member = open.members[rest % open.members.len()];
            rest /= open.members.len();
            let picked = nodes.equal(Int::Node(open.index), Int::Constant(member));
            self.resize(nodes);
            match picked.known() {
                Some(known) => possible &= known,
                None => {
                    let literal = self.implying_literal(nodes, !picked);
                    prefix.push(literal);
                }
            }
        }
        possible
    }

    /// The result is the item that the indices pick.
    fn element(
        &mut self,
        nodes: &mut Nodes,
        items: &[Operand],
        indices: &[OpenIndex],
        result: VarId,
    ) {
        // One index that is always in range: the element constraint that solvers have.
        if let [open] = indices {
            let index = self.variable_of(nodes, open.index);
            let domain = self.problem.domain(index).clone();
            let width = i64::from(domain.max()) - i64::from(domain.min());
            let places: HashMap<i64, usize> = open.members.iter().copied().zip(0..).collect();
            let in_range = |value: i32| places.contains_key(&i64::from(value));
            if width < 4 * open.members.len() as i64 + 16 && domain.values().all(in_range) {
                let first = domain.min();
                // In the gaps of the index's domain the item does not matter.
                let item = |value: i32| {
                    let at = places.get(&i64::from(value));
                    at.map_or(items[0], |&at| items[at])
                };
                let items = (domain.min()..=domain.max()).map(item).collect();
                return self.problem.post(Constraint::Element {
                    items,
                    first,
                    index: Operand::Var(index),
                    result: Operand::Var(result),
                });
            }
        }
        // Otherwise clauses: if the indices pick this item, the result has its value.
        for (at, &item) in items.iter().enumerate() {
            let mut prefix = Vec::new();
            if !self.push_index_differs(nodes, &mut prefix, indices, at) {
                continue;
            }
            match item {
                Operand::Number(number) => {
                    prefix.push(Literal::Is(result, number));
                    self.clause(&prefix);
                }
                Operand::Var(var) => {
                    self.poll.allocate::<i32>(self.problem.domain(var).len());
                    let values: Vec<i32> = self.problem.domain(var).values().collect();
                    for value in values {
                        let mark = prefix.len();
                        prefix.push(Literal::IsNot(var, value));
                        prefix.push(Literal::Is(result, value));
                        self.clause(&prefix);
                        prefix.truncate(mark);
                    }
                }
            }
        }
    }
}
