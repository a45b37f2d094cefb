//! Sums with bounds: the cheapest of several encodings is chosen.
//!
//! - a clause, where any single step satisfies the sum, or any two violate it;
//! - ladders added in a tree (`ladders.rs`), the last two or three compared without adding;
//! - a decision diagram (`diagram.rs`), better for few distinct weights far apart or small bounds;
//! - adders over bits (`adder.rs`), which propagate badly but never explode.

use std::cmp::Reverse;

use super::encoder::{Encoder, TooLarge};
use super::ladders::{Ladder, Last, tree_cost};
use super::linear::{Sum, Term};
use super::solver::{Clauses, Lit};
use super::views::Int;

/// The values of larger domains are not listed if that can be avoided.
pub(super) const LISTED: u64 = 1500;
/// A sum with at most this many clauses is not worth a search for a smaller encoding.
const CHEAP: u64 = 3000;
/// An encoding that propagates better than adders may have this many times as many clauses.
const WORTH: u64 = 12;
/// "At most one" of at most this many literals is encoded pairwise.
const PAIRWISE: usize = 5;

impl Encoder<dyn Clauses> {
    /// Encodes the bounds of a sum.
    pub(super) fn sum(&mut self, when: Lit, mut sum: Sum) -> Result<(), TooLarge> {
        let each: Vec<i64> = sum.terms.iter().map(|term| self.most(term)).collect();
        let total = each
            .iter()
            .try_fold(0i64, |all, &most| all.checked_add(most));
        let total = total.ok_or(TooLarge)?;
        // Bounds that cannot hold, and bounds that always hold.
        if sum.at_most.is_some_and(|k| k < 0) || sum.at_least.is_some_and(|k| k > total) {
            self.imply(when, &[]);
            return Ok(());
        }
        sum.at_most = sum.at_most.filter(|&k| k < total);
        sum.at_least = sum.at_least.filter(|&k| k > 0);
        if sum.at_most.is_none() && sum.at_least.is_none() {
            return Ok(());
        }
        let listed = sum.terms.iter().map(|term| self.steps(term).min(LISTED));
        self.poll.allocate::<i64>(listed.sum());
        if let [Term::Var(weight, x)] = sum.terms[..] {
            self.bound(when, weight, x, &sum);
            return Ok(());
        }
        self.short_cuts(when, &mut sum, total);
        if sum.at_most.is_none() && sum.at_least.is_none() {
            return Ok(());
        }
        // One variable with a large domain may stay unlisted, as the last summand.
        let large = sum.terms.iter().filter(|t| self.steps(t) > LISTED).count();
        if large > 1 {
            return self.adder(when, &sum);
        }
        let variable = |t: &Term| matches!(t, Term::Var(..));
        let largest = (0..sum.terms.len()).max_by_key(|&i| {
            (
                variable(&sum.terms[i]),
                self.steps(&sum.terms[i]),
                Reverse(i),
            )
        });
        let last = sum.terms.swap_remove(largest.expect("a term"));
        let sizes: Vec<Vec<i64>> = sum.terms.iter().map(|t| self.amounts(t)).collect();
        let last_steps = self.steps(&last).min(LISTED);
        let tree = tree_cost(&sizes, self.most(&last), last_steps, &sum);
        let adders = self.adder_cost(&sum.terms, &last);
        let mut all = sizes;
        let listed = self.steps(&last) <= LISTED;
        if listed {
            all.push(self.amounts(&last));
        }
        let limit = tree.min(CHEAP.max(adders.saturating_mul(WORTH)));
        let diagram = match listed && tree > all.len() as u64 * 4 {
            true => super::diagram::cost(&all, &sum, limit, &self.poll),
            false => u64::MAX,
        };
        if tree.min(diagram) > CHEAP.max(adders.saturating_mul(WORTH)) {
            sum.terms.push(last);
            return self.adder(when, &sum);
        }
        let mut ladders: Vec<Ladder> = Vec::with_capacity(all.len());
        for term in &sum.terms {
            ladders.push(self.ladder(term));
        }
        if diagram < tree {
            ladders.push(self.ladder(&last));
            self.diagrams(when, ladders, &sum);
            return Ok(());
        }
        let last = match last {
            Term::Var(weight, x) => Last::Var(weight, x),
            term => Last::Ladder(self.ladder(&term)),
        };
        self.tree(when, ladders, last, &sum);
        Ok(())
    }

    /// A single variable: unit clauses on its bounds.
    fn bound(&mut self, when: Lit, weight: i64, x: Int, sum: &Sum) {
        let last = Last::Var(weight, x);
        if let Some(k) = sum.at_most {
            let literal = self.last_reaches(&last, k + 1);
            self.imply(when, &[!literal]);
        }
        if let Some(k) = sum.at_least {
            let literal = self.last_reaches(&last, k);
            self.imply(when, &[literal]);
        }
    }

    /// Bounds that are one clause or a few: one step of any term satisfies or violates the bound,
    /// or any two steps violate it.
    fn short_cuts(&mut self, when: Lit, sum: &mut Sum, total: i64) {
        if sum.terms.iter().any(|t| self.steps(t) > LISTED) {
            return;
        }
        let amounts: Vec<Vec<i64>> = sum.terms.iter().map(|t| self.amounts(t)).collect();
        let ends = |a: &Vec<i64>| a[a.len() - 2] - a[a.len() - 1];
        let wanted: Option<Vec<i64>> = match (sum.at_least, sum.at_most) {
            (Some(k), _) if amounts.iter().all(|a| a[1] >= k) => {
                sum.at_least = None;
                Some(amounts.iter().map(|a| a[1]).collect())
            }
            _ => None,
        };
        if let Some(wanted) = wanted {
            let terms = sum.terms.iter().zip(wanted);
            let clause: Vec<Lit> = terms.map(|(t, amount)| self.reaches(t, amount)).collect();
            self.imply(when, &clause);
        }
        let Some(k) = sum.at_most else { return };
        if amounts.iter().all(|a| ends(a) <= k - total) {
            let terms = sum.terms.iter().zip(&amounts);
            let clause: Vec<Lit> = terms
                .map(|(t, a)| !self.reaches(t, a[a.len() - 1]))
                .collect();
            self.imply(when, &clause);
            sum.at_most = None;
            return;
        }
        let mut firsts: Vec<i64> = amounts.iter().map(|a| a[1]).collect();
        firsts.sort_unstable();
        let two = amounts.iter().all(|a| a.len() == 2 && a[1] <= k);
        if two && amounts.len() <= PAIRWISE && firsts[0] + firsts[1] > k {
            let literals: Vec<Lit> = sum.terms.iter().map(|t| self.reaches(t, 1)).collect();
            for (i, &a) in literals.iter().enumerate() {
                for &b in &literals[..i] {
                    self.imply(when, &[!a, !b]);
                }
            }
            sum.at_most = None;
        }
    }
}
