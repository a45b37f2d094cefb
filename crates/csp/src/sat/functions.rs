//! Element, products and their kin: rules that compute one operand from others.
//!
//! Where the arguments' values can be listed, a clause for each combination says what the result is, and each value of the
//! result says from what it can come. Larger ones go over bits: a product is a sum of conjunctions of bits, a quotient is
//! a product with a remainder.

use super::encoder::{Encoder, TooLarge};
use super::solver::{Clauses, Lit};
use super::sums::{Sum, Term};
use super::views::{Int, View};
use crate::domain::Domain;
use crate::problem::Operand;

/// So many combinations of arguments are listed.
const LISTED: u64 = 6000;
/// So many values of a result are asked for their reasons.
const SUPPORTED: u64 = 600;

impl<C: Clauses> Encoder<C> {
    /// The two are equal, or one of the `unless` is true.
    fn same(&mut self, unless: &[Lit], x: Int, y: Int) -> Result<(), TooLarge> {
        if x == y {
            return Ok(());
        }
        let with = |literals: &[Lit]| [unless, literals].concat();
        for (x, y) in [(x, y), (y, x)] {
            if let Some(v) = self.domain(x).fixed() {
                let literal = self.is(y, v);
                self.clause(&with(&[literal]));
                return Ok(());
            }
        }
        let (one, other) = (&self.views[x.0 as usize], &self.views[y.0 as usize]);
        let common = one.domain.intersect(&other.domain);
        if common.is_empty() {
            self.clause(unless);
            return Ok(());
        }
        let direct = one.prefers_direct() && other.prefers_direct();
        if direct {
            let all: Vec<i32> = one.domain.union(&other.domain).values().collect();
            for v in all {
                let (a, b) = (self.is(x, v), self.is(y, v));
                match a == Lit::FALSE {
                    true => self.clause(&with(&[!b])),
                    false => self.clause(&with(&[!a, b])),
                }
            }
            return Ok(());
        }
        if common.len() <= SUPPORTED {
            // Neither below nor above what both have, nor between two neighbours of it.
            let values: Vec<i32> = common.values().collect();
            for z in [x, y] {
                let (low, high) = (
                    self.at_least(z, values[0]),
                    self.at_most(z, values[values.len() - 1]),
                );
                self.clause(&with(&[low]));
                self.clause(&with(&[high]));
            }
            for pair in values.windows(2) {
                let (a, b) = (self.at_most(x, pair[0]), self.at_most(y, pair[0]));
                self.clause(&with(&[!a, b]));
                self.clause(&with(&[a, !b]));
                if pair[0] + 1 < pair[1] {
                    for z in [x, y] {
                        let (low, high) = (self.at_most(z, pair[0]), self.at_most(z, pair[1] - 1));
                        self.clause(&with(&[low, !high]));
                    }
                }
            }
            return Ok(());
        }
        let when = unless.iter().fold(Lit::TRUE, |all, &l| self.both(all, !l));
        self.equation(when, &[(1, x), (-1, y)], 0)
    }

    /// A sum of integers is a number.
    fn equation(&mut self, when: Lit, terms: &[(i64, Int)], bound: i64) -> Result<(), TooLarge> {
        let (terms, least) = self.plain_terms(terms)?;
        let bound = bound.checked_sub(least).ok_or(TooLarge)?;
        let sum = Sum {
            terms,
            at_least: Some(bound),
            at_most: Some(bound),
        };
        self.sum(when, sum)
    }

    /// The sum of integers is at most a number.
    pub(super) fn inequality(
        &mut self,
        when: Lit,
        terms: &[(i64, Int)],
        bound: i64,
    ) -> Result<(), TooLarge> {
        let (terms, least) = self.plain_terms(terms)?;
        let sum = Sum {
            terms,
            at_least: None,
            at_most: Some(bound.checked_sub(least).ok_or(TooLarge)?),
        };
        self.sum(when, sum)
    }

    fn plain_terms(&mut self, terms: &[(i64, Int)]) -> Result<(Vec<Term>, i64), TooLarge> {
        let (mut list, mut least) = (Vec::new(), 0i64);
        for &(weight, x) in terms {
            let domain = self.domain(x);
            let (low, high) = (i64::from(domain.min()), i64::from(domain.max()));
            let end = if weight > 0 { low } else { high };
            let lowest = weight.checked_mul(end).ok_or(TooLarge)?;
            weight.checked_mul(high - low).ok_or(TooLarge)?;
            least = least.checked_add(lowest).ok_or(TooLarge)?;
            match domain.len() {
                1 => {}
                2 => {
                    let top = if weight > 0 {
                        domain.max()
                    } else {
                        domain.min()
                    };
                    let literal = self.is(x, top);
                    list.push(Term::Truth(weight.abs() * (high - low), literal));
                }
                _ => list.push(Term::Var(weight, x)),
            }
        }
        Ok((list, least))
    }

