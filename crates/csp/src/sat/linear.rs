//! Linear constraints in normal form. Quantities of the same variable become one term, and every
//! term is counted from its least value. `sums.rs` then chooses an encoding.

use std::collections::BTreeMap;

use super::encoder::{Encoder, TooLarge};
use super::solver::{Clauses, Lit};
use super::sums::LISTED;
use super::views::Int;
use crate::problem::{Comparison, Quantity};

/// A term before its literals are made.
#[derive(Clone, Debug)]
pub(super) enum Term {
    /// A positive weight times a literal.
    Truth(i64, Lit),
    /// Weight times variable, minus its least value.
    Var(i64, Int),
    /// An amount for each value of a variable, the least 0.
    Function(Int, BTreeMap<i32, i64>),
}

/// The sum of the terms, each counted from its least value, is between the bounds.
pub(super) struct Sum {
    pub(super) terms: Vec<Term>,
    pub(super) at_least: Option<i64>,
    pub(super) at_most: Option<i64>,
}

impl Encoder<dyn Clauses> {
    /// Encodes a linear constraint.
    pub(super) fn linear(
        &mut self,
        when: Lit,
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i64,
    ) -> Result<(), TooLarge> {
        if comparison == Comparison::NotEqual {
            return self.unequal(when, terms, bound);
        }
        if comparison == Comparison::Equal && self.equation_of_two(when, terms, bound) {
            return Ok(());
        }
        let (terms, least) = self.gather(terms)?;
        let bound = bound.checked_sub(least).ok_or(TooLarge)?;
        let sum = Sum {
            terms,
            at_least: (comparison != Comparison::AtMost).then_some(bound),
            at_most: (comparison != Comparison::AtLeast).then_some(bound),
        };
        self.sum(when, sum)
    }

    /// One term for each variable, and the least value of the sum.
    pub(super) fn gather(
        &mut self,
        terms: &[(i64, Quantity)],
    ) -> Result<(Vec<Term>, i64), TooLarge> {
        let variable = |q: Quantity| match q {
            Quantity::Var(x) => x,
            Quantity::Truth(l) => l.variable(),
        };
        // The terms of each variable, in the order of their first occurrence.
        let mut groups: Vec<(Int, Vec<(i64, Quantity)>)> = Vec::new();
        let mut group_of = BTreeMap::new();
        if terms.iter().any(|term| term.0.unsigned_abs() > 1 << 56) {
            return Err(TooLarge);
        }
        for &(weight, quantity) in terms.iter().filter(|term| term.0 != 0) {
            let x = self.variable(variable(quantity));
            let at = *group_of.entry(x).or_insert(groups.len());
            if at == groups.len() {
                groups.push((x, Vec::new()));
            }
            groups[at].1.push((weight, quantity));
        }
        let (mut gathered, mut least) = (Vec::new(), 0i64);
        for (x, group) in groups {
            let domain = self.domain(x);
            if domain.is_empty() {
                continue;
            }
            let listed = domain.len() <= LISTED;
            let plain = |q: Quantity| matches!(q, Quantity::Var(_));
            if let [(weight, Quantity::Truth(literal))] = group[..] {
                least = least.checked_add(weight.min(0)).ok_or(TooLarge)?;
                let literal = self.literal(literal);
                push_truth(&mut gathered, &mut least, weight, literal);
            } else if listed && !(group.len() == 1 && domain.len() > 2) {
                let amount = |value: i32| -> Option<i64> {
                    let each = group.iter().map(|&(weight, quantity)| match quantity {
                        Quantity::Var(_) => weight.checked_mul(i64::from(value)),
                        Quantity::Truth(literal) => {
                            Some(weight * i64::from(literal.holds_for(value)))
                        }
                    });
                    each.into_iter()
                        .try_fold(0i64, |sum, each| sum.checked_add(each?))
                };
                let table: Option<BTreeMap<i32, i64>> =
                    domain.values().map(|v| Some((v, amount(v)?))).collect();
                let mut table = table.ok_or(TooLarge)?;
                let lowest = *table.values().min().expect("a value");
                table.values_mut().for_each(|amount| *amount -= lowest);
                least = least.checked_add(lowest).ok_or(TooLarge)?;
                let most = *table.values().max().expect("a value");
                if most == 0 {
                    continue;
                }
                gathered.push(match table.len() {
                    2 => {
                        let top = *table
                            .iter()
                            .find(|entry| *entry.1 == most)
                            .expect("a value")
                            .0;
                        Term::Truth(most, self.is(x, top))
                    }
                    _ => Term::Function(x, table),
                });
            } else {
                // Too many values to list: one term for the variable itself, and one for each
                // literal.
                let (low, high) = (i64::from(domain.min()), i64::from(domain.max()));
                let weights = group.iter().filter(|term| plain(term.1));
                let weight = weights.map(|term| i128::from(term.0)).sum::<i128>();
                let weight = i64::try_from(weight).map_err(|_| TooLarge)?;
                let end = if weight > 0 { low } else { high };
                let lowest = weight.checked_mul(end).ok_or(TooLarge)?;
                weight.checked_mul(high - low).ok_or(TooLarge)?;
                least = least.checked_add(lowest).ok_or(TooLarge)?;
                if weight != 0 && low < high {
                    gathered.push(Term::Var(weight, x));
                }
                for &(weight, quantity) in &group {
                    if let Quantity::Truth(literal) = quantity {
                        least = least.checked_add(weight.min(0)).ok_or(TooLarge)?;
                        let literal = self.literal(literal);
                        push_truth(&mut gathered, &mut least, weight, literal);
                    }
                }
            }
        }
        Ok((gathered, least))
    }

