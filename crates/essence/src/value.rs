//! Abstract values. They print in the syntax of Essence, and are stored in one form: members sorted,
//! fields by name, so that equal values are equal in Rust too.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An enumerated or unnamed type of an instance.
#[derive(Debug)]
pub struct Named {
    /// The place of its declaration.
    pub(crate) place: usize,
    /// Its name.
    pub name: String,
    /// Its members.
    pub members: Vec<String>,
}

/// The value of an expression. The parts of a value keep the order that the constructors give them;
/// build collections with these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A bool.
    Bool(bool),
    /// An int.
    Int(i64),
    /// The k-th member, from 1, of an enumerated or unnamed type.
    Member(Arc<Named>, i64),
    /// A tuple.
    Tuple(Vec<Value>),
    /// The fields of a record, by name.
    Record(Vec<(Arc<str>, Value)>),
    /// The field of a variant that is active, and its value.
    Variant(Arc<str>, Box<Value>),
    /// The indices of a matrix, in increasing order, and its items.
    Matrix(Vec<Value>, Vec<Value>),
    /// The members of a set, sorted, each once.
    Set(Vec<Value>),
    /// The members of a multi-set, sorted.
    MSet(Vec<Value>),
    /// The items of a sequence.
    Sequence(Vec<Value>),
    /// The pairs of a function, sorted.
    Function(Vec<(Value, Value)>),
    /// The tuples of a relation, sorted, each once.
    Relation(Vec<Value>),
    /// The parts of a partition: sets, sorted.
    Partition(Vec<Value>),
    /// The members that a permutation moves, with their images, sorted.
    Permutation(Vec<(Value, Value)>),
}

impl Value {
    /// A set of these members.
    pub fn set(mut members: Vec<Value>) -> Value {
        members.sort();
        members.dedup();
        Value::Set(members)
    }

    /// A multi-set of these members.
    pub fn mset(mut members: Vec<Value>) -> Value {
        members.sort();
        Value::MSet(members)
    }

    /// A relation of these tuples.
    pub fn relation(mut tuples: Vec<Value>) -> Value {
        tuples.sort();
        tuples.dedup();
        Value::Relation(tuples)
    }

    /// A function of these pairs, whose keys are different.
    pub fn function(mut pairs: Vec<(Value, Value)>) -> Value {
        pairs.sort();
        pairs.dedup();
        Value::Function(pairs)
    }

    /// A partition of these parts; empty ones are dropped.
    pub fn partition(mut parts: Vec<Value>) -> Value {
        parts.retain(|part| !matches!(part, Value::Set(members) if members.is_empty()));
        parts.sort();
        parts.dedup();
        Value::Partition(parts)
    }

    /// A permutation with these images; members that are not moved are dropped.
    pub fn permutation(mut pairs: Vec<(Value, Value)>) -> Value {
        pairs.retain(|(from, to)| from != to);
        pairs.sort();
        Value::Permutation(pairs)
    }

    /// A record of these fields.
    pub fn record(mut fields: Vec<(Arc<str>, Value)>) -> Value {
        fields.sort();
        Value::Record(fields)
    }

    /// A list: a matrix indexed from 1.
    pub fn list(items: Vec<Value>) -> Value {
        let index = (1..=items.len() as i64).map(Value::Int).collect();
        Value::Matrix(index, items)
    }

    /// A number: an int, a bool as 0 or 1, or the place of a member; `None` for other values.
    pub fn number(&self) -> Option<i64> {
        match self {
            Value::Bool(truth) => Some(i64::from(*truth)),
            Value::Int(number) | Value::Member(_, number) => Some(*number),
            _ => None,
        }
    }