    pub(super) fn element(
        &mut self,
        when: Lit,
        items: &[Operand],
        first: i32,
        index: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        let (items, index, result) = (
            self.operands(items),
            self.operand(index),
            self.operand(result),
        );
        let last = i64::from(first) + items.len() as i64 - 1;
        let (low, high) = (self.at_least(index, first), self.at_most_wide(index, last));
        self.under(when, &[low]);
        self.under(when, &[high]);
        let last = last.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        let inside = self.domain(index).intersect(&Domain::range(first, last));
        let places: Vec<(i32, Int)> = inside
            .values()
            .map(|i| (i, items[(i64::from(i) - i64::from(first)) as usize]))
            .collect();
        for &(i, item) in &places {
            let here = self.is(index, i);
            self.same(&[!when, !here], item, result)?;
        }
        // A value of the result comes from somewhere.
        let numbers = places
            .iter()
            .all(|&(_, item)| self.domain(item).fixed().is_some());
        if self.domain(result).len() <= SUPPORTED {
            let values: Vec<i32> = self.domain(result).values().collect();
            for v in values {
                let from: Vec<i32> = places
                    .iter()
                    .filter(|&&(_, item)| self.domain(item).contains(v))
                    .map(|place| place.0)
                    .collect();
                if from.len() == places.len() || !numbers && !from.is_empty() {
                    continue;
                }
                let mut clause: Vec<Lit> = from.iter().map(|&i| self.is(index, i)).collect();
                clause.push(!self.is(result, v));
                self.under(when, &clause);
            }
        }
        Ok(())
    }

    /// `result = f(of)`, false where `f` has no value.
    fn unary(&mut self, when: Lit, of: Int, result: Int, f: impl Fn(i64) -> Option<i64>) {
        let values: Vec<i32> = self.domain(of).values().collect();
        let supported = self.domain(result).len() <= SUPPORTED;
        let mut from: std::collections::BTreeMap<i32, Vec<Lit>> = Default::default();
        for v in values {
            let value = f(i64::from(v)).and_then(|value| i32::try_from(value).ok());
            let (here, there) = (
                self.is(of, v),
                value.map_or(Lit::FALSE, |value| self.is(result, value)),
            );
            self.under(when, &[!here, there]);
            if let Some(value) = value.filter(|_| there != Lit::FALSE) {
                from.entry(value).or_default().push(here);
            }
        }
        if supported {
            let values: Vec<i32> = self.domain(result).values().collect();
            for value in values {
                let mut clause = from.remove(&value).unwrap_or_default();
                clause.push(!self.is(result, value));
                self.under(when, &clause);
            }
        }
    }

    /// `result = f(a, b)`, false where `f` has no value.
    fn binary(
        &mut self,
        when: Lit,
        [a, b]: [Int; 2],
        result: Int,
        f: impl Fn(i64, i64) -> Option<i64>,
    ) {
        if a == b {
            return self.unary(when, a, result, |v| f(v, v));
        }
        if let Some(fixed) = self.domain(a).fixed() {
            return self.unary(when, b, result, |v| f(i64::from(fixed), v));
        }
        if let Some(fixed) = self.domain(b).fixed() {
            return self.unary(when, a, result, |v| f(v, i64::from(fixed)));
        }
        let lefts: Vec<i32> = self.domain(a).values().collect();
        let rights: Vec<i32> = self.domain(b).values().collect();
        let supported = self.domain(result).len() <= SUPPORTED;
        let mut from: std::collections::BTreeMap<i32, [Vec<Lit>; 2]> = Default::default();
        for &v in &lefts {
            let left = self.is(a, v);
            let row: Vec<Option<i32>> = rights
                .iter()
                .map(|&w| f(i64::from(v), i64::from(w)))
                .map(|value| value.and_then(|value| i32::try_from(value).ok()))
                .collect();
            // A row that has one value does not ask for the other argument.
            if row.iter().all(|value| *value == row[0]) {
                let there = row[0].map_or(Lit::FALSE, |value| self.is(result, value));
                self.under(when, &[!left, there]);
            }
            for (&w, &value) in rights.iter().zip(&row) {
                let right = self.is(b, w);
                let there = value.map_or(Lit::FALSE, |value| self.is(result, value));
                if row.iter().any(|value| *value != row[0]) {
                    self.under(when, &[!left, !right, there]);
                }
                if let Some(value) = value.filter(|_| there != Lit::FALSE) {
                    let [lefts, rights] = from.entry(value).or_default();
                    if lefts.last() != Some(&left) {
                        lefts.push(left);
                    }
                    rights.push(right);
                }
            }
        }
        if supported {
            let values: Vec<i32> = self.domain(result).values().collect();
            for value in values {
                let literal = self.is(result, value);
                match from.remove(&value) {
                    Some(reasons) => {
                        for mut clause in reasons {
                            clause.push(!literal);
                            self.under(when, &clause);
                        }
                    }
                    None => self.under(when, &[!literal]),
                }
            }
        }
    }

