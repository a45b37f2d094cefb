//! Constraints as rows. A constraint on a condition is loosened by as much as the domains allow
//! while the condition is false, and by nothing more. Elements and tables are the convex hull of
//! their solutions: a selector for each alternative, the selectors sum to one (or to the
//! condition), and the column of a value is at least the sum of the selectors that need the value.

use std::collections::{BTreeMap, BTreeSet};

use super::arithmetic::Part;
use super::program::{Form, Program};
use super::{TooLarge, arithmetic};
use crate::domain::Domain;
use crate::problem::{Comparison, ConditionalConstraint, Literal, Operand, Quantity, VarId};
use crate::rewrite;
use crate::visitor::{ConstraintVisitor, visit};

/// A hull has at most this many selectors; beyond that differences are bounded instead.
const SELECTORS: usize = 4096;
/// An all-different makes at most this many value columns; beyond that it is posted pair by pair.
const VALUES: u64 = 4096;
/// Heavier weights are beyond floating point; sums of lighter ones stay within 64 bits.
const HEAVIEST: u64 = 1 << 40;

pub(super) fn post(program: &mut Program, posted: &ConditionalConstraint) -> Result<(), TooLarge> {
    let when = match posted.when {
        None => Form::number(1),
        Some(literal) => program.truth(literal)?,
    };
    if when.is_number(0) {
        return Ok(());
    }
    visit(program, &when, &posted.constraint)
}

impl Program {
    /// One of the rows is chosen by a 0/1 selector; the selectors sum to the condition.
    pub fn table(
        &mut self,
        when: &Form,
        columns: &[Operand],
        rows: impl Iterator<Item = Vec<i32>>,
    ) -> Result<(), TooLarge> {
        let domains: Vec<Domain> = columns.iter().map(|&o| self.values_of(o)).collect();
        let fits = |row: &Vec<i32>| {
            self.poll.steps(row.len());
            domains.iter().zip(row).all(|(d, &v)| d.contains(v))
        };
        let rows: Vec<Vec<i32>> = BTreeSet::from_iter(rows.filter(fits)).into_iter().collect();
        let unconditional = when.is_number(1);
        // Where a column has a different value in each row, its value columns are the selectors.
        let identifies_rows = |&i: &usize| {
            let values: BTreeSet<i32> = rows.iter().map(|row| row[i]).collect();
            values.len() == rows.len() && self.by_value(columns[i])
        };
        let key = (0..columns.len())
            .find(identifies_rows)
            .filter(|_| unconditional);
        let mut selectors = Vec::with_capacity(rows.len());
        for row in &rows {
            selectors.push(match key {
                Some(key) => self.is(columns[key], row[key])?,
                None => self.binary(),
            });
        }
        let all = Form::sum(&selectors)?.plus(-1, when)?;
        self.row(all, Some(0), Some(0))?;
        for (i, &column) in columns.iter().enumerate() {
            if Some(i) == key || domains[i].fixed().is_some() {
                continue;
            }
            if !self.by_value(column) {
                let mut difference = self.operand(column);
                for (row, selector) in rows.iter().zip(&selectors) {
                    difference = difference.plus(-i64::from(row[i]), selector)?;
                }
                self.equal(when, &difference, 0)?;
                continue;
            }
            let mut needed: BTreeMap<i32, Form> = BTreeMap::new();
            for (row, selector) in rows.iter().zip(&selectors) {
                let sum = needed.remove(&row[i]).unwrap_or_default();
                needed.insert(row[i], sum.plus(1, selector)?);
            }
            for v in domains[i].values() {
                let has = self.is(column, v)?;
                match needed.get(&v) {
                    Some(sum) => {
                        let most = unconditional.then_some(0);
                        self.row(has.plus(-1, sum)?, Some(0), most)?;
                    }
                    None if unconditional => self.row(has, None, Some(0))?,
                    None => {}
                }
            }
        }
        Ok(())
    }

    /// The maximum, or with sign -1 the minimum.
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
        let mut selectors = Form::default().plus(-1, when)?;
        for form in &forms {
            let over = to.clone().plus(-1, form)?;
            self.at_least(when, &over, 0)?;
            // Only an item that can exceed the lower bounds of all others can be the maximum.
            if Some(self.range(form).1) >= floor {
                let selector = self.binary();
                self.at_most(&selector, &over, 0)?;
                selectors = selectors.plus(1, &selector)?;
            }
        }
        self.row(selectors, Some(0), Some(0))
    }
}

impl ConstraintVisitor for Program {
    type Condition<'c> = &'c Form;
    type Error = TooLarge;

    fn visit_clause(&mut self, when: &Form, literals: &[Literal]) -> Result<(), TooLarge> {
        // The literals of one variable are one set of values.
        let mut sets: BTreeMap<VarId, Domain> = BTreeMap::new();
        for &literal in literals {
            let set = sets.entry(literal.variable()).or_default();
            *set = set.union(&literal.values());
        }
        let mut sum = Form::default().plus(-1, when)?;
        for (x, set) in sets {
            sum = sum.plus(1, &self.member(x.index(), &set)?)?;
        }
        self.row(sum, Some(0), None)
    }

