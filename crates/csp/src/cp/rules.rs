//! Rules as Pumpkin's constraints. What it has no propagator for, or one with another meaning (its division rounds towards
//! zero), is a clause for each combination of arguments where these can be listed, and else taken apart.

use std::collections::BTreeMap;

use pumpkin_core::constraints::Constraint as Posted;
use pumpkin_core::predicates::{Predicate, PredicateConstructor};
use pumpkin_core::variables::{AffineView, DomainId, TransformableVariable};

use super::{CpBackend, LARGEST, Overflow};
use crate::domain::Domain;
use crate::problem::{Comparison, Constraint, Literal, Operand, Quantity, Rule, VarId};

/// So many combinations of arguments are listed.
const LISTED: u64 = 20_000;

/// A solver's variable with the set of its values.
#[derive(Clone)]
struct Int {
    id: DomainId,
    domain: Domain,
}

type View = AffineView<DomainId>;

/// The condition of a rule.
#[derive(Clone, Copy)]
struct When(Option<Literal>);

impl CpBackend {
    pub(super) fn post(&mut self, rule: &Rule) -> Result<(), Overflow> {
        let when = match rule.when.map(|literal| (literal, self.predicate(literal))) {
            Some((_, Err(false))) => return Ok(()),
            Some((literal, Ok(_))) => When(Some(literal)),
            Some((_, Err(true))) | None => When(None),
        };
        match &rule.constraint {
            Constraint::Clause(literals) => {
                let mut clause = Vec::with_capacity(literals.len() + 1);
                for &literal in literals {
                    match self.predicate(literal) {
                        Ok(predicate) => clause.push(predicate),
                        Err(true) => return Ok(()),
                        Err(false) => {}
                    }
                }
                self.under(when, clause);
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
                let columns = self.operands(columns)?;
                for row in rows {
                    self.forbid(when, &columns, row);
                }
                Ok(())
            }
            Constraint::AllDifferent { items, except } => self.all_different(when, items, *except),
            Constraint::Count {
                items,
                value,
                count,
            } => {
                let mut terms = Vec::new();
                let mut bound = 0;
                for item in items {
                    match item {
                        Operand::Number(number) => bound -= i64::from(number == value),
                        Operand::Var(x) => {
                            terms.push((1, Quantity::Truth(Literal::Is(*x, *value))))
                        }
                    }
                }
                match count {
                    Operand::Number(number) => bound += i64::from(*number),
                    Operand::Var(x) => terms.push((-1, Quantity::Var(*x))),
                }
                self.linear(when, &terms, Comparison::Equal, bound)
            }
            Constraint::Minimum { items, result } => self.extreme(when, items, *result, -1),
            Constraint::Maximum { items, result } => self.extreme(when, items, *result, 1),
            Constraint::Product { factors, result } => {
                let [a, b, c] = self.three(factors[0], factors[1], *result)?;
                if combinations(&a, &b) <= 64 {
                    self.listed(when, [&a, &b], &c, |v, w| v.checked_mul(w));
                    return Ok(());
                }
                self.times(when, &a, &b, &c)
            }
            Constraint::Quotient {
                dividend,
                divisor,
                result,
            } => {
                let [a, b, c] = self.three(*dividend, *divisor, *result)?;
                if combinations(&a, &b) <= LISTED {
                    self.listed(when, [&a, &b], &c, |v, w| floor(v, w).map(|both| both.0));
                    return Ok(());
                }
                let largest = magnitude(&b) - 1;
                let remainder = self.between(-largest, largest)?;
                self.division(when, &a, &b, &c, &remainder)
            }
            Constraint::Remainder {
                dividend,
                divisor,
                result,
            } => {
                let [a, b, c] = self.three(*dividend, *divisor, *result)?;
                if combinations(&a, &b) <= LISTED {
                    self.listed(when, [&a, &b], &c, |v, w| floor(v, w).map(|both| both.1));
                    return Ok(());
                }
                let largest = magnitude(&a) + 1;
                let quotient = self.between(-largest, largest)?;
                self.division(when, &a, &b, &quotient, &c)
            }
            Constraint::Power {
                base,
                exponent,
                result,
            } => {
                let [a, b, c] = self.three(*base, *exponent, *result)?;
                if combinations(&a, &b) > LISTED {
                    return Err(Overflow);
                }
                self.listed(when, [&a, &b], &c, |v, w| {
                    v.checked_pow(u32::try_from(w).ok()?)
                });
                Ok(())
            }
            Constraint::Absolute { of, result } => {
                let (of, result) = (self.operand(*of)?, self.operand(*result)?);
                if of.domain.len() <= 64 {
                    let one = Int {
                        id: of.id,
                        domain: Domain::constant(0),
                    };
                    self.listed(when, [&of, &one], &result, |v, _| Some(v.abs()));
                    return Ok(());
                }
                let tag = self.tag();
                self.add(when, pumpkin_constraints::absolute(of.id, result.id, tag));
                Ok(())
            }
        }
    }

