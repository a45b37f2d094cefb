//! Operators between two symbolic values, indices and applications.

use std::rc::Rc;

use ployglot_base::BadText;
use ployglot_csp::Domain as Values;
use ployglot_eprime::{Bool, Int, Span};

use super::collection::int_of;
use super::sym::{Members, Pair, Sym, sort_constants};
use super::{Evaluated, Refiner, defined};
use crate::tree::{Binary, Node};
use crate::value::Value;

impl Refiner<'_> {
    pub(super) fn binary(
        &mut self,
        operator: Binary,
        [left, right]: &[Node; 2],
        span: Span,
    ) -> Evaluated<Sym> {
        let truth = |term: Bool| Ok(Some(Sym::Bool(term)));
        // The right side of these is not evaluated where the left one decides.
        match operator {
            Binary::And => {
                let left = self.truth(left)?;
                if left == Bool::FALSE {
                    return truth(left);
                }
                let right = self.truth(right)?;
                return truth(self.terms.and([left, right]));
            }
            Binary::Or | Binary::Implies => {
                let left = self.truth(left)?;
                let left = if operator == Binary::Or { left } else { !left };
                if left == Bool::TRUE {
                    return truth(left);
                }
                let right = self.truth(right)?;
                return truth(self.terms.or([left, right]));
            }
            Binary::Iff => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                return truth(self.terms.iff(left, right));
            }
            _ => {}
        }
        let left = defined!(self.sym(left));
        let right = defined!(self.sym(right));
        let numbers = (self.scalar(&left), self.scalar(&right));
        let int = |term: Int| Ok(Some(Sym::Int(term)));
        match (operator, numbers) {
            (Binary::Plus, (Some(a), Some(b))) => int(self.terms.sum([(1, a), (1, b)], 0)),
            (Binary::Minus, (Some(a), Some(b))) => int(self.terms.sum([(1, a), (-1, b)], 0)),
            (Binary::Times, (Some(a), Some(b))) => int(self.terms.product(a, b)),
            (Binary::Divide | Binary::Modulo, (Some(a), Some(b))) => {
                let zero = self.terms.equal(b, Int::Constant(0));
                if !self.demand(!zero) {
                    return Ok(None);
                }
                int(match operator {
                    Binary::Divide => self.terms.quotient(a, b),
                    _ => self.terms.remainder(a, b),
                })
            }
            (Binary::Power, (Some(a), Some(b))) => {
                let valid = self.terms.at_most(Int::Constant(0), b);
                if !self.demand(valid) {
                    return Ok(None);
                }
                int(self.terms.power(a, b))
            }
            (Binary::Less, (Some(a), Some(b))) => truth(self.terms.less(a, b)),
            (Binary::AtMost, (Some(a), Some(b))) => truth(self.terms.at_most(a, b)),
            (Binary::Greater, (Some(a), Some(b))) => truth(self.terms.less(b, a)),
            (Binary::AtLeast, (Some(a), Some(b))) => truth(self.terms.at_most(b, a)),
            (Binary::Equal, _) => truth(self.equal(&left, &right)),
            (Binary::NotEqual, _) => truth(!self.equal(&left, &right)),
            (Binary::Dot(strict) | Binary::Tilde(strict), _) => {
                truth(self.before(&left, &right, strict))
            }
            (Binary::Lex(strict), _) => truth(self.lexicographic_lists(&left, &right, strict)),
            (Binary::In, _) => truth(self.is_in(&left, &right)),
            (Binary::Subset(strict), _) => {
                let subset = self.is_subset(&left, &right);
                if !strict {
                    return truth(subset);
                }
                let same = self.equal(&left, &right);
                truth(self.terms.and([subset, !same]))
            }
            (Binary::Subsequence, _) => truth(self.subsequence(&left, &right)),
            (Binary::Substring, _) => truth(self.substring(&left, &right)),
            (Binary::Union | Binary::Intersect | Binary::Minus, _) => {
                self.combined(operator, &left, &right, span)
            }
            _ => Err(span.error("these values do not fit this operator")),
        }
    }

    /// The number of a scalar, also of a bool.
    pub(super) fn scalar(&mut self, sym: &Sym) -> Option<Int> {
        match sym {
            Sym::Bool(term) => Some(self.terms.number(*term)),
            other => int_of(other),
        }
    }

    /// A set of these members; equal constants are merged.
    pub(super) fn set_of(&mut self, items: Vec<(Bool, Sym)>) -> Members {
        let mut places: std::collections::BTreeMap<Value, usize> = Default::default();
        let mut merged: Vec<(Bool, Sym)> = Vec::new();
        let mut distinct = true;
        for (present, item) in items {
            if present == Bool::FALSE {
                continue;
            }
            match item.value() {
                Some(value) => {
                    if let Some(&at) = places.get(&value) {
                        merged[at].0 = self.terms.or([merged[at].0, present]);
                        continue;
                    }
                    places.insert(value, merged.len());
                }
                None => distinct = false,
            }
            merged.push((present, item));
        }
        distinct |= merged.len() < 2;
        Members::new(sort_constants(merged), distinct)
    }

    fn is_in(&mut self, value: &Sym, of: &Sym) -> Bool {
        match of {
            Sym::Set(members) | Sym::Relation(members) => self.contains(members, value),
            Sym::MSet(items) => {
                let mut some = Vec::new();
                for (count, item) in items.iter() {
                    let present = self.terms.less(Int::Constant(0), *count);
                    let same = self.equal(item, value);
                    some.push(self.terms.and([present, same]));
                }
                self.terms.or(some)
            }
            Sym::Function(_) | Sym::Sequence(..) => match value {
                Sym::Tuple(pair) if pair.len() == 2 => match self.image(of, &pair[0]) {
                    Some((defined, image)) if defined != Bool::FALSE => {
                        let same = self.equal(&image, &pair[1]);
                        self.terms.and([defined, same])
                    }
                    _ => Bool::FALSE,
                },
                _ => Bool::FALSE,
            },
            _ => {
                let items = self.members(of).unwrap_or_default();
                let members = Members::new(items, false);
                self.contains(&members, value)
            }
        }
    }

    fn is_subset(&mut self, left: &Sym, right: &Sym) -> Bool {
        match (left, right) {
            (Sym::Set(a), Sym::Set(b)) | (Sym::Relation(a), Sym::Relation(b)) => self.subset(a, b),
            (Sym::MSet(a), Sym::MSet(b)) => {
                let mut parts = Vec::new();
                for (_, item) in a.iter() {
                    let (x, y) = (self.frequency(a, item), self.frequency(b, item));
                    parts.push(self.terms.at_most(x, y));
                }
                self.terms.and(parts)
            }
            _ => self.pairs_subset(left, right),
        }
    }

    /// A list or sequence as a length and its items.
    pub(super) fn row(&mut self, sym: &Sym) -> (Int, Vec<Sym>) {
        match sym {
            Sym::Sequence(length, items) => (*length, (**items).clone()),
            Sym::Tuple(items) => (Int::Constant(items.len() as i64), (**items).clone()),
            other => {
                let items = self.items(other).unwrap_or_default();
                self.compact(&items)
            }
        }
    }

    fn lexicographic_lists(&mut self, left: &Sym, right: &Sym, strict: bool) -> Bool {
        let ((n, a), (m, b)) = (self.row(left), self.row(right));
        if let (Int::Constant(_), Int::Constant(_)) = (n, m) {
            let mut numbers = [Vec::new(), Vec::new()];
            for (list, into) in [&a, &b].into_iter().zip(&mut numbers) {
                for item in list {
                    into.extend(self.scalar(item));
                }
            }
            if numbers[0].len() == a.len() && numbers[1].len() == b.len() {
                return self.lexicographic(&numbers[0], &numbers[1], strict);
            }
        }
        self.long_rows_before((n, &a), (m, &b), strict)
    }

    fn subsequence(&mut self, left: &Sym, right: &Sym) -> Bool {
        let ((n, a), (m, b)) = (self.row(left), self.row(right));
        // embeds[i]: the items of the left row from i on are in the right one from j on.
        let mut embeds: Vec<Bool> = Vec::new();
        for i in 0..=a.len() {
            embeds.push(self.terms.at_most(n, Int::Constant(i as i64)));
        }
        for j in (0..b.len()).rev() {
            let inside = self.terms.less(Int::Constant(j as i64), m);
            let mut next = embeds.clone();
            for i in 0..a.len() {
                let done = self.terms.at_most(n, Int::Constant(i as i64));
                let same = self.equal(&a[i], &b[j]);
                let take = self.terms.and([same, embeds[i + 1]]);
                let either = self.terms.or([take, embeds[i]]);
                let go = self.terms.and([inside, either]);
                next[i] = self.terms.or([done, go]);
            }
            embeds = next;
        }
        embeds[0]
    }

    fn substring(&mut self, left: &Sym, right: &Sym) -> Bool {
        let ((n, a), (m, b)) = (self.row(left), self.row(right));
        let mut some = Vec::new();
        for start in 0..=b.len() {
            let end = self.terms.sum([(1, n)], start as i64);
            let mut parts = vec![self.terms.at_most(end, m)];
            for (at, item) in a.iter().enumerate() {
                let used = self.terms.less(Int::Constant(at as i64), n);
                let same = match b.get(start + at) {
                    Some(other) => self.equal(item, other),
                    None => Bool::FALSE,
                };
                parts.push(self.implies(used, same));
            }
            some.push(self.terms.and(parts));
        }
        self.terms.or(some)
    }

    /// Union, intersection and difference of collections.
    fn combined(
        &mut self,
        operator: Binary,
        left: &Sym,
        right: &Sym,
        span: Span,
    ) -> Evaluated<Sym> {
        Ok(Some(match (left, right) {
            (Sym::Set(a), Sym::Set(b)) | (Sym::Relation(a), Sym::Relation(b)) => {
                let members = match operator {
                    Binary::Union => {
                        let items = a.items.iter().chain(&b.items).cloned();
                        self.set_of(items.collect())
                    }
                    _ => {
                        let mut items = Vec::new();
                        for (present, item) in &a.items {
                            let inside = self.contains(b, item);
                            let inside = match operator {
                                Binary::Intersect => inside,
                                _ => !inside,
                            };
                            let present = self.terms.and([*present, inside]);
                            if present != Bool::FALSE {
                                items.push((present, item.clone()));
                            }
                        }
                        Members::new(items, a.distinct)
                    }
                };
                match left {
                    Sym::Set(_) => Sym::Set(Rc::new(members)),
                    _ => Sym::Relation(Rc::new(members)),
                }
            }
            (Sym::MSet(a), Sym::MSet(b)) => {
                let mut items: Vec<(Int, Sym)> = Vec::new();
                let candidates: Vec<Sym> =
                    a.iter().chain(b.iter()).map(|(_, x)| x.clone()).collect();
                for (at, item) in candidates.iter().enumerate() {
                    // The first of equal candidates stands for all of them.
                    let mut earlier = Vec::new();
                    for other in &candidates[..at] {
                        earlier.push(self.equal(other, item));
                    }
                    let hidden = self.terms.or(earlier);
                    if hidden == Bool::TRUE {
                        continue;
                    }
                    let (x, y) = (self.frequency(a, item), self.frequency(b, item));
                    let count = match operator {
                        Binary::Union => self.terms.maximum(vec![x, y]),
                        Binary::Intersect => self.terms.minimum(vec![x, y]),
                        _ => {
                            let rest = self.terms.sum([(1, x), (-1, y)], 0);
                            self.terms.maximum(vec![rest, Int::Constant(0)])
                        }
                    };
                    let count = self.choose(hidden, Int::Constant(0), count);
                    items.push((count, item.clone()));
                }
                Sym::MSet(Rc::new(sort_constants(items)))
            }
            (Sym::Function(a), Sym::Function(b)) => {
                let mut pairs = Vec::new();
                for pair in a.iter() {
                    let image = self.image(right, &pair.key);
                    let (defined, image) = image.unwrap_or((Bool::FALSE, pair.image.clone()));
                    let same = match defined {
                        Bool::FALSE => Bool::FALSE,
                        _ => self.equal(&image, &pair.image),
                    };
                    let inside = self.terms.and([defined, same]);
                    let present = match operator {
                        Binary::Union => {
                            // Different images of one key: the union is no function.
                            let agree = self.terms.or([!pair.present, !defined, same]);
                            if !self.demand(agree) {
                                return Ok(None);
                            }
                            pair.present
                        }
                        Binary::Intersect => self.terms.and([pair.present, inside]),
                        _ => self.terms.and([pair.present, !inside]),
                    };
                    pairs.push(Pair {
                        present,
                        ..pair.clone()
                    });
                }
                if operator == Binary::Union {
                    for pair in b.iter() {
                        let image = self.image(left, &pair.key);
                        let known = image.map_or(Bool::FALSE, |(defined, _)| defined);
                        let present = self.terms.and([pair.present, !known]);
                        pairs.push(Pair {
                            present,
                            ..pair.clone()
                        });
                    }
                }
                Sym::function(pairs)
            }
            _ => return Err(span.error("these values do not fit this operator")),
        }))
    }

    /// `m[i, j]`; `None` if there is never such an item.
    pub(super) fn indexed(&mut self, of: &Sym, indices: &[Option<Sym>]) -> Option<Sym> {
        let Some((first, rest)) = indices.split_first() else {
            return Some(of.clone());
        };
        match (of, first) {
            (Sym::Tuple(items), Some(index)) => {
                let chosen = self.at(
                    &(1..=items.len() as i64).map(Value::Int).collect::<Vec<_>>(),
                    items,
                    index,
                )?;
                self.indexed(&chosen, rest)
            }
            (Sym::Matrix(members, items), Some(index)) => {
                let chosen = self.at(members, items, index)?;
                self.indexed(&chosen, rest)
            }
            (Sym::Matrix(members, items), None) => {
                let mut all = Vec::new();
                for item in items.iter() {
                    all.push(self.indexed(item, rest)?);
                }
                Some(Sym::Matrix(members.clone(), Rc::new(all)))
            }
            (Sym::List(items), Some(index)) => {
                let (length, items) = self.compact(items);
                let place = int_of(index)?;
                let inside = self.terms.at_most(place, length);
                if !self.demand(inside) {
                    return None;
                }
                let members: Vec<Value> = (1..=items.len() as i64).map(Value::Int).collect();
                let chosen = self.at(&members, &items, index)?;
                self.indexed(&chosen, rest)
            }
            _ => None,
        }
    }

    /// The item of a row at an index.
    fn at(&mut self, members: &[Value], items: &[Sym], index: &Sym) -> Option<Sym> {
        if let Some(value) = index.value() {
            let at = members.binary_search(&value).ok()?;
            return Some(items[at].clone());
        }
        if let Sym::Bool(term) = index {
            let mut choices = Vec::new();
            for (member, item) in members.iter().zip(items) {
                let here = if *member == Value::Bool(true) {
                    *term
                } else {
                    !*term
                };
                choices.push((here, item.clone()));
            }
            let inside = self.terms.or(choices.iter().map(|(here, _)| *here));
            return self.demand(inside).then(|| self.select(&choices));
        }
        let place = int_of(index)?;
        let numbers: Vec<i64> = members.iter().filter_map(Value::number).collect();
        let fits = numbers
            .iter()
            .filter_map(|&number| i32::try_from(number).ok());
        let inside = self.terms.within(place, &Values::from_values(fits));
        if !self.demand(inside) {
            return None;
        }
        let ints: Option<Vec<Int>> = items
            .iter()
            .map(|item| match item {
                Sym::Int(term) | Sym::Member(_, term) => Some(*term),
                _ => None,
            })
            .collect();
        if let Some(ints) = ints {
            let term = self.terms.element(ints, place, numbers);
            return Some(match &items[0] {
                Sym::Member(named, _) => Sym::Member(named.clone(), term),
                _ => Sym::Int(term),
            });
        }
        let mut choices = Vec::new();
        for (&number, item) in numbers.iter().zip(items) {
            let here = self.terms.equal(place, Int::Constant(number));
            if here != Bool::FALSE {
                choices.push((here, item.clone()));
            }
        }
        Some(self.select(&choices))
    }

    /// A field of a record or variant.
    pub(super) fn field(&mut self, of: &Sym, label: &str) -> Option<Sym> {
        match of {
            Sym::Record(fields) => {
                let found = fields.iter().find(|(name, _)| **name == *label);
                found.map(|(_, sym)| sym.clone())
            }
            Sym::Variant(tag, fields) => {
                let at = fields.iter().position(|(name, _)| **name == *label)?;
                let active = self.terms.equal(*tag, Int::Constant(at as i64));
                self.demand(active).then(|| fields[at].1.clone())
            }
            _ => None,
        }
    }

    /// `f(x)`, `r(x, _)`.
    pub(super) fn apply(&mut self, of: &Sym, mut arguments: Vec<Option<Sym>>) -> Option<Sym> {
        if let Sym::Relation(members) = of {
            if let Some(all) = arguments.iter().cloned().collect::<Option<Vec<Sym>>>() {
                return Some(Sym::Bool(self.contains(members, &Sym::tuple(all))));
            }
            let mut items = Vec::new();
            for (present, tuple) in &members.items {
                let Sym::Tuple(parts) = tuple else { continue };
                let mut conditions = vec![*present];
                let mut open = Vec::new();
                for (part, argument) in parts.iter().zip(&arguments) {
                    match argument {
                        Some(argument) => conditions.push(self.equal(part, argument)),
                        None => open.push(part.clone()),
                    }
                }
                let present = self.terms.and(conditions);
                items.push((present, Sym::tuple(open)));
            }
            let distinct = members.distinct;
            let mut members = self.set_of(items);
            members.distinct |= distinct;
            return Some(Sym::Relation(Rc::new(members)));
        }
        let argument = match arguments.len() {
            1 => arguments.pop()??,
            _ => Sym::tuple(arguments.into_iter().collect::<Option<_>>()?),
        };
        let (defined, image) = self.image(of, &argument)?;
        self.demand(defined).then_some(image)
    }

    /// The factorial of a number; of a term by its bounds.
    pub(super) fn factorial(&mut self, of: Int, span: Span) -> Result<Sym, BadText> {
        let (low, high) = self.terms.bounds(of);
        let of_number = |number: i64| {
            let mut factors = 2..=number;
            match number {
                ..=20 => factors.try_fold(1i64, |all, factor| all.checked_mul(factor)),
                _ => None,
            }
        };
        let too_large = || span.error("this number is too large");
        let low = low.max(0);
        let high = high.max(0);
        if of_number(high).is_none() {
            return Err(too_large());
        }
        let mut items = Vec::new();
        for number in low..=high {
            items.push(Int::Constant(of_number(number).ok_or_else(too_large)?));
        }
        let positive = self.terms.maximum(vec![of, Int::Constant(0)]);
        Ok(Sym::Int(match items[..] {
            [only] => only,
            _ => self.terms.element(items, positive, (low..=high).collect()),
        }))
    }

    /// The number of members.
    pub(super) fn size(&mut self, of: &Sym) -> Int {
        match of {
            Sym::Sequence(length, _) => *length,
            Sym::MSet(items) => {
                let counts = items.iter().map(|&(count, _)| (1, count));
                self.terms.sum(counts.collect::<Vec<_>>(), 0)
            }
            Sym::Partition(_) => {
                let members = self.participants(of);
                self.count(members.into_iter().map(|(present, _)| present).collect())
            }
            _ => {
                let members = self.members(of).unwrap_or_default();
                self.count(members.into_iter().map(|(present, _)| present).collect())
            }
        }
    }

    /// The members of the parts of a partition.
    pub(super) fn participants(&mut self, of: &Sym) -> Vec<(Bool, Sym)> {
        let Sym::Partition(parts) = of else {
            return Vec::new();
        };
        let mut items = Vec::new();
        for (present, members) in parts.iter() {
            for (inside, item) in &members.items {
                items.push((self.terms.and([*present, *inside]), item.clone()));
            }
        }
        let members = self.set_of(items);
        self.distinct(&members)
    }

    /// All subsets, each under the condition that its members are present; `None` if there are too
    /// many. Where few of many candidates are present, they are the subsets of as many slots.
    pub(super) fn power_set(&mut self, members: &Members) -> Option<Vec<(Bool, Sym)>> {
        let mut items = self.distinct(members);
        let mut most = members.most.unwrap_or(items.len()).min(items.len());
        if subsets(items.len(), most) > MOST_CONSTANT_SUBSETS && most < items.len() {
            let (count, slots) = self.compact_to(&items, most);
            items = self.used(count, slots);
            most = items.len();
        }
        if subsets(items.len(), most) > MOST_SUBSETS {
            return None;
        }
        let mut all: Vec<(Bool, Vec<(Bool, Sym)>)> = vec![(Bool::TRUE, Vec::new())];
        for (present, item) in items {
            self.poll.steps(all.len());
            let mut more = Vec::new();
            for (condition, chosen) in all.iter().filter(|(_, chosen)| chosen.len() < most) {
                let condition = self.terms.and([*condition, present]);
                if condition != Bool::FALSE {
                    let mut chosen = chosen.clone();
                    chosen.push((Bool::TRUE, item.clone()));
                    more.push((condition, chosen));
                }
            }
            all.append(&mut more);
        }
        let set = |(condition, items)| {
            let members = Members::new(items, true);
            (condition, Sym::Set(Rc::new(members)))
        };
        Some(all.into_iter().map(set).collect())
    }
}

/// With more subsets than this, a power set is refused.
const MOST_SUBSETS: u64 = 1 << 20;
/// With more subsets than this, those of the slots of a set are taken instead, if they are fewer.
const MOST_CONSTANT_SUBSETS: u64 = 1 << 10;

/// The number of subsets with at most so many members.
fn subsets(of: usize, most: usize) -> u64 {
    let (mut all, mut of_size) = (1_u64, 1_u64);
    for size in 1..=most.min(of) {
        of_size = of_size.saturating_mul((of - size + 1) as u64) / size as u64;
        all = all.saturating_add(of_size);
    }
    all
}
