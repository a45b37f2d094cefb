//! Integer terms and comparisons: the constructors that fold.

use ployglot_csp::{Domain, Literal};

use super::nodes::{Bool, BoolNode, Int, IntNode, Nodes, Place};
use crate::tree::Compare;

/// A sum under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Total {
    pub terms: Vec<(i64, u32)>,
    pub constant: i128,
}

impl Nodes {
    /// Adds a multiple of a term.
    pub fn add(&self, total: &mut Total, factor: i64, int: Int) {
        match int {
            Int::Known(number) => total.constant += i128::from(factor) * i128::from(number),
            Int::Node(node) => match self.int(node) {
                IntNode::Sum(terms, constant) => {
                    total.constant += i128::from(factor) * i128::from(*constant);
                    let scaled = terms
                        .iter()
                        .map(|&(c, node)| (c.saturating_mul(factor), node));
                    total.terms.extend(scaled);
                }
                _ => total.terms.push((factor, node)),
            },
        }
    }

    pub fn total(&mut self, total: Total) -> Int {
        let Ok(constant) = i64::try_from(total.constant) else {
            self.overflow = true;
            return Int::Known(0);
        };
        self.sum(total.terms, constant)
    }

    pub fn sum(&mut self, mut terms: Vec<(i64, u32)>, constant: i64) -> Int {
        merge(&mut terms);
        match terms[..] {
            [] => return Int::Known(constant),
            [(1, node)] if constant == 0 => return Int::Node(node),
            _ => {}
        }
        let (low, high) = self.reach(&terms);
        let (low, high) = (low + i128::from(constant), high + i128::from(constant));
        let narrow = |bound: i128| i64::try_from(bound).unwrap_or(i64::MAX);
        let bounds = (narrow(low), narrow(high));
        self.keep_int(IntNode::Sum(terms.into_boxed_slice(), constant), bounds)
    }

    /// The least and the most that the terms can add up to.
    fn reach(&self, terms: &[(i64, u32)]) -> (i128, i128) {
        let mut reach = (0i128, 0i128);
        for &(factor, node) in terms {
            let (low, high) = self.bounds(Int::Node(node));
            let (a, b) = (
                i128::from(factor) * i128::from(low),
                i128::from(factor) * i128::from(high),
            );
            reach = (reach.0 + a.min(b), reach.1 + a.max(b));
        }
        reach
    }

    pub fn scaled(&mut self, factor: i64, int: Int) -> Int {
        let mut total = Total::default();
        self.add(&mut total, factor, int);
        self.total(total)
    }

    pub fn compare(&mut self, compare: Compare, left: Int, right: Int) -> Bool {
        let (from, factor, bound, negative) = match compare {
            Compare::Equal => return self.equal(left, right),
            Compare::NotEqual => return !self.equal(left, right),
            Compare::AtMost => (left, right, 0, false),
            Compare::Less => (left, right, -1, false),
            Compare::AtLeast => (left, right, -1, true),
            Compare::Greater => (left, right, 0, true),
        };
        // left - right ≤ bound, or its opposite.
        let mut total = Total::default();
        self.add(&mut total, 1, from);
        self.add(&mut total, -1, factor);
        let term = self.linear(total.terms, false, i128::from(bound) - total.constant);
        match negative {
            true => !term,
            false => term,
        }
    }

    pub fn equal(&mut self, left: Int, right: Int) -> Bool {
        if let (Int::Known(a), Int::Known(b)) = (left, right) {
            return Bool::of(a == b);
        }
        let mut total = Total::default();
        self.add(&mut total, 1, left);
        self.add(&mut total, -1, right);
        self.linear(total.terms, true, -total.constant)
    }

    /// Whether the terms add up to the bound, or to no more than it.
    pub fn linear(&mut self, mut terms: Vec<(i64, u32)>, equal: bool, bound: i128) -> Bool {
        merge(&mut terms);
        let (low, high) = self.reach(&terms);
        if bound < low || equal && bound > high {
            return Bool::FALSE;
        }
        if equal && low == high || !equal && high <= bound {
            return Bool::TRUE;
        }
        if high > 1 << 60 || low < -(1 << 60) {
            self.overflow = true;
            return Bool::FALSE;
        }
        let mut bound = bound as i64;
        // The smallest whole factors; rounding the bound of an inequality loses nothing.
        let divisor = terms
            .iter()
            .fold(0, |gcd, &(factor, _)| gcd_of(gcd, factor.abs()));
        if divisor > 1 {
            if equal && bound % divisor != 0 {
                return Bool::FALSE;
            }
            bound = bound.div_euclid(divisor);
            terms.iter_mut().for_each(|(factor, _)| *factor /= divisor);
        }
        // One form for one meaning: the first factor is positive.
        if terms[0].0 < 0 {
            terms.iter_mut().for_each(|(factor, _)| *factor = -*factor);
            if equal {
                bound = -bound;
            } else {
                // -s ≤ b is s ≥ -b, the opposite of s ≤ -b - 1.
                return !self.settled(terms, false, -bound - 1);
            }
        }
        self.settled(terms, equal, bound)
    }

