//! Domains of an instance: attributes and bounds are numbers here. What a domain contains
//! (`contains`) is written apart from the list of its values (`enumerate.rs`) and from the variables
//! that represent one of them (`refine/represent.rs`); tests compare the three.

use std::sync::Arc;

use crate::value::{Named, Value};

/// A domain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Domain {
    Bool,
    /// Ranges in order that do not touch; an open range ends at the least or greatest `i64`.
    Int(Vec<(i64, i64)>),
    /// A part of an enumerated or unnamed type.
    Member(Arc<Named>, Vec<(i64, i64)>),
    Tuple(Vec<Domain>),
    /// The fields, sorted by name.
    Record(Vec<(Arc<str>, Domain)>),
    /// The fields, sorted by name.
    Variant(Vec<(Arc<str>, Domain)>),
    Matrix(Box<Domain>, Box<Domain>),
    Set(Size, Box<Domain>),
    MSet {
        size: Size,
        occur: Size,
        of: Box<Domain>,
    },
    Sequence {
        size: Size,
        injective: bool,
        surjective: bool,
        of: Box<Domain>,
    },
    Function {
        size: Size,
        total: bool,
        injective: bool,
        surjective: bool,
        from: Box<Domain>,
        to: Box<Domain>,
    },
    Relation {
        size: Size,
        binary: Vec<Property>,
        of: Vec<Domain>,
    },
    Partition {
        parts: Size,
        part_size: Size,
        regular: bool,
        of: Box<Domain>,
    },
    Permutation {
        moved: Size,
        of: Box<Domain>,
    },
    /// `?` in a type.
    Any,
}

/// How many members there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub least: i64,
    pub most: Option<i64>,
}

/// The elementary properties of binary relations; attributes are sets of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    Reflexive,
    Irreflexive,
    Coreflexive,
    Symmetric,
    AntiSymmetric,
    ASymmetric,
    Transitive,
    Total,
    Connex,
    Euclidean,
    LeftTotal,
    RightTotal,
}

impl Property {
    /// The properties that an attribute stands for.
    pub fn of_attribute(name: &str) -> Vec<Property> {
        use Property::*;
        match name {
            "reflexive" => vec![Reflexive],
            "irreflexive" => vec![Irreflexive],
            "coreflexive" => vec![Coreflexive],
            "symmetric" => vec![Symmetric],
            "antiSymmetric" => vec![AntiSymmetric],
            "aSymmetric" => vec![ASymmetric],
            "transitive" => vec![Transitive],
            "total" => vec![Total],
            "connex" => vec![Connex],
            "Euclidean" => vec![Euclidean],
            "leftTotal" | "serial" => vec![LeftTotal],
            "rightTotal" => vec![RightTotal],
            "equivalence" => vec![Reflexive, Symmetric, Transitive],
            "partialOrder" => vec![Reflexive, AntiSymmetric, Transitive],
            "linearOrder" => vec![Total, AntiSymmetric, Transitive],
            "weakOrder" => vec![Total, Transitive],
            "preOrder" => vec![Reflexive, Transitive],
            "strictPartialOrder" => vec![Irreflexive, ASymmetric, Transitive],
            _ => Vec::new(),
        }
    }

    /// Whether a relation over these members has the property.
    fn holds(self, members: &[Value], related: &dyn Fn(&Value, &Value) -> bool) -> bool {
        let each = |test: &dyn Fn(&Value) -> bool| members.iter().all(test);
        let pairs = |test: &dyn Fn(&Value, &Value) -> bool| {
            members.iter().all(|x| members.iter().all(|y| test(x, y)))
        };
        match self {
            Property::Reflexive => each(&|x| related(x, x)),
            Property::Irreflexive => each(&|x| !related(x, x)),
            Property::Coreflexive => pairs(&|x, y| !related(x, y) || x == y),
            Property::Symmetric => pairs(&|x, y| !related(x, y) || related(y, x)),
            Property::AntiSymmetric => pairs(&|x, y| !(related(x, y) && related(y, x)) || x == y),
            Property::ASymmetric => pairs(&|x, y| !(related(x, y) && related(y, x))),
            Property::Transitive => pairs(&|x, y| {
                !related(x, y) || members.iter().all(|z| !related(y, z) || related(x, z))
            }),
            Property::Total => pairs(&|x, y| related(x, y) || related(y, x)),
            Property::Connex => pairs(&|x, y| related(x, y) || related(y, x) || x == y),
            Property::Euclidean => pairs(&|x, y| {
                !related(x, y) || members.iter().all(|z| !related(x, z) || related(y, z))
            }),
            Property::LeftTotal => each(&|x| members.iter().any(|y| related(x, y))),
            Property::RightTotal => each(&|y| members.iter().any(|x| related(x, y))),
        }
    }
}

