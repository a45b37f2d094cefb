//! Rules as rows. A rule on a condition is loosened by as much as the domains allow while the condition does not hold, and
//! by nothing more. Elements and tables are the convex hull of what they allow: a share for each way to satisfy them, the
//! shares sum to one (or to the condition), and each value of a variable has at least the shares that need it.

use std::collections::{BTreeMap, BTreeSet};

use super::arithmetic::Part;
use super::program::{Form, Program};
use super::{TooLarge, arithmetic};
use crate::domain::Domain;
use crate::problem::{Comparison, Constraint, Literal, Operand, Quantity, Rule, VarId};

/// So many shares make a hull; beyond that differences are bounded instead.
const SHARES: usize = 4096;
/// So many columns of values are made for one all-different; beyond that it is taken pair by pair.
const VALUES: u64 = 4096;
/// Weights beyond this are no matter for floating point, and their sums stay within 64 bits.
const HEAVIEST: i64 = 1 << 40;

pub(super) fn post(program: &mut Program, rule: &Rule) -> Result<(), TooLarge> {
    let when = match rule.when {
        None => Form::number(1),
        Some(literal) => program.truth(literal)?,
    };
    if when.is_number(0) {
        return Ok(());
    }
    match &rule.constraint {
        Constraint::Clause(literals) => program.clause(&when, literals),
        Constraint::Linear {
            terms,
            comparison,
            bound,
        } => program.linear(&when, terms, *comparison, *bound),
        Constraint::Element {
            items,
            first,
            index,
            result,
        } => program.element(&when, items, *first, *index, *result),
        Constraint::Table { columns, rows } => program.table(&when, columns, rows.iter().cloned()),
        Constraint::NegativeTable { columns, rows } => {
            for row in rows {
                let mut together = when.clone();
                for (&column, &v) in columns.iter().zip(row) {
                    together = together.plus(1, &program.is(column, v)?)?;
                }
                program.row(together, None, Some(columns.len() as i64))?;
            }
            Ok(())
        }
        Constraint::AllDifferent { items, except } => program.all_different(&when, items, *except),
        Constraint::Count {
            items,
            value,
            count,
        } => {
            let mut sum = Form::default();
            for &item in items {
                sum = sum.plus(1, &program.is(item, *value)?)?;
            }
            let sum = sum.plus(-1, &program.operand(*count))?;
            program.equal(&when, &sum, 0)
        }
        Constraint::Minimum { items, result } => program.extreme(&when, items, *result, -1),
        Constraint::Maximum { items, result } => program.extreme(&when, items, *result, 1),
        Constraint::Product { factors, result } => {
            let product = arithmetic::product(program, factors[0], factors[1])?;
            let difference = product.plus(-1, &program.operand(*result))?;
            program.equal(&when, &difference, 0)
        }
        Constraint::Quotient {
            dividend,
            divisor,
            result,
        } => arithmetic::divided(
            program,
            &when,
            [*dividend, *divisor, *result],
            Part::Quotient,
        ),
        Constraint::Remainder {
            dividend,
            divisor,
            result,
        } => arithmetic::divided(
            program,
            &when,
            [*dividend, *divisor, *result],
            Part::Remainder,
        ),
        Constraint::Power {
            base,
            exponent,
            result,
        } => arithmetic::power(program, &when, *base, *exponent, *result),
        Constraint::Absolute { of, result } => arithmetic::absolute(program, &when, *of, *result),
    }
}

/// The values for which a literal holds, among all numbers.
pub(super) fn values(literal: Literal) -> Domain {
    match literal {
        Literal::Is(_, v) => Domain::constant(v),
        Literal::IsNot(_, v) => Domain::range(i32::MIN, i32::MAX).minus(&Domain::constant(v)),
        Literal::AtLeast(_, v) => Domain::range(v, i32::MAX),
        Literal::AtMost(_, v) => Domain::range(i32::MIN, v),
    }
}

impl Program {
    fn truth(&mut self, literal: Literal) -> Result<Form, TooLarge> {
        self.member(literal.variable().index(), &values(literal))
    }

