//! Linear constraints. First they are made small: quantities of the same variable become one term, constants go to the
//! other side, the greatest common divisor is taken out. Then the cheapest of several encodings is taken:
//!
//! - a clause, where any single step satisfies (or any two break) the sum;
//! - ladders added up in a tree (a totalizer for 0/1 terms; Bailleux and Boufkhad 2003), the last two or three of them
//!   compared without adding;
//! - a decision diagram (`diagram.rs`), better for few distinct weights far apart or small bounds;
//! - adders over bits (`adder.rs`), which propagate badly but never explode.
//!
//! A *ladder* is a list of ascending values with a literal for "at least this" each. Variables, literals, functions of a
//! variable and partial sums all are ladders.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::encoder::{Encoder, TooLarge};
use super::solver::{Clauses, Lit};
use super::views::Int;
use crate::problem::{Comparison, Quantity};

/// Variables with more values are not listed, if it can be helped.
const LISTED: u64 = 1500;
/// So many clauses for a single sum are no reason to look for fewer.
const CHEAP: u64 = 3000;
/// What better propagation may cost in clauses, compared with adders.
const WORTH: u64 = 12;
/// Up to here "at most one" is said pair by pair.
const PAIRWISE: usize = 5;

/// Ascending values from 0, each with the literal "at least this much"; the first is always true.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    pub(super) values: Vec<i64>,
    pub(super) at_least: Vec<Lit>,
}

/// A term before its literals are made.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Truth(i64, Lit),
    /// Coefficient times variable, less its least value.
    Var(i64, Int),
    /// What the sum gets for each value of a variable.
    Function(Int, BTreeMap<i32, i64>),
}

/// The sum of the terms, each counted from its least value, is between the bounds.
pub(super) struct Sum {
    pub(super) terms: Vec<Term>,
    pub(super) at_least: Option<i64>,
    pub(super) at_most: Option<i64>,
}

/// The last of the ladders, of which only some literals are needed.
enum Last {
    Ladder(Ladder),
    Var(i64, Int),
}

impl Ladder {
    fn truth(weight: i64, literal: Lit) -> Self {
        Self {
            values: vec![0, weight],
            at_least: vec![Lit::TRUE, literal],
        }
    }

    /// At least this much, for any number.
    fn reaches(&self, amount: i64) -> Lit {
        let place = self.values.partition_point(|&v| v < amount);
        self.at_least.get(place).copied().unwrap_or(Lit::FALSE)
    }

    pub(super) fn most(&self) -> i64 {
        self.values[self.values.len() - 1]
    }

    /// What is missing to the most.
    pub(super) fn upside_down(&self) -> Self {
        let most = self.most();
        let steps = self.at_least[1..].iter().rev().map(|&l| !l);
        Self {
            values: self.values.iter().rev().map(|v| most - v).collect(),
            at_least: [Lit::TRUE].into_iter().chain(steps).collect(),
        }
    }
}

impl<C: Clauses> Encoder<C> {
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

