//! The store of terms for other front ends: they build terms over variables of their own, post them,
//! and get the flat problem. Essence specifications are refined through this.

use ployglot_base::Poll;
use ployglot_csp::{Domain, Goal, Problem, Quantity, VarId};

use super::arithmetic::LinearSum;
use super::nodes::{Bool, BoolNode, Int};
use super::{Steps, UnrolledTerms, Unroller};
use crate::tree::Compare;

/// Builds terms, each stored once and folded as far as domains allow, and posts them.
pub struct Terms {
    pub(crate) unroller: Unroller,
    /// What was posted for the instance that is built now.
    pub(crate) built: UnrolledTerms,
}

/// The flat problem, and for each variable of the front end where its value is.
pub struct Posted {
    /// The problem, for a back end.
    pub problem: Problem,
    /// For each variable of the problem, the quantity that has its value.
    pub quantities: Vec<Quantity>,
}

/// A number does not fit 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl Terms {
    /// An empty store, whose work the poll ends.
    pub fn new(poll: &Poll) -> Self {
        Terms {
            unroller: Unroller::new().with_poll(poll),
            built: UnrolledTerms::default(),
        }
    }

    /// The same store, which takes these steps to the flat problem.
    pub fn by(mut self, steps: Steps) -> Self {
        self.unroller.take_steps(steps);
        self
    }

    /// The variable of this name and domain, which must not be empty: that of an earlier instance in
    /// the same store, or a new one. Within an instance no two variables have the same name.
    pub fn variable(&mut self, domain: Domain, name: String) -> VarId {
        let var = self.unroller.variable(&name, Vec::new(), &domain);
        self.built.layout.variables.push(var);
        var
    }

    /// A variable as a term.
    pub fn var(&mut self, var: VarId) -> Int {
        self.unroller.nodes.var(var)
    }

    /// A variable with the values 0 and 1 as a boolean term.
    pub fn truth(&mut self, var: VarId) -> Bool {
        self.unroller.nodes.literal(var.is_true())
    }

    /// All of the parts hold.
    pub fn and(&mut self, parts: impl IntoIterator<Item = Bool>) -> Bool {
        self.unroller.nodes.and(parts)
    }

    /// At least one of the parts holds.
    pub fn or(&mut self, parts: impl IntoIterator<Item = Bool>) -> Bool {
        self.unroller.nodes.or(parts)
    }

    /// Both hold, or neither.
    pub fn iff(&mut self, left: Bool, right: Bool) -> Bool {
        self.unroller.nodes.iff(left, right)
    }

    /// 1 where the term is true, 0 where it is false.
    pub fn number(&mut self, term: Bool) -> Int {
        self.unroller.nodes.int_from_bool(term)
    }

    /// The two terms are equal.
    pub fn equal(&mut self, left: Int, right: Int) -> Bool {
        self.unroller.nodes.equal(left, right)
    }

    /// The left term is less than the right one.
    pub fn less(&mut self, left: Int, right: Int) -> Bool {
        self.unroller.nodes.compare(Compare::Less, left, right)
    }

    /// The left term is at most the right one.
    pub fn at_most(&mut self, left: Int, right: Int) -> Bool {
        self.unroller.nodes.compare(Compare::AtMost, left, right)
    }

    /// The sum of factor times term, plus the constant.
    pub fn sum(&mut self, parts: impl IntoIterator<Item = (i64, Int)>, constant: i64) -> Int {
        let nodes = &mut self.unroller.nodes;
        let mut total = LinearSum::from_constant(constant);
        for (factor, part) in parts {
            nodes.add(&mut total, factor, part);
        }
        nodes.total(total)
    }

    /// The product of two terms.
    pub fn product(&mut self, left: Int, right: Int) -> Int {
        self.unroller.nodes.product(left, right)
    }

    /// The quotient, rounded down; the value does not matter where the divisor is 0.
    pub fn quotient(&mut self, left: Int, right: Int) -> Int {
        self.unroller.nodes.quotient(left, right)
    }

    /// The remainder, which has the sign of the divisor.
    pub fn remainder(&mut self, left: Int, right: Int) -> Int {
        self.unroller.nodes.remainder(left, right)
    }

    /// The power; the value does not matter where the exponent is negative.
    pub fn power(&mut self, left: Int, right: Int) -> Int {
        self.unroller.nodes.power(left, right)
    }

    /// The absolute value.
    pub fn absolute(&mut self, of: Int) -> Int {
        self.unroller.nodes.absolute(of)
    }

    /// The least of the items, of which there is at least one.
    pub fn minimum(&mut self, items: Vec<Int>) -> Int {
        self.unroller.nodes.min_or_max(items, true)
    }

    /// The largest of the items, of which there is at least one.
    pub fn maximum(&mut self, items: Vec<Int>) -> Int {
        self.unroller.nodes.min_or_max(items, false)
    }

    /// The item whose member the index equals; the value does not matter where it is none of them.
    pub fn element(&mut self, items: Vec<Int>, index: Int, members: Vec<i64>) -> Int {
        self.unroller.nodes.element(items, vec![(index, members)])
    }

    /// No two items are equal, unless both have the excepted value.
    pub fn all_different(&mut self, items: Vec<Int>, except: Option<i64>) -> Bool {
        self.unroller.nodes.all_different(items, except)
    }

    /// The items are one of the rows.
    pub fn table(&mut self, items: Vec<Int>, rows: Vec<Vec<i64>>) -> Bool {
        self.unroller.nodes.table(items, rows)
    }

    /// The term has a value of the domain.
    pub fn within(&mut self, int: Int, domain: &Domain) -> Bool {
        self.unroller.nodes.within(int, domain)
    }

    /// The least and the greatest value that the term may have.
    pub fn bounds(&self, int: Int) -> (i64, i64) {
        self.unroller.nodes.bounds(int)
    }

    /// Whether the term may have this value.
    pub fn can_be(&self, int: Int, value: i64) -> bool {
        self.unroller.nodes.can_be(int, value)
    }

    /// Whether a number was too large since the last call.
    pub fn overflowed(&mut self) -> bool {
        std::mem::take(&mut self.unroller.nodes.overflow)
    }

    /// The term must hold. The parts of a conjunction are posted one by one: those that instances of
    /// two horizons have in common are then posted once, and for good.
    pub fn post(&mut self, term: Bool) {
        if term == Bool::TRUE {
            return;
        }
        match self.unroller.nodes.bool(term) {
            BoolNode::And(parts) if !term.negative() => {
                self.built.conjuncts.extend_from_slice(parts)
            }
            _ => self.built.conjuncts.push(term),
        }
    }

    /// The value of the term is to be optimised.
    pub fn optimise(&mut self, goal: Goal, value: Int) {
        self.built.objective = Some((goal, value));
    }

    /// The variables to decide first.
    pub fn branch(&mut self, variables: Vec<VarId>, heuristic: Option<&str>) {
        self.built.branching = variables;
        self.built.heuristic = heuristic.and_then(super::heuristic);
    }

    /// The flat problem of all that was posted.
    pub fn finish(mut self) -> Result<Posted, Overflow> {
        let mut built = std::mem::take(&mut self.built);
        let conjuncts = built.take_conjuncts();
        self.unroller
            .post_permanent(conjuncts)
            .map_err(|_| Overflow)?;
        self.unroller.finish(&mut built).map_err(|_| Overflow)?;
        Ok(Posted {
            quantities: self.unroller.quantities(),
            problem: self.unroller.emitter.problem,
        })
    }
}
