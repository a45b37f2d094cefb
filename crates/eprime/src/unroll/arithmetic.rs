//! Constructors of integer terms and comparisons. They fold constants and bring terms that mean the
//! same into one form.

use ployglot_csp::{Domain, Literal};

use super::nodes::{Bool, BoolNode, Int, IntId, IntNode, Nodes, OpenIndex};
use crate::tree::Compare;

/// A sum under construction: factors and nodes, and a constant.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearSum {
    terms: Vec<(i64, IntId)>,
    constant: i128,
    /// A factor or the constant became too large; what is built from this sum is refused.
    overflow: bool,
}

/// The factors of a sum, and its bounds, are at most this large; larger ones are refused.
pub(super) const LIMIT: i64 = 1 << 60;

impl Nodes {
    /// Adds a multiple of a term.
    pub fn add(&self, total: &mut LinearSum, factor: i64, int: Int) {
        self.poll.step();
        match int {
            Int::Constant(number) => total.add_constant(factor, number),
            Int::Node(node) => match self.int(node) {
                IntNode::Sum(terms, constant) => {
                    self.poll.steps(terms.len());
                    total.add_constant(factor, *constant);
                    for &(own, node) in terms {
                        match own.checked_mul(factor) {
                            Some(factor) => total.terms.push((factor, node)),
                            None => total.overflow = true,
                        }
                    }
                }
                _ => total.terms.push((factor, node)),
            },
        }
    }

    /// Notes that a number is too large to be represented.
    fn too_large(&mut self) -> Int {
        self.overflow = true;
        Int::Constant(0)
    }

    /// The finished sum as a term.
    pub fn total(&mut self, total: LinearSum) -> Int {
        match i64::try_from(total.constant) {
            Ok(constant) if !total.overflow => self.sum(total.terms, constant),
            _ => self.too_large(),
        }
    }

    /// The sum of factor times term, plus the constant.
    pub fn sum(&mut self, mut terms: Vec<(i64, IntId)>, constant: i64) -> Int {
        if !collect_factors(&mut terms) {
            return self.too_large();
        }
        match terms[..] {
            [] => return Int::Constant(constant),
            [(1, node)] if constant == 0 => return Int::Node(node),
            _ => {}
        }
        let (low, high) = self.sum_bounds(&terms);
        let (low, high) = (low + i128::from(constant), high + i128::from(constant));
        let (Ok(low), Ok(high)) = (i64::try_from(low), i64::try_from(high)) else {
            return self.too_large();
        };
        let bounds = (low, high);
        self.intern_int(IntNode::Sum(terms.into_boxed_slice(), constant), bounds)
    }

    /// The least and the greatest value of the sum.
    fn sum_bounds(&self, terms: &[(i64, IntId)]) -> (i128, i128) {
        let mut bounds = (0i128, 0i128);
        for &(factor, node) in terms {
            let (low, high) = self.bounds(Int::Node(node));
            let (a, b) = (
                i128::from(factor) * i128::from(low),
                i128::from(factor) * i128::from(high),
            );
            bounds = (bounds.0 + a.min(b), bounds.1 + a.max(b));
        }
        bounds
    }

    /// A multiple of a term.
    pub fn scaled(&mut self, factor: i64, int: Int) -> Int {
        let mut total = LinearSum::default();
        self.add(&mut total, factor, int);
        self.total(total)
    }

    /// A comparison of two terms.
    pub fn compare(&mut self, compare: Compare, left: Int, right: Int) -> Bool {
        let (bound, negative) = match compare {
            Compare::Equal => return self.equal(left, right),
            Compare::NotEqual => return !self.equal(left, right),
            Compare::AtMost => (0, false),
            Compare::Less => (-1, false),
            Compare::AtLeast => (-1, true),
            Compare::Greater => (0, true),
        };
        // left - right ≤ bound, or its negation.
        let mut total = LinearSum::default();
        self.add(&mut total, 1, left);
        self.add(&mut total, -1, right);
        let term = self.linear(total, false, bound);
        match negative {
            true => !term,
            false => term,
        }
    }

    /// Two terms are equal.
    pub fn equal(&mut self, left: Int, right: Int) -> Bool {
        if let (Int::Constant(a), Int::Constant(b)) = (left, right) {
            return Bool::of(a == b);
        }
        let mut total = LinearSum::default();
        self.add(&mut total, 1, left);
        self.add(&mut total, -1, right);
        self.linear(total, true, 0)
    }