    pub fn operand(&self, operand: Operand) -> Form {
        match operand {
            Operand::Number(number) => Form::number(i64::from(number)),
            Operand::Var(x) => self.form(x.index()).clone(),
        }
    }

    pub fn values_of(&self, operand: Operand) -> Domain {
        match operand {
            Operand::Number(number) => Domain::constant(number),
            Operand::Var(x) => self.domain(x.index()).clone(),
        }
    }

    /// 1 where the operand has this value.
    pub fn is(&mut self, operand: Operand, v: i32) -> Result<Form, TooLarge> {
        match operand {
            Operand::Number(number) => Ok(Form::number(i64::from(number == v))),
            Operand::Var(x) => self.member(x.index(), &Domain::constant(v)),
        }
    }

    fn by_value(&self, operand: Operand) -> bool {
        match operand {
            Operand::Number(_) => true,
            Operand::Var(x) => self.has_values(x.index()),
        }
    }

    /// On the condition the form is at most the bound; else it may be what it can be.
    pub fn at_most(&mut self, when: &Form, form: &Form, bound: i64) -> Result<(), TooLarge> {
        let slack = self.range(form).1 - i128::from(bound);
        if slack <= 0 {
            return Ok(());
        }
        let slack = i64::try_from(slack).map_err(|_| TooLarge)?;
        let loose = form.clone().plus(slack, when)?;
        let bound = bound.checked_add(slack).ok_or(TooLarge)?;
        self.row(loose, None, Some(bound))
    }

    pub fn at_least(&mut self, when: &Form, form: &Form, bound: i64) -> Result<(), TooLarge> {
        let negative = Form::default().plus(-1, form)?;
        self.at_most(when, &negative, bound.checked_neg().ok_or(TooLarge)?)
    }

    pub fn equal(&mut self, when: &Form, form: &Form, bound: i64) -> Result<(), TooLarge> {
        if when.is_number(1) {
            return self.row(form.clone(), Some(bound), Some(bound));
        }
        self.at_most(when, form, bound)?;
        self.at_least(when, form, bound)
    }

    /// On the condition the form is not this number, unless `escape` is 1.
    fn not_equal(
        &mut self,
        when: &Form,
        form: &Form,
        bound: i64,
        escape: &Form,
    ) -> Result<(), TooLarge> {
        let (low, high) = self.range(form);
        let mut ways = escape.clone();
        if low < i128::from(bound) {
            let below = self.binary();
            self.at_most(&below, form, bound - 1)?;
            ways = ways.plus(1, &below)?;
        }
        if high > i128::from(bound) {
            let above = self.binary();
            self.at_least(&above, form, bound + 1)?;
            ways = ways.plus(1, &above)?;
        }
        self.row(ways.plus(-1, when)?, Some(0), None)
    }

    fn clause(&mut self, when: &Form, literals: &[Literal]) -> Result<(), TooLarge> {
        // What the literals of one variable allow is one set.
        let mut sets: BTreeMap<VarId, Domain> = BTreeMap::new();
        for &literal in literals {
            let set = sets.entry(literal.variable()).or_default();
            *set = set.union(&values(literal));
        }
        let mut sum = Form::default().plus(-1, when)?;
        for (x, set) in sets {
            sum = sum.plus(1, &self.member(x.index(), &set)?)?;
        }
        self.row(sum, Some(0), None)
    }

