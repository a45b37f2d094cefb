//! Equality and the order of symbolic values.

use std::cmp::Ordering;

use ployglot_eprime::{Bool, Int};

use super::Refiner;
use super::collection::int_of;
use super::sym::{Members, Sym};
use crate::value::Value;

/// Whether the items of matrices with these indices must differ for the first to come before the
/// second: matrices with equal items are ordered by their indices.
fn strict_with_indices(left: &[Value], right: &[Value], strict: bool) -> bool {
    match Value::order_of_rows(left, right) {
        Ordering::Less => false,
        Ordering::Equal => strict,
        Ordering::Greater => true,
    }
}

impl Refiner<'_> {
    /// The two values are equal.
    pub(super) fn equal(&mut self, left: &Sym, right: &Sym) -> Bool {
        self.poll.step();
        match (left, right) {
            (Sym::Int(a), Sym::Int(b)) | (Sym::Member(_, a), Sym::Member(_, b)) => {
                self.terms.equal(*a, *b)
            }
            (Sym::Bool(a), Sym::Bool(b)) => self.terms.iff(*a, *b),
            _ => crate::deep::deep(|| self.equal_inside(left, right)),
        }
    }

    fn all_equal<'s>(&mut self, pairs: impl Iterator<Item = (&'s Sym, &'s Sym)>) -> Bool {
        let mut parts = Vec::new();
        for (a, b) in pairs {
            let part = self.equal(a, b);
            if part == Bool::FALSE {
                return part;
            }
            parts.push(part);
        }
        self.terms.and(parts)
    }

    fn equal_inside(&mut self, left: &Sym, right: &Sym) -> Bool {
        match (left, right) {
            (Sym::Tuple(a), Sym::Tuple(b)) => {
                if a.len() != b.len() {
                    return Bool::FALSE;
                }
                self.all_equal(a.iter().zip(b.iter()))
            }
            (Sym::Record(a), Sym::Record(b)) => {
                let pairs = a.iter().zip(b.iter()).map(|((_, a), (_, b))| (a, b));
                self.all_equal(pairs)
            }
            (Sym::Variant(a, fields), Sym::Variant(b, others)) => {
                let mut some = Vec::new();
                for (i, (name, x)) in fields.iter().enumerate() {
                    let Some(j) = others.iter().position(|(known, _)| known == name) else {
                        continue;
                    };
                    let here = self.terms.equal(*a, Int::Constant(i as i64));
                    let there = self.terms.equal(*b, Int::Constant(j as i64));
                    let both = self.terms.and([here, there]);
                    if both != Bool::FALSE {
                        let same = self.equal(x, &others[j].1);
                        some.push(self.terms.and([both, same]));
                    }
                }
                self.terms.or(some)
            }
            (Sym::Matrix(i, a), Sym::Matrix(j, b)) => {
                if i != j {
                    return Bool::FALSE;
                }
                self.all_equal(a.iter().zip(b.iter()))
            }
            (Sym::Matrix(..) | Sym::List(_), Sym::Matrix(..) | Sym::List(_)) => {
                let (a, b) = (self.items(left), self.items(right));
                let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
                // A list is indexed from 1.
                let from_one = |sym: &Sym| match sym {
                    Sym::Matrix(index, _) => {
                        let first = index.first().and_then(Value::number);
                        first.is_none_or(|first| first == 1)
                    }
                    _ => true,
                };
                if !from_one(left) || !from_one(right) {
                    return Bool::FALSE;
                }
                let (n, a) = self.compact(&a);
                let (m, b) = self.compact(&b);
                self.rows_equal((n, &a), (m, &b))
            }
            (Sym::Set(a), Sym::Set(b)) | (Sym::Relation(a), Sym::Relation(b)) => {
                let there = self.subset(a, b);
                if there == Bool::FALSE {
                    return there;
                }
                let back = self.subset(b, a);
                self.terms.and([there, back])
            }
            (Sym::MSet(a), Sym::MSet(b)) => {
                let mut parts = Vec::new();
                for (_, item) in a.iter().chain(b.iter()) {
                    let (x, y) = (self.frequency(a, item), self.frequency(b, item));
                    // An item that does not occur may have any value.
                    parts.push(self.terms.equal(x, y));
                }
                self.terms.and(parts)
            }
            (Sym::Sequence(n, a), Sym::Sequence(m, b)) => self.rows_equal((*n, a), (*m, b)),
            (Sym::Function(_) | Sym::Sequence(..), Sym::Function(_) | Sym::Sequence(..)) => {
                let there = self.pairs_subset(left, right);
                let back = self.pairs_subset(right, left);
                self.terms.and([there, back])
            }
            (Sym::Partition(_), Sym::Partition(_)) => {
                let (a, b) = (self.members(left), self.members(right));
                let set = |items| Members::new(items, true);
                let (a, b) = (set(a.unwrap_or_default()), set(b.unwrap_or_default()));
                let there = self.subset(&a, &b);
                let back = self.subset(&b, &a);
                self.terms.and([there, back])
            }
            (Sym::Permutation(a), Sym::Permutation(b)) => {
                let mut parts = Vec::new();
                for (from, _) in a.iter().chain(b.iter()) {
                    let (x, y) = (self.image(left, from), self.image(right, from));
                    if let (Some((_, x)), Some((_, y))) = (x, y) {
                        parts.push(self.equal(&x, &y));
                    }
                }
                self.terms.and(parts)
            }
            _ => Bool::FALSE,
        }
    }

    /// Two rows, given as a length and at least as many items, are equal.
    fn rows_equal(&mut self, (n, a): (Int, &[Sym]), (m, b): (Int, &[Sym])) -> Bool {
        let same_length = self.terms.equal(n, m);
        if same_length == Bool::FALSE {
            return same_length;
        }
        let mut parts = vec![same_length];
        for (at, (x, y)) in a.iter().zip(b).enumerate() {
            let used = self.terms.less(Int::Constant(at as i64), n);
            if used == Bool::FALSE {
                break;
            }
            let same = self.equal(x, y);
            parts.push(self.implies(used, same));
        }
        // Where one row has no items left, the other must not have any either.
        let common = a.len().min(b.len());
        parts.push(self.terms.at_most(n, Int::Constant(common as i64)));
        self.terms.and(parts)
    }

    /// Every member of the one is a member of the other.
    pub(super) fn subset(&mut self, left: &Members, right: &Members) -> Bool {
        let mut parts = Vec::new();
        for (present, item) in &left.items {
            if *present == Bool::FALSE {
                continue;
            }
            let inside = self.contains(right, item);
            let part = self.implies(*present, inside);
            if part == Bool::FALSE {
                return part;
            }
            parts.push(part);
        }
        self.terms.and(parts)
    }

    /// Every pair of the one function is a pair of the other.
    pub(super) fn pairs_subset(&mut self, left: &Sym, right: &Sym) -> Bool {
        let mut parts = Vec::new();
        for (present, pair) in self.members(left).unwrap_or_default() {
            let Sym::Tuple(both) = &pair else { continue };
            let part = match self.image(right, &both[0]) {
                None => Bool::FALSE,
                Some((Bool::FALSE, _)) => Bool::FALSE,
                Some((defined, image)) => {
                    let same = self.equal(&both[1], &image);
                    self.terms.and([defined, same])
                }
            };
            parts.push(self.implies(present, part));
        }
        self.terms.and(parts)
    }

    /// `.<` and `~<`: numbers by size, tuples and matrices by their first difference, collections by
    /// the least member that occurs a different number of times: the one with fewer is smaller.
    pub(super) fn before(&mut self, left: &Sym, right: &Sym, strict: bool) -> Bool {
        crate::deep::deep(|| self.before_inside(left, right, strict))
    }

    fn before_inside(&mut self, left: &Sym, right: &Sym, strict: bool) -> Bool {
        match (left, right) {
            (Sym::Bool(a), Sym::Bool(b)) => match strict {
                true => self.terms.and([!*a, *b]),
                false => self.terms.or([!*a, *b]),
            },
            (Sym::Tuple(a), Sym::Tuple(b)) => self.rows_before(a, b, strict),
            (Sym::Matrix(i, a), Sym::Matrix(j, b)) => {
                self.rows_before(a, b, strict_with_indices(i, j, strict))
            }
            (Sym::Record(a), Sym::Record(b)) => {
                let values = |fields: &[(std::sync::Arc<str>, Sym)]| -> Vec<Sym> {
                    fields.iter().map(|(_, sym)| sym.clone()).collect()
                };
                self.rows_before(&values(a), &values(b), strict)
            }
            (Sym::Variant(a, fields), Sym::Variant(b, others)) => {
                let mut some = Vec::new();
                for (i, (name, x)) in fields.iter().enumerate() {
                    for (j, (other, y)) in others.iter().enumerate() {
                        let here = self.terms.equal(*a, Int::Constant(i as i64));
                        let there = self.terms.equal(*b, Int::Constant(j as i64));
                        let order = match name.cmp(other) {
                            Ordering::Less => Bool::TRUE,
                            Ordering::Greater => Bool::FALSE,
                            Ordering::Equal => self.before(x, y, strict),
                        };
                        some.push(self.terms.and([here, there, order]));
                    }
                }
                self.terms.or(some)
            }
            (Sym::List(_), Sym::List(_) | Sym::Matrix(..)) | (Sym::Matrix(..), Sym::List(_)) => {
                // A list is indexed from 1.
                let from_one = |index: &[Value]| (1..).map(Value::Int).take(index.len()).collect();
                let strict = match (left, right) {
                    (Sym::Matrix(i, _), _) => {
                        let list: Vec<Value> = from_one(i);
                        strict_with_indices(i, &list, strict)
                    }
                    (_, Sym::Matrix(j, _)) => {
                        let list: Vec<Value> = from_one(j);
                        strict_with_indices(&list, j, strict)
                    }
                    _ => strict,
                };
                let (a, b) = (self.items(left), self.items(right));
                let (n, a) = self.compact(&a.unwrap_or_default());
                let (m, b) = self.compact(&b.unwrap_or_default());
                self.long_rows_before((n, &a), (m, &b), strict)
            }
            _ => match (int_of(left), int_of(right)) {
                (Some(a), Some(b)) => match strict {
                    true => self.terms.less(a, b),
                    false => self.terms.at_most(a, b),
                },
                _ => self.collection_before(left, right, strict),
            },
        }
    }

    fn rows_before(&mut self, left: &[Sym], right: &[Sym], strict: bool) -> Bool {
        let mut term = Bool::of(match strict {
            true => left.len() < right.len(),
            false => left.len() <= right.len(),
        });
        for (a, b) in left.iter().zip(right).rev() {
            let less = self.before(a, b, true);
            let same = self.equal(a, b);
            let rest = self.terms.and([same, term]);
            term = self.terms.or([less, rest]);
        }
        term
    }

    /// The order of rows whose lengths are terms.
    pub(super) fn long_rows_before(
        &mut self,
        (n, left): (Int, &[Sym]),
        (m, right): (Int, &[Sym]),
        strict: bool,
    ) -> Bool {
        // After the common items: the shorter row comes first.
        let common = left.len().min(right.len());
        let ends = |refiner: &mut Self| match strict {
            true => refiner.terms.less(n, m),
            false => refiner.terms.at_most(n, m),
        };
        let mut term = ends(self);
        for at in (0..common).rev() {
            let place = Int::Constant(at as i64);
            let (in_left, in_right) = (self.terms.less(place, n), self.terms.less(place, m));
            let both = self.terms.and([in_left, in_right]);
            let end = ends(self);
            let less = self.before(&left[at], &right[at], true);
            let same = self.equal(&left[at], &right[at]);
            let rest = self.terms.and([same, term]);
            let inside = self.terms.or([less, rest]);
            let yes = self.terms.and([both, inside]);
            let no = self.terms.and([!both, end]);
            term = self.terms.or([yes, no]);
        }
        term
    }

    fn collection_before(&mut self, left: &Sym, right: &Sym, strict: bool) -> Bool {
        let (Some(a), Some(b)) = (self.counted(left), self.counted(right)) else {
            return Bool::FALSE;
        };
        let mut candidates: Vec<Sym> = Vec::new();
        let mut known = std::collections::BTreeSet::new();
        for (_, item) in a.iter().chain(&b) {
            if let Some(value) = item.value()
                && !known.insert(value)
            {
                continue;
            }
            candidates.push(item.clone());
        }
        let mut counts = Vec::new();
        for item in &candidates {
            counts.push((self.frequency(&a, item), self.frequency(&b, item)));
        }
        let mut some = Vec::new();
        for (at, item) in candidates.iter().enumerate() {
            let (x, y) = counts[at];
            let fewer = self.terms.less(x, y);
            if fewer == Bool::FALSE {
                continue;
            }
            let mut parts = vec![fewer];
            for (other, smaller) in candidates.iter().enumerate() {
                if other == at {
                    continue;
                }
                let below = self.before(smaller, item, true);
                let same = self.terms.equal(counts[other].0, counts[other].1);
                parts.push(self.implies(below, same));
            }
            some.push(self.terms.and(parts));
        }
        if !strict {
            some.push(self.equal(left, right));
        }
        self.terms.or(some)
    }

    /// The members of a collection with how often they occur. A member may be listed more than once.
    pub(super) fn counted(&mut self, sym: &Sym) -> Option<Vec<(Int, Sym)>> {
        if let Sym::MSet(items) = sym {
            return Some((**items).clone());
        }
        let members = self.members(sym)?;
        let mut all = Vec::new();
        for (present, item) in members {
            all.push((self.terms.number(present), item));
        }
        Some(all)
    }
}