    fn combinations(&self, a: Int, b: Int) -> u64 {
        self.domain(a).len().saturating_mul(self.domain(b).len())
    }

    pub(super) fn product(
        &mut self,
        when: Lit,
        factors: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        let [a, b] = factors.map(|factor| self.operand(factor));
        let result = self.operand(result);
        for (a, b) in [(a, b), (b, a)] {
            if let Some(weight) = self.domain(a).fixed()
                && self.domain(b).len() > SUPPORTED
            {
                return self.equation_distinct(when, &[(i64::from(weight), b), (-1, result)], 0);
            }
        }
        if self.combinations(a, b) <= LISTED {
            self.binary(when, [a, b], result, |v, w| v.checked_mul(w));
            return Ok(());
        }
        self.product_and(when, a, b, &[(-1, result)])
    }

    /// An equation in which the same integer may stand twice.
    fn equation_distinct(
        &mut self,
        when: Lit,
        terms: &[(i64, Int)],
        bound: i64,
    ) -> Result<(), TooLarge> {
        let mut merged: Vec<(i64, Int)> = Vec::new();
        for &(weight, x) in terms {
            match merged.iter_mut().find(|term| term.1 == x) {
                Some(term) => term.0 += weight,
                None => merged.push((weight, x)),
            }
        }
        merged.retain(|term| term.0 != 0);
        self.equation(when, &merged, bound)
    }

    /// `a * b` and further terms come to nothing: a sum of conjunctions.
    fn product_and(
        &mut self,
        when: Lit,
        a: Int,
        b: Int,
        terms: &[(i64, Int)],
    ) -> Result<(), TooLarge> {
        let (left, right) = (self.weighted(a), self.weighted(b));
        let (low, other) = (
            i64::from(self.domain(a).min()),
            i64::from(self.domain(b).min()),
        );
        let mut sum = low.checked_mul(other).ok_or(TooLarge)?;
        let mut literals: Vec<(i64, Lit)> = Vec::new();
        let mut push = |weight: Option<i64>, literal: Lit| -> Result<(), TooLarge> {
            literals.push((weight.ok_or(TooLarge)?, literal));
            Ok(())
        };
        for &(weight, literal) in &left {
            push(weight.checked_mul(other), literal)?;
        }
        for &(weight, literal) in &right {
            push(weight.checked_mul(low), literal)?;
        }
        for &(x, one) in &left {
            for &(y, another) in &right {
                let both = self.both(one, another);
                push(x.checked_mul(y), both)?;
            }
        }
        for &(weight, x) in terms {
            let least = weight
                .checked_mul(i64::from(self.domain(x).min()))
                .ok_or(TooLarge)?;
            sum = sum.checked_add(least).ok_or(TooLarge)?;
            for (each, literal) in self.weighted(x) {
                push(weight.checked_mul(each), literal)?;
            }
        }
        let bits = self.add_up(&mut literals, &mut sum)?;
        let zero = Sum {
            terms: Vec::new(),
            at_least: Some(0),
            at_most: Some(0),
        };
        self.compare(when, &bits, sum, &zero)
    }

    pub(super) fn quotient(
        &mut self,
        when: Lit,
        dividend: Operand,
        divisor: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        let [a, b, result] = [dividend, divisor, result].map(|operand| self.operand(operand));
        if self.combinations(a, b) <= LISTED {
            self.binary(when, [a, b], result, |v, w| floor(v, w).map(|both| both.0));
            return Ok(());
        }
        let largest = self.magnitude(b) - 1;
        let remainder = self.between(-largest, largest)?;
        self.division(when, a, b, result, remainder)
    }

