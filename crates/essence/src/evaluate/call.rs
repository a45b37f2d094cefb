//! Operators with the syntax of a function, and attributes as constraints.

use ployglot_base::BadText;
use ployglot_eprime::Span;

use super::binary::items;
use super::{Evaluated, Evaluator, defined, factorial, too_large};
use crate::domain::{Domain, Property, counted, has_properties};
use crate::model::GlobalKind;
use crate::tree::{Kind, Node, Operator};
use crate::types::Type;
use crate::value::Value;

impl Evaluator<'_> {
    pub(super) fn call(
        &mut self,
        operator: Operator,
        operands: &[Node],
        ty: &Type,
        span: Span,
    ) -> Evaluated<Value> {
        use Operator as Op;
        match operator {
            Op::True => return Ok(Some(Value::Bool(true))),
            Op::MakeTable => return self.value(&operands[0]),
            Op::CatchUndefined => {
                return match self.inside(&operands[0])? {
                    Some(value) => Ok(Some(value)),
                    None => self.value(&operands[1]),
                };
            }
            _ => {}
        }
        let values = defined!(self.several(operands));
        let members = |at: usize| values[at].members().unwrap_or_default();
        let numbers = |at: usize| -> Vec<i64> {
            let found = members(at);
            found.iter().filter_map(Value::number).collect()
        };
        let truths = |at: usize| {
            members(at)
                .into_iter()
                .map(|item| item == Value::Bool(true))
        };
        let too_large = || too_large(span);
        let count = |list: &[Value], value: &Value| {
            list.iter().filter(|item| *item == value).count() as i64
        };
        Ok(Some(match operator {
            Op::True | Op::MakeTable | Op::CatchUndefined => unreachable!("done above"),
            Op::And => Value::Bool(truths(0).all(|truth| truth)),
            Op::Or => Value::Bool(truths(0).any(|truth| truth)),
            Op::Xor => Value::Bool(truths(0).filter(|&truth| truth).count() % 2 == 1),
            Op::Sum => {
                let mut numbers = numbers(0).into_iter();
                let sum = numbers.try_fold(0i64, i64::checked_add);
                Value::Int(sum.ok_or_else(too_large)?)
            }
            Op::Product => {
                let mut numbers = numbers(0).into_iter();
                let product = numbers.try_fold(1i64, i64::checked_mul);
                Value::Int(product.ok_or_else(too_large)?)
            }
            Op::Min | Op::Max => {
                let candidates = match values.len() {
                    1 => members(0),
                    _ => values.clone(),
                };
                let number = |value: &Value| value.number();
                let found = match operator {
                    Op::Min => candidates.into_iter().min_by_key(number),
                    _ => candidates.into_iter().max_by_key(number),
                };
                return Ok(found);
            }
            Op::AllDifferent => {
                let mut list = members(0);
                list.sort();
                Value::Bool(list.windows(2).all(|pair| pair[0] != pair[1]))
            }
            Op::AllDifferentExcept => {
                let mut list = members(0);
                list.retain(|item| *item != values[1]);
                list.sort();
                Value::Bool(list.windows(2).all(|pair| pair[0] != pair[1]))
            }
            Op::AtLeast | Op::AtMost | Op::Gcc => {
                let list = members(0);
                let (counts, wanted) = match operator {
                    Op::Gcc => (numbers(2), members(1)),
                    _ => (numbers(1), members(2)),
                };
                if counts.len() != wanted.len() {
                    return Err(span.error("there are not as many counts as values"));
                }
                let mut pairs = wanted.iter().zip(counts);
                Value::Bool(pairs.all(|(value, bound)| {
                    let found = count(&list, value);
                    match operator {
                        Op::AtLeast => found >= bound,
                        Op::AtMost => found <= bound,
                        _ => found == bound,
                    }
                }))
            }
            Op::Together | Op::Apart => {
                let (wanted, parts) = (members(0), members(1));
                let parts: Vec<Vec<Value>> = parts.iter().filter_map(Value::members).collect();
                let inside = |part: &Vec<Value>| wanted.iter().all(|item| part.contains(item));
                let together = parts.iter().any(inside);
                let known = |item: &Value| parts.iter().any(|part| part.contains(item));
                Value::Bool(match operator {
                    Op::Together => together,
                    _ => !together && wanted.iter().all(known),
                })
            }
            Op::Compose => {
                // The right one is applied first.
                let (Value::Permutation(outer), Value::Permutation(inner)) =
                    (&values[0], &values[1])
                else {
                    return Ok(None);
                };
                let moved = outer.iter().chain(inner).map(|(from, _)| from.clone());
                let mut moved: Vec<Value> = moved.collect();
                moved.sort();
                moved.dedup();
                let mut pairs = Vec::new();
                for member in moved {
                    let between = image(&values[1], &member);
                    let end = between.and_then(|between| image(&values[0], &between));
                    pairs.extend(end.map(|end| (member, end)));
                }
                Value::permutation(pairs)
            }
            Op::Concatenate => {
                let lists = match values.len() {
                    1 => items(&values[0]),
                    _ => values.clone(),
                };
                let all: Vec<Value> = lists.iter().flat_map(items).collect();
                match ty {
                    Type::Sequence(_) => Value::Sequence(all),
                    _ => Value::list(all),
                }
            }
            Op::Count | Op::Freq => Value::Int(count(&members(0), &values[1])),
            Op::Defined => {
                let pairs = members(0).into_iter();
                Value::set(pairs.filter_map(|pair| part(pair, 0)).collect())
            }
            Op::Range => {
                let pairs = members(0).into_iter();
                Value::set(pairs.filter_map(|pair| part(pair, 1)).collect())
            }
            Op::ElementId => {
                let Value::Matrix(index, items) = &values[0] else {
                    return Ok(None);
                };
                match index.binary_search(&values[1]) {
                    Ok(at) => items[at].clone(),
                    Err(_) => return Ok(None),
                }
            }
            Op::Factorial => {
                let number = values[0].number().unwrap_or(0);
                Value::Int(factorial(number).ok_or_else(too_large)?)
            }
            Op::Flatten => {
                let (levels, matrix) = match values.len() {
                    1 => (i64::MAX, &values[0]),
                    _ => (values[0].number().unwrap_or(0), &values[1]),
                };
                if levels == 0 {
                    return Ok(Some(matrix.clone()));
                }
                let mut flat = Vec::new();
                flatten(matrix, levels, &mut flat);
                Value::list(flat)
            }
            Op::Hist => {
                let mut list = members(0);
                list.sort();
                if values.len() == 2 {
                    let wanted = members(1);
                    let counts = wanted.iter().map(|value| Value::Int(count(&list, value)));
                    return Ok(Some(Value::list(counts.collect())));
                }
                let counts = counted(&list).into_iter();
                let pair = |(value, count): (&Value, usize)| {
                    Value::Tuple(vec![value.clone(), Value::Int(count as i64)])
                };
                Value::list(counts.map(pair).collect())
            }
            Op::Image => return Ok(image(&values[0], &values[1])),
            Op::ImageSet => Value::Set(image(&values[0], &values[1]).into_iter().collect()),
            Op::PreImage => {
                let pairs = members(0).into_iter();
                let keys = pairs.filter(|pair| part(pair.clone(), 1).as_ref() == Some(&values[1]));
                Value::set(keys.filter_map(|pair| part(pair, 0)).collect())
            }
            Op::Inverse => {
                let flipped = |list: Vec<Value>| {
                    let mut flipped: Vec<Value> = list
                        .into_iter()
                        .map(|pair| match pair {
                            Value::Tuple(mut items) => {
                                items.reverse();
                                Value::Tuple(items)
                            }
                            other => other,
                        })
                        .collect();
                    flipped.sort();
                    flipped.dedup();
                    flipped
                };
                let mut left = members(0);
                left.sort();
                Value::Bool(left == flipped(members(1)))
            }
            Op::Participants => {
                let parts = members(0);
                let members = parts.iter().filter_map(Value::members).flatten();
                Value::set(members.collect())
            }
            Op::Parts => Value::set(members(0)),
            Op::Party => {
                let parts = members(1).into_iter();
                let mut with =
                    parts.filter(|part| part.members().unwrap_or_default().contains(&values[0]));
                with.next().unwrap_or(Value::Set(Vec::new()))
            }
            Op::PermInverse => {
                let pairs = members(0).into_iter();
                let flip = |pair: Value| Some((part(pair.clone(), 1)?, part(pair, 0)?));
                Value::permutation(pairs.filter_map(flip).collect())
            }
            Op::PowerSet => match power_set(&values[0]) {
                Some(set) => set,
                None => return Err(span.error("this set has too many subsets")),
            },
            Op::Pred | Op::Succ => {
                let by = if operator == Op::Succ { 1 } else { -1 };
                match &values[0] {
                    Value::Int(number) => Value::Int(number.checked_add(by).ok_or_else(too_large)?),
                    Value::Member(named, place) => {
                        let next = place + by;
                        if next < 1 || next > named.members.len() as i64 {
                            return Ok(None);
                        }
                        Value::Member(named.clone(), next)
                    }
                    // The value before `false` and the one after `true` are undefined, so false.
                    Value::Bool(truth) => Value::Bool(!truth && by == 1),
                    _ => return Ok(None),
                }
            }
            Op::Restrict => {
                let kept = members(1);
                let Value::Function(pairs) = &values[0] else {
                    return Ok(None);
                };
                let pairs = pairs.iter().filter(|(from, _)| kept.contains(from));
                Value::function(pairs.cloned().collect())
            }
            Op::Table => {
                let row = members(0);
                Value::Bool(members(1).iter().any(|known| items(known) == row))
            }
            Op::ToInt => Value::Int(values[0].number().unwrap_or(0)),
            Op::ToMSet => Value::mset(members(0)),
            Op::ToSet => Value::set(members(0)),
            Op::ToRelation => Value::relation(members(0)),
            Op::Transform => {
                let maps = match (&values[0], &operands[0].ty) {
                    (Value::Matrix(_, maps), Type::Matrix(_, of)) => {
                        maps.iter().map(|map| (map, &**of)).collect()
                    }
                    (map, ty) => vec![(map, ty)],
                };
                return Ok(transformed(&maps, &values[1], &operands[1].ty));
            }
        }))
    }

    /// Whether a value has an attribute. Properties that depend on a domain refer to that of the
    /// declaration.
    pub(super) fn attribute(
        &mut self,
        name: &str,
        node: &Node,
        value: &Value,
        number: i64,
    ) -> Result<bool, BadText> {
        let members = value.members().unwrap_or_default();
        let count = members.len() as i64;
        let images = || {
            let mut images: Vec<Value> = members
                .iter()
                .filter_map(|pair| part(pair.clone(), 1))
                .collect();
            images.sort();
            images
        };
        let injective = || images().windows(2).all(|pair| pair[0] != pair[1]);
        let counts = |list: Vec<Value>| -> Vec<i64> {
            counted(&list)
                .iter()
                .map(|&(_, count)| count as i64)
                .collect()
        };
        let sizes = || -> Vec<i64> {
            let sizes = members.iter().filter_map(Value::members);
            sizes.map(|part| part.len() as i64).collect()
        };
        Ok(match name {
            "size" | "numParts" | "numMoved" => count == number,
            "minSize" | "minNumParts" | "minNumMoved" => count >= number,
            "maxSize" | "maxNumParts" | "maxNumMoved" => count <= number,
            "injective" => injective(),
            "maxOccur" => counts(members.clone()).iter().all(|&times| times <= number),
            "partSize" => sizes().iter().all(|&size| size == number),
            "minPartSize" => sizes().iter().all(|&size| size >= number),
            "maxPartSize" => sizes().iter().all(|&size| size <= number),
            "regular" => sizes().windows(2).all(|pair| pair[0] == pair[1]),
            _ => {
                let domain = self.declared(node)?;
                let known = |domain: &Domain, poll| {
                    domain.values(poll).ok_or_else(|| {
                        let message = format!("'{name}' needs a domain that can be listed");
                        node.span.error(message)
                    })
                };
                match (name, domain) {
                    ("total", Domain::Function { from, .. }) => {
                        known(&from, &self.poll)?.len() as i64 == count
                    }
                    ("surjective" | "bijective", Domain::Function { to, .. })
                    | ("surjective" | "bijective", Domain::Sequence { of: to, .. }) => {
                        let mut all = images();
                        all.dedup();
                        all.len() == known(&to, &self.poll)?.len()
                            && (name == "surjective" || injective())
                    }
                    ("minOccur", Domain::MSet { of, .. }) => {
                        let all = known(&of, &self.poll)?;
                        all.iter().all(|value| {
                            members.iter().filter(|item| *item == value).count() as i64 >= number
                        })
                    }
                    ("complete", _) => true,
                    (_, Domain::Relation { of, .. }) => {
                        let all = known(&of[0], &self.poll)?;
                        has_properties(&members, &all, &Property::of_attribute(name))
                    }
                    _ => {
                        let message = format!("'{name}' does not fit this value");
                        return Err(node.span.error(message));
                    }
                }
            }
        })
    }

    /// The domain that an expression was declared with.
    fn declared(&mut self, node: &Node) -> Result<Domain, BadText> {
        if let Kind::Global(place) = node.kind
            && let GlobalKind::Find(domain) | GlobalKind::Given(domain) =
                &self.model.globals[place].kind
            && let Some(domain) = self.domain(domain)?
        {
            return Ok(domain);
        }
        let message =
            "this attribute needs a decision variable or parameter, whose domain is known";
        Err(node.span.error(message))
    }
}