/// Whether a relation, as its tuples, has the properties over these members.
pub(crate) fn has_properties(tuples: &[Value], members: &[Value], properties: &[Property]) -> bool {
    let related = |x: &Value, y: &Value| {
        let pair = Value::Tuple(vec![x.clone(), y.clone()]);
        tuples.binary_search(&pair).is_ok()
    };
    properties
        .iter()
        .all(|property| property.holds(members, &related))
}

impl Size {
    pub const FREE: Size = Size {
        least: 0,
        most: None,
    };

    pub fn contains(self, count: usize) -> bool {
        let count = count as i64;
        self.least <= count && self.most.is_none_or(|most| count <= most)
    }

    /// The greatest size, if there are this many candidates.
    pub fn most_of(self, candidates: u64) -> u64 {
        let most = self.most.map_or(u64::MAX, |most| most.max(0) as u64);
        most.min(candidates)
    }

    pub fn is_free(self) -> bool {
        self.least <= 0 && self.most.is_none()
    }
}

/// Ranges in order that do not touch.
pub(crate) fn normal_ranges(mut ranges: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    ranges.retain(|(low, high)| low <= high);
    ranges.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (low, high) in ranges {
        match merged.last_mut() {
            Some((_, last)) if low <= last.saturating_add(1) => *last = high.max(*last),
            _ => merged.push((low, high)),
        }
    }
    merged
}

fn within(ranges: &[(i64, i64)], number: i64) -> bool {
    ranges
        .iter()
        .any(|&(low, high)| (low..=high).contains(&number))
}

impl Domain {
    /// All integers.
    pub fn all_ints() -> Domain {
        Domain::Int(vec![(i64::MIN, i64::MAX)])
    }

