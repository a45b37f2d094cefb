//! Lists, members and images of symbolic values.

use std::rc::Rc;

use ployglot_eprime::{Bool, Int};

use super::Refiner;
use super::sym::{Members, Pair, Sym};
use crate::value::Value;

impl Refiner<'_> {
    /// How many of the terms hold.
    pub(super) fn count(&mut self, terms: Vec<Bool>) -> Int {
        let mut numbers = Vec::with_capacity(terms.len());
        for term in terms {
            numbers.push((1, self.terms.number(term)));
        }
        self.terms.sum(numbers, 0)
    }

    pub(super) fn implies(&mut self, left: Bool, right: Bool) -> Bool {
        self.terms.or([!left, right])
    }

    /// The left row comes before the right one in lexicographic order, or equals it if not strict.
    pub(super) fn lexicographic(&mut self, left: &[Int], right: &[Int], strict: bool) -> Bool {
        let mut term = Bool::of(match strict {
            true => left.len() < right.len(),
            false => left.len() <= right.len(),
        });
        for (&a, &b) in left.iter().zip(right).rev() {
            let at_most = self.terms.at_most(a, b);
            let less = self.terms.less(a, b);
            let rest = self.terms.or([less, term]);
            term = self.terms.and([at_most, rest]);
        }
        term
    }

    /// The items of a matrix or list with the conditions under which they are there; `None` for
    /// other values.
    pub(super) fn items(&self, sym: &Sym) -> Option<Vec<(Bool, Sym)>> {
        match sym {
            Sym::Matrix(_, items) => Some(
                items
                    .iter()
                    .map(|item| (Bool::TRUE, item.clone()))
                    .collect(),
            ),
            Sym::List(items) => Some((**items).clone()),
            _ => None,
        }
    }

    /// A list whose conditions are all known becomes a matrix.
    pub(super) fn settled(items: Vec<(Bool, Sym)>) -> Sym {
        match items.iter().all(|(present, _)| present.known().is_some()) {
            true => {
                let present = items
                    .into_iter()
                    .filter(|(present, _)| *present == Bool::TRUE);
                Sym::list(present.map(|(_, item)| item).collect())
            }
            false => Sym::List(Rc::new(items)),
        }
    }

    /// A list as a length and items in front: the k-th item is the k-th that is present.
    pub(super) fn compact(&mut self, items: &[(Bool, Sym)]) -> (Int, Vec<Sym>) {
        self.compact_to(items, items.len())
    }

    /// [`Self::compact`] for a list of which at most so many items are ever present.
    pub(super) fn compact_to(&mut self, items: &[(Bool, Sym)], most: usize) -> (Int, Vec<Sym>) {
        if items.iter().all(|(present, _)| present.known().is_some()) {
            let present = items.iter().filter(|(present, _)| *present == Bool::TRUE);
            let items: Vec<Sym> = present.map(|(_, item)| item.clone()).collect();
            return (Int::Constant(items.len() as i64), items);
        }
        let mut before = Int::Constant(0);
        let mut places = Vec::new();
        for (present, _) in items {
            places.push(before);
            let one = self.terms.number(*present);
            before = self.terms.sum([(1, before), (1, one)], 0);
        }
        let mut compacted = Vec::new();
        for place in 0..items.len().min(most) {
            self.poll.steps(items.len());
            let mut choices = Vec::new();
            for (at, (present, item)) in items.iter().enumerate().skip(place) {
                let here = self.terms.equal(places[at], Int::Constant(place as i64));
                let chosen = self.terms.and([*present, here]);
                choices.push((chosen, item.clone()));
            }
            compacted.push(self.select(&choices));
        }
        (before, compacted)
    }

    /// What a generator over the value binds, with conditions; `None` if it is no collection.
    /// Members of sets that are listed twice are bound once; those of msets as often as they occur.
    pub(super) fn members(&mut self, sym: &Sym) -> Option<Vec<(Bool, Sym)>> {
        Some(match sym {
            Sym::Matrix(..) | Sym::List(_) => self.items(sym)?,
            Sym::Set(members) | Sym::Relation(members) => self.distinct(members),
            Sym::MSet(items) => {
                let mut all = Vec::new();
                for (count, item) in items.iter() {
                    let (_, most) = self.terms.bounds(*count);
                    for at in 0..most.max(0) {
                        self.poll.step();
                        let present = self.terms.less(Int::Constant(at), *count);
                        all.push((present, item.clone()));
                    }
                }
                all
            }
            Sym::Sequence(length, items) => {
                let mut all = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    let present = self.terms.less(Int::Constant(at as i64), *length);
                    let pair = Sym::tuple(vec![Sym::number(at as i64 + 1), item.clone()]);
                    all.push((present, pair));
                }
                all
            }
            Sym::Function(pairs) => {
                let pair = |pair: &Pair| {
                    let both = vec![pair.key.clone(), pair.image.clone()];
                    (pair.present, Sym::tuple(both))
                };
                pairs.iter().map(pair).collect()
            }
            Sym::Partition(parts) => {
                let part = |(present, members): &(Bool, Rc<Members>)| {
                    (*present, Sym::Set(members.clone()))
                };
                parts.iter().map(part).collect()
            }
            Sym::Permutation(pairs) => {
                let mut all = Vec::new();
                for (from, to) in pairs.iter() {
                    let same = self.equal(from, to);
                    all.push((!same, Sym::tuple(vec![from.clone(), to.clone()])));
                }
                all
            }
            _ => return None,
        })
    }

    /// The members of a set, each once.
    pub(super) fn distinct(&mut self, members: &Members) -> Vec<(Bool, Sym)> {
        if members.distinct {
            return members.items.clone();
        }
        let mut all: Vec<(Bool, Sym)> = Vec::new();
        for (present, item) in &members.items {
            self.poll.steps(all.len());
            let mut parts = vec![*present];
            for (earlier, other) in &all {
                if *earlier == Bool::FALSE {
                    continue;
                }
                let same = self.equal(other, item);
                parts.push(self.terms.or([!same, !*earlier]));
            }
            // A member that is hidden by an equal one need not be considered further: the first of
            // equal members that are present counts.
            let first = self.terms.and(parts);
            if first != Bool::FALSE {
                all.push((first, item.clone()));
            }
        }
        all
    }

    /// Whether a value is a member.
    pub(super) fn contains(&mut self, members: &Members, value: &Sym) -> Bool {
        if members.items.len() > 4
            && let Some(known) = value.value()
            && let Some(place) = members.place(&known)
        {
            return place.map_or(Bool::FALSE, |at| members.items[at].0);
        }
        let mut parts = Vec::new();
        for (present, item) in &members.items {
            if *present == Bool::FALSE {
                continue;
            }
            let same = self.equal(item, value);
            let here = self.terms.and([*present, same]);
            if here == Bool::TRUE {
                return here;
            }
            parts.push(here);
        }
        self.terms.or(parts)
    }

    /// How often a value occurs among the members of a multi-set.
    pub(super) fn frequency(&mut self, items: &[(Int, Sym)], value: &Sym) -> Int {
        let mut parts = Vec::new();
        for (count, item) in items {
            let same = self.equal(item, value);
            if same == Bool::FALSE {
                continue;
            }
            let here = self.choose(same, *count, Int::Constant(0));
            parts.push((1, here));
        }
        self.terms.sum(parts, 0)
    }

    /// The image of a value with the condition under which it is defined; `None` if the value has no
    /// images.
    pub(super) fn image(&mut self, of: &Sym, argument: &Sym) -> Option<(Bool, Sym)> {
        match of {
            Sym::Function(pairs) => {
                if pairs.len() > 1
                    && let Some(known) = argument.value()
                    && let Some(place) = pairs.place(&known)
                {
                    let pair = &pairs[place.unwrap_or(0)];
                    let defined = place.map_or(Bool::FALSE, |_| pair.present);
                    return Some((defined, pair.image.clone()));
                }
                let mut choices = Vec::new();
                for pair in pairs.iter() {
                    let same = self.equal(&pair.key, argument);
                    let here = self.terms.and([pair.present, same]);
                    if here != Bool::FALSE {
                        choices.push((here, pair.image.clone()));
                    }
                }
                let defined = self.terms.or(choices.iter().map(|(here, _)| *here));
                Some((defined, self.choice(of, choices)))
            }
            Sym::Sequence(length, items) => {
                let place = int_of(argument)?;
                let mut choices = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    let here = self.terms.equal(place, Int::Constant(at as i64 + 1));
                    if here != Bool::FALSE {
                        choices.push((here, item.clone()));
                    }
                }
                let low = self.terms.at_most(Int::Constant(1), place);
                let high = self.terms.at_most(place, *length);
                let defined = self.terms.and([low, high]);
                Some((defined, self.choice(of, choices)))
            }
            Sym::Permutation(pairs) => {
                let mut choices = Vec::new();
                for (from, to) in pairs.iter() {
                    let here = self.equal(from, argument);
                    if here != Bool::FALSE {
                        choices.push((here, to.clone()));
                    }
                }
                let moved = self.terms.or(choices.iter().map(|(here, _)| *here));
                choices.push((!moved, argument.clone()));
                Some((Bool::TRUE, self.select(&choices)))
            }
            _ => None,
        }
    }

    /// [`Refiner::select`], where there may be no choice at all: the value then does not matter.
    fn choice(&mut self, of: &Sym, choices: Vec<(Bool, Sym)>) -> Sym {
        if choices.is_empty() {
            return match of {
                Sym::Function(pairs) => pairs.first().map(|pair| pair.image.clone()),
                Sym::Sequence(_, items) => items.first().cloned(),
                _ => None,
            }
            .unwrap_or(Sym::number(0));
        }
        self.select(&choices)
    }

    /// No two keys have the same image.
    pub(super) fn is_injective(&mut self, of: &Sym) -> Bool {
        let pairs: Vec<(Bool, Sym)> = match of {
            Sym::Function(pairs) => pairs
                .iter()
                .map(|pair| (pair.present, pair.image.clone()))
                .collect(),
            Sym::Sequence(length, items) => {
                let mut all = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    all.push((
                        self.terms.less(Int::Constant(at as i64), *length),
                        item.clone(),
                    ));
                }
                all
            }
            _ => return Bool::TRUE,
        };
        self.all_different(&pairs)
    }

    /// No two items that are present are equal.
    pub(super) fn all_different(&mut self, items: &[(Bool, Sym)]) -> Bool {
        let numbers: Option<Vec<Int>> = items
            .iter()
            .map(|(present, item)| int_of(item).filter(|_| *present == Bool::TRUE))
            .collect();
        if let Some(numbers) = numbers {
            return self.terms.all_different(numbers, None);
        }
        let mut parts = Vec::new();
        for (at, (present, item)) in items.iter().enumerate() {
            self.poll.steps(at);
            for (other, earlier) in &items[..at] {
                let same = self.equal(item, earlier);
                parts.push(self.terms.or([!*present, !*other, !same]));
            }
        }
        self.terms.and(parts)
    }

    /// Every one of these values is an image.
    pub(super) fn is_surjective(&mut self, of: &Sym, values: &[Value]) -> Bool {
        let mut parts = Vec::new();
        for value in values {
            let value = Sym::constant(value);
            let mut some = Vec::new();
            match of {
                Sym::Function(pairs) => {
                    for pair in pairs.iter() {
                        let same = self.equal(&pair.image, &value);
                        some.push(self.terms.and([pair.present, same]));
                    }
                }
                Sym::Sequence(length, items) => {
                    for (at, item) in items.iter().enumerate() {
                        let used = self.terms.less(Int::Constant(at as i64), *length);
                        let same = self.equal(item, &value);
                        some.push(self.terms.and([used, same]));
                    }
                }
                _ => {}
            }
            parts.push(self.terms.or(some));
        }
        self.terms.and(parts)
    }
}

/// The number of a scalar: an int, the place of a member, or a bool that is known.
pub(super) fn int_of(sym: &Sym) -> Option<Int> {
    match sym {
        Sym::Int(term) | Sym::Member(_, term) => Some(*term),
        Sym::Bool(term) => term.known().map(|known| Int::Constant(i64::from(known))),
        _ => None,
    }
}