    fn linear(
        &mut self,
        when: &Form,
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i64,
    ) -> Result<(), TooLarge> {
        let mut sum = Form::default();
        for &(weight, quantity) in terms {
            if weight.abs() > HEAVIEST {
                return Err(TooLarge);
            }
            let form = match quantity {
                Quantity::Var(x) => self.form(x.index()).clone(),
                Quantity::Truth(literal) => self.truth(literal)?,
            };
            sum = sum.plus(weight, &form)?;
        }
        match comparison {
            Comparison::Equal => self.equal(when, &sum, bound),
            Comparison::AtMost => self.at_most(when, &sum, bound),
            Comparison::AtLeast => self.at_least(when, &sum, bound),
            Comparison::NotEqual => match terms[..] {
                [(weight, Quantity::Var(x))] if weight != 0 => {
                    let v = i32::try_from(bound / weight);
                    match v.ok().filter(|_| bound % weight == 0) {
                        Some(v) => self.clause(when, &[Literal::IsNot(x, v)]),
                        None => Ok(()),
                    }
                }
                [(a, Quantity::Var(x)), (b, Quantity::Var(y))]
                    if a.abs() == 1
                        && b.abs() == 1
                        && x != y
                        && self.has_values(x.index())
                        && self.has_values(y.index()) =>
                {
                    // a·x + b·y = bound for v and (bound - a·v) / b: not both.
                    for v in self.domain(x.index()).clone().values() {
                        let Ok(w) = i32::try_from(b * (bound - a * i64::from(v))) else {
                            continue;
                        };
                        if self.domain(y.index()).contains(w) {
                            let both = [self.is(Operand::Var(x), v)?, self.is(Operand::Var(y), w)?];
                            self.row(Form::sum(&both)?.plus(1, when)?, None, Some(2))?;
                        }
                    }
                    Ok(())
                }
                _ => self.not_equal(when, &sum, bound, &Form::default()),
            },
        }
    }

    fn element(
        &mut self,
        when: &Form,
        items: &[Operand],
        first: i32,
        index: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        let wanted = self.values_of(result);
        let last = i64::from(first) + items.len() as i64 - 1;
        let last = last.min(i64::from(i32::MAX)) as i32;
        let inside = self.values_of(index).intersect(&Domain::range(first, last));
        let item = |i: i32| items[(i64::from(i) - i64::from(first)) as usize];
        let common = |program: &Self, i: i32| program.values_of(item(i)).intersect(&wanted);
        let places: Vec<i32> = inside
            .values()
            .filter(|&i| !common(self, i).is_empty())
            .collect();
        let number = |&i: &i32| match item(i) {
            Operand::Number(number) => Some(vec![i, number]),
            Operand::Var(_) => None,
        };
        if let Some(rows) = places.iter().map(number).collect::<Option<Vec<_>>>() {
            return self.table(when, &[index, result], rows.into_iter());
        }
        // A share for each place; all of it where the index is fixed on the condition.
        let mut shares = Vec::with_capacity(places.len());
        for &i in &places {
            let here = self.is(index, i)?;
            let share = match when.is_number(1) {
                true => here,
                false => {
                    let share = self.binary();
                    self.row(here.plus(-1, &share)?, Some(0), None)?;
                    share
                }
            };
            shares.push(share);
        }
        let all = Form::sum(&shares)?.plus(-1, when)?;
        self.row(all, Some(0), Some(0))?;
        let sizes: u64 = places.iter().map(|&i| common(self, i).len()).sum();
        let listed = places.iter().all(|&i| self.by_value(item(i)));
        if sizes > SHARES as u64 || !listed || !self.by_value(result) {
            let to = self.operand(result);
            for (&i, share) in places.iter().zip(&shares) {
                let difference = to.clone().plus(-1, &self.operand(item(i)))?;
                self.equal(share, &difference, 0)?;
            }
            return Ok(());
        }
        // The share of a place is split among the values that its item and the result may both have.
        let mut needed: BTreeMap<i32, Form> = BTreeMap::new();
        for (&i, share) in places.iter().zip(&shares) {
            let values = common(self, i);
            let mut rest = share.clone();
            for v in values.values() {
                let part = match values.len() {
                    1 => share.clone(),
                    _ => Form::column(self.column(0, 1, false)),
                };
                rest = rest.plus(-1, &part)?;
                let has = self.is(item(i), v)?;
                self.row(has.plus(-1, &part)?, Some(0), None)?;
                let sum = needed.remove(&v).unwrap_or_default();
                needed.insert(v, sum.plus(1, &part)?);
            }
            self.row(rest, Some(0), Some(0))?;
        }
        for (v, sum) in needed {
            let has = self.is(result, v)?;
            self.row(has.plus(-1, &sum)?, Some(0), None)?;
        }
        Ok(())
    }

