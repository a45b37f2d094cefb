//! From rules to clauses. The encoder holds the views of all integers and a sink for clauses; each kind of rule has its
//! room: sums, functions, tables, counting.
//!
//! A rule on a condition is encoded as `condition → clause` for the clauses that constrain, while the definitions of made-up
//! literals stand unconditionally: they restrict nobody. Constants are two literals that never reach the solver.

use std::collections::HashMap;

use super::solver::{Clauses, Lit};
use super::views::{Int, View};
use crate::problem::{Constraint, Literal, Operand, Problem, Quantity, Rule, VarId};

/// What a rule would need more than is reasonable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

pub struct Encoder<C> {
    pub(super) sink: C,
    pub(super) views: Vec<View>,
    /// The integer of each variable of the problem.
    of: Vec<Int>,
    numbers: HashMap<i32, Int>,
    /// Gates that exist already, by their inputs.
    gates: HashMap<(Lit, Lit), Lit>,
    pub(super) variables: u64,
    pub(super) clauses: u64,
    /// A variable has no value at all: there is nothing more to say.
    hopeless: bool,
}

impl Lit {
    pub(super) const TRUE: Self = Self::constant(i32::MAX);
    pub(super) const FALSE: Self = Self::constant(-i32::MAX);
}

impl<C: Clauses> Encoder<C> {
    pub fn new(sink: C) -> Self {
        Self {
            sink,
            views: Vec::new(),
            of: Vec::new(),
            numbers: HashMap::new(),
            gates: HashMap::new(),
            variables: 0,
            clauses: 0,
            hopeless: false,
        }
    }

    pub(super) fn fresh(&mut self) -> Lit {
        self.variables += 1;
        self.sink.fresh()
    }

    /// At least one of them; constants are resolved here.
    pub(super) fn clause(&mut self, literals: &[Lit]) {
        self.under(Lit::TRUE, literals);
    }

    /// The condition implies at least one of them.
    pub(super) fn under(&mut self, condition: Lit, literals: &[Lit]) {
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

    /// A literal that is true exactly when both are.
    pub(super) fn both(&mut self, a: Lit, b: Lit) -> Lit {
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

    pub(super) fn either(&mut self, a: Lit, b: Lit) -> Lit {
        !self.both(!a, !b)
    }

    /// A fresh integer with this domain.
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

    pub(super) fn variable(&self, variable: VarId) -> Int {
        self.of[variable.index()]
    }

    pub(super) fn operand(&mut self, operand: Operand) -> Int {
        match operand {
            Operand::Number(value) => self.number(value),
            Operand::Var(variable) => self.variable(variable),
        }
    }

    pub(super) fn operands(&mut self, operands: &[Operand]) -> Vec<Int> {
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

    /// Takes in the variables that are new.
    pub fn add_variables(&mut self, problem: &Problem) {
        for variable in &problem.variables[self.of.len()..] {
            if variable.domain.is_empty() {
                self.clause(&[]);
                self.hopeless = true;
            }
            let int = self.integer(View::new(variable.domain.clone()));
            self.of.push(int);
        }
    }

    /// Notes whose order will be wanted, so that the first view of each is the right one.
    pub fn announce(&mut self, rule: &Rule) {
        let mut order = |x: VarId| self.views[self.of[x.index()].0 as usize].wants_order = true;
        let literal = |l: Literal| match l {
            Literal::AtLeast(x, _) | Literal::AtMost(x, _) => Some(x),
            _ => None,
        };
        rule.when.and_then(literal).into_iter().for_each(&mut order);
        match &rule.constraint {
            Constraint::Clause(literals) => {
                literals.iter().copied().filter_map(literal).for_each(order);
            }
            Constraint::Linear {
                terms, comparison, ..
            } => {
                let plain = *comparison != crate::Comparison::NotEqual;
                let wants = |q: Quantity| match q {
                    Quantity::Var(x) => plain.then_some(x),
                    Quantity::Truth(l) => literal(l),
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

    pub fn add_rule(&mut self, rule: &Rule) -> Result<(), TooLarge> {
        if self.hopeless {
            return Ok(());
        }
        let when = match rule.when {
            Some(literal) => self.literal(literal),
            None => Lit::TRUE,
        };
        if when == Lit::FALSE {
            return Ok(());
        }
        match &rule.constraint {
            Constraint::Clause(literals) => {
                let literals: Vec<Lit> = literals.iter().map(|&l| self.literal(l)).collect();
                self.under(when, &literals);
                Ok(())
            }
            Constraint::Linear {
                terms,
                comparison,
                bound,
            } => self.linear(when, terms, *comparison, *bound),
            Constraint::Element {
                items,
                first,
                index,
                result,
            } => self.element(when, items, *first, *index, *result),
            Constraint::Table { columns, rows } => {
                self.table(when, columns, rows);
                Ok(())
            }
            Constraint::NegativeTable { columns, rows } => {
                self.negative_table(when, columns, rows);
                Ok(())
            }
            Constraint::AllDifferent { items, except } => {
                self.all_different(when, items, *except);
                Ok(())
            }
            Constraint::Count {
                items,
                value,
                count,
            } => self.count(when, items, *value, *count),
            Constraint::Minimum { items, result } => self.extreme(when, items, *result, true),
            Constraint::Maximum { items, result } => self.extreme(when, items, *result, false),
            Constraint::Product { factors, result } => self.product(when, *factors, *result),
            Constraint::Quotient {
                dividend,
                divisor,
                result,
            } => self.quotient(when, *dividend, *divisor, *result),
            Constraint::Remainder {
                dividend,
                divisor,
                result,
            } => self.remainder(when, *dividend, *divisor, *result),
            Constraint::Power {
                base,
                exponent,
                result,
            } => self.power(when, *base, *exponent, *result),
            Constraint::Absolute { of, result } => self.absolute(when, *of, *result),
        }
    }

    /// A value for each variable of the problem, from the truth of the literals.
    pub fn values(&self, truth: impl Fn(Lit) -> bool) -> Vec<i32> {
        let value = |int: &Int| self.views[int.0 as usize].value(&truth);
        self.of.iter().map(value).collect()
    }
}
