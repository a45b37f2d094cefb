//! Arithmetic functions for Pumpkin. Where it has no propagator, or one with another meaning (its
//! division rounds towards zero), there is a clause for each combination of arguments if these can
//! be listed; otherwise the function is decomposed.

use pumpkin_core::predicates::PredicateConstructor;
use pumpkin_core::variables::TransformableVariable;

use super::terms::{Int, View};
use super::{CpBackend, LARGEST, Overflow};
use crate::problem::{Literal, Operand};
use crate::rewrite::{self, floor};

/// A function without a propagator is listed if it has at most this many combinations of arguments.
const LISTED: u64 = 20_000;
/// A function with a propagator is listed if it has at most this many combinations.
const FEW: u64 = 64;

impl CpBackend {
    pub(super) fn product(
        &mut self,
        when: Option<Literal>,
        factors: [Operand; 2],
        result: Operand,
    ) -> Result<(), Overflow> {
        if self.listed(when, factors, result, FEW, |v, w| v.checked_mul(w)) {
            return Ok(());
        }
        let [a, b, c] = self.three(factors, result)?;
        self.times(when, &a, &b, &c)
    }

    pub(super) fn quotient(
        &mut self,
        when: Option<Literal>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), Overflow> {
        if self.listed(when, sides, result, LISTED, |v, w| Some(floor(v, w)?.0)) {
            return Ok(());
        }
        let [a, b, c] = self.three(sides, result)?;
        let largest = magnitude(&b) - 1;
        let remainder = self.between(-largest, largest)?;
        self.division(when, &a, &b, &c, &remainder)
    }

    pub(super) fn remainder(
        &mut self,
        when: Option<Literal>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), Overflow> {
        if self.listed(when, sides, result, LISTED, |v, w| Some(floor(v, w)?.1)) {
            return Ok(());
        }
        let [a, b, c] = self.three(sides, result)?;
        let largest = magnitude(&a) + 1;
        let quotient = self.between(-largest, largest)?;
        self.division(when, &a, &b, &quotient, &c)
    }

    pub(super) fn power(
        &mut self,
        when: Option<Literal>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), Overflow> {
        match self.listed(when, sides, result, LISTED, rewrite::power) {
            true => Ok(()),
            false => Err(Overflow),
        }
    }

    pub(super) fn absolute(
        &mut self,
        when: Option<Literal>,
        of: Operand,
        result: Operand,
    ) -> Result<(), Overflow> {
        let sides = [of, Operand::Number(0)];
        if self.listed(when, sides, result, FEW, |v, _| Some(v.abs())) {
            return Ok(());
        }
        let (of, result) = (self.operand(of)?, self.operand(result)?);
        let tag = self.tag();
        self.add(when, pumpkin_constraints::absolute(of.id, result.id, tag));
        Ok(())
    }

    /// `result = f(a, b)` by a clause for each combination; false, and nothing posted, if there
    /// are more than `most`.
    fn listed(
        &mut self,
        when: Option<Literal>,
        sides: [Operand; 2],
        result: Operand,
        most: u64,
        f: impl Fn(i64, i64) -> Option<i64>,
    ) -> bool {
        let [a, b] = sides.map(|side| self.values(side).len());
        if a.saturating_mul(b) > most {
            return false;
        }
        for clause in rewrite::listed(|o| self.values(o), sides, result, f) {
            self.clause_of(when, &clause);
        }
        true
    }

    fn three(&mut self, [a, b]: [Operand; 2], c: Operand) -> Result<[Int; 3], Overflow> {
        Ok([self.operand(a)?, self.operand(b)?, self.operand(c)?])
    }

    fn times(&mut self, when: Option<Literal>, a: &Int, b: &Int, c: &Int) -> Result<(), Overflow> {
        if magnitude(a).saturating_mul(magnitude(b)) > LARGEST {
            return Err(Overflow);
        }
        let tag = self.tag();
        self.add(when, pumpkin_constraints::times(a.id, b.id, c.id, tag));
        Ok(())
    }

    /// `a = b * quotient + remainder`, the remainder between 0 and the divisor, which is not 0.
    fn division(
        &mut self,
        when: Option<Literal>,
        a: &Int,
        b: &Int,
        quotient: &Int,
        remainder: &Int,
    ) -> Result<(), Overflow> {
        let reach = magnitude(a) + magnitude(b);
        let product = self.between(-reach, reach)?;
        // Both factors must be small for the product, and the absolute value of a quotient is at
        // most that of the dividend plus 1.
        let largest = magnitude(a) + 1;
        let (low, high) = (
            i64::from(quotient.domain.min()),
            i64::from(quotient.domain.max()),
        );
        let own = self.between(
            low.max(-largest).min(largest),
            high.min(largest).max(-largest),
        )?;
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
        // The remainder has the sign of the divisor.
        let positive = self.solver.new_literal();
        let (yes, no) = (
            positive.get_true_predicate(),
            positive.get_false_predicate(),
        );
        self.made += 1;
        self.imply(when, vec![no, b.id.lower_bound_predicate(1)]);
        self.imply(when, vec![yes, b.id.upper_bound_predicate(-1)]);
        self.imply(when, vec![no, remainder.id.lower_bound_predicate(0)]);
        self.imply(when, vec![yes, remainder.id.upper_bound_predicate(0)]);
        // remainder <= divisor - 1 + (not positive) * much, and the mirror image.
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

fn magnitude(x: &Int) -> i64 {
    x.domain.magnitude()
}