    /// The sum of the terms, which are distinct integers, equals the bound.
    pub(super) fn equation(
        &mut self,
        when: Lit,
        terms: &[(i64, Int)],
        bound: i64,
    ) -> Result<(), TooLarge> {
        self.bounded(when, terms, Some(bound), Some(bound))
    }

    /// The sum of the terms, which are distinct integers, is at most the bound.
    pub(super) fn inequality(
        &mut self,
        when: Lit,
        terms: &[(i64, Int)],
        bound: i64,
    ) -> Result<(), TooLarge> {
        self.bounded(when, terms, None, Some(bound))
    }

    fn bounded(
        &mut self,
        when: Lit,
        terms: &[(i64, Int)],
        at_least: Option<i64>,
        at_most: Option<i64>,
    ) -> Result<(), TooLarge> {
        let (terms, least) = self.plain_terms(terms)?;
        let shift = |bound: i64| bound.checked_sub(least).ok_or(TooLarge);
        let sum = Sum {
            terms,
            at_least: at_least.map(shift).transpose()?,
            at_most: at_most.map(shift).transpose()?,
        };
        self.sum(when, sum)
    }

    /// Terms of distinct integers, and the least value of their sum.
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

    /// The largest value of a term.
    pub(super) fn most(&self, term: &Term) -> i64 {
        match term {
            Term::Truth(weight, _) => *weight,
            Term::Var(weight, x) => {
                let domain = self.domain(*x);
                weight.abs() * (i64::from(domain.max()) - i64::from(domain.min()))
            }
            Term::Function(_, table) => *table.values().max().expect("a value"),
        }
    }

    /// The number of values of a term.
    pub(super) fn steps(&self, term: &Term) -> u64 {
        match term {
            Term::Truth(..) => 2,
            Term::Var(_, x) => self.domain(*x).len(),
            Term::Function(_, table) => table.len() as u64,
        }
    }

    /// The values of a term in ascending order.
    pub(super) fn amounts(&self, term: &Term) -> Vec<i64> {
        match term {
            Term::Truth(weight, _) => vec![0, *weight],
            Term::Var(weight, x) => {
                let domain = self.domain(*x);
                let end = i64::from(if *weight > 0 {
                    domain.min()
                } else {
                    domain.max()
                });
                let mut amounts: Vec<i64> = domain
                    .values()
                    .map(|v| weight * (i64::from(v) - end))
                    .collect();
                amounts.sort_unstable();
                amounts
            }
            Term::Function(_, table) => {
                let mut amounts: Vec<i64> = table.values().copied().collect();
                amounts.sort_unstable();
                amounts.dedup();
                amounts
            }
        }
    }
}

/// Adds a weighted literal as a term with a positive weight; constants are added to `least`.
fn push_truth(terms: &mut Vec<Term>, least: &mut i64, weight: i64, literal: Lit) {
    match (literal, weight > 0) {
        (Lit::TRUE, true) => *least += weight,
        (Lit::FALSE, false) => *least -= weight,
        (Lit::TRUE, false) | (Lit::FALSE, true) => {}
        (_, true) => terms.push(Term::Truth(weight, literal)),
        // -w * l = -w + w * (not l).
        (_, false) => terms.push(Term::Truth(-weight, !literal)),
    }
}
