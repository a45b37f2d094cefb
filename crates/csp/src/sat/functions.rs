//! Functions by their values: equality of two integers, elements, and functions of one or two
//! arguments whose values can be listed. A clause for each combination of arguments implies the
//! result, and each value of the result implies the arguments that support it.

use std::collections::BTreeMap;

use super::encoder::{Encoder, TooLarge};
use super::solver::{Clauses, Lit};
use super::views::Int;
use crate::problem::Operand;
use crate::rewrite::indices;

/// Results with at most this many values get clauses with the supports of each value.
pub(super) const SUPPORTED: u64 = 600;

impl Encoder<dyn Clauses> {
    /// The two are equal, or one of the `unless` literals is true.
    pub(super) fn equal_unless(&mut self, unless: &[Lit], x: Int, y: Int) -> Result<(), TooLarge> {
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
            // Both are within the common values: not below, not above, not in a gap; and in order.
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
        let when = unless.iter().fold(Lit::TRUE, |all, &l| self.and(all, !l));
        self.equation(when, &[(1, x), (-1, y)], 0)
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
        self.poll.steps(items.len());
        let last = i64::from(first) + items.len() as i64 - 1;
        let (low, high) = (self.at_least(index, first), self.at_most_wide(index, last));
        self.imply(when, &[low]);
        self.imply(when, &[high]);
        let inside = self.domain(index).intersect(&indices(first, items.len()));
        let entries: Vec<(i32, Int)> = inside
            .values()
            .map(|i| (i, items[(i64::from(i) - i64::from(first)) as usize]))
            .collect();
        for &(i, item) in &entries {
            let here = self.is(index, i);
            self.equal_unless(&[!when, !here], item, result)?;
        }
        // Each value of the result needs an index that supports it.
        let numbers = entries
            .iter()
            .all(|&(_, item)| self.domain(item).fixed().is_some());
        if self.domain(result).len() <= SUPPORTED {
            let values: Vec<i32> = self.domain(result).values().collect();
            for v in values {
                self.poll.steps(entries.len() / 16);
                let from: Vec<i32> = entries
                    .iter()
                    .filter(|&&(_, item)| self.domain(item).contains(v))
                    .map(|entry| entry.0)
                    .collect();
                if from.len() == entries.len() || !numbers && !from.is_empty() {
                    continue;
                }
                let mut clause: Vec<Lit> = from.iter().map(|&i| self.is(index, i)).collect();
                clause.push(!self.is(result, v));
                self.imply(when, &clause);
            }
        }
        Ok(())
    }

    /// `result = f(of)`, false where `f` has no value.
    pub(super) fn unary_function(
        &mut self,
        when: Lit,
        of: Int,
        result: Int,
        f: impl Fn(i64) -> Option<i64>,
    ) {
        let values: Vec<i32> = self.domain(of).values().collect();
        let supported = self.domain(result).len() <= SUPPORTED;
        let mut from: BTreeMap<i32, Vec<Lit>> = Default::default();
        for v in values {
            let value = f(i64::from(v)).and_then(|value| i32::try_from(value).ok());
            let (here, there) = (
                self.is(of, v),
                value.map_or(Lit::FALSE, |value| self.is(result, value)),
            );
            self.imply(when, &[!here, there]);
            if let Some(value) = value.filter(|_| there != Lit::FALSE) {
                from.entry(value).or_default().push(here);
            }
        }
        if supported {
            let values: Vec<i32> = self.domain(result).values().collect();
            for value in values {
                let mut clause = from.remove(&value).unwrap_or_default();
                clause.push(!self.is(result, value));
                self.imply(when, &clause);
            }
        }
    }

    /// `result = f(a, b)`, false where `f` has no value.
    pub(super) fn binary_function(
        &mut self,
        when: Lit,
        [a, b]: [Int; 2],
        result: Int,
        f: impl Fn(i64, i64) -> Option<i64>,
    ) {
        if a == b {
            return self.unary_function(when, a, result, |v| f(v, v));
        }
        if let Some(fixed) = self.domain(a).fixed() {
            return self.unary_function(when, b, result, |v| f(i64::from(fixed), v));
        }
        if let Some(fixed) = self.domain(b).fixed() {
            return self.unary_function(when, a, result, |v| f(v, i64::from(fixed)));
        }
        let lefts: Vec<i32> = self.domain(a).values().collect();
        let rights: Vec<i32> = self.domain(b).values().collect();
        let supported = self.domain(result).len() <= SUPPORTED;
        let mut from: BTreeMap<i32, [Vec<Lit>; 2]> = Default::default();
        for &v in &lefts {
            let left = self.is(a, v);
            let row: Vec<Option<i32>> = rights
                .iter()
                .map(|&w| f(i64::from(v), i64::from(w)))
                .map(|value| value.and_then(|value| i32::try_from(value).ok()))
                .collect();
            // If all values of the row are the same, the other argument does not matter.
            if row.iter().all(|value| *value == row[0]) {
                let there = row[0].map_or(Lit::FALSE, |value| self.is(result, value));
                self.imply(when, &[!left, there]);
            }
            for (&w, &value) in rights.iter().zip(&row) {
                let right = self.is(b, w);
                let there = value.map_or(Lit::FALSE, |value| self.is(result, value));
                if row.iter().any(|value| *value != row[0]) {
                    self.imply(when, &[!left, !right, there]);
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
                            self.imply(when, &clause);
                        }
                    }
                    None => self.imply(when, &[!literal]),
                }
            }
        }
    }
}
