//! Operands as Pumpkin's variables, literals as its predicates, and posting on a condition.

use pumpkin_core::constraints::Constraint as PumpkinConstraint;
use pumpkin_core::predicates::Predicate;
use pumpkin_core::variables::{AffineView, DomainId};

use super::{CpBackend, Overflow};
use crate::domain::Domain;
use crate::problem::{Literal, Operand};
use crate::rewrite;

/// A variable of the solver and its values.
#[derive(Clone)]
pub(super) struct Int {
    pub id: DomainId,
    pub domain: Domain,
}

pub(super) type View = AffineView<DomainId>;

impl CpBackend {
    /// Posts a propagator, half-reified if there is a condition.
    pub(super) fn add(&mut self, when: Option<Literal>, constraint: impl PumpkinConstraint) {
        let condition = when.map(|literal| self.truth(literal));
        if self.is_contradictory() {
            return;
        }
        match condition {
            None => self.solver.add_constraint(constraint).post(),
            Some(literal) => self.solver.add_constraint(constraint).implied_by(literal),
        }
    }

    /// The condition implies one of the literals.
    pub(super) fn clause_of(&mut self, when: Option<Literal>, literals: &[Literal]) {
        let mut clause = Vec::with_capacity(literals.len() + 1);
        for &literal in literals {
            match self.predicate(literal) {
                Ok(predicate) => clause.push(predicate),
                Err(true) => return,
                Err(false) => {}
            }
        }
        self.imply(when, clause);
    }

    /// The condition implies one of the predicates.
    pub(super) fn imply(&mut self, when: Option<Literal>, mut clause: Vec<Predicate>) {
        if let Some(literal) = when {
            match self.predicate(!literal) {
                Ok(predicate) => clause.push(predicate),
                Err(true) => return,
                Err(false) => {}
            }
        }
        self.clause(clause);
    }

    /// The 0/1 variable that is 1 where the literal is true.
    pub(super) fn truth(&mut self, literal: Literal) -> pumpkin_core::variables::Literal {
        if let Some(&known) = self.literals.get(&literal) {
            return known;
        }
        let truth = match self.predicate(literal) {
            Err(true) => self.solver.get_true_literal(),
            Err(false) => self.solver.get_false_literal(),
            // A 0/1 variable is its own literal.
            Ok(predicate) => match *self.domain(literal.variable()) == Domain::bool() {
                true => {
                    let own = pumpkin_core::variables::Literal::new(
                        self.variables[literal.variable().index()],
                    );
                    if literal.holds_for(1) { own } else { !own }
                }
                false if self.is_contradictory() => self.solver.get_true_literal(),
                false => {
                    let tag = self.tag();
                    self.made += 1;
                    self.solver.new_literal_for_predicate(predicate, tag)
                }
            },
        };
        self.literals.insert(literal, truth);
        truth
    }

    /// The solver's variable for an operand; constants get one each.
    pub(super) fn operand(&mut self, operand: Operand) -> Result<Int, Overflow> {
        Ok(match operand {
            Operand::Var(x) => Int {
                id: self.variables[x.index()],
                domain: self.domain(x).clone(),
            },
            Operand::Number(number) => {
                let domain = Domain::constant(number);
                let id = match self.numbers.get(&number) {
                    Some(&id) => id,
                    None => self.integer(&domain)?,
                };
                self.numbers.insert(number, id);
                Int { id, domain }
            }
        })
    }

    pub(super) fn operands(&mut self, operands: &[Operand]) -> Result<Vec<Int>, Overflow> {
        self.poll.steps(operands.len());
        operands.iter().map(|&o| self.operand(o)).collect()
    }

    /// A new variable with the values from `low` to `high`.
    pub(super) fn between(&mut self, low: i64, high: i64) -> Result<Int, Overflow> {
        let fits = |v: i64| i32::try_from(v).map_err(|_| Overflow);
        let domain = Domain::range(fits(low)?, fits(high.max(low))?);
        let id = self.integer(&domain)?;
        Ok(Int { id, domain })
    }

    /// The values of an operand.
    pub(super) fn values(&self, operand: Operand) -> Domain {
        operand.domain(|x| self.domain(x))
    }

    /// Forbids this combination of values.
    pub(super) fn forbid(&mut self, when: Option<Literal>, columns: &[Operand], row: &[i32]) {
        self.poll.step();
        if let Some(clause) = rewrite::forbidden(|o| self.values(o), columns, row) {
            self.clause_of(when, &clause);
        }
    }
}