    fn visit_linear(
        &mut self,
        when: &Form,
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i64,
    ) -> Result<(), TooLarge> {
        let mut sum = Form::default();
        for &(weight, quantity) in terms {
            if weight.unsigned_abs() > HEAVIEST {
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
                        Some(v) => self.visit_clause(when, &[Literal::IsNot(x, v)]),
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
                        let w = i128::from(b) * (i128::from(bound) - i128::from(a * i64::from(v)));
                        let Ok(w) = i32::try_from(w) else {
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

    fn visit_element(
        &mut self,
        when: &Form,
        items: &[Operand],
        first: i32,
        index: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        let wanted = self.values_of(result);
        let range = rewrite::indices(first, items.len());
        let inside = self.values_of(index).intersect(&range);
        let item = |i: i32| items[(i64::from(i) - i64::from(first)) as usize];
        let common = |program: &Self, i: i32| program.values_of(item(i)).intersect(&wanted);
        let indices: Vec<i32> = inside
            .values()
            .filter(|&i| !common(self, i).is_empty())
            .collect();
        let number = |&i: &i32| match item(i) {
            Operand::Number(number) => Some(vec![i, number]),
            Operand::Var(_) => None,
        };
        if let Some(rows) = indices.iter().map(number).collect::<Option<Vec<_>>>() {
            return self.table(when, &[index, result], rows.into_iter());
        }
        // A selector for each possible index; without a condition it is the index literal itself.
        let mut selectors = Vec::with_capacity(indices.len());
        for &i in &indices {
            let here = self.is(index, i)?;
            let selector = match when.is_number(1) {
                true => here,
                false => {
                    let selector = self.binary();
                    self.row(here.plus(-1, &selector)?, Some(0), None)?;
                    selector
                }
            };
            selectors.push(selector);
        }
        let all = Form::sum(&selectors)?.plus(-1, when)?;
        self.row(all, Some(0), Some(0))?;
        let sizes: u64 = indices.iter().map(|&i| common(self, i).len()).sum();
        let listed = indices.iter().all(|&i| self.by_value(item(i)));
        if sizes > SELECTORS as u64 || !listed || !self.by_value(result) {
            let to = self.operand(result);
            for (&i, selector) in indices.iter().zip(&selectors) {
                let difference = to.clone().plus(-1, &self.operand(item(i)))?;
                self.equal(selector, &difference, 0)?;
            }
            return Ok(());
        }
        // The selector of an index is split among the values that its item and the result share.
        let mut needed: BTreeMap<i32, Form> = BTreeMap::new();
        for (&i, selector) in indices.iter().zip(&selectors) {
            let values = common(self, i);
            let mut rest = selector.clone();
            for v in values.values() {
                let part = match values.len() {
                    1 => selector.clone(),
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

    fn visit_table(
        &mut self,
        when: &Form,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), TooLarge> {
        self.table(when, columns, rows.iter().cloned())
    }

    fn visit_negative_table(
        &mut self,
        when: &Form,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), TooLarge> {
        for row in rows {
            let mut together = when.clone();
            for (&column, &v) in columns.iter().zip(row) {
                together = together.plus(1, &self.is(column, v)?)?;
            }
            self.row(together, None, Some(columns.len() as i64))?;
        }
        Ok(())
    }

    fn visit_all_different(
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

    fn visit_count(
        &mut self,
        when: &Form,
        items: &[Operand],
        value: i32,
        count: Operand,
    ) -> Result<(), TooLarge> {
        let mut sum = Form::default();
        for &item in items {
            sum = sum.plus(1, &self.is(item, value)?)?;
        }
        let sum = sum.plus(-1, &self.operand(count))?;
        self.equal(when, &sum, 0)
    }

    fn visit_minimum(
        &mut self,
        when: &Form,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.extreme(when, items, result, -1)
    }

    fn visit_maximum(
        &mut self,
        when: &Form,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.extreme(when, items, result, 1)
    }

    fn visit_product(
        &mut self,
        when: &Form,
        [a, b]: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        let product = arithmetic::product(self, a, b)?;
        let difference = product.plus(-1, &self.operand(result))?;
        self.equal(when, &difference, 0)
    }

    fn visit_quotient(
        &mut self,
        when: &Form,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        arithmetic::divided(self, when, sides, result, Part::Quotient)
    }

    fn visit_remainder(
        &mut self,
        when: &Form,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        arithmetic::divided(self, when, sides, result, Part::Remainder)
    }

    fn visit_power(
        &mut self,
        when: &Form,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        arithmetic::power(self, when, sides, result)
    }

    fn visit_absolute(
        &mut self,
        when: &Form,
        of: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        arithmetic::absolute(self, when, of, result)
    }
}