    /// The sum equals the bound, or is at most the bound.
    pub fn linear(&mut self, total: LinearSum, equal: bool, bound: i64) -> Bool {
        let mut terms = total.terms;
        let bound = i128::from(bound).checked_sub(total.constant);
        let fits = !total.overflow && collect_factors(&mut terms);
        let Some(bound) = bound.filter(|_| fits) else {
            self.overflow = true;
            return Bool::FALSE;
        };
        self.poll.steps(terms.len());
        let (low, high) = self.sum_bounds(&terms);
        if bound < low || equal && bound > high {
            return Bool::FALSE;
        }
        if equal && low == high || !equal && high <= bound {
            return Bool::TRUE;
        }
        if high > i128::from(LIMIT) || low < -i128::from(LIMIT) {
            self.overflow = true;
            return Bool::FALSE;
        }
        let mut bound = bound as i64;
        // Divide by the common divisor; rounding the bound of an inequality down keeps its
        // solutions.
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
        // Normal form: the first factor is positive.
        if terms[0].0 < 0 {
            terms.iter_mut().for_each(|(factor, _)| *factor = -*factor);
            if equal {
                bound = -bound;
            } else {
                // -s ≤ b is s ≥ -b, the negation of s ≤ -b - 1.
                return !self.normalised(terms, false, -bound - 1);
            }
        }
        self.normalised(terms, equal, bound)
    }