/// The value with every part replaced that is of the type of one of the permutations: by its image.
/// That includes the indices of matrices and the keys of functions.
fn transformed(maps: &[(&Value, &Type)], value: &Value, ty: &Type) -> Option<Value> {
    let of_type = |map: &Type| match map {
        Type::Permutation(of) => of.unify(ty).is_some(),
        _ => false,
    };
    if let Some((map, _)) = maps.iter().find(|(_, map)| of_type(map)) {
        return image(map, value);
    }
    let all = |values: &[Value], ty: &Type| -> Option<Vec<Value>> {
        values
            .iter()
            .map(|value| transformed(maps, value, ty))
            .collect()
    };
    let pairs = |pairs: &[(Value, Value)], from: &Type, to: &Type| -> Option<Vec<_>> {
        let pair = |(key, image): &(Value, Value)| {
            Some((transformed(maps, key, from)?, transformed(maps, image, to)?))
        };
        pairs.iter().map(pair).collect()
    };
    Some(match (value, ty) {
        (Value::Tuple(parts), Type::Tuple(types)) => {
            let parts = parts.iter().zip(types);
            Value::Tuple(
                parts
                    .map(|(part, ty)| transformed(maps, part, ty))
                    .collect::<Option<_>>()?,
            )
        }
        (Value::Record(fields), Type::Record(types)) => {
            let field = |(name, value): &(std::sync::Arc<str>, Value)| {
                let (_, ty) = types.iter().find(|(known, _)| **known == **name)?;
                Some((name.clone(), transformed(maps, value, ty)?))
            };
            Value::record(fields.iter().map(field).collect::<Option<_>>()?)
        }
        (Value::Variant(name, value), Type::Variant(types, _)) => {
            let (_, ty) = types.iter().find(|(known, _)| **known == **name)?;
            Value::Variant(name.clone(), Box::new(transformed(maps, value, ty)?))
        }
        (Value::Matrix(index, items), Type::Matrix(index_ty, of)) => {
            let index = all(index, index_ty)?;
            let mut both: Vec<(Value, Value)> = index.into_iter().zip(all(items, of)?).collect();
            both.sort();
            let (index, items) = both.into_iter().unzip();
            Value::Matrix(index, items)
        }
        (Value::Set(items), Type::Set(of)) => Value::set(all(items, of)?),
        (Value::MSet(items), Type::MSet(of)) => Value::mset(all(items, of)?),
        (Value::Sequence(items), Type::Sequence(of)) => Value::Sequence(all(items, of)?),
        (Value::Relation(items), Type::Relation(of)) => {
            Value::relation(all(items, &Type::Tuple(of.clone()))?)
        }
        (Value::Partition(parts), Type::Partition(of)) => {
            Value::partition(all(parts, &Type::Set(of.clone()))?)
        }
        (Value::Function(items), Type::Function(from, to)) => {
            Value::function(pairs(items, from, to)?)
        }
        (Value::Permutation(items), Type::Permutation(of)) => {
            Value::permutation(pairs(items, of, of)?)
        }
        _ => value.clone(),
    })
}