    /// Whether the value is in the domain.
    pub fn contains(&self, value: &Value) -> bool {
        let fields = |domains: &[(Arc<str>, Domain)], values: &[(Arc<str>, Value)]| {
            domains.len() == values.len()
                && domains
                    .iter()
                    .zip(values)
                    .all(|((a, domain), (b, value))| a == b && domain.contains(value))
        };
        match (self, value) {
            (Domain::Any, _) | (Domain::Bool, Value::Bool(_)) => true,
            (Domain::Int(ranges), Value::Int(number)) => within(ranges, *number),
            (Domain::Member(named, ranges), Value::Member(of, place)) => {
                named == of && within(ranges, *place)
            }
            (Domain::Tuple(domains), Value::Tuple(items)) => {
                domains.len() == items.len()
                    && domains
                        .iter()
                        .zip(items)
                        .all(|(domain, item)| domain.contains(item))
            }
            (Domain::Record(domains), Value::Record(values)) => fields(domains, values),
            (Domain::Variant(domains), Value::Variant(name, value)) => domains
                .iter()
                .any(|(known, domain)| known == name && domain.contains(value)),
            (Domain::Matrix(index, of), Value::Matrix(indices, items)) => {
                let is_finite = index.count().is_some();
                indices.iter().all(|member| index.contains(member))
                    && (!is_finite || index.count() == Some(indices.len() as u64))
                    && items.iter().all(|item| of.contains(item))
            }
            (Domain::Set(size, of), Value::Set(items)) => {
                size.contains(items.len()) && items.iter().all(|item| of.contains(item))
            }
            (Domain::MSet { size, occur, of }, Value::MSet(items)) => {
                let counts = counted(items);
                let most = |&(_, count): &(&Value, usize)| {
                    occur.most.is_none_or(|most| count as i64 <= most)
                };
                let enough = |&(_, count): &(&Value, usize)| count as i64 >= occur.least;
                size.contains(items.len())
                    && items.iter().all(|item| of.contains(item))
                    && counts.iter().all(most)
                    && (occur.least <= 0
                        || counts.iter().all(enough) && of.count() == Some(counts.len() as u64))
            }
            (
                Domain::Sequence {
                    size,
                    injective,
                    surjective,
                    of,
                },
                Value::Sequence(items),
            ) => {
                size.contains(items.len())
                    && items.iter().all(|item| of.contains(item))
                    && (!injective || counted_sorted(items).iter().all(|&(_, count)| count == 1))
                    && (!surjective || of.count() == Some(counted_sorted(items).len() as u64))
            }
            (
                Domain::Function {
                    size,
                    total,
                    injective,
                    surjective,
                    from,
                    to,
                },
                Value::Function(pairs),
            ) => {
                let images: Vec<Value> = pairs.iter().map(|(_, to)| to.clone()).collect();
                let images = counted_sorted(&images);
                size.contains(pairs.len())
                    && pairs
                        .iter()
                        .all(|(a, b)| from.contains(a) && to.contains(b))
                    && (!total || from.count() == Some(pairs.len() as u64))
                    && (!injective || images.iter().all(|&(_, count)| count == 1))
                    && (!surjective || to.count() == Some(images.len() as u64))
            }
            (Domain::Relation { size, binary, of }, Value::Relation(tuples)) => {
                let inside = |tuple: &Value| match tuple {
                    Value::Tuple(items) => {
                        items.len() == of.len()
                            && of.iter().zip(items).all(|(of, item)| of.contains(item))
                    }
                    _ => false,
                };
                size.contains(tuples.len())
                    && tuples.iter().all(inside)
                    && (binary.is_empty() || {
                        let members = of[0].values(&ployglot_base::Poll::default());
                        has_properties(tuples, &members.unwrap_or_default(), binary)
                    })
            }
            (
                Domain::Partition {
                    parts,
                    part_size,
                    regular,
                    of,
                },
                Value::Partition(found),
            ) => {
                let sizes = found.iter().map(|part| match part {
                    Value::Set(members) => members.len(),
                    _ => 0,
                });
                let sizes: Vec<usize> = sizes.collect();
                let members = found.iter().filter_map(Value::members).flatten();
                let mut members: Vec<Value> = members.collect();
                let count = members.len();
                members.sort();
                members.dedup();
                members.len() == count
                    && (of.count().is_none() || of.count() == Some(count as u64))
                    && members.iter().all(|member| of.contains(member))
                    && parts.contains(found.len())
                    && sizes.iter().all(|&size| part_size.contains(size))
                    && (!regular || sizes.windows(2).all(|pair| pair[0] == pair[1]))
            }
            (Domain::Permutation { moved, of }, Value::Permutation(pairs)) => {
                moved.contains(pairs.len())
                    && pairs.iter().all(|(a, b)| of.contains(a) && of.contains(b))
            }
            _ => false,
        }
    }
}

/// The different members of a sorted list, with how often they occur.
pub(crate) fn counted(items: &[Value]) -> Vec<(&Value, usize)> {
    let mut counts: Vec<(&Value, usize)> = Vec::new();
    for item in items {
        match counts.last_mut() {
            Some((last, count)) if *last == item => *count += 1,
            _ => counts.push((item, 1)),
        }
    }
    counts
}

/// [`counted`], of a list in any order.
fn counted_sorted(items: &[Value]) -> Vec<(Value, usize)> {
    let mut sorted = items.to_vec();
    sorted.sort();
    let counts = counted(&sorted).into_iter();
    counts.map(|(item, count)| (item.clone(), count)).collect()
}
