//! Products, quotients, remainders, powers and absolute values.
//!
//! Where the arguments can be listed they are tables of a function (`functions.rs`). Larger ones go
//! over bits: a product is a sum of conjunctions of bits, a quotient is a product with a remainder.

use super::encoder::{Encoder, TooLarge};
use super::functions::SUPPORTED;
use super::linear::Sum;
use super::solver::{Clauses, Lit};
use super::views::{Int, View};
use crate::domain::Domain;
use crate::problem::Operand;
use crate::rewrite::{self, floor};

/// A function with at most this many combinations of arguments is listed.
const LISTED: u64 = 6000;
/// Where the arguments cannot be listed, more or larger exponents than this are refused.
const EXPONENTS: i32 = 64;

impl Encoder<dyn Clauses> {
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
                return self.equation_with_repeats(
                    when,
                    &[(i64::from(weight), b), (-1, result)],
                    0,
                );
            }
        }
        if self.combinations(a, b) <= LISTED {
            self.binary_function(when, [a, b], result, |v, w| v.checked_mul(w));
            return Ok(());
        }
        self.product_plus_is_zero(when, a, b, &[(-1, result)])
    }

    /// An equation in which the same integer may occur twice.
    fn equation_with_repeats(
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

    /// `a * b + terms = 0`: the product is a sum of conjunctions.
    fn product_plus_is_zero(
        &mut self,
        when: Lit,
        a: Int,
        b: Int,
        terms: &[(i64, Int)],
    ) -> Result<(), TooLarge> {
        let (left, right) = (self.weighted_literals(a), self.weighted_literals(b));
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
                let both = self.and(one, another);
                push(x.checked_mul(y), both)?;
            }
        }
        for &(weight, x) in terms {
            let least = weight
                .checked_mul(i64::from(self.domain(x).min()))
                .ok_or(TooLarge)?;
            sum = sum.checked_add(least).ok_or(TooLarge)?;
            for (each, literal) in self.weighted_literals(x) {
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
        [dividend, divisor]: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        let [a, b, result] = [dividend, divisor, result].map(|operand| self.operand(operand));
        if self.combinations(a, b) <= LISTED {
            self.binary_function(when, [a, b], result, |v, w| Some(floor(v, w)?.0));
            return Ok(());
        }
        let largest = self.domain(b).magnitude() - 1;
        let remainder = self.integer_between(-largest, largest)?;
        self.division(when, a, b, result, remainder)
    }

    pub(super) fn remainder(
        &mut self,
        when: Lit,
        [dividend, divisor]: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        let [a, b, result] = [dividend, divisor, result].map(|operand| self.operand(operand));
        if self.combinations(a, b) <= LISTED {
            self.binary_function(when, [a, b], result, |v, w| Some(floor(v, w)?.1));
            return Ok(());
        }
        let largest = self.domain(a).magnitude() + 1;
        let quotient = self.integer_between(-largest, largest)?;
        self.division(when, a, b, quotient, result)
    }

    fn integer_between(&mut self, low: i64, high: i64) -> Result<Int, TooLarge> {
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
        self.imply(when, &[positive, negative]);
        let (up, down) = (self.and(when, positive), self.and(when, negative));
        let (from_zero, to_zero) = (self.at_least(remainder, 0), self.at_most(remainder, 0));
        self.clause(&[!up, from_zero]);
        self.clause(&[!down, to_zero]);
        if up != Lit::FALSE {
            self.inequality(up, &distinct(&[(1, remainder), (-1, b)]), -1)?;
        }
        if down != Lit::FALSE {
            self.inequality(down, &distinct(&[(-1, remainder), (1, b)]), -1)?;
        }
        self.product_plus_is_zero(when, b, quotient, &[(1, remainder), (-1, a)])
    }

    pub(super) fn power(
        &mut self,
        when: Lit,
        [base, exponent]: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        let [base, exponent, result] =
            [base, exponent, result].map(|operand| self.operand(operand));
        if self.combinations(base, exponent) <= LISTED {
            self.binary_function(when, [base, exponent], result, rewrite::power);
            return Ok(());
        }
        let not_negative = self.at_least(exponent, 0);
        self.imply(when, &[not_negative]);
        let exponents = self.domain(exponent).intersect(&Domain::range(0, i32::MAX));
        let many = exponents.len() > EXPONENTS as u64;
        if many || !exponents.is_empty() && exponents.max() > EXPONENTS {
            return Err(TooLarge);
        }
        // Each power is the previous one times the base; one beyond 32 bits cannot be the result.
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
                _ => self.integer_between(i64::from(i32::MIN), i64::from(i32::MAX))?,
            };
            powers.push(next);
            if k > 1 {
                let needed = self.at_least(exponent, k as i32);
                let needed = self.and(when, needed);
                self.product_plus_is_zero(needed, factor, base, &[(-1, next)])?;
            }
        }
        let exponents: Vec<i32> = exponents.values().collect();
        for e in exponents {
            let here = self.is(exponent, e);
            self.equal_unless(&[!when, !here], powers[e as usize], result)?;
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
            self.unary_function(when, of, result, |v| Some(v.abs()));
            return Ok(());
        }
        let negative = self.at_most(of, -1);
        self.equal_unless(&[!when, negative], of, result)?;
        let mirrored = self.and(when, negative);
        self.equation_with_repeats(mirrored, &[(1, of), (1, result)], 0)
    }
}

/// The terms, or none if both are the same integer: they cancel out.
fn distinct(terms: &[(i64, Int); 2]) -> Vec<(i64, Int)> {
    match terms[0].1 == terms[1].1 {
        true => Vec::new(),
        false => terms.to_vec(),
    }
}
