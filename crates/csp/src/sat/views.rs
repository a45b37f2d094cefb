//! Integers as literals. The literals of a view are created when they are first used:
//!
//! - *order*: a literal `x ≤ v` for each threshold that is used, chained to its neighbours;
//! - *direct*: a literal `x = v`. A small domain gets all of them at once with "exactly one"; a
//!   large one only those that are used, each defined by the two thresholds around it;
//! - *bits* of `x - min`, for sums and products over domains too large to list.
//!
//! A variable with two values is a single literal in every view. With both order and direct view
//! the chain already implies "at most one", so the pairwise clauses are omitted where it is known
//! beforehand that the order literals will be needed.
//!
//! Invariant: any value that agrees with all existing literals extends to a full assignment. So a
//! direct literal never exists without both its thresholds, unless all values have one, and bits
//! are tied to every threshold.

use std::collections::BTreeMap;

use super::encoder::Encoder;
use super::solver::{Clauses, Lit};
use crate::domain::Domain;
use crate::problem::{Literal, VarId};

/// "At most one value" of at most this many values is encoded pairwise.
const PAIRWISE: u64 = 6;
/// Domains with at most this many values get all direct literals at once.
const DIRECT: u64 = 512;

/// An integer of the encoder: a variable of the problem, a constant, or an auxiliary integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Int(pub(super) u32);

/// An integer with the literals that exist for it.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) domain: Domain,
    shape: Shape,
    /// Some constraint compares this integer, so it needs order literals.
    pub(super) wants_order: bool,
}

#[derive(Clone, Debug)]
enum Shape {
    /// No value or one value.
    Fixed,
    /// The literal is true for the larger of the two values; `None` until it is used.
    Two(Option<Lit>),
    Many(Box<Many>),
}

#[derive(Clone, Debug, Default)]
struct Many {
    /// `x ≤ v`, for values of the domain below the largest.
    order: BTreeMap<i32, Lit>,
    /// `x = v`.
    direct: BTreeMap<i32, Lit>,
    /// Every value has its direct literal.
    all_direct: bool,
    /// Every value but the largest has its threshold.
    all_order: bool,
    /// The bits of `x - min`, lowest first; empty until they are used.
    bits: Vec<Lit>,
}

impl View {
    pub(super) fn new(domain: Domain) -> Self {
        let shape = match domain.len() {
            0 | 1 => Shape::Fixed,
            2 => Shape::Two(None),
            _ => Shape::Many(Box::default()),
        };
        Self {
            domain,
            shape,
            wants_order: false,
        }
    }

    /// The value in a satisfying assignment.
    pub(super) fn value(&self, truth: impl Fn(Lit) -> bool) -> i32 {
        let domain = &self.domain;
        match &self.shape {
            Shape::Fixed | Shape::Two(None) => domain.min(),
            Shape::Two(Some(literal)) if truth(*literal) => domain.max(),
            Shape::Two(_) => domain.min(),
            Shape::Many(many) if !many.bits.is_empty() => {
                let set = many.bits.iter().enumerate().filter(|(_, bit)| truth(**bit));
                let offset: i64 = set.map(|(i, _)| 1i64 << i).sum();
                (i64::from(domain.min()) + offset) as i32
            }
            Shape::Many(many) if many.all_direct => {
                let chosen = many.direct.iter().find(|(_, literal)| truth(**literal));
                *chosen.expect("one of the values is chosen").0
            }
            Shape::Many(many) => {
                let least = many.order.iter().find(|(_, literal)| truth(**literal));
                least.map_or(domain.max(), |(&value, _)| value)
            }
        }
    }

    /// The existing literals of this view of a variable, each with its meaning.
    pub(super) fn literals(&self, x: VarId) -> Vec<(Literal, Lit)> {
        match &self.shape {
            Shape::Fixed | Shape::Two(None) => Vec::new(),
            Shape::Two(Some(literal)) => vec![(Literal::Is(x, self.domain.max()), *literal)],
            Shape::Many(many) => {
                let direct = many.direct.iter().map(|(&v, &l)| (Literal::Is(x, v), l));
                let order = many.order.iter().map(|(&v, &l)| (Literal::AtMost(x, v), l));
                direct.chain(order).collect()
            }
        }
    }

    pub(super) fn bits(&self) -> &[Lit] {
        match &self.shape {
            Shape::Many(many) => &many.bits,
            _ => &[],
        }
    }

    /// Whether all direct literals exist, or need no other literals.
    pub(super) fn prefers_direct(&self) -> bool {
        match &self.shape {
            Shape::Fixed | Shape::Two(_) => true,
            Shape::Many(many) => {
                many.all_direct
                    || many.order.is_empty() && !self.wants_order && self.domain.len() <= PAIRWISE
            }
        }
    }
}

/// The largest value of the domain below this one.
pub(super) fn below(domain: &Domain, value: i32) -> Option<i32> {
    at_or_below(domain, value.checked_sub(1)?)
}

fn at_or_below(domain: &Domain, value: i32) -> Option<i32> {
    let ranges = domain.ranges();
    let after = ranges.partition_point(|&(low, _)| low <= value);
    Some(value.min(ranges[after.checked_sub(1)?].1))
}

