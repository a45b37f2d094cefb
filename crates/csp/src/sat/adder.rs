//! Sums over bits, for weights and domains that neither ladders nor diagrams can list: every term
//! is split into weighted literals, each power of two has a bucket, and full adders carry from
//! bucket to bucket until one literal is left in each (Eén and Sörensson 2006). The bits of the sum
//! are then compared with the bound.

use super::encoder::{Encoder, TooLarge};
use super::linear::{Sum, Term};
use super::solver::{Clauses, Lit};
use super::views::Int;

/// Variables with at most this many values are summed by their thresholds instead of bits.
const STEPS: u64 = 12;

impl Encoder<dyn Clauses> {
    /// A variable as weighted literals, minus its least value.
    pub(super) fn weighted_literals(&mut self, x: Int) -> Vec<(i64, Lit)> {
        let domain = self.domain(x).clone();
        if domain.len() > STEPS {
            let bits = self.make_bits(x);
            return bits
                .into_iter()
                .enumerate()
                .map(|(i, bit)| (1i64 << i, bit))
                .collect();
        }
        let values: Vec<i32> = domain.values().collect();
        let steps = values.windows(2).map(|pair| {
            let step = i64::from(pair[1]) - i64::from(pair[0]);
            (step, !self.at_most(x, pair[0]))
        });
        steps.collect()
    }

    /// An estimate of the clauses of the adders.
    pub(super) fn adder_cost(&self, terms: &[Term], last: &Term) -> u64 {
        let width = |weight: u64| u64::from(weight.count_ones());
        let cost = |term: &Term| match term {
            Term::Truth(weight, _) => width(weight.unsigned_abs()),
            Term::Var(weight, x) => {
                let span = self.domain(*x).len();
                let bits = u64::from(64 - span.leading_zeros());
                width(weight.unsigned_abs()) * bits.min(span)
            }
            Term::Function(_, table) => table.len() as u64 * 2,
        };
        14 * terms.iter().chain([last]).map(cost).sum::<u64>()
    }

    /// Encodes the bounds of a sum by adders.
    pub(super) fn adder(&mut self, when: Lit, sum: &Sum) -> Result<(), TooLarge> {
        let (mut literals, mut shift) = self.weighted_terms(&sum.terms)?;
        let bits = self.add_up(&mut literals, &mut shift)?;
        self.compare(when, &bits, shift, sum)
    }

    /// The terms as weighted literals, and the constant to add to them.
    pub(super) fn weighted_terms(
        &mut self,
        terms: &[Term],
    ) -> Result<(Vec<(i64, Lit)>, i64), TooLarge> {
        let mut literals: Vec<(i64, Lit)> = Vec::new();
        let mut shift = 0i64;
        for term in terms {
            match term {
                Term::Truth(weight, literal) => literals.push((*weight, *literal)),
                Term::Var(weight, x) => {
                    let domain = self.domain(*x);
                    let span = i64::from(domain.max()) - i64::from(domain.min());
                    if *weight < 0 {
                        // Counted from the largest value.
                        shift = shift.checked_add(-weight * span).ok_or(TooLarge)?;
                    }
                    for (each, literal) in self.weighted_literals(*x) {
                        literals.push((weight.checked_mul(each).ok_or(TooLarge)?, literal));
                    }
                }
                Term::Function(..) => {
                    let ladder = self.ladder(term);
                    let steps = ladder.values.windows(2).zip(&ladder.at_least[1..]);
                    literals.extend(steps.map(|(pair, &literal)| (pair[1] - pair[0], literal)));
                }
            }
        }
        Ok((literals, shift))
    }