    fn settled(&mut self, terms: Vec<(i64, u32)>, equal: bool, bound: i64) -> Bool {
        if let [(1, node)] = terms[..] {
            return self.single(node, equal, bound);
        }
        if let Some(term) = self.of_truths(&terms, equal, bound) {
            return term;
        }
        let (low, high) = self.reach(&terms);
        let bound_wide = i128::from(bound);
        if bound_wide < low || equal && bound_wide > high {
            return Bool::FALSE;
        }
        if !equal && high <= bound_wide {
            return Bool::TRUE;
        }
        // Two variables that share no value are never equal.
        if let ([(1, a), (-1, b)], true) = (&terms[..], equal)
            && let (IntNode::Var(x), IntNode::Var(y)) = (self.int(*a), self.int(*b))
        {
            let (x, y) = (self.domain(*x), self.domain(*y));
            let meet = y
                .values()
                .take(64)
                .any(|v| i32::try_from(i64::from(v) + bound).is_ok_and(|v| x.contains(v)));
            if !meet && y.len() <= 64 {
                return Bool::FALSE;
            }
        }
        let terms = terms.into_boxed_slice();
        self.keep_bool(BoolNode::Linear {
            terms,
            equal,
            bound,
        })
    }

    fn single(&mut self, node: u32, equal: bool, bound: i64) -> Bool {
        let (low, high) = self.bounds(Int::Node(node));
        if bound < low || equal && bound > high {
            return Bool::FALSE;
        }
        if !equal && bound >= high {
            return Bool::TRUE;
        }
        match *self.int(node) {
            IntNode::Var(var) => {
                let bound = bound as i32;
                self.literal(match equal {
                    true => Literal::Is(var, bound),
                    false => Literal::AtMost(var, bound),
                })
            }
            // Between 0 and 1, and not folded above.
            IntNode::Truth(term) => match equal {
                true if bound == 1 => term,
                _ => !term,
            },
            IntNode::Product(a, b) if equal && bound == 0 => {
                let parts = [self.equal(a, Int::Known(0)), self.equal(b, Int::Known(0))];
                self.or(parts)
            }
            IntNode::Minimum(ref items) if !equal => {
                let items = items.clone();
                let parts: Vec<Bool> = items
                    .iter()
                    .map(|&item| self.compare(Compare::AtMost, item, Int::Known(bound)))
                    .collect();
                self.or(parts)
            }
            IntNode::Maximum(ref items) if !equal => {
                let items = items.clone();
                let parts: Vec<Bool> = items
                    .iter()
                    .map(|&item| self.compare(Compare::AtMost, item, Int::Known(bound)))
                    .collect();
                self.and(parts)
            }
            IntNode::Absolute(of) => {
                let of = Int::Node(of);
                let parts = match equal {
                    true => [
                        self.equal(of, Int::Known(bound)),
                        self.equal(of, Int::Known(-bound)),
                    ],
                    false => {
                        let parts = [
                            self.compare(Compare::AtMost, of, Int::Known(bound)),
                            self.compare(Compare::AtLeast, of, Int::Known(-bound)),
                        ];
                        return self.and(parts);
                    }
                };
                self.or(parts)
            }
            // A known row picked by one index: a question about the index.
            IntNode::Element {
                ref items,
                ref places,
            } if places.len() == 1 && items.iter().all(|item| matches!(item, Int::Known(_))) => {
                let holds = |&&(item, _): &&(&Int, &i64)| match item {
                    Int::Known(number) if equal => *number == bound,
                    Int::Known(number) => *number <= bound,
                    Int::Node(_) => false,
                };
                let pairs: Vec<(&Int, &i64)> = items.iter().zip(&places[0].members).collect();
                let picked = pairs.iter().filter(holds);
                let picked = picked.filter_map(|&(_, &member)| i32::try_from(member).ok());
                let domain = Domain::from_values(picked);
                let index = Int::Node(places[0].index);
                self.within(index, &domain)
            }
            _ => self.keep_bool(BoolNode::Linear {
                terms: Box::new([(1, node)]),
                equal,
                bound,
            }),
        }
    }

