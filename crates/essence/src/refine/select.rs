//! The choice between symbolic values by conditions of which at most one holds.

use std::rc::Rc;

use ployglot_eprime::{Bool, Int};

use super::Refiner;
use super::collection::int_of;
use super::sym::{Members, Pair, Sym, sort_constants};
use crate::value::Value;

impl Refiner<'_> {
    /// The first number where the term holds, else the second.
    pub(super) fn choose(&mut self, condition: Bool, yes: Int, no: Int) -> Int {
        match (condition.known(), yes, no) {
            (Some(true), ..) => yes,
            (Some(false), ..) => no,
            _ if yes == no => yes,
            (None, Int::Constant(a), Int::Constant(b)) => {
                let number = self.terms.number(condition);
                match a.checked_sub(b) {
                    Some(by) => self.terms.sum([(by, number)], b),
                    None => self.terms.element(vec![no, yes], number, vec![0, 1]),
                }
            }
            _ => {
                let number = self.terms.number(condition);
                self.terms.element(vec![no, yes], number, vec![0, 1])
            }
        }
    }

    /// The number whose condition holds; exactly one does, or the value does not matter.
    fn select_int(&mut self, choices: &[(Bool, Int)]) -> Int {
        let choices: Vec<(Bool, Int)> = choices
            .iter()
            .copied()
            .filter(|(condition, _)| *condition != Bool::FALSE)
            .collect();
        if let Some((_, first)) = choices.first()
            && choices.iter().all(|(_, item)| item == first)
        {
            return *first;
        }
        if let Some((_, certain)) = choices
            .iter()
            .find(|(condition, _)| *condition == Bool::TRUE)
        {
            return *certain;
        }
        match choices[..] {
            [] => return Int::Constant(0),
            [(condition, yes), (_, no)] => return self.choose(condition, yes, no),
            _ => {}
        }
        // Constants: the sum of those whose condition holds, relative to the first one.
        let numbers: Option<Vec<i64>> = choices
            .iter()
            .map(|(_, item)| match item {
                Int::Constant(number) => Some(*number),
                Int::Node(_) => None,
            })
            .collect();
        if let Some(numbers) = numbers {
            let base = numbers[0];
            let mut parts = Vec::new();
            for ((condition, _), number) in choices.iter().zip(&numbers) {
                if *number != base {
                    parts.push((number.saturating_sub(base), self.terms.number(*condition)));
                }
            }
            return self.terms.sum(parts, base);
        }
        let mut which = Vec::new();
        for (at, (condition, _)) in choices.iter().enumerate().skip(1) {
            which.push((at as i64, self.terms.number(*condition)));
        }
        let which = self.terms.sum(which, 0);
        let items = choices.iter().map(|(_, item)| *item).collect();
        let places = (0..choices.len() as i64).collect();
        self.terms.element(items, which, places)
    }

    /// The value whose condition holds. At most one condition holds; if none does, the value does not
    /// matter.
    pub(super) fn select(&mut self, choices: &[(Bool, Sym)]) -> Sym {
        crate::deep::deep(|| self.select_inside(choices))
    }

    fn select_inside(&mut self, choices: &[(Bool, Sym)]) -> Sym {
        self.poll.steps(choices.len());
        let possible: Vec<(Bool, Sym)> = choices
            .iter()
            .filter(|(condition, _)| *condition != Bool::FALSE)
            .cloned()
            .collect();
        match &possible[..] {
            [] => {
                return choices
                    .first()
                    .map_or(Sym::number(0), |(_, item)| item.clone());
            }
            [(_, only)] => return only.clone(),
            _ => {}
        }
        if let Some((_, certain)) = possible
            .iter()
            .find(|(condition, _)| *condition == Bool::TRUE)
        {
            return certain.clone();
        }
        let all = |pick: &dyn Fn(&Sym) -> Option<Int>| -> Vec<(Bool, Int)> {
            possible
                .iter()
                .map(|(condition, item)| (*condition, pick(item).unwrap_or(Int::Constant(0))))
                .collect()
        };
        let guard = |refiner: &mut Self, items: &mut dyn Iterator<Item = (Bool, Bool, Sym)>| {
            let mut guarded = Vec::new();
            for (condition, present, item) in items {
                let both = refiner.terms.and([condition, present]);
                if both != Bool::FALSE {
                    guarded.push((both, item));
                }
            }
            guarded
        };
        match &possible[0].1 {
            Sym::Bool(_) => {
                let mut parts = Vec::new();
                for (condition, item) in &possible {
                    if let Sym::Bool(term) = item {
                        parts.push(self.terms.and([*condition, *term]));
                    }
                }
                Sym::Bool(self.terms.or(parts))
            }
            Sym::Int(_) => Sym::Int(self.select_int(&all(&int_of))),
            Sym::Member(named, _) => {
                let term = self.select_int(&all(&int_of));
                Sym::Member(named.clone(), term)
            }
            Sym::Tuple(first) => {
                let mut parts = Vec::new();
                for at in 0..first.len() {
                    let column = possible.iter().filter_map(|(condition, item)| match item {
                        Sym::Tuple(items) => Some((*condition, items.get(at)?.clone())),
                        _ => None,
                    });
                    let column: Vec<(Bool, Sym)> = column.collect();
                    parts.push(self.select(&column));
                }
                Sym::tuple(parts)
            }
            Sym::Record(first) => {
                let mut fields = Vec::new();
                for (at, (name, _)) in first.iter().enumerate() {
                    let column = possible.iter().filter_map(|(condition, item)| match item {
                        Sym::Record(items) => Some((*condition, items.get(at)?.1.clone())),
                        _ => None,
                    });
                    let column: Vec<(Bool, Sym)> = column.collect();
                    fields.push((name.clone(), self.select(&column)));
                }
                Sym::Record(Rc::new(fields))
            }
            Sym::Variant(..) => self.select_variant(&possible),
            Sym::Matrix(index, first) => {
                let same = possible
                    .iter()
                    .all(|(_, item)| matches!(item, Sym::Matrix(other, _) if other == index));
                if !same {
                    let lists = possible
                        .iter()
                        .filter_map(|(condition, item)| Some((*condition, self.items(item)?)));
                    let lists: Vec<(Bool, Vec<(Bool, Sym)>)> = lists.collect();
                    let mut flat = lists.into_iter().flat_map(|(condition, items)| {
                        items
                            .into_iter()
                            .map(move |(present, item)| (condition, present, item))
                    });
                    return Sym::List(Rc::new(guard(self, &mut flat)));
                }
                let mut items = Vec::new();
                for at in 0..first.len() {
                    let column = possible.iter().filter_map(|(condition, item)| match item {
                        Sym::Matrix(_, items) => Some((*condition, items.get(at)?.clone())),
                        _ => None,
                    });
                    let column: Vec<(Bool, Sym)> = column.collect();
                    items.push(self.select(&column));
                }
                Sym::Matrix(index.clone(), Rc::new(items))
            }
            Sym::List(_) => {
                let lists = possible
                    .iter()
                    .filter_map(|(condition, item)| Some((*condition, self.items(item)?)));
                let lists: Vec<(Bool, Vec<(Bool, Sym)>)> = lists.collect();
                let mut flat = lists.into_iter().flat_map(|(condition, items)| {
                    items
                        .into_iter()
                        .map(move |(present, item)| (condition, present, item))
                });
                Sym::List(Rc::new(guard(self, &mut flat)))
            }
            Sym::Set(_) | Sym::Relation(_) => {
                let is_set = matches!(possible[0].1, Sym::Set(_));
                let mut distinct = true;
                let mut flat = Vec::new();
                for (condition, item) in &possible {
                    if let Sym::Set(members) | Sym::Relation(members) = item {
                        distinct &= members.distinct;
                        let items = members.items.iter();
                        flat.extend(
                            items.map(|(present, item)| (*condition, *present, item.clone())),
                        );
                    }
                }
                let items = guard(self, &mut flat.into_iter());
                let items = self.merged(items);
                let members = Rc::new(Members::new(items, distinct));
                match is_set {
                    true => Sym::Set(members),
                    false => Sym::Relation(members),
                }
            }
            Sym::MSet(_) => {
                let mut items = Vec::new();
                for (condition, item) in &possible {
                    if let Sym::MSet(inside) = item {
                        for (count, item) in inside.iter() {
                            let count = self.choose(*condition, *count, Int::Constant(0));
                            items.push((count, item.clone()));
                        }
                    }
                }
                Sym::MSet(Rc::new(items))
            }
            Sym::Sequence(..) => {
                let lengths = all(&|item| match item {
                    Sym::Sequence(length, _) => Some(*length),
                    _ => None,
                });
                let length = self.select_int(&lengths);
                let longest = possible.iter().map(|(_, item)| match item {
                    Sym::Sequence(_, items) => items.len(),
                    _ => 0,
                });
                let mut items = Vec::new();
                for at in 0..longest.max().unwrap_or(0) {
                    let column = possible.iter().filter_map(|(condition, item)| match item {
                        Sym::Sequence(_, items) => Some((*condition, items.get(at)?.clone())),
                        _ => None,
                    });
                    let column: Vec<(Bool, Sym)> = column.collect();
                    items.push(self.select(&column));
                }
                Sym::Sequence(length, Rc::new(items))
            }
            Sym::Function(_) => self.select_function(&possible),
            Sym::Partition(_) => {
                let mut parts = Vec::new();
                for (condition, item) in &possible {
                    if let Sym::Partition(inside) = item {
                        for (present, members) in inside.iter() {
                            let present = self.terms.and([*condition, *present]);
                            parts.push((present, members.clone()));
                        }
                    }
                }
                Sym::Partition(Rc::new(parts))
            }
            Sym::Permutation(_) => {
                let mut keys: Vec<Sym> = Vec::new();
                let mut known: Vec<Option<Value>> = Vec::new();
                for (_, item) in &possible {
                    if let Sym::Permutation(pairs) = item {
                        for (from, _) in pairs.iter() {
                            let value = from.value();
                            if !known.contains(&value) {
                                known.push(value);
                                keys.push(from.clone());
                            }
                        }
                    }
                }
                let mut pairs = Vec::new();
                for key in keys {
                    let mut column = Vec::new();
                    for (condition, item) in &possible {
                        if let Some((_, image)) = self.image(item, &key) {
                            column.push((*condition, image));
                        }
                    }
                    let image = self.select(&column);
                    pairs.push((key, image));
                }
                Sym::Permutation(Rc::new(pairs))
            }
        }
    }

    /// Members that are the same constant are merged into one.
    fn merged(&mut self, items: Vec<(Bool, Sym)>) -> Vec<(Bool, Sym)> {
        let mut merged: Vec<(Bool, Sym)> = Vec::new();
        let mut places: std::collections::BTreeMap<Value, usize> = Default::default();
        for (present, item) in items {
            if let Some(value) = item.value() {
                if let Some(&at) = places.get(&value) {
                    let both = self.terms.or([merged[at].0, present]);
                    merged[at].0 = both;
                    continue;
                }
                places.insert(value, merged.len());
            }
            merged.push((present, item));
        }
        sort_constants(merged)
    }

    fn select_variant(&mut self, possible: &[(Bool, Sym)]) -> Sym {
        let mut names: Vec<std::sync::Arc<str>> = Vec::new();
        for (_, item) in possible {
            if let Sym::Variant(_, fields) = item {
                names.extend(fields.iter().map(|(name, _)| name.clone()));
            }
        }
        names.sort();
        names.dedup();
        let mut tags = Vec::new();
        let mut fields = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let mut column = Vec::new();
            for (condition, item) in possible {
                let Sym::Variant(tag, inside) = item else {
                    continue;
                };
                let found = inside.iter().position(|(known, _)| known == name);
                let Some(place) = found else { continue };
                let here = self.terms.equal(*tag, Int::Constant(place as i64));
                let here = self.terms.and([*condition, here]);
                tags.push((here, Int::Constant(at as i64)));
                column.push((here, inside[place].1.clone()));
            }
            fields.push((name.clone(), self.select(&column)));
        }
        let tag = self.select_int(&tags);
        Sym::Variant(tag, Rc::new(fields))
    }

    fn select_function(&mut self, possible: &[(Bool, Sym)]) -> Sym {
        // Pairs with the same constant key become one.
        let mut keyed: std::collections::BTreeMap<Value, Vec<(Bool, Sym)>> = Default::default();
        let mut pairs = Vec::new();
        for (condition, item) in possible {
            let Sym::Function(inside) = item else {
                continue;
            };
            for pair in inside.iter() {
                let present = self.terms.and([*condition, pair.present]);
                match pair.key.value() {
                    Some(key) => keyed
                        .entry(key)
                        .or_default()
                        .push((present, pair.image.clone())),
                    None => pairs.push(Pair {
                        present,
                        ..pair.clone()
                    }),
                }
            }
        }
        for (key, column) in keyed {
            let present = self.terms.or(column.iter().map(|(present, _)| *present));
            let image = self.select(&column);
            let key = Sym::constant(&key);
            pairs.push(Pair {
                present,
                key,
                image,
            });
        }
        Sym::function(pairs)
    }
}
