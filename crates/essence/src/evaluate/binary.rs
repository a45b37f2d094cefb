//! Operators between two values.

use std::cmp::Ordering;

use ployglot_eprime::Span;

use super::{Evaluated, Evaluator, defined, too_large};
use crate::domain::counted;
use crate::tree::{Binary, Node};
use crate::value::Value;

impl Evaluator<'_> {
    pub(super) fn binary(
        &mut self,
        operator: Binary,
        [left, right]: &[Node; 2],
        span: Span,
    ) -> Evaluated<Value> {
        // Both sides of these are booleans, so that neither is undefined.
        let known = match operator {
            Binary::And => Some(self.truth(left)? && self.truth(right)?),
            Binary::Or => Some(self.truth(left)? || self.truth(right)?),
            Binary::Implies => Some(!self.truth(left)? || self.truth(right)?),
            Binary::Iff => Some(self.truth(left)? == self.truth(right)?),
            _ => None,
        };
        if let Some(known) = known {
            return Ok(Some(Value::Bool(known)));
        }
        let left = defined!(self.value(left));
        let right = defined!(self.value(right));
        let numbers = || match (left.number(), right.number()) {
            (Some(a), Some(b)) => Ok((a, b)),
            _ => Err(span.error("expected numbers")),
        };
        let number = |result: Option<i64>| match result {
            Some(number) => Ok(Some(Value::Int(number))),
            None => Err(too_large(span)),
        };
        let truth = |truth: bool| Ok(Some(Value::Bool(truth)));
        match operator {
            Binary::Plus => {
                let (a, b) = numbers()?;
                number(a.checked_add(b))
            }
            Binary::Times => {
                let (a, b) = numbers()?;
                number(a.checked_mul(b))
            }
            Binary::Divide | Binary::Modulo => {
                let (a, b) = numbers()?;
                if b == 0 {
                    return Ok(None);
                }
                let quotient = a.checked_div_euclid(b).ok_or_else(|| too_large(span))?;
                // Rounded down, not towards zero.
                let rest = a - quotient * b;
                let quotient = match rest != 0 && b < 0 {
                    true => quotient - 1,
                    false => quotient,
                };
                number(match operator {
                    Binary::Divide => Some(quotient),
                    _ => Some(a - quotient * b),
                })
            }
            Binary::Power => {
                let (a, b) = numbers()?;
                if b < 0 {
                    return Ok(None);
                }
                number(match a {
                    0 | 1 if b > 0 => Some(a),
                    -1 => Some(if b % 2 == 0 { 1 } else { -1 }),
                    _ => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
                })
            }
            Binary::Minus => match (left.number(), right.number()) {
                (Some(a), Some(b)) => number(a.checked_sub(b)),
                _ => Ok(combined(&left, &right, |a, b| a.saturating_sub(b))),
            },
            Binary::Union => Ok(combined(&left, &right, usize::max)),
            Binary::Intersect => Ok(combined(&left, &right, usize::min)),
            Binary::Equal => truth(left == right),
            Binary::NotEqual => truth(left != right),
            Binary::Less => truth(left.number() < right.number()),
            Binary::AtMost => truth(left.number() <= right.number()),
            Binary::Greater => truth(left.number() > right.number()),
            Binary::AtLeast => truth(left.number() >= right.number()),
            Binary::Lex(strict) => {
                let order = lexicographic(&left, &right);
                truth(order == Ordering::Less || !strict && order == Ordering::Equal)
            }
            Binary::Dot(strict) | Binary::Tilde(strict) => {
                let order = left.order(&right);
                truth(order == Ordering::Less || !strict && order == Ordering::Equal)
            }
            Binary::In => {
                let members = right.members().unwrap_or_default();
                truth(members.contains(&left))
            }
            Binary::Subset(strict) => {
                let inside = combined(&left, &right, |a, b| a.saturating_sub(b));
                let inside = inside.and_then(|left| left.members());
                let is_subset = inside.is_some_and(|left| left.is_empty());
                truth(is_subset && !(strict && left == right))
            }
            Binary::Subsequence => {
                let (short, long) = (items(&left), items(&right));
                let mut rest = long.iter();
                truth(short.iter().all(|item| rest.any(|found| found == item)))
            }
            Binary::Substring => {
                let (short, long) = (items(&left), items(&right));
                let mut starts = 0..=long.len();
                truth(starts.any(|from| long[from..].starts_with(&short)))
            }
            Binary::And | Binary::Or | Binary::Implies | Binary::Iff => {
                unreachable!("known above")
            }
        }
    }
}

/// The items of a list or sequence, without their places.
pub(super) fn items(value: &Value) -> Vec<Value> {
    match value {
        Value::Matrix(_, items) | Value::Sequence(items) | Value::Tuple(items) => items.clone(),
        _ => Vec::new(),
    }
}

/// The lexicographic order of two lists, and of lists of lists.
fn lexicographic(left: &Value, right: &Value) -> Ordering {
    let (left, right) = (items(left), items(right));
    for (a, b) in left.iter().zip(&right) {
        let order = match (a.number(), b.number()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ if !items(a).is_empty() || !items(b).is_empty() => lexicographic(a, b),
            _ => a.order(b),
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len())
}

/// A collection in which each member occurs as often as the function says, given how often it occurs
/// in the two; `None` for values that are no collections, and for two functions that together are no
/// function.
fn combined(left: &Value, right: &Value, times: fn(usize, usize) -> usize) -> Option<Value> {
    let (mut a, mut b) = (left.members()?, right.members()?);
    a.sort();
    b.sort();
    let mut all: Vec<Value> = a.iter().chain(&b).cloned().collect();
    all.sort();
    all.dedup();
    let count = |list: &[Value], member: &Value| {
        let counts = counted(list);
        let found = counts.binary_search_by(|(known, _)| (*known).cmp(member));
        found.map_or(0, |at| counts[at].1)
    };
    let mut members = Vec::new();
    for member in all {
        let times = times(count(&a, &member), count(&b, &member));
        members.extend((0..times).map(|_| member.clone()));
    }
    Some(match left {
        Value::Set(_) => Value::Set(members),
        Value::MSet(_) => Value::MSet(members),
        Value::Relation(_) => Value::Relation(members),
        Value::Function(_) | Value::Sequence(_) => {
            let pair = |member: Value| match member {
                Value::Tuple(mut items) if items.len() == 2 => {
                    let to = items.pop()?;
                    Some((items.pop()?, to))
                }
                _ => None,
            };
            let pairs: Vec<(Value, Value)> =
                members.into_iter().map(pair).collect::<Option<_>>()?;
            if pairs.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return None;
            }
            Value::Function(pairs)
        }
        _ => return None,
    })
}