    /// Sums of a few truths are plain logic.
    fn of_truths(&mut self, terms: &[(i64, u32)], equal: bool, bound: i64) -> Option<Bool> {
        let all_truths = terms.iter().all(|&(_, node)| self.as_truth(node).is_some());
        if !all_truths {
            return None;
        }
        let truths: Vec<Bool> = terms
            .iter()
            .map(|&(_, node)| self.truth_term(node))
            .collect();
        if let [(c, _), (d, _)] = *terms {
            // Which of the four cases hold.
            let holds = |a: i64, b: i64| {
                let sum = c * a + d * b;
                if equal { sum == bound } else { sum <= bound }
            };
            let (a, b) = (truths[0], truths[1]);
            if holds(0, 0) == holds(1, 1)
                && holds(0, 1) == holds(1, 0)
                && holds(0, 0) != holds(0, 1)
            {
                let same = self.iff(a, b);
                return Some(if holds(0, 0) { same } else { !same });
            }
            let mut ruled_out = Vec::new();
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                if !holds(x, y) {
                    let sides = [if x == 1 { !a } else { a }, if y == 1 { !b } else { b }];
                    ruled_out.push(self.or(sides));
                }
            }
            return Some(self.and(ruled_out));
        }
        // All factors alike in size: "none", "all" and "any" are no counting.
        if terms.iter().any(|&(factor, _)| factor.abs() != 1) {
            return None;
        }
        let sided = |negate_positive: bool| -> Vec<Bool> {
            let sides = terms.iter().zip(&truths);
            sides
                .map(
                    |(&(factor, _), &truth)| match (factor > 0) == negate_positive {
                        true => !truth,
                        false => truth,
                    },
                )
                .collect()
        };
        let low = -(terms.iter().filter(|&&(factor, _)| factor < 0).count() as i64);
        let high = low + terms.len() as i64;
        match (bound - low, high - bound) {
            // As low as it can be; as high as it can be.
            (0, _) => Some({
                let parts = sided(true);
                self.and(parts)
            }),
            (_, 0) if equal => Some({
                let parts = sided(false);
                self.and(parts)
            }),
            // At most all but one.
            (_, 1) if !equal => Some({
                let parts = sided(true);
                self.or(parts)
            }),
            _ => None,
        }
    }

    fn as_truth(&self, node: u32) -> Option<()> {
        match self.int(node) {
            IntNode::Truth(_) => Some(()),
            IntNode::Var(var) if self.declared[var.index()] == Domain::bool() => Some(()),
            _ => None,
        }
    }

    fn truth_term(&mut self, node: u32) -> Bool {
        match *self.int(node) {
            IntNode::Truth(term) => term,
            IntNode::Var(var) => self.literal(var.is_true()),
            _ => unreachable!("asked before"),
        }
    }

    /// Whether the term has one of these values.
    pub fn within(&mut self, int: Int, domain: &Domain) -> Bool {
        let (low, high) = self.bounds(int);
        let mut parts = Vec::new();
        // As the opposite of what is left out, if that is shorter.
        let inside = domain.ranges().len();
        let gaps: Vec<(i64, i64)> = domain
            .ranges()
            .windows(2)
            .map(|pair| (i64::from(pair[0].1) + 1, i64::from(pair[1].0) - 1))
            .collect();
        if let Some(&(first, _)) = domain.ranges().first()
            && gaps.iter().all(|&(a, b)| a == b)
            && inside > 1
        {
            let last = i64::from(domain.max());
            parts.push(self.compare(Compare::AtLeast, int, Int::Known(i64::from(first))));
            parts.push(self.compare(Compare::AtMost, int, Int::Known(last)));
            for (gap, _) in gaps {
                parts.push(!self.equal(int, Int::Known(gap)));
            }
            return self.and(parts);
        }
        for &(from, to) in domain.ranges() {
            let (from, to) = (i64::from(from), i64::from(to));
            if to < low || from > high {
                continue;
            }
            let part = if from == to {
                self.equal(int, Int::Known(from))
            } else {
                let sides = [
                    self.compare(Compare::AtLeast, int, Int::Known(from)),
                    self.compare(Compare::AtMost, int, Int::Known(to)),
                ];
                self.and(sides)
            };
            parts.push(part);
        }
        self.or(parts)
    }

    /// The item that the indices pick. Where they pick none, it does not matter what this is.
    pub fn element(&mut self, items: Vec<Int>, places: Vec<(Int, Vec<i64>)>) -> Int {
        // Rows that no index can pick are dropped, indices that are known picked.
        let mut kept: Vec<Vec<usize>> = Vec::new();
        let mut open: Vec<Place> = Vec::new();
        let lengths: Vec<usize> = places.iter().map(|(_, members)| members.len()).collect();
        for (index, members) in places {
            let (index, members) = self.plain_index(index, members);
            let picks: Vec<usize> = (0..members.len())
                .filter(|&i| members[i].is_some_and(|member| self.can_be(index, member)))
                .collect();
            if picks.is_empty() {
                return Int::Known(0);
            }
            if picks.len() > 1
                && let Int::Node(index) = index
            {
                let members = picks.iter().filter_map(|&i| members[i]).collect();
                open.push(Place { index, members });
            }
            kept.push(picks);
        }
        let mut chosen = vec![0];
        for (picks, length) in kept.iter().zip(lengths) {
            let further = chosen
                .iter()
                .flat_map(|&at| picks.iter().map(move |&pick| at * length + pick));
            chosen = further.collect();
        }
        let items: Vec<Int> = chosen.into_iter().map(|at| items[at]).collect();
        if items.windows(2).all(|pair| pair[0] == pair[1]) {
            return items[0];
        }
        // The index itself, shifted: M[x] where M is 4, 5, 6.
        let bounds = items.iter().map(|&item| self.bounds(item));
        let bounds = bounds.fold((i64::MAX, i64::MIN), |all, one| {
            (all.0.min(one.0), all.1.max(one.1))
        });
        let node = IntNode::Element {
            items: items.into_boxed_slice(),
            places: open.into_boxed_slice(),
        };
        self.keep_int(node, bounds)
    }

    /// `M[a*x + b]` as a matrix indexed by `x`: members that `x` cannot meet are `None`.
    fn plain_index(&self, index: Int, members: Vec<i64>) -> (Int, Vec<Option<i64>>) {
        if let Int::Node(node) = index
            && let IntNode::Sum(terms, constant) = self.int(node)
            && let [(factor, inner)] = terms[..]
        {
            let solve = |member: i64| {
                let rest = member - constant;
                (rest % factor == 0).then_some(rest / factor)
            };
            return (Int::Node(inner), members.into_iter().map(solve).collect());
        }
        (index, members.into_iter().map(Some).collect())
    }

    pub fn can_be(&self, int: Int, value: i64) -> bool {
        let (low, high) = self.bounds(int);
        if !(low..=high).contains(&value) {
            return false;
        }
        match int {
            Int::Known(_) => true,
            Int::Node(node) => match self.int(node) {
                IntNode::Var(var) => self.domain(*var).contains(value as i32),
                _ => true,
            },
        }
    }

    pub fn product(&mut self, a: Int, b: Int) -> Int {
        match (a, b) {
            (Int::Known(a), Int::Known(b)) => match a.checked_mul(b) {
                Some(product) => Int::Known(product),
                None => {
                    self.overflow = true;
                    Int::Known(0)
                }
            },
            (Int::Known(factor), term) | (term, Int::Known(factor)) => self.scaled(factor, term),
            (Int::Node(x), Int::Node(y)) => {
                if self.as_truth(x).is_some() && self.as_truth(y).is_some() {
                    let parts = [self.truth_term(x), self.truth_term(y)];
                    let both = self.and(parts);
                    return self.truth(both);
                }
                let (a, b) = (a.min(b), a.max(b));
                let ((l, h), (m, k)) = (self.bounds(a), self.bounds(b));
                let corners = [(l, m), (l, k), (h, m), (h, k)];
                let corners = corners.map(|(x, y)| x.saturating_mul(y));
                let low = *corners.iter().min().expect("four");
                let high = *corners.iter().max().expect("four");
                self.keep_int(IntNode::Product(a, b), (low, high))
            }
        }
    }

    /// Where the divisor is 0, it does not matter what this is.
    pub fn quotient(&mut self, a: Int, b: Int) -> Int {
        match (a, b) {
            (_, Int::Known(0)) => Int::Known(0),
            (Int::Known(a), Int::Known(b)) => Int::Known(floor(a, b)),
            (a, Int::Known(1)) => a,
            _ => {
                let ((l, h), (m, k)) = (self.bounds(a), self.bounds(b));
                let bounds = if m > 0 {
                    let corners = [floor(l, m), floor(l, k), floor(h, m), floor(h, k)];
                    let low = *corners.iter().min().expect("four");
                    let high = *corners.iter().max().expect("four");
                    (low, high)
                } else {
                    let most = l.abs().max(h.abs());
                    (-most, most)
                };
                self.keep_int(IntNode::Quotient(a, b), bounds)
            }
        }
    }

    /// Where the divisor is 0, it does not matter what this is.
    pub fn remainder(&mut self, a: Int, b: Int) -> Int {
        match (a, b) {
            (_, Int::Known(0)) => Int::Known(0),
            (Int::Known(a), Int::Known(b)) => Int::Known(a - b * floor(a, b)),
            _ => {
                let (m, k) = self.bounds(b);
                let bounds = (m.saturating_add(1).min(0), (k - 1).max(0));
                self.keep_int(IntNode::Remainder(a, b), bounds)
            }
        }
    }

    /// Where the exponent is negative, it does not matter what this is.
    pub fn power(&mut self, a: Int, b: Int) -> Int {
        if let (Int::Known(a), Int::Known(b)) = (a, b) {
            let Ok(exponent) = u32::try_from(b) else {
                return Int::Known(0);
            };
            let power = match a {
                0 | 1 => Some(if exponent == 0 { 1 } else { a }),
                -1 => Some(if exponent.is_multiple_of(2) { 1 } else { -1 }),
                _ => a.checked_pow(exponent),
            };
            return match power {
                Some(power) => Int::Known(power),
                None => {
                    self.overflow = true;
                    Int::Known(0)
                }
            };
        }
        match b {
            Int::Known(0) => return Int::Known(1),
            Int::Known(1) => return a,
            _ => {}
        }
        let ((l, h), (_, k)) = (self.bounds(a), self.bounds(b));
        let most = l.abs().max(h.abs()).max(1);
        let most = u32::try_from(k.max(0))
            .ok()
            .and_then(|k| most.checked_pow(k));
        let Some(most) = most else {
            self.overflow = true;
            return Int::Known(0);
        };
        let low = if l < 0 { -most } else { 0 };
        self.keep_int(IntNode::Power(a, b), (low, most))
    }

    pub fn absolute(&mut self, of: Int) -> Int {
        let (low, high) = self.bounds(of);
        match of {
            Int::Known(number) => Int::Known(number.abs()),
            _ if low >= 0 => of,
            _ if high <= 0 => self.scaled(-1, of),
            Int::Node(node) => self.keep_int(IntNode::Absolute(node), (0, high.max(-low))),
        }
    }

    pub fn extreme(&mut self, mut items: Vec<Int>, minimum: bool) -> Int {
        items.sort_unstable();
        items.dedup();
        // Known items count as one.
        let known = items.iter().filter_map(|item| match item {
            Int::Known(number) => Some(*number),
            Int::Node(_) => None,
        });
        let known = if minimum { known.min() } else { known.max() };
        items.retain(|item| matches!(item, Int::Node(_)));
        items.extend(known.map(Int::Known));
        // Items that cannot win are dropped.
        let all: Vec<(i64, i64)> = items.iter().map(|&item| self.bounds(item)).collect();
        let (low, high) = match minimum {
            true => (
                all.iter().map(|b| b.0).min().expect("not empty"),
                all.iter().map(|b| b.1).min().expect("not empty"),
            ),
            false => (
                all.iter().map(|b| b.0).max().expect("not empty"),
                all.iter().map(|b| b.1).max().expect("not empty"),
            ),
        };
        let mut at = 0;
        items.retain(|_| {
            let (a, b) = all[at];
            at += 1;
            if minimum { a <= high } else { b >= low }
        });
        if let [only] = items[..] {
            return only;
        }
        let items = items.into_boxed_slice();
        let node = match minimum {
            true => IntNode::Minimum(items),
            false => IntNode::Maximum(items),
        };
        self.keep_int(node, (low, high))
    }
}

fn merge(terms: &mut Vec<(i64, u32)>) {
    terms.sort_unstable_by_key(|&(_, node)| node);
    terms.dedup_by(|next, kept| {
        let same = next.1 == kept.1;
        if same {
            kept.0 += next.0;
        }
        same
    });
    terms.retain(|&(factor, _)| factor != 0);
}

fn gcd_of(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd_of(b, a % b) }
}

fn floor(a: i64, b: i64) -> i64 {
    let quotient = a / b;
    match a % b != 0 && (a < 0) != (b < 0) {
        true => quotient - 1,
        false => quotient,
    }
}