    /// The bits of the sum, lowest first. Literals with negative weights are negated, and `shift`
    /// is the constant to add to the bits.
    pub(super) fn add_up(
        &mut self,
        literals: &mut [(i64, Lit)],
        shift: &mut i64,
    ) -> Result<Vec<Lit>, TooLarge> {
        for (weight, literal) in literals.iter_mut() {
            if *weight < 0 {
                *shift = shift.checked_add(*weight).ok_or(TooLarge)?;
                *weight = -*weight;
                *literal = !*literal;
            }
        }
        let total = literals
            .iter()
            .try_fold(0i64, |sum, l| sum.checked_add(l.0));
        total.filter(|&t| t < 1 << 61).ok_or(TooLarge)?;
        let mut buckets: Vec<Vec<Lit>> = vec![Vec::new(); 64];
        for &(weight, literal) in literals.iter() {
            for (i, bucket) in buckets.iter_mut().enumerate() {
                if weight >> i & 1 == 1 && literal != Lit::FALSE {
                    bucket.push(literal);
                }
            }
        }
        let mut bits = Vec::new();
        for i in 0..buckets.len() {
            let mut queue = std::mem::take(&mut buckets[i]);
            let mut next = 0;
            while queue.len() - next > 1 {
                let (a, b) = (queue[next], queue[next + 1]);
                let c = queue.get(next + 2).copied().unwrap_or(Lit::FALSE);
                next = (next + 3).min(queue.len());
                let (digit, carry) = self.full_adder(a, b, c);
                queue.push(digit);
                if carry != Lit::FALSE {
                    buckets[i + 1].push(carry);
                }
            }
            bits.push(queue.get(next).copied().unwrap_or(Lit::FALSE));
        }
        while bits.last() == Some(&Lit::FALSE) {
            bits.pop();
        }
        Ok(bits)
    }

    /// The sum and the carry of three bits.
    fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let constant = |l: Lit| l == Lit::TRUE || l == Lit::FALSE;
        if [a, b, c].into_iter().any(constant) {
            let half = self.xor(a, b);
            let digit = self.xor(half, c);
            let (one, other) = (self.and(a, b), self.and(half, c));
            return (digit, self.or(one, other));
        }
        let (digit, carry) = (self.fresh(), self.fresh());
        for mask in 0..8 {
            let odd = (mask as u32).count_ones() % 2 == 1;
            let wrong = |i: i32, l: Lit| if mask >> i & 1 == 1 { !l } else { l };
            let digit = if odd { digit } else { !digit };
            self.clause(&[wrong(0, a), wrong(1, b), wrong(2, c), digit]);
        }
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.clause(&[!x, !y, carry]);
            self.clause(&[x, y, !carry]);
        }
        (digit, carry)
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (one, other) = (self.and(a, !b), self.and(!a, b));
        self.or(one, other)
    }

    /// The number with these bits, plus `shift`, is within the bounds of the sum.
    pub(super) fn compare(
        &mut self,
        when: Lit,
        bits: &[Lit],
        shift: i64,
        sum: &Sum,
    ) -> Result<(), TooLarge> {
        let target = |k: i64| k.checked_sub(shift).ok_or(TooLarge);
        if let (Some(low), Some(high)) = (sum.at_least, sum.at_most)
            && low == high
        {
            let wanted = target(low)?;
            let width = bits.len();
            if wanted < 0 || width < 63 && wanted >> width != 0 {
                self.imply(when, &[]);
                return Ok(());
            }
            for (i, &bit) in bits.iter().enumerate() {
                let literal = if wanted >> i & 1 == 1 { bit } else { !bit };
                self.imply(when, &[literal]);
            }
            return Ok(());
        }
        if let Some(k) = sum.at_most {
            let literal = match u64::try_from(target(k)?) {
                Ok(bound) => self.bits_at_most(bits, bound),
                Err(_) => Lit::FALSE,
            };
            self.imply(when, &[literal]);
        }
        if let Some(k) = sum.at_least {
            let literal = match u64::try_from(target(k)? - 1) {
                Ok(bound) => !self.bits_at_most(bits, bound),
                Err(_) => Lit::TRUE,
            };
            self.imply(when, &[literal]);
        }
        Ok(())
    }

    /// The sum of the weighted literals is not the target.
    pub(super) fn sum_differs(
        &mut self,
        when: Lit,
        literals: &mut [(i64, Lit)],
        target: i64,
    ) -> Result<(), TooLarge> {
        let mut shift = 0;
        let bits = self.add_up(literals, &mut shift)?;
        let target = target.checked_sub(shift).ok_or(TooLarge)?;
        if target < 0 || bits.len() < 63 && target >> bits.len() != 0 {
            return Ok(());
        }
        let differs = |(i, &bit): (usize, &Lit)| if target >> i & 1 == 1 { !bit } else { bit };
        let clause: Vec<Lit> = bits.iter().enumerate().map(differs).collect();
        self.imply(when, &clause);
        Ok(())
    }
}