    /// `linear`, for factors in normal form.
    fn normalised(&mut self, terms: Vec<(i64, IntId)>, equal: bool, bound: i64) -> Bool {
        if let [(1, node)] = terms[..] {
            return self.compare_single(node, equal, bound);
        }
        if let Some(term) = self.sum_of_bools(&terms, equal, bound) {
            return term;
        }
        let (low, high) = self.sum_bounds(&terms);
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
            let share_value = y
                .values()
                .take(64)
                .any(|v| i32::try_from(i64::from(v) + bound).is_ok_and(|v| x.contains(v)));
            if !share_value && y.len() <= 64 {
                return Bool::FALSE;
            }
        }
        let terms = terms.into_boxed_slice();
        self.intern_bool(BoolNode::Linear {
            terms,
            equal,
            bound,
        })
    }

    /// `node = bound` or `node ≤ bound`.
    fn compare_single(&mut self, node: IntId, equal: bool, bound: i64) -> Bool {
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
            // It has the values 0 and 1, and the comparison was not folded above.
            IntNode::FromBool(term) => match equal {
                true if bound == 1 => term,
                _ => !term,
            },
            IntNode::Product(a, b) if equal && bound == 0 => {
                let parts = [
                    self.equal(a, Int::Constant(0)),
                    self.equal(b, Int::Constant(0)),
                ];
                self.or(parts)
            }
            IntNode::Minimum(ref items) if !equal => {
                let items = items.clone();
                let parts: Vec<Bool> = items
                    .iter()
                    .map(|&item| self.compare(Compare::AtMost, item, Int::Constant(bound)))
                    .collect();
                self.or(parts)
            }
            IntNode::Maximum(ref items) if !equal => {
                let items = items.clone();
                let parts: Vec<Bool> = items
                    .iter()
                    .map(|&item| self.compare(Compare::AtMost, item, Int::Constant(bound)))
                    .collect();
                self.and(parts)
            }
            IntNode::Absolute(of) => {
                let of = Int::Node(of);
                let parts = match equal {
                    true => [
                        self.equal(of, Int::Constant(bound)),
                        self.equal(of, Int::Constant(-bound)),
                    ],
                    false => {
                        let parts = [
                            self.compare(Compare::AtMost, of, Int::Constant(bound)),
                            self.compare(Compare::AtLeast, of, Int::Constant(-bound)),
                        ];
                        return self.and(parts);
                    }
                };
                self.or(parts)
            }
            // One index into constants: a comparison of the item is a condition on the index.
            IntNode::Element {
                ref items,
                ref indices,
            } if indices.len() == 1
                && items.iter().all(|item| matches!(item, Int::Constant(_))) =>
            {
                let holds = |&&(item, _): &&(&Int, &i64)| match item {
                    Int::Constant(number) if equal => *number == bound,
                    Int::Constant(number) => *number <= bound,
                    Int::Node(_) => false,
                };
                let pairs: Vec<(&Int, &i64)> = items.iter().zip(&indices[0].members).collect();
                let picked = pairs.iter().filter(holds);
                let picked = picked.filter_map(|&(_, &member)| i32::try_from(member).ok());
                let domain = Domain::from_values(picked);
                let index = Int::Node(indices[0].index);
                self.within(index, &domain)
            }
            _ => self.intern_bool(BoolNode::Linear {
                terms: Box::new([(1, node)]),
                equal,
                bound,
            }),
        }
    }

    /// A comparison of a sum of 0/1 terms, where it is plain logic: two terms, or all, none or any.
    fn sum_of_bools(&mut self, terms: &[(i64, IntId)], equal: bool, bound: i64) -> Option<Bool> {
        if !terms.iter().all(|&(_, node)| self.is_zero_one(node)) {
            return None;
        }
        let bools: Vec<Bool> = terms.iter().map(|&(_, node)| self.as_bool(node)).collect();
        if let [(c, _), (d, _)] = *terms {
            // Whether the comparison holds for these values of the two terms.
            let holds = |a: i64, b: i64| {
                let sum = c * a + d * b;
                if equal { sum == bound } else { sum <= bound }
            };
            let (a, b) = (bools[0], bools[1]);
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
        // Factors of 1 and -1: the extreme bounds need no counting.
        if terms.iter().any(|&(factor, _)| factor.abs() != 1) {
            return None;
        }
        let sided = |negate_positive: bool| -> Vec<Bool> {
            let sides = terms.iter().zip(&bools);
            sides
                .map(
                    |(&(factor, _), &term)| match (factor > 0) == negate_positive {
                        true => !term,
                        false => term,
                    },
                )
                .collect()
        };
        let low = -(terms.iter().filter(|&&(factor, _)| factor < 0).count() as i64);
        let high = low + terms.len() as i64;
        match (bound - low, high - bound) {
            // The sum has its least value, or its greatest value.
            (0, _) => Some({
                let parts = sided(true);
                self.and(parts)
            }),
            (_, 0) if equal => Some({
                let parts = sided(false);
                self.and(parts)
            }),
            // The sum does not have its greatest value.
            (_, 1) if !equal => Some({
                let parts = sided(true);
                self.or(parts)
            }),
            _ => None,
        }
    }

    /// Whether the node is a bool as an integer.
    fn is_zero_one(&self, node: IntId) -> bool {
        match self.int(node) {
            IntNode::FromBool(_) => true,
            IntNode::Var(var) => self.declared[var.index()] == Domain::bool(),
            _ => false,
        }
    }

    /// The boolean term that a 0/1 node equals.
    fn as_bool(&mut self, node: IntId) -> Bool {
        match *self.int(node) {
            IntNode::FromBool(term) => term,
            IntNode::Var(var) => self.literal(var.is_true()),
            _ => unreachable!("only nodes that are 0 or 1 get here"),
        }
    }

    /// The term has one of these values.
    pub fn within(&mut self, int: Int, domain: &Domain) -> Bool {
        let (low, high) = self.bounds(int);
        let mut parts = Vec::new();
        // Where each gap is a single value, exclude the gaps.
        let gaps: Vec<(i64, i64)> = domain
            .ranges()
            .windows(2)
            .map(|pair| (i64::from(pair[0].1) + 1, i64::from(pair[1].0) - 1))
            .collect();
        if let Some(&(first, _)) = domain.ranges().first()
            && gaps.iter().all(|&(a, b)| a == b)
            && !gaps.is_empty()
        {
            let last = i64::from(domain.max());
            parts.push(self.compare(Compare::AtLeast, int, Int::Constant(i64::from(first))));
            parts.push(self.compare(Compare::AtMost, int, Int::Constant(last)));
            for (gap, _) in gaps {
                parts.push(!self.equal(int, Int::Constant(gap)));
            }
            return self.and(parts);
        }
        for &(from, to) in domain.ranges() {
            let (from, to) = (i64::from(from), i64::from(to));
            if to < low || from > high {
                continue;
            }
            let part = if from == to {
                self.equal(int, Int::Constant(from))
            } else {
                let sides = [
                    self.compare(Compare::AtLeast, int, Int::Constant(from)),
                    self.compare(Compare::AtMost, int, Int::Constant(to)),
                ];
                self.and(sides)
            };
            parts.push(part);
        }
        self.or(parts)
    }

    /// The item that the indices pick. Where an index is out of range, the value does not matter.
    pub fn element(&mut self, items: Vec<Int>, indices: Vec<(Int, Vec<i64>)>) -> Int {
        // Drop the rows that no index can pick, and resolve the indices that leave one row.
        let mut kept: Vec<Vec<usize>> = Vec::new();
        let mut open: Vec<OpenIndex> = Vec::new();
        let lengths: Vec<usize> = indices.iter().map(|(_, members)| members.len()).collect();
        self.poll.steps(items.len());
        for (index, members) in indices {
            let (index, members) = self.plain_index(index, members);
            let picks: Vec<usize> = (0..members.len())
                .filter(|&i| members[i].is_some_and(|member| self.can_be(index, member)))
                .collect();
            if picks.is_empty() {
                return Int::Constant(0);
            }
            if picks.len() > 1
                && let Int::Node(index) = index
            {
                let members = picks.iter().filter_map(|&i| members[i]).collect();
                open.push(OpenIndex { index, members });
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
        let bounds = items.iter().map(|&item| self.bounds(item));
        let bounds = bounds.fold((i64::MAX, i64::MIN), |all, one| {
            (all.0.min(one.0), all.1.max(one.1))
        });
        let node = IntNode::Element {
            items: items.into_boxed_slice(),
            indices: open.into_boxed_slice(),
        };
        self.intern_int(node, bounds)
    }

    /// `M[a*x + b]` as a matrix indexed by `x`: members for which no `x` exists are `None`.
    fn plain_index(&self, index: Int, members: Vec<i64>) -> (Int, Vec<Option<i64>>) {
        if let Int::Node(node) = index
            && let IntNode::Sum(terms, constant) = self.int(node)
            && let [(factor, inner)] = terms[..]
        {
            let solve = |member: i64| {
                let rest = member.checked_sub(*constant)?;
                let index = rest.checked_div(factor)?;
                (index.checked_mul(factor) == Some(rest)).then_some(index)
            };
            return (Int::Node(inner), members.into_iter().map(solve).collect());
        }
        (index, members.into_iter().map(Some).collect())
    }

    /// Whether the term may have this value.
    pub fn can_be(&self, int: Int, value: i64) -> bool {
        let (low, high) = self.bounds(int);
        if !(low..=high).contains(&value) {
            return false;
        }
        match int {
            Int::Constant(_) => true,
            Int::Node(node) => match self.int(node) {
                IntNode::Var(var) => self.domain(*var).contains(value as i32),
                _ => true,
            },
        }
    }

    /// The product of two terms.
    pub fn product(&mut self, a: Int, b: Int) -> Int {
        match (a, b) {
            (Int::Constant(a), Int::Constant(b)) => match a.checked_mul(b) {
                Some(product) => Int::Constant(product),
                None => self.too_large(),
            },
            (Int::Constant(factor), term) | (term, Int::Constant(factor)) => {
                self.scaled(factor, term)
            }
            (Int::Node(x), Int::Node(y)) => {
                if self.is_zero_one(x) && self.is_zero_one(y) {
                    let parts = [self.as_bool(x), self.as_bool(y)];
                    let both = self.and(parts);
                    return self.int_from_bool(both);
                }
                let (a, b) = (a.min(b), a.max(b));
                let ((l, h), (m, k)) = (self.bounds(a), self.bounds(b));
                let corners = [(l, m), (l, k), (h, m), (h, k)];
                let corners = corners.map(|(x, y)| x.saturating_mul(y));
                let low = *corners.iter().min().expect("four");
                let high = *corners.iter().max().expect("four");
                self.intern_int(IntNode::Product(a, b), (low, high))
            }
        }
    }

    /// The quotient, rounded down. Where the divisor is 0, the value does not matter.
    pub fn quotient(&mut self, a: Int, b: Int) -> Int {
        match (a, b) {
            (_, Int::Constant(0)) => Int::Constant(0),
            (Int::Constant(i64::MIN), Int::Constant(-1)) => self.too_large(),
            (Int::Constant(a), Int::Constant(b)) => Int::Constant(floor(a, b)),
            (a, Int::Constant(1)) => a,
            _ => {
                let ((l, h), (m, k)) = (self.bounds(a), self.bounds(b));
                let bounds = if m > 0 {
                    let corners = [floor(l, m), floor(l, k), floor(h, m), floor(h, k)];
                    let low = *corners.iter().min().expect("four");
                    let high = *corners.iter().max().expect("four");
                    (low, high)
                } else {
                    let most = l.saturating_abs().max(h.saturating_abs());
                    (-most, most)
                };
                self.intern_int(IntNode::Quotient(a, b), bounds)
            }
        }
    }

    /// The remainder of `quotient`. Where the divisor is 0, the value does not matter.
    pub fn remainder(&mut self, a: Int, b: Int) -> Int {
        match (a, b) {
            (_, Int::Constant(0)) => Int::Constant(0),
            (Int::Constant(a), Int::Constant(b)) => {
                let rest = a.wrapping_rem(b);
                let below = rest != 0 && (a < 0) != (b < 0);
                Int::Constant(rest + if below { b } else { 0 })
            }
            _ => {
                let (m, k) = self.bounds(b);
                let bounds = (m.saturating_add(1).min(0), k.saturating_sub(1).max(0));
                self.intern_int(IntNode::Remainder(a, b), bounds)
            }
        }
    }

    /// The power. Where the exponent is negative, the value does not matter.
    pub fn power(&mut self, a: Int, b: Int) -> Int {
        if let (Int::Constant(a), Int::Constant(b)) = (a, b) {
            let power = match (a, u32::try_from(b)) {
                (_, Err(_)) if b < 0 => Some(0),
                (0 | 1, _) => Some(if b == 0 { 1 } else { a }),
                (-1, _) => Some(if b % 2 == 0 { 1 } else { -1 }),
                (_, Ok(exponent)) => a.checked_pow(exponent),
                (_, Err(_)) => None,
            };
            return match power {
                Some(power) => Int::Constant(power),
                None => self.too_large(),
            };
        }
        match b {
            Int::Constant(0) => return Int::Constant(1),
            Int::Constant(1) => return a,
            _ => {}
        }
        let ((l, h), (_, k)) = (self.bounds(a), self.bounds(b));
        let most = l.saturating_abs().max(h.saturating_abs()).max(1);
        let most = u32::try_from(k.max(0))
            .ok()
            .and_then(|k| most.checked_pow(k));
        let Some(most) = most else {
            return self.too_large();
        };
        let low = if l < 0 { -most } else { 0 };
        self.intern_int(IntNode::Power(a, b), (low, most))
    }

    /// The absolute value.
    pub fn absolute(&mut self, of: Int) -> Int {
        let (low, high) = self.bounds(of);
        match of {
            Int::Constant(i64::MIN) => self.too_large(),
            Int::Constant(number) => Int::Constant(number.abs()),
            _ if low >= 0 => of,
            _ if high <= 0 => self.scaled(-1, of),
            Int::Node(node) => self.intern_int(IntNode::Absolute(node), (0, high.max(-low))),
        }
    }

    /// The least or the greatest item; there is at least one.
    pub fn min_or_max(&mut self, mut items: Vec<Int>, minimum: bool) -> Int {
        items.sort_unstable();
        items.dedup();
        // One constant is enough.
        let known = items.iter().filter_map(|item| match item {
            Int::Constant(number) => Some(*number),
            Int::Node(_) => None,
        });
        let known = if minimum { known.min() } else { known.max() };
        items.retain(|item| matches!(item, Int::Node(_)));
        items.extend(known.map(Int::Constant));
        // Drop items that are never the least (or the greatest).
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
        self.intern_int(node, (low, high))
    }
}

impl LinearSum {
    /// A sum that has only this constant yet.
    pub fn from_constant(constant: i64) -> Self {
        LinearSum {
            constant: i128::from(constant),
            ..LinearSum::default()
        }
    }

    fn add_constant(&mut self, factor: i64, number: i64) {
        let product = i128::from(factor) * i128::from(number);
        match self.constant.checked_add(product) {
            Some(constant) => self.constant = constant,
            None => self.overflow = true,
        }
    }
}

/// Sorts by node, adds up the factors of equal nodes, and drops factors of 0. Returns false if a
/// factor is too large.
fn collect_factors(terms: &mut Vec<(i64, IntId)>) -> bool {
    terms.sort_unstable_by_key(|&(_, node)| node);
    let mut fits = true;
    terms.dedup_by(|next, kept| {
        let same = next.1 == kept.1;
        if same {
            let sum = kept.0.checked_add(next.0);
            fits &= sum.is_some();
            kept.0 = sum.unwrap_or(0);
        }
        same
    });
    terms.retain(|&(factor, _)| factor != 0);
    fits && terms
        .iter()
        .all(|&(factor, _)| (-LIMIT..=LIMIT).contains(&factor))
}

fn gcd_of(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd_of(b, a % b) }
}

/// The quotient rounded down.
fn floor(a: i64, b: i64) -> i64 {
    let quotient = a / b;
    match a % b != 0 && (a < 0) != (b < 0) {
        true => quotient - 1,
        false => quotient,
    }
}
