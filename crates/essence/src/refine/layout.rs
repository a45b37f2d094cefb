//! Where the parts of decision variables are among the variables of a problem, and how an abstract
//! value is read from these.

use std::sync::Arc;

use ployglot_csp::VarId;

use crate::value::{Named, Value};

/// A variable, or a number if there is no choice.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell {
    Number(i64),
    Var(VarId),
}

/// Where the parts of a decision variable are among the variables of the problem.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    Bool(Cell),
    Int(Cell),
    Member(Arc<Named>, Cell),
    Tuple(Vec<Layout>),
    Record(Vec<(Arc<str>, Layout)>),
    Variant(Cell, Vec<(Arc<str>, Layout)>),
    Matrix(Vec<Value>, Vec<Layout>),
    /// For each candidate, whether it is a member.
    Occurrence(Collection, Vec<(Cell, Value)>),
    /// For each candidate, how often it occurs.
    Counts(Vec<(Cell, Value)>),
    /// How many slots are used, and the slots.
    Slots(Collection, Cell, Vec<Layout>),
    /// For each key, whether it is defined, and its image.
    Function(Vec<(Cell, Value, Layout)>),
    /// How many slots are used, and the slots: a key and an image each.
    Pairs(Cell, Vec<(Layout, Layout)>),
    /// For each member, the number of its part.
    Partition(Vec<(Value, Cell)>),
    /// The members, and for each the place of its image.
    Permutation(Vec<Value>, Vec<Cell>),
}

/// What a list of members is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Collection {
    Set,
    MSet,
    Sequence,
    Relation,
}

impl Layout {
    /// Calls `visit` for each cell, in order.
    pub fn for_each_cell(&self, visit: &mut dyn FnMut(Cell)) {
        match self {
            Layout::Bool(cell) | Layout::Int(cell) | Layout::Member(_, cell) => visit(*cell),
            Layout::Tuple(parts) | Layout::Matrix(_, parts) => {
                parts.iter().for_each(|part| part.for_each_cell(visit));
            }
            Layout::Record(fields) => {
                fields
                    .iter()
                    .for_each(|(_, part)| part.for_each_cell(visit));
            }
            Layout::Variant(tag, fields) => {
                visit(*tag);
                fields
                    .iter()
                    .for_each(|(_, part)| part.for_each_cell(visit));
            }
            Layout::Occurrence(_, items) | Layout::Counts(items) => {
                items.iter().for_each(|(cell, _)| visit(*cell));
            }
            Layout::Slots(_, count, slots) => {
                visit(*count);
                slots.iter().for_each(|slot| slot.for_each_cell(visit));
            }
            Layout::Function(items) => {
                for (cell, _, image) in items {
                    visit(*cell);
                    image.for_each_cell(visit);
                }
            }
            Layout::Pairs(count, pairs) => {
                visit(*count);
                for (key, image) in pairs {
                    key.for_each_cell(visit);
                    image.for_each_cell(visit);
                }
            }
            Layout::Partition(items) => items.iter().for_each(|(_, cell)| visit(*cell)),
            Layout::Permutation(_, cells) => cells.iter().for_each(|cell| visit(*cell)),
        }
    }

    /// The abstract value, given the values of the cells.
    pub fn value(&self, of: &dyn Fn(Cell) -> i64) -> Value {
        let all = |parts: &[Layout]| parts.iter().map(|part| part.value(of)).collect::<Vec<_>>();
        match self {
            Layout::Bool(cell) => Value::Bool(of(*cell) != 0),
            Layout::Int(cell) => Value::Int(of(*cell)),
            Layout::Member(named, cell) => Value::Member(named.clone(), of(*cell)),
            Layout::Tuple(parts) => Value::Tuple(all(parts)),
            Layout::Record(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, part)| (name.clone(), part.value(of)));
                Value::Record(fields.collect())
            }
            Layout::Variant(tag, fields) => {
                let (name, part) = &fields[of(*tag) as usize];
                Value::Variant(name.clone(), Box::new(part.value(of)))
            }
            Layout::Matrix(index, parts) => Value::Matrix(index.clone(), all(parts)),
            Layout::Occurrence(kind, items) => {
                let present = items.iter().filter(|(cell, _)| of(*cell) != 0);
                collected(*kind, present.map(|(_, value)| value.clone()).collect())
            }
            Layout::Counts(items) => {
                let times = |(cell, value): &(Cell, Value)| {
                    (0..of(*cell)).map(|_| value.clone()).collect::<Vec<_>>()
                };
                Value::mset(items.iter().flat_map(times).collect())
            }
            Layout::Slots(kind, count, slots) => {
                let count = of(*count) as usize;
                collected(*kind, all(&slots[..count]))
            }
            Layout::Function(items) => {
                let present = items.iter().filter(|(cell, ..)| of(*cell) != 0);
                let pair = |(_, key, image): &(Cell, Value, Layout)| (key.clone(), image.value(of));
                Value::function(present.map(pair).collect())
            }
            Layout::Pairs(count, pairs) => {
                let present = &pairs[..of(*count) as usize];
                let pair = |(key, image): &(Layout, Layout)| (key.value(of), image.value(of));
                Value::function(present.iter().map(pair).collect())
            }
            Layout::Partition(items) => {
                let mut parts: Vec<(i64, Vec<Value>)> = Vec::new();
                for (member, cell) in items {
                    let number = of(*cell);
                    match parts.iter_mut().find(|(known, _)| *known == number) {
                        Some((_, part)) => part.push(member.clone()),
                        None => parts.push((number, vec![member.clone()])),
                    }
                }
                Value::partition(
                    parts
                        .into_iter()
                        .map(|(_, part)| Value::set(part))
                        .collect(),
                )
            }
            Layout::Permutation(members, cells) => {
                let image = |cell: &Cell| members[of(*cell) as usize].clone();
                let pairs = members.iter().cloned().zip(cells.iter().map(image));
                Value::permutation(pairs.collect())
            }
        }
    }
}

fn collected(kind: Collection, members: Vec<Value>) -> Value {
    match kind {
        Collection::Set => Value::set(members),
        Collection::MSet => Value::mset(members),
        Collection::Sequence => Value::Sequence(members),
        Collection::Relation => Value::relation(members),
    }
}
