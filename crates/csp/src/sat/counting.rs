//! All-different, counting, least and largest.

use std::collections::BTreeMap;

use super::encoder::{Encoder, TooLarge};
use super::solver::{Clauses, Lit};
use super::sums::{Sum, Term};
use super::views::Int;
use crate::problem::{Comparison, Literal, Operand, Quantity};

/// Up to here the values of an operand are listed.
const LISTED: u64 = 1500;

impl<C: Clauses> Encoder<C> {
    /// At most one item for each value; and where there are as many values as items, at least one.
    pub(super) fn all_different(&mut self, when: Lit, items: &[Operand], except: Option<i32>) {
        let items = self.operands(items);
        let mut takers: BTreeMap<i32, Vec<Int>> = BTreeMap::new();
        let mut wide: Vec<Int> = Vec::new();
        for &x in &items {
            match self.domain(x).len() <= LISTED {
                true => self
                    .domain(x)
                    .values()
                    .for_each(|v| takers.entry(v).or_default().push(x)),
                false => wide.push(x),
            }
        }
        let permutation = wide.is_empty() && except.is_none() && takers.len() == items.len();
        let too_few = wide.is_empty() && except.is_none() && takers.len() < items.len();
        if too_few {
            self.under(when, &[]);
            return;
        }
        for (v, takers) in &takers {
            if Some(*v) == except {
                continue;
            }
            let mut literals: Vec<Lit> = takers.iter().map(|&x| self.is(x, *v)).collect();
            if permutation && items.len() > 1 {
                self.under(when, &literals);
            }
            // The same variable twice, or a number.
            literals.sort_unstable();
            for pair in literals.windows(2) {
                if pair[0] == pair[1] {
                    self.under(when, &[!pair[0]]);
                }
            }
            literals.dedup();
            if literals.contains(&Lit::TRUE) {
                literals
                    .iter()
                    .filter(|&&l| l != Lit::TRUE)
                    .for_each(|&l| self.under(when, &[!l]));
            } else if literals.len() > 1 {
                let sum = Sum {
                    terms: literals.iter().map(|&l| Term::Truth(1, l)).collect(),
                    at_least: None,
                    at_most: Some(1),
                };
                let _ = self.sum(when, sum);
            }
        }
        // Those with very many values, pair by pair.
        for (i, &x) in wide.iter().enumerate() {
            let others = wide[..i]
                .iter()
                .chain(items.iter().filter(|item| !wide.contains(item)));
            let others: Vec<Int> = others.copied().collect();
            for y in others {
                self.different(when, x, y, except);
            }
        }
    }

    fn different(&mut self, when: Lit, x: Int, y: Int, except: Option<i32>) {
        let when = match except {
            Some(v) => {
                let (a, b) = (self.is(x, v), self.is(y, v));
                let excused = self.both(a, b);
                self.both(when, !excused)
            }
            None => when,
        };
        let common = self.domain(x).intersect(self.domain(y));
        if x == y {
            self.under(when, &[]);
        } else if common.len() <= LISTED {
            let values: Vec<i32> = common.values().collect();
            for v in values {
                let (a, b) = (self.is(x, v), self.is(y, v));
                self.under(when, &[!a, !b]);
            }
        } else {
            let low = i64::from(self.domain(x).min()) - i64::from(self.domain(y).min());
            let mut literals = self.weighted(x);
            literals.extend(self.weighted(y).into_iter().map(|(w, l)| (-w, l)));
            let _ = self.differs(when, &mut literals, -low);
        }
    }

    pub(super) fn count(
        &mut self,
        when: Lit,
        items: &[Operand],
        value: i32,
        count: Operand,
    ) -> Result<(), TooLarge> {
        let mut terms: Vec<(i64, Quantity)> = Vec::new();
        let mut bound = 0i64;
        for item in items {
            match item {
                Operand::Number(number) => bound -= i64::from(*number == value),
                Operand::Var(x) => terms.push((1, Quantity::Truth(Literal::Is(*x, value)))),
            }
        }
        match count {
            Operand::Number(number) => bound += i64::from(number),
            Operand::Var(x) => terms.push((-1, Quantity::Var(x))),
        }
        self.linear(when, &terms, Comparison::Equal, bound)
    }

    /// The least, or the largest, of the items.
    pub(super) fn extreme(
        &mut self,
        when: Lit,
        items: &[Operand],
        result: Operand,
        least: bool,
    ) -> Result<(), TooLarge> {
        if items.is_empty() {
            self.under(when, &[]);
            return Ok(());
        }
        let (items, result) = (self.operands(items), self.operand(result));
        let all = items.iter().fold(self.domain(result).clone(), |all, &x| {
            all.union(self.domain(x))
        });
        if all.len() <= LISTED {
            let values: Vec<i32> = all.values().collect();
            for v in values {
                let of: Vec<Lit> = items.iter().map(|&x| self.at_most(x, v)).collect();
                let reached = self.at_most(result, v);
                // The least is at most v if one of them is; the largest if all are.
                if least {
                    of.iter().for_each(|&l| self.under(when, &[!l, reached]));
                    self.under(when, &[&of[..], &[!reached]].concat());
                } else {
                    of.iter().for_each(|&l| self.under(when, &[l, !reached]));
                    let some_above: Vec<Lit> = of.iter().map(|&l| !l).chain([reached]).collect();
                    self.under(when, &some_above);
                }
            }
            return Ok(());
        }
        // Beyond all, and equal to one of them.
        let sign = if least { 1 } else { -1 };
        let chosen: Vec<Lit> = items.iter().map(|_| self.fresh()).collect();
        self.under(when, &chosen);
        for (&x, &chosen) in items.iter().zip(&chosen) {
            if x != result {
                self.inequality(when, &[(sign, result), (-sign, x)], 0)?;
                let here = self.both(when, chosen);
                self.inequality(here, &[(-sign, result), (sign, x)], 0)?;
            }
        }
        Ok(())
    }
}