    /// The number at a place inside, or at a field of the record or variant there. A matrix, function or
    /// sequence takes an index, or as many as its keys have parts; a tuple the place of a part, from 1.
    /// `None` if there is nothing at this place.
    pub fn number_at(&self, place: &[i64], field: Option<&str>) -> Option<i64> {
        let Some((&first, rest)) = place.split_first() else {
            return match (self, field) {
                (_, None) => self.number(),
                (Value::Variant(active, value), Some(field)) if **active == *field => {
                    value.number()
                }
                (Value::Record(fields), Some(field)) => {
                    let found = fields.iter().find(|(name, _)| **name == *field);
                    found.and_then(|(_, value)| value.number())
                }
                _ => None,
            };
        };
        match self {
            Value::Tuple(items) | Value::Sequence(items) => {
                let at = usize::try_from(first.checked_sub(1)?).ok()?;
                items.get(at)?.number_at(rest, field)
            }
            Value::Matrix(index, items) => {
                let at = index.iter().position(|key| key.number() == Some(first))?;
                items[at].number_at(rest, field)
            }
            Value::Function(pairs) => pairs.iter().find_map(|(key, image)| {
                let rest = key.names(place)?;
                image.number_at(rest, field)
            }),
            _ => None,
        }
    }

    /// The rest of the place after the numbers of this value, if the place begins with these.
    fn names<'p>(&self, place: &'p [i64]) -> Option<&'p [i64]> {
        match self {
            Value::Tuple(parts) => parts.iter().try_fold(place, |rest, part| part.names(rest)),
            _ => {
                let (first, rest) = place.split_first()?;
                (self.number() == Some(*first)).then_some(rest)
            }
        }
    }

    /// What a generator over the value binds, in order; `None` if it is no collection.
    pub(crate) fn members(&self) -> Option<Vec<Value>> {
        let pair = |(a, b): &(Value, Value)| Value::Tuple(vec![a.clone(), b.clone()]);
        Some(match self {
            Value::Matrix(_, items)
            | Value::Set(items)
            | Value::MSet(items)
            | Value::Relation(items)
            | Value::Partition(items) => items.clone(),
            Value::Sequence(items) => {
                let numbered = items.iter().enumerate();
                let pair = |(at, item): (usize, &Value)| {
                    Value::Tuple(vec![Value::Int(at as i64 + 1), item.clone()])
                };
                numbered.map(pair).collect()
            }
            Value::Function(pairs) | Value::Permutation(pairs) => pairs.iter().map(pair).collect(),
            _ => return None,
        })
    }

    /// The order of rows of values: by their first difference, then by their lengths.
    pub(crate) fn order_of_rows(a: &[Value], b: &[Value]) -> Ordering {
        let parts = a.iter().zip(b).map(|(a, b)| a.order(b));
        let first = parts.into_iter().find(|order| order.is_ne());
        first.unwrap_or(a.len().cmp(&b.len()))
    }

    /// The order of `.<` and `~<`: numbers by size, tuples and matrices by their first difference,
    /// matrices with equal items by their indices, collections by the least member that occurs a different number of times; the one in which it
    /// occurs less often is the smaller one.
    pub(crate) fn order(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Tuple(a), Value::Tuple(b)) => Value::order_of_rows(a, b),
            (Value::Matrix(i, a), Value::Matrix(j, b)) => {
                Value::order_of_rows(a, b).then_with(|| Value::order_of_rows(i, j))
            }
            (Value::Record(a), Value::Record(b)) => {
                let parts = a.iter().zip(b).map(|((_, a), (_, b))| a.order(b));
                let first = parts.into_iter().find(|order| order.is_ne());
                first.unwrap_or(Ordering::Equal)
            }
            (Value::Variant(a, x), Value::Variant(b, y)) => a.cmp(b).then_with(|| x.order(y)),
            _ => match (self.members(), other.members()) {
                (Some(mut a), Some(mut b)) => {
                    a.sort_by(Value::order);
                    b.sort_by(Value::order);
                    let parts = a.iter().zip(&b).map(|(a, b)| b.order(a));
                    let first = parts.into_iter().find(|order| order.is_ne());
                    first.unwrap_or(a.len().cmp(&b.len()))
                }
                _ => self.number().cmp(&other.number()),
            },
        }
    }
}