    pub(super) fn remainder(
        &mut self,
        when: Lit,
        dividend: Operand,
        divisor: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        let [a, b, result] = [dividend, divisor, result].map(|operand| self.operand(operand));
        if self.combinations(a, b) <= LISTED {
            self.binary(when, [a, b], result, |v, w| floor(v, w).map(|both| both.1));
            return Ok(());
        }
        let largest = self.magnitude(a) + 1;
        let quotient = self.between(-largest, largest)?;
        self.division(when, a, b, quotient, result)
    }

    fn magnitude(&self, x: Int) -> i64 {
        let domain = self.domain(x);
        i64::from(domain.min())
            .abs()
            .max(i64::from(domain.max()).abs())
    }

    fn between(&mut self, low: i64, high: i64) -> Result<Int, TooLarge> {
        let low = i32::try_from(low).map_err(|_| TooLarge)?;
        let high = i32::try_from(high.max(i64::from(low))).map_err(|_| TooLarge)?;
        Ok(self.integer(View::new(Domain::range(low, high))))
    }

    /// `a = b * quotient + remainder`, the remainder between 0 and the divisor, which is not 0.
    fn division(
        &mut self,
        when: Lit,
        a: Int,
        b: Int,
        quotient: Int,
        remainder: Int,
    ) -> Result<(), TooLarge> {
        let (positive, negative) = (self.at_least(b, 1), self.at_most(b, -1));
        self.under(when, &[positive, negative]);
        let (up, down) = (self.both(when, positive), self.both(when, negative));
        let (from_zero, to_zero) = (self.at_least(remainder, 0), self.at_most(remainder, 0));
        self.clause(&[!up, from_zero]);
        self.clause(&[!down, to_zero]);
        if up != Lit::FALSE {
            self.inequality(up, &distinct(&[(1, remainder), (-1, b)]), -1)?;
        }
        if down != Lit::FALSE {
            self.inequality(down, &distinct(&[(-1, remainder), (1, b)]), -1)?;
        }
        self.product_and(when, b, quotient, &[(1, remainder), (-1, a)])
    }

    pub(super) fn power(
        &mut self,
        when: Lit,
        base: Operand,
        exponent: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        let [base, exponent, result] =
            [base, exponent, result].map(|operand| self.operand(operand));
        let power = |v: i64, w: i64| v.checked_pow(u32::try_from(w).ok()?);
        if self.combinations(base, exponent) <= LISTED {
            self.binary(when, [base, exponent], result, power);
            return Ok(());
        }
        let sensible = self.at_least(exponent, 0);
        self.under(when, &[sensible]);
        let exponents = self.domain(exponent).intersect(&Domain::range(0, i32::MAX));
        if exponents.len() > 64 || !exponents.is_empty() && exponents.max() > 64 {
            return Err(TooLarge);
        }
        // Each power is the one before times the base; whatever leaves 32 bits cannot come back to the result.
        let one = self.number(1);
        let mut powers = vec![one];
        let largest = if exponents.is_empty() {
            0
        } else {
            exponents.max()
        };
        for k in 1..=largest as usize {
            let factor = powers[k - 1];
            let next = match k {
                1 => base,
                _ => self.between(i64::from(i32::MIN), i64::from(i32::MAX))?,
            };
            powers.push(next);
            if k > 1 {
                let needed = self.at_least(exponent, k as i32);
                let needed = self.both(when, needed);
                self.product_and(needed, factor, base, &[(-1, next)])?;
            }
        }
        let exponents: Vec<i32> = exponents.values().collect();
        for e in exponents {
            let here = self.is(exponent, e);
            self.same(&[!when, !here], powers[e as usize], result)?;
        }
        Ok(())
    }

    pub(super) fn absolute(
        &mut self,
        when: Lit,
        of: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        let [of, result] = [of, result].map(|operand| self.operand(operand));
        if self.domain(of).len() <= LISTED {
            self.unary(when, of, result, |v| Some(v.abs()));
            return Ok(());
        }
        let negative = self.at_most(of, -1);
        self.same(&[!when, negative], of, result)?;
        let mirrored = self.both(when, negative);
        self.equation_distinct(mirrored, &[(1, of), (1, result)], 0)
    }
}

fn distinct(terms: &[(i64, Int); 2]) -> Vec<(i64, Int)> {
    match terms[0].1 == terms[1].1 {
        true => Vec::new(),
        false => terms.to_vec(),
    }
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