    /// One term for each variable, and the least that they come to.
    pub(super) fn gather(
        &mut self,
        terms: &[(i64, Quantity)],
    ) -> Result<(Vec<Term>, i64), TooLarge> {
        let variable = |q: Quantity| match q {
            Quantity::Var(x) => x,
            Quantity::Truth(l) => l.variable(),
        };
        let mut groups: Vec<(Int, Vec<(i64, Quantity)>)> = Vec::new();
        let mut place = BTreeMap::new();
        if terms.iter().any(|term| term.0.unsigned_abs() > 1 << 56) {
            return Err(TooLarge);
        }
        for &(weight, quantity) in terms.iter().filter(|term| term.0 != 0) {
            let x = self.variable(variable(quantity));
            let at = *place.entry(x).or_insert(groups.len());
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
                // Too many values to list: the coefficients of the variable itself together, its literals one by one.
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

    /// The most that a term can come to.
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

    pub(super) fn steps(&self, term: &Term) -> u64 {
        match term {
            Term::Truth(..) => 2,
            Term::Var(_, x) => self.domain(*x).len(),
            Term::Function(_, table) => table.len() as u64,
        }
    }

    pub(super) fn sum(&mut self, when: Lit, mut sum: Sum) -> Result<(), TooLarge> {
        let each: Vec<i64> = sum.terms.iter().map(|term| self.most(term)).collect();
        let total = each
            .iter()
            .try_fold(0i64, |all, &most| all.checked_add(most));
        let total = total.ok_or(TooLarge)?;
        // What cannot be, and what cannot fail to be.
        if sum.at_most.is_some_and(|k| k < 0) || sum.at_least.is_some_and(|k| k > total) {
            self.under(when, &[]);
            return Ok(());
        }
        sum.at_most = sum.at_most.filter(|&k| k < total);
        sum.at_least = sum.at_least.filter(|&k| k > 0);
        if sum.at_most.is_none() && sum.at_least.is_none() {
            return Ok(());
        }
        if let [Term::Var(weight, x)] = sum.terms[..] {
            self.bound(when, weight, x, &sum);
            return Ok(());
        }
        self.short_cuts(when, &mut sum, total);
        if sum.at_most.is_none() && sum.at_least.is_none() {
            return Ok(());
        }
        // The largest may stay unlisted if it is a variable; are there more such?
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
            true => super::diagram::cost(&all, &sum, limit),
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

    /// A single variable: no clause but the bounds.
    fn bound(&mut self, when: Lit, weight: i64, x: Int, sum: &Sum) {
        let last = Last::Var(weight, x);
        if let Some(k) = sum.at_most {
            let literal = self.last_reaches(&last, k + 1);
            self.under(when, &[!literal]);
        }
        if let Some(k) = sum.at_least {
            let literal = self.last_reaches(&last, k);
            self.under(when, &[literal]);
        }
    }

    /// The amounts that a term can come to, ascending.
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

    /// The ladder of a term; makes the literals it needs.
    pub(super) fn ladder(&mut self, term: &Term) -> Ladder {
        let values = self.amounts(term);
        match term {
            Term::Truth(weight, literal) => Ladder::truth(*weight, *literal),
            Term::Var(weight, x) => {
                self.make_order(*x);
                let last = Last::Var(*weight, *x);
                let at_least = values
                    .iter()
                    .map(|&v| self.last_reaches(&last, v))
                    .collect();
                Ladder { values, at_least }
            }
            Term::Function(x, table) => {
                let steps = values[1..]
                    .iter()
                    .map(|&v| self.function_reaches(*x, table, v));
                let steps: Vec<Lit> = steps.collect();
                for pair in steps.windows(2) {
                    self.clause(&[pair[0], !pair[1]]);
                }
                let at_least = [Lit::TRUE].into_iter().chain(steps).collect();
                Ladder { values, at_least }
            }
        }
    }

    /// Whether the function of the variable is at least this much.
    fn function_reaches(&mut self, x: Int, table: &BTreeMap<i32, i64>, amount: i64) -> Lit {
        let side: Vec<(i32, bool)> = table.iter().map(|(&v, &a)| (v, a >= amount)).collect();
        let changes: Vec<usize> = (1..side.len())
            .filter(|&i| side[i].1 != side[i - 1].1)
            .collect();
        let yes: Vec<i32> = side.iter().filter(|s| s.1).map(|s| s.0).collect();
        let no: Vec<i32> = side.iter().filter(|s| !s.1).map(|s| s.0).collect();
        match (&changes[..], &yes[..], &no[..]) {
            (_, [one], _) => self.is(x, *one),
            (_, _, [one]) => !self.is(x, *one),
            ([turn], _, _) if side[0].1 => self.at_most(x, side[turn - 1].0),
            ([turn], _, _) => !self.at_most(x, side[turn - 1].0),
            _ => {
                let literal = self.fresh();
                let (yes, no): (Vec<Lit>, Vec<Lit>) = (
                    yes.iter().map(|&v| self.is(x, v)).collect(),
                    no.iter().map(|&v| self.is(x, v)).collect(),
                );
                yes.iter().for_each(|&l| self.clause(&[!l, literal]));
                no.iter().for_each(|&l| self.clause(&[!l, !literal]));
                self.clause(&[&yes[..], &[!literal]].concat());
                self.clause(&[&no[..], &[literal]].concat());
                literal
            }
        }
    }

    fn last_reaches(&mut self, last: &Last, amount: i64) -> Lit {
        match last {
            Last::Ladder(ladder) => ladder.reaches(amount),
            Last::Var(weight, x) => {
                let domain = self.domain(*x);
                let (low, high) = (i64::from(domain.min()), i64::from(domain.max()));
                // weight * (x - low) >= amount, or |weight| * (high - x) >= amount.
                let steps = amount.div_euclid(weight.abs())
                    + i64::from(amount.rem_euclid(weight.abs()) != 0);
                match *weight > 0 {
                    true => !self.at_most_wide(*x, low + steps - 1),
                    false => self.at_most_wide(*x, high - steps),
                }
            }
        }
    }

    /// Adds up the smallest ladders until at most two are left besides the last, and compares these.
    fn tree(&mut self, when: Lit, ladders: Vec<Ladder>, last: Last, sum: &Sum) {
        let last_most = match &last {
            Last::Ladder(ladder) => ladder.most(),
            Last::Var(weight, x) => self.most(&Term::Var(*weight, *x)),
        };
        let mut total: i64 = ladders.iter().map(Ladder::most).sum::<i64>() + last_most;
        let sizes = ladders
            .iter()
            .enumerate()
            .map(|(i, l)| Reverse((l.values.len(), i)));
        let mut queue: BinaryHeap<Reverse<(usize, usize)>> = sizes.collect();
        let mut ladders: Vec<Option<Ladder>> = ladders.into_iter().map(Some).collect();
        let take = |queue: &mut BinaryHeap<_>, ladders: &mut Vec<Option<Ladder>>| {
            let Reverse((_, i)): Reverse<(usize, usize)> = queue.pop()?;
            ladders[i].take()
        };
        while queue.len() > 2 {
            let a = take(&mut queue, &mut ladders).expect("more than two");
            let b = take(&mut queue, &mut ladders).expect("more than two");
            let rest = total - a.most() - b.most();
            let added = self.add(when, &a, &b, rest, sum);
            total = rest + added.most();
            queue.push(Reverse((added.values.len(), ladders.len())));
            ladders.push(Some(added));
        }
        let nothing = Ladder {
            values: vec![0],
            at_least: vec![Lit::TRUE],
        };
        let a = take(&mut queue, &mut ladders).unwrap_or_else(|| nothing.clone());
        let b = take(&mut queue, &mut ladders).unwrap_or(nothing);
        if let Some(k) = sum.at_most {
            for (i, &x) in a.values.iter().enumerate() {
                let mut before = None;
                for (j, &y) in b.values.iter().enumerate() {
                    let reach = self.last_reaches(&last, k - x - y + 1);
                    // The step before says more where the last one says the same.
                    if before != Some(reach) {
                        self.under(when, &[!a.at_least[i], !b.at_least[j], !reach]);
                    }
                    before = Some(reach);
                    if reach == Lit::TRUE {
                        break;
                    }
                }
            }
        }
        if let Some(k) = sum.at_least {
            let below = |l: &Ladder, i: usize| l.at_least.get(i + 1).copied().unwrap_or(Lit::FALSE);
            for (i, &x) in a.values.iter().enumerate().rev() {
                let mut before = None;
                for (j, &y) in b.values.iter().enumerate().rev() {
                    let reach = self.last_reaches(&last, k - x - y);
                    if before != Some(reach) {
                        self.under(when, &[below(&a, i), below(&b, j), reach]);
                    }
                    before = Some(reach);
                    if reach == Lit::FALSE {
                        break;
                    }
                }
            }
        }
    }

    /// Bounds that are a clause or a few: one step of any term is enough, or one step short; or any two steps are too many.
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
            self.under(when, &clause);
        }
        let Some(k) = sum.at_most else { return };
        if amounts.iter().all(|a| ends(a) <= k - total) {
            let terms = sum.terms.iter().zip(&amounts);
            let clause: Vec<Lit> = terms
                .map(|(t, a)| !self.reaches(t, a[a.len() - 1]))
                .collect();
            self.under(when, &clause);
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
                    self.under(when, &[!a, !b]);
                }
            }
            sum.at_most = None;
        }
    }

    /// Whether a term is at least this much.
    fn reaches(&mut self, term: &Term, amount: i64) -> Lit {
        match term {
            Term::Truth(_, literal) => *literal,
            Term::Var(weight, x) => self.last_reaches(&Last::Var(*weight, *x), amount),
            Term::Function(x, table) => self.function_reaches(*x, table, amount),
        }
    }

    /// The sum of two ladders, as far as it matters: what breaks a bound whatever the rest, is forbidden here.
    fn add(&mut self, when: Lit, a: &Ladder, b: &Ladder, rest: i64, sum: &Sum) -> Ladder {
        let values = added(&a.values, &b.values, rest, sum);
        let mut at_least = vec![Lit::TRUE];
        for _ in &values[1..] {
            let literal = self.fresh();
            if at_least.len() > 1 {
                self.clause(&[!literal, at_least[at_least.len() - 1]]);
            }
            at_least.push(literal);
        }
        let result = Ladder { values, at_least };
        let place = |v: i64| result.values.partition_point(|&w| w < v);
        if let Some(k) = sum.at_most {
            for (i, &x) in a.values.iter().enumerate() {
                for (j, &y) in b.values.iter().enumerate() {
                    let (one, other) = (a.at_least[i], b.at_least[j]);
                    if x + y > k {
                        self.under(when, &[!one, !other]);
                        break;
                    }
                    if let Some(&reached) = result.at_least.get(place(x + y)) {
                        self.clause(&[!one, !other, reached]);
                    }
                }
            }
        }
        if let Some(k) = sum.at_least {
            let below = |l: &Ladder, i: usize| l.at_least.get(i + 1).copied().unwrap_or(Lit::FALSE);
            for (i, &x) in a.values.iter().enumerate().rev() {
                for (j, &y) in b.values.iter().enumerate().rev() {
                    let (one, other) = (below(a, i), below(b, j));
                    if x + y + rest < k {
                        self.under(when, &[one, other]);
                        break;
                    }
                    let above = place(x + y + 1);
                    let next = result.at_least.get(above).copied().unwrap_or(Lit::FALSE);
                    self.clause(&[one, other, !next]);
                }
            }
        }
        result
    }
}

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