    fn add(&mut self, when: When, constraint: impl Posted) {
        match when.0 {
            None => self.solver.add_constraint(constraint).post(),
            Some(literal) => {
                let literal = self.truth(literal);
                self.solver.add_constraint(constraint).implied_by(literal);
            }
        }
    }

    /// The condition implies one of the predicates.
    fn under(&mut self, when: When, mut clause: Vec<Predicate>) {
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
    fn truth(&mut self, literal: Literal) -> pumpkin_core::variables::Literal {
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

    fn operand(&mut self, operand: Operand) -> Result<Int, Overflow> {
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

    fn three(&mut self, a: Operand, b: Operand, c: Operand) -> Result<[Int; 3], Overflow> {
        Ok([self.operand(a)?, self.operand(b)?, self.operand(c)?])
    }

    fn between(&mut self, low: i64, high: i64) -> Result<Int, Overflow> {
        let fits = |v: i64| i32::try_from(v).map_err(|_| Overflow);
        let domain = Domain::range(fits(low)?, fits(high.max(low))?);
        let id = self.integer(&domain)?;
        Ok(Int { id, domain })
    }

    /// Not these values together.
    fn forbid(&mut self, when: When, columns: &[Int], row: &[i32]) {
        if columns.iter().zip(row).all(|(x, &v)| x.domain.contains(v)) {
            let free = columns
                .iter()
                .zip(row)
                .filter(|(x, _)| x.domain.fixed().is_none());
            let clause = free.map(|(x, &v)| x.id.disequality_predicate(v)).collect();
            self.under(when, clause);
        }
    }

    fn linear(
        &mut self,
        when: When,
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i64,
    ) -> Result<(), Overflow> {
        // Each variable once, with its numbers in 64 bits until it is known that they fit.
        let mut variables: BTreeMap<VarId, i64> = BTreeMap::new();
        let mut truths: BTreeMap<Literal, i64> = BTreeMap::new();
        let mut bound = i128::from(bound);
        for &(weight, quantity) in terms {
            let sum = match quantity {
                Quantity::Var(x) if self.domain(x).fixed().is_some() => {
                    bound -= i128::from(weight) * i128::from(self.domain(x).min());
                    continue;
                }
                Quantity::Var(x) => variables.entry(x).or_default(),
                Quantity::Truth(literal) => match literal.known(self.domain(literal.variable())) {
                    Some(known) => {
                        bound -= i128::from(weight) * i128::from(known);
                        continue;
                    }
                    None => truths.entry(literal).or_default(),
                },
            };
            *sum = sum.checked_add(weight).ok_or(Overflow)?;
        }
        // The literal of a 0/1 variable is the variable.
        let literals: Vec<(Literal, i64)> = std::mem::take(&mut truths).into_iter().collect();
        for (literal, weight) in literals {
            let x = literal.variable();
            if *self.domain(x) == Domain::bool() {
                let (sign, shift) = if literal.holds_for(1) {
                    (1, 0)
                } else {
                    (-1, 1)
                };
                bound -= i128::from(weight) * shift;
                let sum = variables.entry(x).or_default();
                *sum = sum.checked_add(sign * weight).ok_or(Overflow)?;
            } else {
                truths.insert(literal, weight);
            }
        }
        let mut views: Vec<View> = Vec::new();
        let mut reach = 0i128;
        for (x, weight) in variables.into_iter().filter(|term| term.1 != 0) {
            let domain = self.domain(x);
            let largest = i128::from(domain.min())
                .abs()
                .max(i128::from(domain.max()).abs());
            reach += i128::from(weight.abs()) * largest;
            let weight = i32::try_from(weight).map_err(|_| Overflow)?;
            views.push(self.variables[x.index()].scaled(weight));
        }
        for (literal, weight) in truths.into_iter().filter(|term| term.1 != 0) {
            reach += i128::from(weight.abs());
            let weight = i32::try_from(weight).map_err(|_| Overflow)?;
            views.push(self.truth(literal).get_integer_variable().scaled(weight));
        }
        if reach > i128::from(LARGEST) {
            return Err(Overflow);
        }
        let holds = match comparison {
            _ if views.is_empty() => Some(match comparison {
                Comparison::Equal => bound == 0,
                Comparison::NotEqual => bound != 0,
                Comparison::AtMost => 0 <= bound,
                Comparison::AtLeast => 0 >= bound,
            }),
            Comparison::Equal if bound.abs() > reach => Some(false),
            Comparison::NotEqual if bound.abs() > reach => Some(true),
            Comparison::AtMost if bound.abs() > reach => Some(bound > 0),
            Comparison::AtLeast if bound.abs() > reach => Some(bound < 0),
            _ => None,
        };
        match holds {
            Some(true) => return Ok(()),
            Some(false) => {
                self.under(when, Vec::new());
                return Ok(());
            }
            None => {}
        }
        let bound = bound as i32;
        let tag = self.tag();
        match comparison {
            Comparison::Equal => self.add(when, pumpkin_constraints::equals(views, bound, tag)),
            Comparison::NotEqual => {
                self.add(when, pumpkin_constraints::not_equals(views, bound, tag))
            }
            Comparison::AtMost => {
                self.add(
                    when,
                    pumpkin_constraints::less_than_or_equals(views, bound, tag),
                );
            }
            Comparison::AtLeast => {
                self.add(
                    when,
                    pumpkin_constraints::greater_than_or_equals(views, bound, tag),
                );
            }
        }
        Ok(())
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
        let items = self.operands(items)?;
        for (i, a) in items.iter().enumerate() {
            for b in &items[..i] {
                self.different(when, a, b, except)?;
            }
        }
        Ok(())
    }

    fn different(
        &mut self,
        when: When,
        a: &Int,
        b: &Int,
        except: Option<i32>,
    ) -> Result<(), Overflow> {
        let mut common = a.domain.intersect(&b.domain);
        if let Some(v) = except {
            common = common.minus(&Domain::constant(v));
        }
        if a.id == b.id || common.len() <= 6 || except.is_some() && common.len() <= 2000 {
            for v in common.values() {
                self.forbid(when, &[a.clone(), b.clone()], &[v, v]);
            }
            return Ok(());
        }
        if except.is_some() {
            return Err(Overflow);
        }
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

    /// `c = f(a, b)` by a clause for each combination, false where `f` has no value.
    fn listed(
        &mut self,
        when: When,
        [a, b]: [&Int; 2],
        c: &Int,
        f: impl Fn(i64, i64) -> Option<i64>,
    ) {
        for v in a.domain.values() {
            for w in b.domain.values() {
                if a.id == b.id && b.domain.fixed().is_none() && v != w {
                    continue;
                }
                let value =
                    f(i64::from(v), i64::from(w)).and_then(|value| i32::try_from(value).ok());
                let value = value.filter(|&value| c.domain.contains(value));
                let mut clause = Vec::with_capacity(4);
                if a.domain.fixed().is_none() {
                    clause.push(a.id.disequality_predicate(v));
                }
                if b.domain.fixed().is_none() {
                    clause.push(b.id.disequality_predicate(w));
                }
                match value {
                    Some(_) if c.domain.fixed().is_some() => continue,
                    Some(value) => clause.push(c.id.equality_predicate(value)),
                    None => {}
                }
                self.under(when, clause);
            }
        }
    }

    fn times(&mut self, when: When, a: &Int, b: &Int, c: &Int) -> Result<(), Overflow> {
        if magnitude(a) * magnitude(b) > LARGEST {
            return Err(Overflow);
        }
        let tag = self.tag();
        self.add(when, pumpkin_constraints::times(a.id, b.id, c.id, tag));
        Ok(())
    }

    /// `a = b * quotient + remainder`, the remainder between 0 and the divisor, which is not 0.
    fn division(
        &mut self,
        when: When,
        a: &Int,
        b: &Int,
        quotient: &Int,
        remainder: &Int,
    ) -> Result<(), Overflow> {
        let reach = magnitude(a) + magnitude(b);
        let product = self.between(-reach, reach)?;
        // Both must be small for the product; the quotient of what is given is never larger than the dividend.
        let least = magnitude(a) + 1;
        let (low, high) = (
            i64::from(quotient.domain.min()),
            i64::from(quotient.domain.max()),
        );
        let own = self.between(low.max(-least).min(least), high.min(least).max(-least))?;
        let tag = self.tag();
        let same: Vec<View> = vec![quotient.id.scaled(1), own.id.scaled(-1)];
        self.add(when, pumpkin_constraints::equals(same, 0, tag));
        self.times(when, b, &own, &product)?;
        let tag = self.tag();
        let sum: Vec<View> = vec![
            product.id.scaled(1),
            remainder.id.scaled(1),
            a.id.scaled(-1),
        ];
        self.add(when, pumpkin_constraints::equals(sum, 0, tag));
        // Whether the divisor is positive, and what that says of the remainder.
        let positive = self.solver.new_literal();
        let (yes, no) = (
            positive.get_true_predicate(),
            positive.get_false_predicate(),
        );
        self.made += 1;
        self.under(when, vec![no, b.id.lower_bound_predicate(1)]);
        self.under(when, vec![yes, b.id.upper_bound_predicate(-1)]);
        self.under(when, vec![no, remainder.id.lower_bound_predicate(0)]);
        self.under(when, vec![yes, remainder.id.upper_bound_predicate(0)]);
        // remainder <= divisor - 1 + (no) * much, and the same upside down.
        let much = i32::try_from(2 * reach.max(magnitude(remainder)) + magnitude(b) + 2)
            .map_err(|_| Overflow)?;
        if i64::from(much) * 4 > LARGEST {
            return Err(Overflow);
        }
        let truth = positive.get_integer_variable();
        let tag = self.tag();
        let up: Vec<View> = vec![remainder.id.scaled(1), b.id.scaled(-1), truth.scaled(much)];
        self.add(
            when,
            pumpkin_constraints::less_than_or_equals(up, much - 1, tag),
        );
        let tag = self.tag();
        let down: Vec<View> = vec![remainder.id.scaled(-1), b.id.scaled(1), truth.scaled(-much)];
        self.add(
            when,
            pumpkin_constraints::less_than_or_equals(down, -1, tag),
        );
        Ok(())
    }
}

fn combinations(a: &Int, b: &Int) -> u64 {
    a.domain.len().saturating_mul(b.domain.len())
}

fn magnitude(x: &Int) -> i64 {
    i64::from(x.domain.min())
        .abs()
        .max(i64::from(x.domain.max()).abs())
}

/// Quotient rounded down, and remainder.
fn floor(a: i64, b: i64) -> Option<(i64, i64)> {
    if b == 0 {
        return None;
    }
    let down = a % b != 0 && (a < 0) != (b < 0);
    let quotient = a / b - i64::from(down);
    Some((quotient, a - b * quotient))
}
