//! Symbolic values: abstract values whose parts are terms. A constant is a symbolic value without
//! variables, so that every operator has one implementation, and folding of terms evaluates it.
//!
//! A collection is a list of members, each with the condition under which it is present. For a set in
//! occurrence form the members are constants; in explicit form the conditions say how many slots are
//! used; a comprehension has the conditions of its generators. Operators do not care which it is.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use ployglot_eprime::{Bool, Int};
use rustc_hash::FxHashMap;

use crate::value::{Named, Value};

/// A value whose parts are terms.
#[derive(Clone, Debug)]
pub(crate) enum Sym {
    Bool(Bool),
    Int(Int),
    Member(Arc<Named>, Int),
    Tuple(Rc<Vec<Sym>>),
    /// The fields, sorted by name.
    Record(Rc<Vec<(Arc<str>, Sym)>>),
    /// Which field is active, and a value for each; those of the others do not matter.
    Variant(Int, Rc<Vec<(Arc<str>, Sym)>>),
    /// The members of the index, and the items.
    Matrix(Rc<Vec<Value>>, Rc<Vec<Sym>>),
    /// A list whose items are there under conditions.
    List(Rc<Vec<(Bool, Sym)>>),
    Set(Rc<Members>),
    /// Members and how often they occur; a member may be listed more than once.
    MSet(Rc<Vec<(Int, Sym)>>),
    /// The length, and at least as many items.
    Sequence(Int, Rc<Vec<Sym>>),
    Function(Rc<Pairs>),
    Relation(Rc<Members>),
    /// The parts, and the conditions under which there is such a part.
    Partition(Rc<Vec<(Bool, Rc<Members>)>>),
    /// Members and their images. Other members are not moved.
    Permutation(Rc<Vec<(Sym, Sym)>>),
}

/// The members of a set or relation.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    pub items: Vec<(Bool, Sym)>,
    /// No two members that are present are equal.
    pub distinct: bool,
    /// At most so many are present; `None` if the domain does not say it.
    pub most: Option<usize>,
    places: OnceCell<Places>,
}

/// The pairs of a function.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    items: Vec<Pair>,
    places: OnceCell<Places>,
}

/// Where constants are in a list; `None` if not all its values are constants, or if one is listed
/// twice.
type Places = Option<FxHashMap<Value, usize>>;

/// The places of constants.
fn places<'s>(values: impl Iterator<Item = &'s Sym>) -> Places {
    let mut places = FxHashMap::default();
    for (at, sym) in values.enumerate() {
        if places.insert(sym.value()?, at).is_some() {
            return None;
        }
    }
    Some(places)
}

/// Sorts members that are all constants, so that generators bind them in increasing order.
pub(crate) fn sort_constants<T>(items: Vec<(T, Sym)>) -> Vec<(T, Sym)> {
    let values: Option<Vec<Value>> = items.iter().map(|(_, item)| item.value()).collect();
    let Some(values) = values else {
        return items;
    };
    if values.is_sorted() {
        return items;
    }
    let mut keyed: Vec<(Value, (T, Sym))> = values.into_iter().zip(items).collect();
    keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
    keyed.into_iter().map(|(_, item)| item).collect()
}

impl Members {
    pub fn new(items: Vec<(Bool, Sym)>, distinct: bool) -> Self {
        Members {
            items,
            distinct,
            most: None,
            places: OnceCell::new(),
        }
    }

    /// The same members, of which at most so many are present.
    pub fn at_most(mut self, most: u64) -> Self {
        self.most = usize::try_from(most).ok();
        self
    }

    /// The place of a constant; the outer `None`: the members are not all constants.
    pub fn place(&self, value: &Value) -> Option<Option<usize>> {
        let places = self
            .places
            .get_or_init(|| places(self.items.iter().map(|(_, item)| item)));
        places.as_ref().map(|places| places.get(value).copied())
    }
}

impl Pairs {
    /// The place of a constant key; the outer `None`: the keys are not all constants.
    pub fn place(&self, key: &Value) -> Option<Option<usize>> {
        let places = self
            .places
            .get_or_init(|| places(self.items.iter().map(|pair| &pair.key)));
        places.as_ref().map(|places| places.get(key).copied())
    }
}

impl std::ops::Deref for Pairs {
    type Target = [Pair];

    fn deref(&self) -> &[Pair] {
        &self.items
    }
}

/// A key of a function and its image, present under a condition. Keys that are present differ.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub present: Bool,
    pub key: Sym,
    pub image: Sym,
}

impl Sym {
    pub fn tuple(items: Vec<Sym>) -> Sym {
        Sym::Tuple(Rc::new(items))
    }

    pub fn function(items: Vec<Pair>) -> Sym {
        Sym::Function(Rc::new(Pairs {
            items,
            places: OnceCell::new(),
        }))
    }

    pub fn number(number: i64) -> Sym {
        Sym::Int(Int::Constant(number))
    }

    /// A list from 1 whose items are all present.
    pub fn list(items: Vec<Sym>) -> Sym {
        let index = (1..=items.len() as i64).map(Value::Int).collect();
        Sym::Matrix(Rc::new(index), Rc::new(items))
    }