/// The values of a sum of two, without those that break a bound; the least of what is left stands for all below.
fn added(a: &[i64], b: &[i64], rest: i64, sum: &Sum) -> Vec<i64> {
    let fits = |v: &i64| {
        sum.at_most.is_none_or(|k| *v <= k) && sum.at_least.is_none_or(|k| *v + rest >= k)
    };
    let mut values: Vec<i64> = a
        .iter()
        .flat_map(|x| b.iter().map(move |y| x + y))
        .filter(fits)
        .collect();
    values.sort_unstable();
    values.dedup();
    match values.is_empty() {
        true => vec![0],
        false => values,
    }
}

/// How many clauses the tree takes, about.
fn tree_cost(sizes: &[Vec<i64>], last_most: i64, last_steps: u64, sum: &Sum) -> u64 {
    let sides = u64::from(sum.at_least.is_some()) + u64::from(sum.at_most.is_some());
    let mut total: i64 = sizes.iter().map(|l| l[l.len() - 1]).sum::<i64>() + last_most;
    let mut queue: BinaryHeap<Reverse<(usize, usize)>> = sizes
        .iter()
        .enumerate()
        .map(|(i, l)| Reverse((l.len(), i)))
        .collect();
    let mut made: Vec<Vec<i64>> = sizes.to_vec();
    let mut cost = 0u64;
    while queue.len() > 2 {
        let (Some(Reverse((_, i))), Some(Reverse((_, j)))) = (queue.pop(), queue.pop()) else {
            break;
        };
        let pairs = (made[i].len() * made[j].len()) as u64;
        if pairs > 1 << 20 {
            return u64::MAX;
        }
        let rest = total - made[i][made[i].len() - 1] - made[j][made[j].len() - 1];
        let values = added(&made[i], &made[j], rest, sum);
        total = rest + values[values.len() - 1];
        cost += pairs * sides + values.len() as u64;
        if cost > 1 << 22 {
            return u64::MAX;
        }
        queue.push(Reverse((values.len(), made.len())));
        made.push(values);
    }
    let left: u64 = queue.iter().map(|Reverse((len, _))| *len as u64).product();
    cost.saturating_add(left.saturating_mul(sides))
        .saturating_add(last_steps)
}
