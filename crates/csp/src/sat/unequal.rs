//! Sums that must not equal a value, and equations of two variables: here single values matter, not
//! bounds.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::{SmallVec, smallvec};

use super::encoder::{Encoder, TooLarge};
use super::linear::Term;
use super::solver::{Clauses, Lit};
use super::views::below;
use crate::problem::Quantity;

/// Sums that need more clauses are encoded by adders.
const CLAUSES: usize = 4000;
/// Domains with at most this many values are listed.
const LISTED: u64 = 1500;

/// A value of a term, and the literals of which one is true if it has another value.
type Choice = (i64, SmallVec<[Lit; 2]>);

impl Encoder<dyn Clauses> {
    /// `a x + b y = bound` by the supports of each value, if both have direct literals anyway;
    /// false, and nothing encoded, otherwise.
    pub(super) fn equation_of_two(
        &mut self,
        when: Lit,
        terms: &[(i64, Quantity)],
        bound: i64,
    ) -> bool {
        let [(a, Quantity::Var(x)), (b, Quantity::Var(y))] = *terms else {
            return false;
        };
        let (x, y) = (self.variable(x), self.variable(y));
        let direct = |int: super::views::Int| {
            let view = &self.views[int.0 as usize];
            view.prefers_direct() && view.domain.len() <= LISTED
        };
        let small = |weight: i64| weight != 0 && weight.unsigned_abs() < 1 << 24;
        if x == y || !direct(x) || !direct(y) || !small(a) || !small(b) || bound.abs() > 1 << 60 {
            return false;
        }
        for (a, x, b, y) in [(a, x, b, y), (b, y, a, x)] {
            let values: Vec<i32> = self.domain(x).values().collect();
            for v in values {
                let rest = bound - a * i64::from(v);
                let partner = (rest % b == 0)
                    .then(|| i32::try_from(rest / b).ok())
                    .flatten();
                let partner = partner.map_or(Lit::FALSE, |w| self.is(y, w));
                // With "exactly one value" on both sides, the supports of one side imply those of
                // the other.
                if partner == Lit::FALSE || x < y {
                    let value = self.is(x, v);
                    self.imply(when, &[!value, partner]);
                }
            }
        }
        true
    }

    /// The sum is not the bound.
    pub(super) fn unequal(
        &mut self,
        when: Lit,
        terms: &[(i64, Quantity)],
        bound: i64,
    ) -> Result<(), TooLarge> {
        let (terms, least) = self.gather(terms)?;
        let target = bound.checked_sub(least).ok_or(TooLarge)?;
        let most: Vec<i64> = terms.iter().map(|t| self.most(t)).collect();
        let total = most
            .iter()
            .try_fold(0i64, |sum, &m| sum.checked_add(m))
            .ok_or(TooLarge)?;
        if target < 0 || target > total {
            return Ok(());
        }
        if let [Term::Var(weight, x)] = terms[..] {
            let domain = self.domain(x);
            let end = i64::from(if weight > 0 {
                domain.min()
            } else {
                domain.max()
            });
            if target % weight == 0
                && let Ok(v) = i32::try_from(end + target / weight)
            {
                let literal = self.is(x, v);
                self.imply(when, &[!literal]);
            }
            return Ok(());
        }
        let listed = terms.iter().all(|t| self.steps(t) <= LISTED);
        if !listed || self.paths(&terms, &most, target) > CLAUSES {
            return self.unequal_by_bits(when, &terms, target);
        }
        // The partial sums that can still reach the target; each is implied by the choices that
        // lead to it.
        let mut rest = total;
        let mut reached: BTreeMap<i64, Lit> = BTreeMap::from([(0, Lit::TRUE)]);
        for (i, term) in terms.iter().enumerate() {
            rest -= most[i];
            let last = i + 1 == terms.len();
            let choices = self.choices(term);
            let mut next: BTreeMap<i64, Lit> = BTreeMap::new();
            for (&sum, &node) in &reached {
                for (amount, unless) in &choices {
                    let sum = sum + amount;
                    if sum > target || sum + rest < target {
                        continue;
                    }
                    let implied = match (last, next.get(&sum)) {
                        (true, _) => Lit::FALSE,
                        (false, Some(&literal)) => literal,
                        (false, None) => {
                            let literal = self.fresh();
                            next.insert(sum, literal);
                            literal
                        }
                    };
                    let clause: SmallVec<[Lit; 4]> =
                        unless.iter().copied().chain([!node, implied]).collect();
                    match last {
                        true => self.imply(when, &clause),
                        false => self.clause(&clause),
                    }
                }
            }
            reached = next;
        }
        if terms.is_empty() {
            self.imply(when, &[]);
        }
        Ok(())
    }

    /// The number of clauses for the partial sums.
    fn paths(&self, terms: &[Term], most: &[i64], target: i64) -> usize {
        let mut rest: i64 = most.iter().sum();
        let mut reached = BTreeSet::from([0i64]);
        let mut cost = 0;
        for (term, most) in terms.iter().zip(most) {
            rest -= most;
            let amounts = self.amounts(term);
            cost += reached.len() * self.steps(term) as usize;
            if cost > CLAUSES {
                break;
            }
            let sums = reached
                .iter()
                .flat_map(|sum| amounts.iter().map(move |a| sum + a));
            reached = sums
                .filter(|&sum| sum <= target && sum + rest >= target)
                .collect();
        }
        cost
    }

    /// The values of a term with their literals.
    fn choices(&mut self, term: &Term) -> Vec<Choice> {
        match term {
            Term::Truth(weight, literal) => {
                vec![(0, smallvec![*literal]), (*weight, smallvec![!*literal])]
            }
            Term::Var(weight, x) => {
                let view = &self.views[x.0 as usize];
                let domain = view.domain.clone();
                let direct = view.prefers_direct();
                let end = i64::from(if *weight > 0 {
                    domain.min()
                } else {
                    domain.max()
                });
                let values: Vec<i32> = domain.values().collect();
                let choice = |v: i32| {
                    let unless = match (direct, below(&domain, v)) {
                        (true, _) => smallvec![!self.is(*x, v)],
                        (false, None) => smallvec![!self.at_most(*x, v)],
                        (false, Some(under)) => {
                            smallvec![self.at_most(*x, under), !self.at_most(*x, v)]
                        }
                    };
                    (weight * (i64::from(v) - end), unless)
                };
                values.into_iter().map(choice).collect()
            }
            Term::Function(x, table) => {
                let choice = |(&v, &amount): (&i32, &i64)| (amount, smallvec![!self.is(*x, v)]);
                table.iter().map(choice).collect()
            }
        }
    }

    fn unequal_by_bits(&mut self, when: Lit, terms: &[Term], target: i64) -> Result<(), TooLarge> {
        let (mut literals, shift) = self.weighted_terms(terms)?;
        let target = target.checked_sub(shift).ok_or(TooLarge)?;
        self.sum_differs(when, &mut literals, target)
    }
}
