//! Rules as Pumpkin's constraints: conditions, clauses, elements, tables and differences. Sums are in `sums.rs`, functions
//! of numbers in `arithmetic.rs`.
//!
//! A propagator on a condition must be one that can be reified by half. Where an index may miss, an element is not: it gets
//! an index and a result of its own, and only on the condition are they the ones that are meant.

use std::collections::BTreeMap;

use pumpkin_core::constraints::Constraint as Posted;
use pumpkin_core::predicates::{Predicate, PredicateConstructor};
use pumpkin_core::variables::{AffineView, DomainId, TransformableVariable};

use super::{CpBackend, LARGEST, Overflow};
use crate::domain::Domain;
use crate::problem::{Comparison, Constraint, Literal, Operand, Rule};
use crate::rewrite;

/// A solver's variable with the set of its values.
#[derive(Clone)]
pub(super) struct Int {
    pub id: DomainId,
    pub domain: Domain,
}

pub(super) type View = AffineView<DomainId>;

/// The condition of a rule.
#[derive(Clone, Copy)]
pub(super) struct When(pub Option<Literal>);

impl CpBackend {
    pub(super) fn post(&mut self, rule: &Rule) -> Result<(), Overflow> {
        let when = match rule.when.map(|literal| (literal, self.predicate(literal))) {
            Some((_, Err(false))) => return Ok(()),
            Some((literal, Ok(_))) => When(Some(literal)),
            Some((_, Err(true))) | None => When(None),
        };
        match &rule.constraint {
            Constraint::Clause(literals) => {
                self.literals(when, literals);
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
            Constraint::Table { columns, rows } => self.table(when, columns, rows),
            Constraint::NegativeTable { columns, rows } => {
                rows.iter().for_each(|row| self.forbid(when, columns, row));
                Ok(())
            }
            Constraint::AllDifferent { items, except } => self.all_different(when, items, *except),
            Constraint::Count {
                items,
                value,
                count,
            } => {
                let (terms, bound) = rewrite::counted(items, *value, *count);
                self.linear(when, &terms, Comparison::Equal, bound)
            }
            Constraint::Minimum { items, result } => self.extreme(when, items, *result, -1),
            Constraint::Maximum { items, result } => self.extreme(when, items, *result, 1),
            Constraint::Product { factors, result } => self.product(when, *factors, *result),
            Constraint::Quotient {
                dividend,
                divisor,
                result,
            } => self.quotient(when, [*dividend, *divisor], *result),
            Constraint::Remainder {
                dividend,
                divisor,
                result,
            } => self.remainder(when, [*dividend, *divisor], *result),
            Constraint::Power {
                base,
                exponent,
                result,
            } => self.power(when, [*base, *exponent], *result),
            Constraint::Absolute { of, result } => self.absolute(when, *of, *result),
        }
    }

    pub(super) fn add(&mut self, when: When, constraint: impl Posted) {
        match when.0 {
            None => self.solver.add_constraint(constraint).post(),
            Some(literal) => {
                let literal = self.truth(literal);
                self.solver.add_constraint(constraint).implied_by(literal);
            }
        }
    }

    /// The condition implies one of the literals.
    pub(super) fn literals(&mut self, when: When, literals: &[Literal]) {
        let mut clause = Vec::with_capacity(literals.len() + 1);
        for &literal in literals {
            match self.predicate(literal) {
                Ok(predicate) => clause.push(predicate),
                Err(true) => return,
                Err(false) => {}
            }
        }
        self.under(when, clause);
    }

    /// The condition implies one of the predicates.
    pub(super) fn under(&mut self, when: When, mut clause: Vec<Predicate>) {
        if let Some(literal) = when.0 {
            match self.predicate(!literal) {
                Ok(predicate) => clause.push(predicate),
                Err(true) => return,
                Err(false) => {}
            }
        }
        self.clause(clause);
    }

    /// A 0/1 variable that is the literal.
    pub(super) fn truth(&mut self, literal: Literal) -> pumpkin_core::variables::Literal {
        if let Some(&known) = self.literals.get(&literal) {
            return known;
        }
        let truth = match self.predicate(literal) {
            Err(true) => self.solver.get_true_literal(),
            Err(false) => self.solver.get_false_literal(),
            // A variable with the values 0 and 1 is its own literal.
            Ok(predicate) => match *self.domain(literal.variable()) == Domain::bool() {
                true => {
                    let own = pumpkin_core::variables::Literal::new(
                        self.variables[literal.variable().index()],
                    );
                    if literal.holds_for(1) { own } else { !own }
                }
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

    fn operands(&mut self, operands: &[Operand]) -> Result<Vec<Int>, Overflow> {
        operands.iter().map(|&o| self.operand(o)).collect()
    }

    pub(super) fn between(&mut self, low: i64, high: i64) -> Result<Int, Overflow> {
        let fits = |v: i64| i32::try_from(v).map_err(|_| Overflow);
        let domain = Domain::range(fits(low)?, fits(high.max(low))?);
        let id = self.integer(&domain)?;
        Ok(Int { id, domain })
    }

    /// The values of an operand.
    pub(super) fn values(&self, operand: Operand) -> Domain {
        match operand {
            Operand::Number(number) => Domain::constant(number),
            Operand::Var(x) => self.domain(x).clone(),
        }
    }

    /// Not these values together.
    fn forbid(&mut self, when: When, columns: &[Operand], row: &[i32]) {
        if let Some(clause) = rewrite::forbidden(|o| self.values(o), columns, row) {
            self.literals(when, &clause);
        }
    }

    fn element(
        &mut self,
        when: When,
        items: &[Operand],
        first: i32,
        index: Operand,
        result: Operand,
    ) -> Result<(), Overflow> {
        let items = self.operands(items)?;
        let (index, result) = (self.operand(index)?, self.operand(result)?);
        let last = i64::from(first) + items.len() as i64 - 1;
        let Ok(last) = i32::try_from(last) else {
            return Err(Overflow);
        };
        let inside = index.domain.intersect(&Domain::range(first, last));
        if inside.is_empty() || i64::from(first).abs() > LARGEST {
            self.under(when, Vec::new());
            return Ok(());
        }
        let array: Vec<DomainId> = items.iter().map(|item| item.id).collect();
        if when.0.is_none() && inside == index.domain {
            let tag = self.tag();
            let index = index.id.offset(-first);
            self.add(
                when,
                pumpkin_constraints::element(index, array, result.id, tag),
            );
            return Ok(());
        }
        // An index and a result of its own, for which it always holds; only on the condition are they the ones meant.
        let own = self.between(0, items.len() as i64 - 1)?;
        let all = items
            .iter()
            .fold(Domain::default(), |all, item| all.union(&item.domain));
        let found = self.between(i64::from(all.min()), i64::from(all.max()))?;
        let tag = self.tag();
        self.add(
            When(None),
            pumpkin_constraints::element(own.id, array, found.id, tag),
        );
        let tag = self.tag();
        let place: Vec<View> = vec![index.id.scaled(1), own.id.scaled(-1)];
        self.add(when, pumpkin_constraints::equals(place, first, tag));
        let tag = self.tag();
        let value: Vec<View> = vec![result.id.scaled(1), found.id.scaled(-1)];
        self.add(when, pumpkin_constraints::equals(value, 0, tag));
        Ok(())
    }

    fn table(
        &mut self,
        when: When,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), Overflow> {
        let columns = self.operands(columns)?;
        let fits = |row: &&Vec<i32>| columns.iter().zip(*row).all(|(x, &v)| x.domain.contains(v));
        let rows: std::collections::BTreeSet<Vec<i32>> =
            rows.iter().filter(fits).cloned().collect();
        let selectors: Vec<Predicate> = rows
            .iter()
            .map(|_| {
                self.made += 1;
                self.solver.new_literal().get_true_predicate()
            })
            .collect();
        self.under(when, selectors.clone());
        for (i, x) in columns
            .iter()
            .enumerate()
            .filter(|(_, x)| x.domain.fixed().is_none())
        {
            let mut supports: BTreeMap<i32, Vec<Predicate>> = BTreeMap::new();
            for (row, &selector) in rows.iter().zip(&selectors) {
                supports.entry(row[i]).or_default().push(selector);
            }
            for (v, mut supports) in supports {
                let value = x.id.equality_predicate(v);
                for &selector in &supports {
                    self.clause(vec![!selector, value]);
                }
                supports.push(!value);
                self.under(when, supports);
            }
        }
        Ok(())
    }

    fn all_different(
        &mut self,
        when: When,
        items: &[Operand],
        except: Option<i32>,
    ) -> Result<(), Overflow> {
        for (i, &a) in items.iter().enumerate() {
            for &b in &items[..i] {
                self.different(when, a, b, except)?;
            }
        }
        Ok(())
    }

    fn different(
        &mut self,
        when: When,
        a: Operand,
        b: Operand,
        except: Option<i32>,
    ) -> Result<(), Overflow> {
        let mut common = self.values(a).intersect(&self.values(b));
        if let Some(v) = except {
            common = common.minus(&Domain::constant(v));
        }
        if a == b || common.len() <= 6 || except.is_some() && common.len() <= 2000 {
            common
                .values()
                .for_each(|v| self.forbid(when, &[a, b], &[v, v]));
            return Ok(());
        }
        if except.is_some() {
            return Err(Overflow);
        }
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let tag = self.tag();
        let views: Vec<View> = vec![a.id.scaled(1), b.id.scaled(-1)];
        self.add(when, pumpkin_constraints::not_equals(views, 0, tag));
        Ok(())
    }

    /// The largest, or with sign -1 the least.
    fn extreme(
        &mut self,
        when: When,
        items: &[Operand],
        result: Operand,
        sign: i32,
    ) -> Result<(), Overflow> {
        if items.is_empty() {
            self.under(when, Vec::new());
            return Ok(());
        }
        let (items, result) = (self.operands(items)?, self.operand(result)?);
        let views: Vec<View> = items.iter().map(|item| item.id.scaled(sign)).collect();
        let tag = self.tag();
        self.add(
            when,
            pumpkin_constraints::maximum(views, result.id.scaled(sign), tag),
        );
        Ok(())
    }
}
