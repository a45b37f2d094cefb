//! All-different, minimum and maximum.

use std::collections::BTreeMap;

use super::encoder::{Encoder, TooLarge};
use super::linear::{Sum, Term};
use super::solver::{Clauses, Lit};
use super::views::Int;
use crate::problem::Operand;

/// Domains with at most this many values are listed.
const LISTED: u64 = 1500;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extreme {
    Minimum,
    Maximum,
}

impl Encoder<dyn Clauses> {
    /// At most one item has each value; if there are as many values as items, at least one has it.
    pub(super) fn all_different(
        &mut self,
        when: Lit,
        items: &[Operand],
        except: Option<i32>,
    ) -> Result<(), TooLarge> {
        let items = self.operands(items);
        let mut items_with: BTreeMap<i32, Vec<Int>> = BTreeMap::new();
        let (mut wide, mut listed): (Vec<Int>, Vec<Int>) = (Vec::new(), Vec::new());
        for &x in &items {
            match self.domain(x).len() <= LISTED {
                true => {
                    listed.push(x);
                    self.poll.allocate::<Int>(self.domain(x).len());
                    self.domain(x)
                        .values()
                        .for_each(|v| items_with.entry(v).or_default().push(x));
                }
                false => wide.push(x),
            }
        }
        let permutation = wide.is_empty() && except.is_none() && items_with.len() == items.len();
        let too_few = wide.is_empty() && except.is_none() && items_with.len() < items.len();
        if too_few {
            self.imply(when, &[]);
            return Ok(());
        }
        for (v, items_with) in &items_with {
            if Some(*v) == except {
                continue;
            }
            let mut literals: Vec<Lit> = items_with.iter().map(|&x| self.is(x, *v)).collect();
            if permutation && items.len() > 1 {
                self.imply(when, &literals);
            }
            // The same variable may occur twice; an item may be a constant.
            literals.sort_unstable();
            for pair in literals.windows(2) {
                if pair[0] == pair[1] {
                    self.imply(when, &[!pair[0]]);
                }
            }
            literals.dedup();
            if literals.contains(&Lit::TRUE) {
                literals
                    .iter()
                    .filter(|&&l| l != Lit::TRUE)
                    .for_each(|&l| self.imply(when, &[!l]));
            } else if literals.len() > 1 {
                let sum = Sum {
                    terms: literals.iter().map(|&l| Term::Truth(1, l)).collect(),
                    at_least: None,
                    at_most: Some(1),
                };
                self.sum(when, sum)?;
            }
        }
        // Items with very many values, pair by pair.
        for (i, &x) in wide.iter().enumerate() {
            for &y in wide[..i].iter().chain(&listed) {
                self.different(when, x, y, except)?;
            }
        }
        Ok(())
    }

    fn different(
        &mut self,
        when: Lit,
        x: Int,
        y: Int,
        except: Option<i32>,
    ) -> Result<(), TooLarge> {
        self.poll.step();
        let when = match except {
            Some(v) => {
                let (a, b) = (self.is(x, v), self.is(y, v));
                let excepted = self.and(a, b);
                self.and(when, !excepted)
            }
            None => when,
        };
        let common = self.domain(x).intersect(self.domain(y));
        if x == y {
            self.imply(when, &[]);
        } else if common.len() <= LISTED {
            let values: Vec<i32> = common.values().collect();
            for v in values {
                let (a, b) = (self.is(x, v), self.is(y, v));
                self.imply(when, &[!a, !b]);
            }
        } else {
            let low = i64::from(self.domain(x).min()) - i64::from(self.domain(y).min());
            let mut literals = self.weighted_literals(x);
            literals.extend(self.weighted_literals(y).into_iter().map(|(w, l)| (-w, l)));
            self.sum_differs(when, &mut literals, -low)?;
        }
        Ok(())
    }

    /// The minimum, or the maximum, of the items.
    pub(super) fn extreme(
        &mut self,
        when: Lit,
        extreme: Extreme,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), TooLarge> {
        if items.is_empty() {
            self.imply(when, &[]);
            return Ok(());
        }
        let (items, result) = (self.operands(items), self.operand(result));
        let all = items.iter().fold(self.domain(result).clone(), |all, &x| {
            all.union(self.domain(x))
        });
        if all.len() <= LISTED {
            let values: Vec<i32> = all.values().collect();
            for v in values {
                let items_at_most: Vec<Lit> = items.iter().map(|&x| self.at_most(x, v)).collect();
                let result_at_most = self.at_most(result, v);
                // The minimum is at most v if one item is; the maximum if all are.
                match extreme {
                    Extreme::Minimum => {
                        items_at_most
                            .iter()
                            .for_each(|&l| self.imply(when, &[!l, result_at_most]));
                        self.imply(when, &[&items_at_most[..], &[!result_at_most]].concat());
                    }
                    Extreme::Maximum => {
                        items_at_most
                            .iter()
                            .for_each(|&l| self.imply(when, &[l, !result_at_most]));
                        let above: Vec<Lit> = items_at_most
                            .iter()
                            .map(|&l| !l)
                            .chain([result_at_most])
                            .collect();
                        self.imply(when, &above);
                    }
                }
            }
            return Ok(());
        }
        // A bound of all items, and equal to one of them.
        let sign = match extreme {
            Extreme::Minimum => 1,
            Extreme::Maximum => -1,
        };
        let chosen: Vec<Lit> = items.iter().map(|_| self.fresh()).collect();
        self.imply(when, &chosen);
        for (&x, &chosen) in items.iter().zip(&chosen) {
            if x != result {
                self.inequality(when, &[(sign, result), (-sign, x)], 0)?;
                let here = self.and(when, chosen);
                self.inequality(here, &[(-sign, result), (sign, x)], 0)?;
            }
        }
        Ok(())
    }
}
