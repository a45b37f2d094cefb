//! Integer terms that are no sums get a variable each, as functions of their parts; what is a variable or a number already
//! stays what it is.

use ployglot_csp::{Comparison, Constraint, Domain, Literal, Operand, VarId};

use super::super::nodes::{Int, IntNode, Nodes, Place};
use super::Emitter;
use crate::tree::Compare;

impl Emitter {
    /// The term as a variable or a number.
    pub fn operand(&mut self, nodes: &mut Nodes, int: Int) -> Operand {
        let id = match int {
            Int::Known(number) => match i32::try_from(number) {
                Ok(number) => return Operand::Number(number),
                Err(_) => {
                    nodes.overflow = true;
                    return Operand::Number(0);
                }
            },
            Int::Node(id) => id,
        };
        self.grow(nodes);
        if let Some(operand) = self.operands[id as usize] {
            return operand;
        }
        let node = nodes.int(id).clone();
        let operand = match node {
            IntNode::Var(var) => Operand::Var(var),
            IntNode::Truth(term) => {
                let literal = self.exact(nodes, term);
                match literal {
                    Literal::AtLeast(var, 1) if *self.problem.domain(var) == Domain::bool() => {
                        Operand::Var(var)
                    }
                    _ => {
                        let var = self.variable(nodes, Domain::bool(), None);
                        self.clause(&[!var.is_true(), literal]);
                        self.clause(&[var.is_true(), !literal]);
                        Operand::Var(var)
                    }
                }
            }
            _ => self.function(nodes, id, node),
        };
        self.grow(nodes);
        self.operands[id as usize] = Some(operand);
        operand
    }

    fn function(&mut self, nodes: &mut Nodes, id: u32, node: IntNode) -> Operand {
        let (low, high) = nodes.bounds(Int::Node(id));
        let (Ok(low), Ok(high)) = (i32::try_from(low), i32::try_from(high)) else {
            nodes.overflow = true;
            return Operand::Number(0);
        };
        let whole = Domain::range(low, high);
        match node {
            IntNode::Element { items, places } => {
                let domain = items.iter().fold(Domain::default(), |domain, &item| {
                    domain.union(&self.possible(nodes, item))
                });
                let operands = items.iter().map(|&item| self.operand(nodes, item));
                let operands: Vec<Operand> = operands.collect();
                let result = self.variable(nodes, domain, None);
                self.element(nodes, &operands, &places, result);
                Operand::Var(result)
            }
            IntNode::Sum(terms, constant) => {
                let result = self.variable(nodes, whole, None);
                let own = nodes.var(result);
                self.grow(nodes);
                let mut terms = terms.to_vec();
                if let Int::Node(own) = own {
                    terms.push((-1, own));
                }
                self.linear(nodes, &[], &terms, Comparison::Equal, -constant);
                Operand::Var(result)
            }
            IntNode::Product(a, b) => {
                let factors = [self.operand(nodes, a), self.operand(nodes, b)];
                let var = self.variable(nodes, whole, None);
                let result = Operand::Var(var);
                self.problem.post(Constraint::Product { factors, result });
                result
            }
            IntNode::Quotient(a, b) | IntNode::Remainder(a, b) => {
                let (dividend, divisor) = (self.operand(nodes, a), self.operand(nodes, b));
                let var = self.variable(nodes, whole, None);
                let result = Operand::Var(var);
                // Where the divisor is 0, the result is whatever it likes.
                let zero = nodes.equal(b, Int::Known(0));
                let prefix: Vec<Literal> = match zero.known() {
                    Some(_) => Vec::new(),
                    None => vec![self.exact(nodes, zero)],
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
                self.rule(&prefix, constraint);
                result
            }
            IntNode::Power(a, b) => {
                let (base, exponent) = (self.operand(nodes, a), self.operand(nodes, b));
                let var = self.variable(nodes, whole, None);
                let result = Operand::Var(var);
                let negative = nodes.compare(Compare::Less, b, Int::Known(0));
                let prefix: Vec<Literal> = match negative.known() {
                    Some(_) => Vec::new(),
                    None => vec![self.exact(nodes, negative)],
                };
                let constraint = Constraint::Power {
                    base,
                    exponent,
                    result,
                };
                self.rule(&prefix, constraint);
                result
            }
            IntNode::Absolute(of) => {
                let of = self.operand(nodes, Int::Node(of));
                let var = self.variable(nodes, whole, None);
                let result = Operand::Var(var);
                self.problem.post(Constraint::Absolute { of, result });
                result
            }
            IntNode::Minimum(ref items) | IntNode::Maximum(ref items) => {
                let operands = items.iter().map(|&item| self.operand(nodes, item));
                let operands = operands.collect();
                let var = self.variable(nodes, whole, None);
                let result = Operand::Var(var);
                let items = operands;
                self.problem.post(match node {
                    IntNode::Minimum(_) => Constraint::Minimum { items, result },
                    _ => Constraint::Maximum { items, result },
                });
                result
            }
            IntNode::Var(_) | IntNode::Truth(_) => unreachable!("these have operands already"),
        }
    }

    /// The values that a term may have, as far as that is cheap to say.
    fn possible(&self, nodes: &Nodes, int: Int) -> Domain {
        match int {
            Int::Known(number) => i32::try_from(number).map_or(Domain::default(), Domain::constant),
            Int::Node(id) => match nodes.int(id) {
                IntNode::Var(var) => self.problem.domain(*var).clone(),
                _ => match self.operands[id as usize] {
                    Some(Operand::Var(var)) => self.problem.domain(var).clone(),
                    _ => {
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

    /// Adds what holds where the indices do not pick this item. False: they never pick it.
    pub(super) fn elsewhere(
        &mut self,
        nodes: &mut Nodes,
        prefix: &mut Vec<Literal>,
        places: &[Place],
        item: usize,
    ) -> bool {
        let mut rest = item;
        let mut possible = true;
        for place in places.iter().rev() {
            let member = place.members[rest % place.members.len()];
            rest /= place.members.len();
            let here = nodes.equal(Int::Node(place.index), Int::Known(member));
            self.grow(nodes);
            match here.known() {
                Some(known) => possible &= known,
                None => {
                    let literal = self.literal(nodes, !here);
                    prefix.push(literal);
                }
            }
        }
        possible
    }

    fn element(&mut self, nodes: &mut Nodes, items: &[Operand], places: &[Place], result: VarId) {
        // One index that cannot miss is what solvers know as element.
        if let [place] = places
            && let Operand::Var(index) = self.operand(nodes, Int::Node(place.index))
        {
            let domain = self.problem.domain(index).clone();
            let hits = |value: i32| place.members.contains(&i64::from(value));
            let width = domain.max() as i64 - domain.min() as i64;
            if width < 4 * place.members.len() as i64 + 16 && domain.values().all(hits) {
                let first = domain.min();
                // Gaps in the index are never picked; any item will do there.
                let item = |value: i32| {
                    let at = place.members.iter().position(|&m| m == i64::from(value));
                    at.map_or(items[0], |at| items[at])
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
        for (at, &item) in items.iter().enumerate() {
            let mut prefix = Vec::new();
            if !self.elsewhere(nodes, &mut prefix, places, at) {
                continue;
            }
            match item {
                Operand::Number(number) => {
                    prefix.push(Literal::Is(result, number));
                    self.clause(&prefix);
                }
                Operand::Var(var) => {
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