impl Encoder<dyn Clauses> {
    pub(super) fn domain(&self, x: Int) -> &Domain {
        &self.views[x.0 as usize].domain
    }

    fn view(&mut self, x: Int) -> &mut View {
        &mut self.views[x.0 as usize]
    }

    fn many(&mut self, x: Int) -> &mut Many {
        match &mut self.view(x).shape {
            Shape::Many(many) => many,
            _ => unreachable!("the domain has more than two values"),
        }
    }

    /// The literal of a variable with two values: true for the larger.
    fn two(&mut self, x: Int) -> Lit {
        if let Shape::Two(Some(literal)) = self.view(x).shape {
            return literal;
        }
        let literal = self.fresh();
        self.view(x).shape = Shape::Two(Some(literal));
        literal
    }

    /// `x = v`.
    pub(super) fn is(&mut self, x: Int, v: i32) -> Lit {
        let view = &self.views[x.0 as usize];
        let domain = &view.domain;
        if !domain.contains(v) {
            return Lit::FALSE;
        }
        let larger = domain.max() == v;
        // The outermost values are thresholds: if there are order literals, they need nothing else.
        let outermost = larger || domain.min() == v;
        match &view.shape {
            Shape::Fixed => Lit::TRUE,
            Shape::Two(_) if larger => self.two(x),
            Shape::Two(_) => !self.two(x),
            Shape::Many(many) => match many.direct.get(&v) {
                Some(&literal) => literal,
                None if outermost && (view.wants_order || !many.order.is_empty()) => {
                    self.define_direct(x, v)
                }
                None if domain.len() <= DIRECT => {
                    self.make_direct(x);
                    self.many(x).direct[&v]
                }
                None => self.define_direct(x, v),
            },
        }
    }

    /// `x ≤ v`.
    pub(super) fn at_most(&mut self, x: Int, v: i32) -> Lit {
        let view = &self.views[x.0 as usize];
        let domain = &view.domain;
        if domain.is_empty() || v >= domain.max() {
            return Lit::TRUE;
        }
        let Some(v) = at_or_below(domain, v) else {
            return Lit::FALSE;
        };
        match &view.shape {
            Shape::Fixed => unreachable!("the only value is at most v or above it"),
            Shape::Two(_) => !self.two(x),
            Shape::Many(many) => match many.order.get(&v) {
                Some(&literal) => literal,
                None => self.define_order(x, v),
            },
        }
    }

    /// `x ≥ v`.
    pub(super) fn at_least(&mut self, x: Int, v: i32) -> Lit {
        match v.checked_sub(1) {
            Some(before) => !self.at_most(x, before),
            None => Lit::TRUE,
        }
    }

    /// `x ≤ v` for numbers beyond 32 bits.
    pub(super) fn at_most_wide(&mut self, x: Int, v: i64) -> Lit {
        match i32::try_from(v) {
            Ok(v) => self.at_most(x, v),
            Err(_) if v > 0 => Lit::TRUE,
            Err(_) if self.domain(x).is_empty() => Lit::TRUE,
            Err(_) => Lit::FALSE,
        }
    }

    /// A new threshold between its neighbours, tied to the other literals of the variable.
    fn define_order(&mut self, x: Int, v: i32) -> Lit {
        self.poll.steps(1 + self.domain(x).ranges().len() / 16);
        let domain = self.domain(x).clone();
        let many = self.many(x);
        let before = many.order.range(..v).next_back().map(|(&t, &l)| (t, l));
        let after = many.order.range(v..).next().map(|(&t, &l)| (t, l));
        // The direct literals of the values between the neighbours.
        let first = before.map_or(i32::MIN, |(t, _)| t + 1);
        let last = after.map_or(domain.max(), |(t, _)| t);
        let direct: Vec<(i32, Lit)> = match many.all_direct {
            true => many
                .direct
                .range(first..=last)
                .map(|(&u, &l)| (u, l))
                .collect(),
            false => Vec::new(),
        };
        let low: Vec<Lit> = direct.iter().filter(|d| d.0 <= v).map(|d| d.1).collect();
        let high: Vec<Lit> = direct.iter().filter(|d| d.0 > v).map(|d| d.1).collect();
        let (under, over) = (
            before.map_or(Lit::FALSE, |b| b.1),
            after.map_or(Lit::TRUE, |a| a.1),
        );
        // The outermost thresholds are direct literals themselves.
        let literal = match (&low[..], &high[..]) {
            ([only], _) if before.is_none() => *only,
            (_, [only]) if after.is_none() => !*only,
            _ => self.fresh(),
        };
        self.many(x).order.insert(v, literal);
        self.clause(&[!under, literal]);
        self.clause(&[!literal, over]);
        if !direct.is_empty() {
            // If it is a direct literal itself, "exactly one" already implies all but the link to
            // its neighbour.
            let (lowest, highest) = (low == [literal], high == [!literal]);
            if !lowest && !highest {
                low.iter()
                    .for_each(|&value| self.clause(&[!value, literal]));
                high.iter()
                    .for_each(|&value| self.clause(&[!value, !literal]));
            }
            if !highest || before.is_some() {
                self.clause(&[&low[..], &[!literal, under]].concat());
            }
            if !lowest || after.is_some() {
                self.clause(&[&high[..], &[literal, !over]].concat());
            }
        }
        let bits = self.view(x).bits().to_vec();
        if !bits.is_empty() {
            self.tie_to_bits(&bits, &domain, v, literal);
        }
        literal
    }