    pub fn table(
        &mut self,
        when: &Form,
        columns: &[Operand],
        rows: impl Iterator<Item = Vec<i32>>,
    ) -> Result<(), TooLarge> {
        let domains: Vec<Domain> = columns.iter().map(|&o| self.values_of(o)).collect();
        let fits = |row: &Vec<i32>| domains.iter().zip(row).all(|(d, &v)| d.contains(v));
        let rows: Vec<Vec<i32>> = BTreeSet::from_iter(rows.filter(fits)).into_iter().collect();
        let sure = when.is_number(1);
        // Where a column has another value in each row, its values are the shares.
        let tells = |&i: &usize| {
            let values: BTreeSet<i32> = rows.iter().map(|row| row[i]).collect();
            values.len() == rows.len() && self.by_value(columns[i])
        };
        let key = (0..columns.len()).find(tells).filter(|_| sure);
        let mut shares = Vec::with_capacity(rows.len());
        for row in &rows {
            shares.push(match key {
                Some(key) => self.is(columns[key], row[key])?,
                None => self.binary(),
            });
        }
        let all = Form::sum(&shares)?.plus(-1, when)?;
        self.row(all, Some(0), Some(0))?;
        for (i, &column) in columns.iter().enumerate() {
            if Some(i) == key || domains[i].fixed().is_some() {
                continue;
            }
            if !self.by_value(column) {
                let mut difference = self.operand(column);
                for (row, share) in rows.iter().zip(&shares) {
                    difference = difference.plus(-i64::from(row[i]), share)?;
                }
                self.equal(when, &difference, 0)?;
                continue;
            }
            let mut needed: BTreeMap<i32, Form> = BTreeMap::new();
            for (row, share) in rows.iter().zip(&shares) {
                let sum = needed.remove(&row[i]).unwrap_or_default();
                needed.insert(row[i], sum.plus(1, share)?);
            }
            for v in domains[i].values() {
                let has = self.is(column, v)?;
                match needed.get(&v) {
                    Some(sum) => {
                        let most = sure.then_some(0);
                        self.row(has.plus(-1, sum)?, Some(0), most)?;
                    }
                    None if sure => self.row(has, None, Some(0))?,
                    None => {}
                }
            }
        }
        Ok(())
    }

    fn all_different(
        &mut self,
        when: &Form,
        items: &[Operand],
        except: Option<i32>,
    ) -> Result<(), TooLarge> {
        let domains: Vec<Domain> = items.iter().map(|&o| self.values_of(o)).collect();
        let sizes: u64 = domains.iter().map(Domain::len).sum();
        if sizes <= VALUES {
            let all = domains.iter().fold(Domain::default(), |a, b| a.union(b));
            for v in all.values().filter(|&v| Some(v) != except) {
                let with = items.iter().zip(&domains).filter(|pair| pair.1.contains(v));
                let mut sum = Form::default();
                for (&item, _) in with {
                    sum = sum.plus(1, &self.is(item, v)?)?;
                }
                self.at_most(when, &sum, 1)?;
            }
            return Ok(());
        }
        for (i, &a) in items.iter().enumerate() {
            for &b in &items[..i] {
                let escape = match except {
                    Some(v) => self.is(a, v)?,
                    None => Form::default(),
                };
                let difference = self.operand(a).plus(-1, &self.operand(b))?;
                self.not_equal(when, &difference, 0, &escape)?;
            }
        }
        Ok(())
    }

    /// The largest, or with sign -1 the least.
    fn extreme(
        &mut self,
        when: &Form,
        items: &[Operand],
        result: Operand,
        sign: i64,
    ) -> Result<(), TooLarge> {
        let to = Form::default().plus(sign, &self.operand(result))?;
        let mut forms = Vec::with_capacity(items.len());
        for &item in items {
            forms.push(Form::default().plus(sign, &self.operand(item))?);
        }
        let floor = forms.iter().map(|form| self.range(form).0).max();
        let mut shares = Form::default().plus(-1, when)?;
        for form in &forms {
            let over = to.clone().plus(-1, form)?;
            self.at_least(when, &over, 0)?;
            // Only what can be above all the others' least can be the one.
            if Some(self.range(form).1) >= floor {
                let share = self.binary();
                self.at_most(&share, &over, 0)?;
                shares = shares.plus(1, &share)?;
            }
        }
        self.row(shares, Some(0), Some(0))
    }
}