/// A component of a pair.
fn part(pair: Value, at: usize) -> Option<Value> {
    match pair {
        Value::Tuple(items) => items.into_iter().nth(at),
        _ => None,
    }
}

/// The image of a value; `None` if it is undefined. Permutations leave other values as they are.
pub(super) fn image(of: &Value, argument: &Value) -> Option<Value> {
    match of {
        Value::Function(pairs) => {
            let at = pairs
                .binary_search_by(|(from, _)| from.cmp(argument))
                .ok()?;
            Some(pairs[at].1.clone())
        }
        Value::Sequence(items) => {
            let at = usize::try_from(argument.number()?.checked_sub(1)?).ok()?;
            items.get(at).cloned()
        }
        Value::Permutation(pairs) => {
            let found = pairs.iter().find(|(from, _)| from == argument);
            Some(found.map_or_else(|| argument.clone(), |(_, to)| to.clone()))
        }
        _ => None,
    }
}

fn flatten(value: &Value, levels: i64, flat: &mut Vec<Value>) {
    match value {
        Value::Matrix(_, items) if levels >= 0 => {
            for item in items {
                flatten(item, levels - 1, flat);
            }
        }
        other => flat.push(other.clone()),
    }
}

/// The set of all subsets; `None` if there are too many.
pub(super) fn power_set(value: &Value) -> Option<Value> {
    let members = value.members()?;
    if members.len() > 20 {
        return None;
    }
    let subset = |bits: usize| {
        let chosen = (0..members.len()).filter(|at| bits >> at & 1 == 1);
        Value::Set(chosen.map(|at| members[at].clone()).collect())
    };
    Some(Value::set(
        (0..1usize << members.len()).map(subset).collect(),
    ))
}