impl PartialEq for Named {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl Eq for Named {}

impl PartialOrd for Named {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Named {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place.cmp(&other.place)
    }
}

impl Hash for Named {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.place.hash(state);
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        crate::deep::deep(|| self.print(f))
    }
}

impl Value {
    fn print(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Member(named, place) => {
                let at = usize::try_from(place - 1).unwrap_or(usize::MAX);
                match named.members.get(at) {
                    Some(name) => f.write_str(name),
                    None => write!(f, "{}_{place}", named.name),
                }
            }
            Value::Tuple(items) => {
                f.write_str(if items.len() < 2 { "tuple (" } else { "(" })?;
                list(f, items)?;
                f.write_str(")")
            }
            Value::Record(fields) => {
                f.write_str("record {")?;
                for (at, (name, value)) in fields.iter().enumerate() {
                    let between = if at > 0 { ", " } else { "" };
                    write!(f, "{between}{name} = {value}")?;
                }
                f.write_str("}")
            }
            Value::Variant(name, value) => write!(f, "variant {{{name} = {value}}}"),
            Value::Matrix(index, items) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("; ")?;
                print_index(f, index)?;
                f.write_str("]")
            }
            Value::Set(items) => {
                f.write_str("{")?;
                list(f, items)?;
                f.write_str("}")
            }
            Value::MSet(items) => called(f, "mset", items),
            Value::Sequence(items) => called(f, "sequence", items),
            Value::Relation(items) => called(f, "relation", items),
            Value::Partition(items) => called(f, "partition", items),
            Value::Function(pairs) => {
                f.write_str("function(")?;
                for (at, (from, to)) in pairs.iter().enumerate() {
                    let between = if at > 0 { ", " } else { "" };
                    write!(f, "{between}{from} --> {to}")?;
                }
                f.write_str(")")
            }
            Value::Permutation(pairs) => {
                f.write_str("permutation(")?;
                for (at, cycle) in cycles(pairs).iter().enumerate() {
                    f.write_str(if at > 0 { ", (" } else { "(" })?;
                    for (at, member) in cycle.iter().enumerate() {
                        let between = if at > 0 { ", " } else { "" };
                        write!(f, "{between}{member}")?;
                    }
                    f.write_str(")")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// The cycles of a permutation.
fn cycles(pairs: &[(Value, Value)]) -> Vec<Vec<&Value>> {
    let mut left: Vec<&(Value, Value)> = pairs.iter().collect();
    let mut cycles = Vec::new();
    while !left.is_empty() {
        let (start, next) = left.remove(0);
        let mut next = next;
        let mut cycle = vec![start];
        while next != start {
            let Some(at) = left.iter().position(|pair| pair.0 == *next) else {
                break;
            };
            cycle.push(next);
            next = &left.remove(at).1;
        }
        cycles.push(cycle);
    }
    cycles
}

fn called(f: &mut fmt::Formatter, name: &str, items: &[Value]) -> fmt::Result {
    write!(f, "{name}(")?;
    list(f, items)?;
    f.write_str(")")
}

fn list(f: &mut fmt::Formatter, items: &[Value]) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        let between = if at > 0 { ", " } else { "" };
        write!(f, "{between}{item}")?;
    }
    Ok(())
}

/// The domain of an index.
fn print_index(f: &mut fmt::Formatter, index: &[Value]) -> fmt::Result {
    let mut ranges: Vec<(&Value, &Value)> = Vec::new();
    for member in index {
        match ranges.last_mut() {
            Some((_, high)) if high.number().map(|n| n + 1) == member.number() => *high = member,
            _ => ranges.push((member, member)),
        }
    }
    let name = match index.first() {
        Some(Value::Bool(_)) => return f.write_str("bool"),
        Some(Value::Member(named, _)) => {
            if index.len() == named.members.len() {
                return f.write_str(&named.name);
            }
            named.name.as_str()
        }
        None => return f.write_str("int(1..0)"),
        _ => "int",
    };
    let ranges: Vec<String> = ranges.iter().map(|(a, b)| format!("{a}..{b}")).collect();
    write!(f, "{name}({})", ranges.join(", "))
}