    /// Creates every threshold; only for domains that can be listed.
    pub(super) fn make_order(&mut self, x: Int) {
        if !matches!(&self.views[x.0 as usize].shape, Shape::Many(many) if !many.all_order) {
            return;
        }
        self.poll.allocate::<i32>(self.domain(x).len());
        let values: Vec<i32> = self.domain(x).values().collect();
        for &v in &values[..values.len() - 1] {
            self.at_most(x, v);
        }
        self.many(x).all_order = true;
    }

    /// Creates a direct literal for each value.
    pub(super) fn make_direct(&mut self, x: Int) {
        let view = &self.views[x.0 as usize];
        let (len, wants_order) = (view.domain.len(), view.wants_order);
        match &view.shape {
            Shape::Many(many) if !many.all_direct => {
                let values: Vec<i32> = view.domain.values().collect();
                if len > PAIRWISE || wants_order || !many.order.is_empty() {
                    self.make_order(x);
                    for v in values {
                        self.define_direct(x, v);
                    }
                } else {
                    let literals: Vec<Lit> = values.iter().map(|_| self.fresh()).collect();
                    self.clause(&literals);
                    for (i, &a) in literals.iter().enumerate() {
                        for &b in &literals[..i] {
                            self.clause(&[!a, !b]);
                        }
                    }
                    self.many(x).direct = values.into_iter().zip(literals).collect();
                }
                self.many(x).all_direct = true;
            }
            _ => {}
        }
    }

    /// A direct literal defined by its thresholds.
    fn define_direct(&mut self, x: Int, v: i32) -> Lit {
        if let Some(&literal) = self.many(x).direct.get(&v) {
            return literal;
        }
        let domain = self.domain(x);
        let (least, largest, before) = (domain.min(), domain.max(), below(domain, v));
        let up_to = self.at_most(x, v);
        let literal = match before {
            None => up_to,
            Some(before) => {
                debug_assert!(v > least);
                let under = self.at_most(x, before);
                if v == largest {
                    !under
                } else {
                    let literal = self.fresh();
                    self.clause(&[!literal, up_to]);
                    self.clause(&[!literal, !under]);
                    self.clause(&[literal, !up_to, under]);
                    literal
                }
            }
        };
        self.many(x).direct.insert(v, literal);
        literal
    }

    /// The bits of `x - min`, lowest first; only for variables with many values.
    pub(super) fn make_bits(&mut self, x: Int) -> Vec<Lit> {
        let many = self.many(x);
        if !many.bits.is_empty() {
            return many.bits.clone();
        }
        let order: Vec<(i32, Lit)> = many.order.iter().map(|(&v, &l)| (v, l)).collect();
        let domain = self.domain(x).clone();
        let span = i64::from(domain.max()) - i64::from(domain.min());
        let width = 64 - (span as u64).leading_zeros();
        let bits: Vec<Lit> = (0..width).map(|_| self.fresh()).collect();
        self.many(x).bits = bits.clone();
        let top = self.bits_at_most(&bits, span as u64);
        self.clause(&[top]);
        // The holes.
        for pair in domain.ranges().windows(2) {
            let offset = |v: i32| (i64::from(v) - i64::from(domain.min())) as u64;
            let (below, above) = (offset(pair[0].1), offset(pair[1].0) - 1);
            let (low, high) = (
                self.bits_at_most(&bits, below),
                self.bits_at_most(&bits, above),
            );
            self.clause(&[low, !high]);
        }
        for (v, literal) in order {
            self.tie_to_bits(&bits, &domain, v, literal);
        }
        bits
    }

    /// The threshold literal is equivalent to a comparison of the bits.
    fn tie_to_bits(&mut self, bits: &[Lit], domain: &Domain, v: i32, literal: Lit) {
        let offset = (i64::from(v) - i64::from(domain.min())) as u64;
        let same = self.bits_at_most(bits, offset);
        self.clause(&[!literal, same]);
        self.clause(&[literal, !same]);
    }

    /// The literal "the number with these bits, lowest first, is at most the bound".
    pub(super) fn bits_at_most(&mut self, bits: &[Lit], bound: u64) -> Lit {
        let mut so_far = Lit::TRUE;
        for (i, &bit) in bits.iter().enumerate() {
            let one = i < 64 && bound >> i & 1 == 1;
            so_far = match one {
                true => self.or(!bit, so_far),
                false => self.and(!bit, so_far),
            };
        }
        match bits.len() < 64 && bound >> bits.len() != 0 {
            true => Lit::TRUE,
            false => so_far,
        }
    }
}
