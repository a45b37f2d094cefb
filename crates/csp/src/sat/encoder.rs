//! From constraints to clauses. The encoder holds the views of all integers and a sink for clauses;
//! each group of constraints has its own file: linear, arithmetic, functions, tables, counting.
//!
//! A constraint on a condition is encoded as `condition → clause` for the clauses that constrain,
//! while the definitions of auxiliary literals are unconditional: they exclude no assignment of the
//! problem's variables. The constants true and false are two literals that never reach the solver.

use std::collections::HashMap;

use ployglot_base::Poll;

use super::counting::Extreme;
use super::solver::{Clauses, Lit};
use super::views::{Int, View};
use crate::problem::{
    Comparison, ConditionalConstraint, Constraint, Literal, Operand, Problem, Quantity, VarId,
};
use crate::rewrite;
use crate::visitor::{ConstraintVisitor, visit};

/// A constraint whose numbers or encoding are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Encodes a growing problem as clauses. The code of the encoding is compiled once, for any sink
/// (`Encoder<dyn Clauses>`): the call of a sink costs little beside the making of a clause.
pub struct Encoder<C: ?Sized> {
    pub(super) views: Vec<View>,
    /// The integer of each variable of the problem.
    ints: Vec<Int>,
    /// The integers of constants.
    numbers: HashMap<i32, Int>,
    /// Existing AND gates, by their inputs.
    gates: HashMap<(Lit, Lit), Lit>,
    pub(super) variables: u64,
    pub(super) clauses: u64,
    /// A variable has an empty domain: there is no solution.
    contradiction: bool,
    /// Ends the work at a limit.
    pub(super) poll: Poll,
    /// A limit ended the encoding within a constraint; its literals may not be defined completely.
    pub(super) broken: bool,
    /// The last field, so that its type can be erased.
    pub(super) sink: C,
}

impl Lit {
    pub(super) const TRUE: Self = Self::constant(i32::MAX);
    pub(super) const FALSE: Self = Self::constant(-i32::MAX);
}

impl<C: Clauses + 'static> Encoder<C> {
    /// An encoder that writes its clauses to the sink.
    pub fn new(sink: C) -> Self {
        Self {
            views: Vec::new(),
            ints: Vec::new(),
            numbers: HashMap::new(),
            gates: HashMap::new(),
            variables: 0,
            clauses: 0,
            contradiction: false,
            poll: Poll::default(),
            broken: false,
            sink,
        }
    }

    /// The encoder without the type of its sink.
    pub fn erased(&mut self) -> &mut Encoder<dyn Clauses> {
        self
    }
}

impl Encoder<dyn Clauses> {
    pub(super) fn fresh(&mut self) -> Lit {
        self.variables += 1;
        self.sink.fresh()
    }

    /// At least one of the literals is true.
    pub(super) fn clause(&mut self, literals: &[Lit]) {
        self.imply(Lit::TRUE, literals);
    }

    /// The condition implies at least one of the literals. Constants are resolved here.
    pub(super) fn imply(&mut self, condition: Lit, literals: &[Lit]) {
        self.poll.steps(1 + literals.len() / 8);
        let mut kept: smallvec::SmallVec<[Lit; 16]> = smallvec::SmallVec::new();
        for literal in literals.iter().copied().chain([!condition]) {
            if literal == Lit::TRUE {
                return;
            }
            if literal != Lit::FALSE {
                kept.push(literal);
            }
        }
        kept.sort_unstable_by_key(|l| (l.variable(), l.is_negative()));
        kept.dedup();
        if kept.windows(2).any(|pair| pair[0] == !pair[1]) {
            return;
        }
        self.clauses += 1;
        self.sink.clause(&kept);
    }

