//! Operators with the syntax of a function, on symbolic values.

use std::rc::Rc;

use ployglot_csp::Domain as Values;
use ployglot_eprime::{Bool, Int, Span};

use super::collection::int_of;
use super::sym::{Members, Pair, Sym, sort_constants};
use super::{Evaluated, Refiner, defined};
use crate::tree::{Node, Operator};
use crate::types::Type;
use crate::value::Value;

impl Refiner<'_> {
    pub(super) fn call(
        &mut self,
        operator: Operator,
        operands: &[Node],
        ty: &Type,
        span: Span,
    ) -> Evaluated<Sym> {
        use Operator as Op;
        match operator {
            Op::True => return Ok(Some(Sym::Bool(Bool::TRUE))),
            Op::MakeTable => return self.sym(&operands[0]),
            Op::CatchUndefined => return self.catch(operands),
            _ => {}
        }
        let syms = defined!(self.several(operands));
        Ok(Some(match operator {
            Op::True | Op::MakeTable | Op::CatchUndefined => unreachable!("done above"),
            Op::And | Op::Or | Op::Xor => {
                let mut parts = Vec::new();
                for (present, item) in self.members(&syms[0]).unwrap_or_default() {
                    let Sym::Bool(term) = item else { continue };
                    parts.push(match operator {
                        Op::And => self.terms.or([!present, term]),
                        _ => self.terms.and([present, term]),
                    });
                }
                Sym::Bool(match operator {
                    Op::And => self.terms.and(parts),
                    Op::Or => self.terms.or(parts),
                    _ => {
                        let odd = parts.into_iter();
                        let mut result = Bool::FALSE;
                        for part in odd {
                            result = !self.terms.iff(result, part);
                        }
                        result
                    }
                })
            }
            Op::Sum => {
                if let Sym::MSet(items) = &syms[0] {
                    let mut parts = Vec::new();
                    for (count, item) in items.iter() {
                        let Some(number) = self.scalar(item) else {
                            continue;
                        };
                        parts.push((1, self.terms.product(*count, number)));
                    }
                    return Ok(Some(Sym::Int(self.terms.sum(parts, 0))));
                }
                let mut parts = Vec::new();
                for (present, item) in self.members(&syms[0]).unwrap_or_default() {
                    let Some(number) = self.scalar(&item) else {
                        continue;
                    };
                    parts.push((1, self.choose(present, number, Int::Constant(0))));
                }
                Sym::Int(self.terms.sum(parts, 0))
            }
            Op::Product => {
                let mut product = Int::Constant(1);
                for (present, item) in self.members(&syms[0]).unwrap_or_default() {
                    let Some(number) = self.scalar(&item) else {
                        continue;
                    };
                    let factor = self.choose(present, number, Int::Constant(1));
                    product = self.terms.product(product, factor);
                }
                Sym::Int(product)
            }
            Op::Min | Op::Max => {
                let items = match syms.len() {
                    1 => self.members_of_any(&syms[0]),
                    _ => syms.iter().map(|sym| (Bool::TRUE, sym.clone())).collect(),
                };
                return Ok(self.extreme(items, operator == Op::Min));
            }
            Op::AllDifferent => {
                let items = self.members(&syms[0]).unwrap_or_default();
                Sym::Bool(self.all_different(&items))
            }
            Op::AllDifferentExcept => {
                let items = self.members(&syms[0]).unwrap_or_default();
                let mut numbers = Vec::new();
                for (present, item) in &items {
                    if *present == Bool::TRUE {
                        numbers.extend(int_of(item));
                    }
                }
                if let Some(Int::Constant(except)) = int_of(&syms[1])
                    && numbers.len() == items.len()
                {
                    return Ok(Some(Sym::Bool(
                        self.terms.all_different(numbers, Some(except)),
                    )));
                }
                let mut kept = Vec::new();
                for (present, item) in items {
                    let same = self.equal(&item, &syms[1]);
                    kept.push((self.terms.and([present, !same]), item));
                }
                Sym::Bool(self.all_different(&kept))
            }
            Op::AtLeast | Op::AtMost | Op::Gcc => {
                let items = self.counted(&syms[0]).unwrap_or_default();
                let (counts, values) = match operator {
                    Op::Gcc => (&syms[2], &syms[1]),
                    _ => (&syms[1], &syms[2]),
                };
                let ((n, counts), (m, values)) = (self.row(counts), self.row(values));
                if n != m || counts.len() != values.len() {
                    return Err(span.error("there are not as many counts as values"));
                }
                let mut parts = Vec::new();
                for (bound, value) in counts.iter().zip(&values) {
                    let Some(bound) = self.scalar(bound) else {
                        continue;
                    };
                    let found = self.frequency(&items, value);
                    parts.push(match operator {
                        Op::AtLeast => self.terms.at_most(bound, found),
                        Op::AtMost => self.terms.at_most(found, bound),
                        _ => self.terms.equal(found, bound),
                    });
                }
                Sym::Bool(self.terms.and(parts))
            }
            Op::Together | Op::Apart => {
                let items = self.members(&syms[0]).unwrap_or_default();
                let wanted = Members::new(items, false);
                let Sym::Partition(parts) = &syms[1] else {
                    return Ok(None);
                };
                let mut some = Vec::new();
                for (present, part) in parts.iter() {
                    let inside = self.subset(&wanted, part);
                    some.push(self.terms.and([*present, inside]));
                }
                let together = self.terms.or(some);
                Sym::Bool(match operator {
                    Op::Together => together,
                    _ => {
                        let items = self.participants(&syms[1]);
                        let all = Members::new(items, true);
                        let known = self.subset(&wanted, &all);
                        self.terms.and([!together, known])
                    }
                })
            }
            Op::Compose => {
                let (Sym::Permutation(a), Sym::Permutation(b)) = (&syms[0], &syms[1]) else {
                    return Ok(None);
                };
                let mut pairs: Vec<(Sym, Sym)> = Vec::new();
                let mut known = std::collections::BTreeSet::new();
                for (key, _) in a.iter().chain(b.iter()) {
                    if let Some(value) = key.value()
                        && !known.insert(value)
                    {
                        continue;
                    }
                    let between = self.image(&syms[1], key);
                    let end = between.and_then(|(_, between)| self.image(&syms[0], &between));
                    pairs.extend(end.map(|(_, end)| (key.clone(), end)));
                }
                Sym::Permutation(Rc::new(pairs))
            }
            Op::Concatenate => {
                let lists = match syms.len() {
                    1 => self.row(&syms[0]).1,
                    _ => syms.clone(),
                };
                let mut items = Vec::new();
                for list in &lists {
                    let (length, row) = self.row(list);
                    for (at, item) in row.into_iter().enumerate() {
                        let used = self.terms.less(Int::Constant(at as i64), length);
                        items.push((used, item));
                    }
                }
                match ty {
                    Type::Sequence(_) => {
                        let (length, items) = self.compact(&items);
                        Sym::Sequence(length, Rc::new(items))
                    }
                    _ => Self::settled(items),
                }
            }
            Op::Count | Op::Freq => {
                let items = self.counted(&syms[0]).unwrap_or_default();
                Sym::Int(self.frequency(&items, &syms[1]))
            }
            Op::Defined => {
                let members = self.members(&syms[0]).unwrap_or_default();
                Sym::Set(Rc::new(Members::new(parts_of(members, 0), true)))
            }
            Op::Range => {
                let members = self.members(&syms[0]).unwrap_or_default();
                Sym::Set(Rc::new(self.set_of(parts_of(members, 1))))
            }
            Op::ElementId => return Ok(self.indexed(&syms[0], &[Some(syms[1].clone())])),
            Op::Factorial => {
                let Some(number) = self.scalar(&syms[0]) else {
                    return Ok(None);
                };
                self.factorial(number, span)?
            }
            Op::Flatten => {
                let (levels, matrix) = match syms.len() {
                    1 => (i64::MAX, &syms[0]),
                    _ => match syms[0].value().and_then(|value| value.number()) {
                        Some(levels) => (levels, &syms[1]),
                        None => return Err(operands[0].span.error("this must be a number")),
                    },
                };
                if levels == 0 {
                    return Ok(Some(matrix.clone()));
                }
                let mut flat = Vec::new();
                self.flatten(Bool::TRUE, matrix, levels, &mut flat);
                Self::settled(flat)
            }
            Op::Hist => self.histogram(&syms),
            Op::Image => {
                return Ok(match self.image(&syms[0], &syms[1]) {
                    Some((defined, image)) => self.demand(defined).then_some(image),
                    None => None,
                });
            }
            Op::ImageSet => match self.image(&syms[0], &syms[1]) {
                None => return Ok(None),
                Some((defined, image)) => {
                    let items = match defined {
                        Bool::FALSE => Vec::new(),
                        _ => vec![(defined, image)],
                    };
                    Sym::Set(Rc::new(Members::new(items, true)))
                }
            },
            Op::PreImage => {
                let mut items = Vec::new();
                for (present, pair) in self.members(&syms[0]).unwrap_or_default() {
                    let Sym::Tuple(pair) = pair else { continue };
                    let same = self.equal(&pair[1], &syms[1]);
                    let present = self.terms.and([present, same]);
                    if present != Bool::FALSE {
                        items.push((present, pair[0].clone()));
                    }
                }
                Sym::Set(Rc::new(Members::new(items, true)))
            }
            Op::Inverse => Sym::Bool(self.inverse(&syms[0], &syms[1])),
            Op::Participants => {
                let items = self.participants(&syms[0]);
                Sym::Set(Rc::new(Members::new(items, true)))
            }
            Op::Parts => {
                let items = self.members(&syms[0]).unwrap_or_default();
                Sym::Set(Rc::new(Members::new(items, true)))
            }
            Op::Party => {
                let Sym::Partition(parts) = &syms[1] else {
                    return Ok(None);
                };
                let mut items = Vec::new();
                for (present, part) in parts.iter() {
                    let inside = self.contains(part, &syms[0]);
                    let here = self.terms.and([*present, inside]);
                    for (inside, item) in &part.items {
                        items.push((self.terms.and([here, *inside]), item.clone()));
                    }
                }
                let mut members = self.set_of(items);
                members.distinct = true;
                Sym::Set(Rc::new(members))
            }
            Op::PermInverse => {
                let Sym::Permutation(pairs) = &syms[0] else {
                    return Ok(None);
                };
                let mut flipped = Vec::new();
                for (key, _) in pairs.iter() {
                    let mut choices = Vec::new();
                    for (from, to) in pairs.iter() {
                        choices.push((self.equal(to, key), from.clone()));
                    }
                    let image = self.select(&choices);
                    flipped.push((key.clone(), image));
                }
                Sym::Permutation(Rc::new(flipped))
            }
            Op::PowerSet => {
                let Sym::Set(members) = &syms[0] else {
                    return Ok(None);
                };
                let Some(items) = self.power_set(members) else {
                    return Err(span.error("this set has too many subsets"));
                };
                Sym::Set(Rc::new(Members::new(items, true)))
            }
            Op::Pred | Op::Succ => {
                let by = if operator == Op::Succ { 1 } else { -1 };
                match &syms[0] {
                    Sym::Int(term) => Sym::Int(self.terms.sum([(1, *term)], by)),
                    Sym::Member(named, term) => {
                        let next = self.terms.sum([(1, *term)], by);
                        let all = Values::range(1, named.members.len() as i32);
                        let inside = self.terms.within(next, &all);
                        if !self.demand(inside) {
                            return Ok(None);
                        }
                        Sym::Member(named.clone(), next)
                    }
                    Sym::Bool(term) => match operator {
                        Op::Succ => Sym::Bool(!*term),
                        _ => Sym::Bool(Bool::FALSE),
                    },
                    _ => return Ok(None),
                }
            }
            Op::Restrict => {
                let Sym::Function(pairs) = &syms[0] else {
                    return Ok(None);
                };
                let items = self.members(&syms[1]).unwrap_or_default();
                let kept = self.set_of(items);
                let mut restricted = Vec::new();
                for pair in pairs.iter() {
                    let inside = self.contains(&kept, &pair.key);
                    let present = self.terms.and([pair.present, inside]);
                    if present != Bool::FALSE {
                        restricted.push(Pair {
                            present,
                            ..pair.clone()
                        });
                    }
                }
                Sym::function(restricted)
            }
            Op::Table => {
                let (_, row) = self.row(&syms[0]);
                if let Some(table) = self.table(&row, &syms[1]) {
                    return Ok(Some(Sym::Bool(table)));
                }
                let mut some = Vec::new();
                for (present, known) in self.members(&syms[1]).unwrap_or_default() {
                    let (_, known) = self.row(&known);
                    if known.len() != row.len() {
                        continue;
                    }
                    let mut parts = vec![present];
                    for (a, b) in row.iter().zip(&known) {
                        parts.push(self.equal(a, b));
                    }
                    some.push(self.terms.and(parts));
                }
                Sym::Bool(self.terms.or(some))
            }
            Op::ToInt => match self.scalar(&syms[0]) {
                Some(number) => Sym::Int(number),
                None => return Ok(None),
            },
            Op::ToMSet => {
                let items = self.counted(&syms[0]).unwrap_or_default();
                Sym::MSet(Rc::new(sort_constants(items)))
            }
            Op::ToSet => match &syms[0] {
                Sym::Set(_) => syms[0].clone(),
                Sym::Relation(members) => Sym::Set(members.clone()),
                Sym::MSet(items) => {
                    let mut members = Vec::new();
                    for (count, item) in items.iter() {
                        let present = self.terms.less(Int::Constant(0), *count);
                        members.push((present, item.clone()));
                    }
                    Sym::Set(Rc::new(self.set_of(members)))
                }
                Sym::Function(_) | Sym::Sequence(..) | Sym::Permutation(_) | Sym::Partition(_) => {
                    let items = self.members(&syms[0]).unwrap_or_default();
                    Sym::Set(Rc::new(Members::new(items, true)))
                }
                _ => {
                    let items = self.members(&syms[0]).unwrap_or_default();
                    Sym::Set(Rc::new(self.set_of(items)))
                }
            },
            Op::ToRelation => {
                let items = self.members(&syms[0]).unwrap_or_default();
                let mut members = self.set_of(items);
                members.distinct |= matches!(syms[0], Sym::Function(_) | Sym::Sequence(..));
                Sym::Relation(Rc::new(members))
            }
            Op::Transform => {
                let of = match &operands[0].ty {
                    Type::Matrix(_, of) => &**of,
                    one => one,
                };
                let maps = match self.items(&syms[0]) {
                    Some(items) => items.into_iter().map(|(_, map)| map).collect(),
                    None => vec![syms[0].clone()],
                };
                return Ok(self.transformed(&maps, of, &syms[1], &operands[1].ty));
            }
        }))
    }

    /// The row is one of these rows, if all of them are numbers and the rows are constants.
    fn table(&mut self, row: &[Sym], rows: &Sym) -> Option<Bool> {
        let items: Vec<Int> = row.iter().map(int_of).collect::<Option<_>>()?;
        let rows = rows.value()?.members()?;
        let numbers = |row: &Value| -> Option<Vec<i64>> {
            row.members()?.iter().map(Value::number).collect()
        };
        let mut rows = rows.iter().map(numbers).collect::<Option<Vec<_>>>()?;
        rows.retain(|row| row.len() == items.len());
        Some(self.terms.table(items, rows))
    }

    /// The first operand where it is defined, else the second.
    fn catch(&mut self, operands: &[Node]) -> Evaluated<Sym> {
        let mark = self.conditions.len();
        let value = self.inside(&operands[0])?;
        let conditions = self.conditions.split_off(mark);
        let Some(value) = value else {
            return self.sym(&operands[1]);
        };
        let is_defined = self.terms.and(conditions);
        if is_defined == Bool::TRUE {
            return Ok(Some(value));
        }
        let other = self.guarded(!is_defined, |refiner| refiner.sym(&operands[1]))?;
        Ok(Some(match other {
            None => value,
            Some(other) => self.select(&[(is_defined, value), (!is_defined, other)]),
        }))
    }

    /// The members for `min` and `max`, where equal ones need not be distinguished.
    fn members_of_any(&mut self, sym: &Sym) -> Vec<(Bool, Sym)> {
        match sym {
            Sym::Set(members) => members.items.clone(),
            Sym::MSet(items) => {
                let mut all = Vec::new();
                for (count, item) in items.iter() {
                    all.push((self.terms.less(Int::Constant(0), *count), item.clone()));
                }
                all
            }
            other => self.members(other).unwrap_or_default(),
        }
    }

    /// The least or greatest item; undefined where none is present.
    fn extreme(&mut self, items: Vec<(Bool, Sym)>, least: bool) -> Option<Sym> {
        let items: Vec<(Bool, Sym)> = items
            .into_iter()
            .filter(|(present, _)| *present != Bool::FALSE)
            .collect();
        let some = self.terms.or(items.iter().map(|(present, _)| *present));
        if !self.demand(some) {
            return None;
        }
        let mut numbers = Vec::new();
        for (present, item) in &items {
            numbers.push((*present, self.scalar(item)?));
        }
        // Where an item is missing, a number takes its place that is no better than any item.
        let bounds = numbers.iter().map(|(_, number)| self.terms.bounds(*number));
        let worst = match least {
            true => bounds.map(|(_, high)| high).max(),
            false => bounds.map(|(low, _)| low).min(),
        }?;
        let mut candidates = Vec::new();
        for (present, number) in numbers {
            candidates.push(self.choose(present, number, Int::Constant(worst)));
        }
        let term = match least {
            true => self.terms.minimum(candidates),
            false => self.terms.maximum(candidates),
        };
        Some(match &items[0].1 {
            Sym::Member(named, _) => Sym::Member(named.clone(), term),
            Sym::Bool(_) => Sym::Bool(self.terms.equal(term, Int::Constant(1))),
            _ => Sym::Int(term),
        })
    }

    fn flatten(&mut self, guard: Bool, sym: &Sym, levels: i64, flat: &mut Vec<(Bool, Sym)>) {
        match self.items(sym) {
            Some(items) if levels >= 0 => {
                for (present, item) in items {
                    let guard = self.terms.and([guard, present]);
                    self.flatten(guard, &item, levels - 1, flat);
                }
            }
            _ => flat.push((guard, sym.clone())),
        }
    }

    /// The different members with how often they occur, or how often each of these occurs.
    fn histogram(&mut self, syms: &[Sym]) -> Sym {
        let mut items = self.counted(&syms[0]).unwrap_or_default();
        if let Some(wanted) = syms.get(1) {
            let (_, wanted) = self.row(wanted);
            let mut counts = Vec::new();
            for value in &wanted {
                counts.push(Sym::Int(self.frequency(&items, value)));
            }
            return Sym::list(counts);
        }
        // In the order of the values, where these are known.
        let keys: Option<Vec<Value>> = items.iter().map(|(_, item)| item.value()).collect();
        if keys.is_some() {
            items.sort_by_key(|(_, item)| item.value());
        }
        let mut list = Vec::new();
        for (at, (_, item)) in items.iter().enumerate() {
            let mut earlier = Vec::new();
            for (_, other) in &items[..at] {
                earlier.push(self.equal(other, item));
            }
            let hidden = self.terms.or(earlier);
            let count = self.frequency(&items, item);
            let some = self.terms.less(Int::Constant(0), count);
            let present = self.terms.and([!hidden, some]);
            if present != Bool::FALSE {
                list.push((present, Sym::tuple(vec![item.clone(), Sym::Int(count)])));
            }
        }
        Self::settled(list)
    }

    fn inverse(&mut self, left: &Sym, right: &Sym) -> Bool {
        let mut parts = Vec::new();
        for (one, other) in [(left, right), (right, left)] {
            let pairs: Vec<(Bool, Sym)> = match one {
                Sym::Permutation(pairs) => pairs
                    .iter()
                    .map(|(a, b)| (Bool::TRUE, Sym::tuple(vec![a.clone(), b.clone()])))
                    .collect(),
                _ => self.members(one).unwrap_or_default(),
            };
            for (present, pair) in pairs {
                let Sym::Tuple(pair) = pair else { continue };
                let back = match self.image(other, &pair[1]) {
                    Some((defined, image)) if defined != Bool::FALSE => {
                        let same = self.equal(&image, &pair[0]);
                        self.terms.and([defined, same])
                    }
                    _ => Bool::FALSE,
                };
                parts.push(self.implies(present, back));
            }
        }
        self.terms.and(parts)
    }
}

/// One component of each pair.
fn parts_of(members: Vec<(Bool, Sym)>, at: usize) -> Vec<(Bool, Sym)> {
    let part = |(present, pair): (Bool, Sym)| match pair {
        Sym::Tuple(items) => Some((present, items.get(at)?.clone())),
        _ => None,
    };
    members.into_iter().filter_map(part).collect()
}