    /// A constant.
    pub fn constant(value: &Value) -> Sym {
        let all = |values: &[Value]| values.iter().map(Sym::constant).collect::<Vec<Sym>>();
        let present = |values: &[Value]| {
            let items = values
                .iter()
                .map(|value| (Bool::TRUE, Sym::constant(value)));
            Rc::new(Members::new(items.collect(), true))
        };
        match value {
            Value::Bool(truth) => Sym::Bool(Bool::of(*truth)),
            Value::Int(number) => Sym::number(*number),
            Value::Member(named, place) => Sym::Member(named.clone(), Int::Constant(*place)),
            Value::Tuple(items) => Sym::tuple(all(items)),
            Value::Record(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| (name.clone(), Sym::constant(value)));
                Sym::Record(Rc::new(fields.collect()))
            }
            Value::Variant(name, value) => {
                let field = (name.clone(), Sym::constant(value));
                Sym::Variant(Int::Constant(0), Rc::new(vec![field]))
            }
            Value::Matrix(index, items) => Sym::Matrix(Rc::new(index.clone()), Rc::new(all(items))),
            Value::Set(items) => Sym::Set(present(items)),
            Value::Relation(items) => Sym::Relation(present(items)),
            Value::MSet(items) => {
                let counts = crate::domain::counted(items).into_iter();
                let item = |(value, count): (&Value, usize)| {
                    (Int::Constant(count as i64), Sym::constant(value))
                };
                Sym::MSet(Rc::new(counts.map(item).collect()))
            }
            Value::Sequence(items) => {
                Sym::Sequence(Int::Constant(items.len() as i64), Rc::new(all(items)))
            }
            Value::Function(pairs) => {
                let pairs = pairs.iter().map(|(key, image)| Pair {
                    present: Bool::TRUE,
                    key: Sym::constant(key),
                    image: Sym::constant(image),
                });
                Sym::function(pairs.collect())
            }
            Value::Partition(parts) => {
                let parts = parts.iter().map(|part| match part {
                    Value::Set(items) => (Bool::TRUE, present(items)),
                    other => (Bool::TRUE, present(std::slice::from_ref(other))),
                });
                Sym::Partition(Rc::new(parts.collect()))
            }
            Value::Permutation(pairs) => {
                let pairs = pairs
                    .iter()
                    .map(|(from, to)| (Sym::constant(from), Sym::constant(to)));
                Sym::Permutation(Rc::new(pairs.collect()))
            }
        }
    }

    /// The value, if no part of it depends on a variable.
    pub fn value(&self) -> Option<Value> {
        let number = |int: &Int| match int {
            Int::Constant(number) => Some(*number),
            Int::Node(_) => None,
        };
        let all = |items: &[Sym]| items.iter().map(Sym::value).collect::<Option<Vec<Value>>>();
        let present = |items: &[(Bool, Sym)]| {
            let mut found = Vec::new();
            for (condition, item) in items {
                if condition.known()? {
                    found.push(item.value()?);
                }
            }
            Some(found)
        };
        Some(match self {
            Sym::Bool(term) => Value::Bool(term.known()?),
            Sym::Int(term) => Value::Int(number(term)?),
            Sym::Member(named, term) => Value::Member(named.clone(), number(term)?),
            Sym::Tuple(items) => Value::Tuple(all(items)?),
            Sym::Record(fields) => {
                let field = |(name, sym): &(Arc<str>, Sym)| Some((name.clone(), sym.value()?));
                Value::Record(fields.iter().map(field).collect::<Option<_>>()?)
            }
            Sym::Variant(tag, fields) => {
                let at = usize::try_from(number(tag)?).ok()?;
                let (name, sym) = fields.get(at)?;
                Value::Variant(name.clone(), Box::new(sym.value()?))
            }
            Sym::Matrix(index, items) => Value::Matrix((**index).clone(), all(items)?),
            Sym::List(items) => Value::list(present(items)?),
            Sym::Set(members) => Value::set(present(&members.items)?),
            Sym::Relation(members) => Value::relation(present(&members.items)?),
            Sym::MSet(items) => {
                let mut found = Vec::new();
                for (count, item) in items.iter() {
                    let count = number(count)?;
                    if count > 0 {
                        let value = item.value()?;
                        found.extend((0..count).map(|_| value.clone()));
                    }
                }
                Value::mset(found)
            }
            Sym::Sequence(length, items) => {
                let length = usize::try_from(number(length)?).ok()?;
                Value::Sequence(all(items.get(..length)?)?)
            }
            Sym::Function(pairs) => {
                let mut found = Vec::new();
                for pair in pairs.iter() {
                    if pair.present.known()? {
                        found.push((pair.key.value()?, pair.image.value()?));
                    }
                }
                Value::function(found)
            }
            Sym::Partition(parts) => {
                let mut found = Vec::new();
                for (condition, members) in parts.iter() {
                    if condition.known()? {
                        found.push(Value::set(present(&members.items)?));
                    }
                }
                Value::partition(found)
            }
            Sym::Permutation(pairs) => {
                let pair = |(from, to): &(Sym, Sym)| Some((from.value()?, to.value()?));
                Value::permutation(pairs.iter().map(pair).collect::<Option<_>>()?)
            }
        })
    }
}