    /// A literal that is true exactly when both are (a shared AND gate).
    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (Lit::TRUE, other) | (other, Lit::TRUE) => return other,
            (Lit::FALSE, _) | (_, Lit::FALSE) => return Lit::FALSE,
            _ if a == b => return a,
            _ if a == !b => return Lit::FALSE,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&gate) = self.gates.get(&key) {
            return gate;
        }
        let gate = self.fresh();
        self.clause(&[!gate, a]);
        self.clause(&[!gate, b]);
        self.clause(&[gate, !a, !b]);
        self.gates.insert(key, gate);
        gate
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// A new integer.
    pub(super) fn integer(&mut self, view: View) -> Int {
        let id = Int(u32::try_from(self.views.len()).expect("fewer than 2^32 integers"));
        self.views.push(view);
        id
    }

    pub(super) fn number(&mut self, value: i32) -> Int {
        if let Some(&int) = self.numbers.get(&value) {
            return int;
        }
        let int = self.integer(View::new(crate::Domain::constant(value)));
        self.numbers.insert(value, int);
        int
    }

    pub(super) fn operand(&mut self, operand: Operand) -> Int {
        match operand {
            Operand::Number(value) => self.number(value),
            Operand::Var(variable) => self.variable(variable),
        }
    }

    pub(super) fn operands(&mut self, operands: &[Operand]) -> Vec<Int> {
        self.poll.steps(operands.len());
        operands.iter().map(|&o| self.operand(o)).collect()
    }

    /// The SAT literal of a statement about a variable.
    pub fn literal(&mut self, literal: Literal) -> Lit {
        match literal {
            Literal::Is(x, v) => self.is(self.variable(x), v),
            Literal::IsNot(x, v) => !self.is(self.variable(x), v),
            Literal::AtMost(x, v) => self.at_most(self.variable(x), v),
            Literal::AtLeast(x, v) => self.at_least(self.variable(x), v),
        }
    }

    /// Adds the variables that are new.
    pub fn add_variables(&mut self, problem: &Problem) {
        for variable in &problem.variables[self.ints.len()..] {
            self.poll.step();
            if variable.domain.is_empty() {
                self.clause(&[]);
                self.contradiction = true;
            }
            let int = self.integer(View::new(variable.domain.clone()));
            self.ints.push(int);
        }
    }

    /// Marks the variables that the constraint compares, so that they get an order view first.
    pub fn note_order(&mut self, posted: &ConditionalConstraint) {
        let mut order = |x: VarId| self.views[self.ints[x.index()].0 as usize].wants_order = true;
        let compared = |l: Literal| match l {
            Literal::AtLeast(x, _) | Literal::AtMost(x, _) => Some(x),
            Literal::Is(..) | Literal::IsNot(..) => None,
        };
        posted
            .when
            .and_then(compared)
            .into_iter()
            .for_each(&mut order);
        match &posted.constraint {
            Constraint::Clause(literals) => {
                literals
                    .iter()
                    .copied()
                    .filter_map(compared)
                    .for_each(order);
            }
            Constraint::Linear {
                terms, comparison, ..
            } => {
                let by_bounds = *comparison != Comparison::NotEqual;
                let wants = |q: Quantity| match q {
                    Quantity::Var(x) => by_bounds.then_some(x),
                    Quantity::Truth(l) => compared(l),
                };
                terms.iter().filter_map(|&(_, q)| wants(q)).for_each(order);
            }
            Constraint::Minimum { items, result } | Constraint::Maximum { items, result } => {
                for operand in items.iter().chain([result]) {
                    if let Operand::Var(x) = operand {
                        order(*x);
                    }
                }
            }
            _ => {}
        }
    }

    /// Encodes one constraint.
    pub fn add_constraint(&mut self, posted: &ConditionalConstraint) -> Result<(), TooLarge> {
        if self.contradiction {
            return Ok(());
        }
        let when = match posted.when {
            Some(literal) => self.literal(literal),
            None => Lit::TRUE,
        };
        if when == Lit::FALSE {
            return Ok(());
        }
        visit(self, when, &posted.constraint)
    }
}

impl<C: ?Sized> Encoder<C> {
    /// The integer of a variable of the problem.
    pub(super) fn variable(&self, variable: VarId) -> Int {
        self.ints[variable.index()]
    }

    /// A value for each variable of the problem, from the truth of the literals.
    pub fn values(&self, truth: impl Fn(Lit) -> bool) -> Vec<i32> {
        let value = |int: &Int| self.views[int.0 as usize].value(&truth);
        self.ints.iter().map(value).collect()
    }
}

impl ConstraintVisitor for Encoder<dyn Clauses> {
    type Condition<'c> = Lit;
    type Error = TooLarge;

    fn visit_clause(&mut self, when: Lit, literals: &[Literal]) -> Result<(), TooLarge> {
        let literals: Vec<Lit> = literals.iter().map(|&l| self.literal(l)).collect();
        self.imply(when, &literals);
        Ok(())
    }

    fn visit_linear(
        &mut self,
        when: Lit,
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i64,
    ) -> Result<(), TooLarge> {
        self.linear(when, terms, comparison, bound)
    }

    fn visit_element(
        &mut self,
        when: Lit,
        items: &[Operand],
        first: i32,
        index: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.element(when, items, first, index, result)
    }

    fn visit_table(
        &mut self,
        when: Lit,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), TooLarge> {
        self.table(when, columns, rows);
        Ok(())
    }

    fn visit_negative_table(
        &mut self,
        when: Lit,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), TooLarge> {
        self.negative_table(when, columns, rows);
        Ok(())
    }

    fn visit_all_different(
        &mut self,
        when: Lit,
        items: &[Operand],
        except: Option<i32>,
    ) -> Result<(), TooLarge> {
        self.all_different(when, items, except)
    }

    fn visit_count(
        &mut self,
        when: Lit,
        items: &[Operand],
        value: i32,
        count: Operand,
    ) -> Result<(), TooLarge> {
        let (terms, bound) = rewrite::counted(items, value, count);
        self.linear(when, &terms, Comparison::Equal, bound)
    }

    fn visit_minimum(
        &mut self,
        when: Lit,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.extreme(when, Extreme::Minimum, items, result)
    }

    fn visit_maximum(
        &mut self,
        when: Lit,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.extreme(when, Extreme::Maximum, items, result)
    }

    fn visit_product(
        &mut self,
        when: Lit,
        factors: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.product(when, factors, result)
    }

    fn visit_quotient(
        &mut self,
        when: Lit,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.quotient(when, sides, result)
    }

    fn visit_remainder(
        &mut self,
        when: Lit,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.remainder(when, sides, result)
    }

    fn visit_power(
        &mut self,
        when: Lit,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.power(when, sides, result)
    }

    fn visit_absolute(&mut self, when: Lit, of: Operand, result: Operand) -> Result<(), TooLarge> {
        self.absolute(when, of, result)
    }
}
