//! Evaluates expressions on abstract values: the judge of solutions. It shares no operator with the
//! refinement (`refine/`); both use the types, the domains and the lists of their values.
//!
//! Undefinedness is relational, as in Essence Prime: an undefined part makes the smallest boolean
//! expression around it false. `None` stands for an undefined value.

mod binary;
mod call;

use std::sync::Arc;

use ployglot_base::{BadText, Poll};
use ployglot_eprime::Span;

use crate::domain::Domain;
use crate::model::{GlobalKind, Model};
use crate::resolve::{Bounds, NamedDomain, resolve};
use crate::tree::{DomainNode, Generator, Kind, Node, Pattern};
use crate::types::Type;
use crate::value::{Named, Value};

/// `None`: undefined.
pub(crate) type Evaluated<T> = Result<Option<T>, BadText>;

/// What a declaration is in an instance.
#[derive(Clone, Debug)]
pub(crate) enum GlobalValue {
    Value(Value),
    Domain(Domain),
    Named(Arc<Named>),
    /// A decision variable; `None` if its domain is undefined.
    Find(Option<Domain>),
    /// A letting that depends on decision variables.
    Open,
    Undefined,
}

/// Evaluates expressions of one instance.
#[derive(Clone)]
pub(crate) struct Evaluator<'m> {
    pub model: &'m Model,
    pub globals: Vec<GlobalValue>,
    /// The bound variables; `None`: a `letting` that is undefined, which matters where it is used.
    pub locals: Vec<Option<Value>>,
    pub poll: Poll,
}

/// Returns `None` from the function around it if the value is undefined.
macro_rules! defined {
    ($value:expr) => {
        match $value? {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}
pub(crate) use defined;

impl Bounds for Evaluator<'_> {
    fn constant(&mut self, node: &Node) -> Evaluated<Value> {
        self.value(node)
    }

    fn named(&mut self, place: usize) -> NamedDomain {
        match &self.globals[place] {
            GlobalValue::Domain(domain) => NamedDomain::Domain(domain.clone()),
            GlobalValue::Named(named) => NamedDomain::Type(named.clone()),
            _ => NamedDomain::Undefined,
        }
    }
}

impl Evaluator<'_> {
    pub fn domain(&mut self, node: &DomainNode) -> Evaluated<Domain> {
        resolve(self, node)
    }

    /// The values of lettings that depend on decision variables, once these have values.
    pub fn close(&mut self) -> Result<(), BadText> {
        for place in 0..self.globals.len() {
            if let GlobalKind::Letting(_, node, true) = &self.model.globals[place].kind {
                self.globals[place] = match self.value(node)? {
                    Some(value) => GlobalValue::Value(value),
                    None => GlobalValue::Undefined,
                };
            }
        }
        Ok(())
    }

    /// A boolean expression, false where a part of it is undefined.
    pub fn truth(&mut self, node: &Node) -> Result<bool, BadText> {
        Ok(matches!(self.value(node)?, Some(Value::Bool(true))))
    }

    /// The value of an expression.
    pub fn value(&mut self, node: &Node) -> Evaluated<Value> {
        self.poll.step();
        let value = crate::deep::deep(|| self.inside(node))?;
        match value {
            None if node.ty == Type::Bool => Ok(Some(Value::Bool(false))),
            value => Ok(value),
        }
    }

    fn int(&mut self, node: &Node) -> Evaluated<i64> {
        let value = defined!(self.value(node));
        match value.number() {
            Some(number) => Ok(Some(number)),
            None => Err(node.span.error("expected a number")),
        }
    }

    /// The values of several expressions.
    fn several(&mut self, nodes: &[Node]) -> Evaluated<Vec<Value>> {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            values.push(defined!(self.value(node)));
        }
        Ok(Some(values))
    }

    fn inside(&mut self, node: &Node) -> Evaluated<Value> {
        let span = node.span;
        Ok(Some(match &node.kind {
            Kind::Number(number) => Value::Int(*number),
            Kind::Truth(truth) => Value::Bool(*truth),
            Kind::Name(name) => return Err(span.error(format!("'{name}' is not resolved"))),
            Kind::Local(place) => return Ok(self.locals[*place].clone()),
            Kind::Member(of, place) => match &self.globals[*of] {
                GlobalValue::Named(named) => Value::Member(named.clone(), *place),
                _ => return Ok(None),
            },
            Kind::Global(place) => match &self.globals[*place] {
                GlobalValue::Value(value) => value.clone(),
                GlobalValue::Undefined => return Ok(None),
                _ => return Err(span.error("this has no value yet")),
            },
            Kind::Not(of) => Value::Bool(!self.truth(of)?),
            Kind::Negate(of) => {
                let number = defined!(self.int(of));
                Value::Int(number.checked_neg().ok_or_else(|| too_large(span))?)
            }
            Kind::Factorial(of) => {
                let number = defined!(self.int(of));
                Value::Int(factorial(number).ok_or_else(|| too_large(span))?)
            }
            Kind::Bars(of) => {
                if let Kind::Domain(domain) = &of.kind {
                    let domain = defined!(self.domain(domain));
                    return domain.size(of.span).map(|size| Some(Value::Int(size)));
                }
                let value = defined!(self.value(of));
                match (value.number(), value.members()) {
                    (Some(number), _) => {
                        Value::Int(number.checked_abs().ok_or_else(|| too_large(span))?)
                    }
                    (None, Some(parts)) if matches!(value, Value::Partition(_)) => {
                        let members = parts.iter().filter_map(Value::members).flatten();
                        Value::Int(members.count() as i64)
                    }
                    (None, members) => Value::Int(members.unwrap_or_default().len() as i64),
                }
            }
            Kind::Binary(operator, sides) => return self.binary(*operator, sides, span),
            Kind::Call(operator, operands) => {
                return self.call(*operator, operands, &node.ty, span);
            }
            Kind::Apply(of, arguments) => {
                let of = defined!(self.value(of));
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(match argument {
                        None => None,
                        Some(argument) => Some(defined!(self.value(argument))),
                    });
                }
                return Ok(apply(&of, values));
            }
            Kind::Index(of, indices) => {
                let of = defined!(self.value(of));
                let mut values = Vec::new();
                for index in indices {
                    values.push(match index {
                        None => None,
                        Some(index) => Some(defined!(self.value(index))),
                    });
                }
                return Ok(indexed(&of, &values));
            }
            Kind::Slice(of, bounds) => {
                let of = defined!(self.value(of));
                let mut ends = [i64::MIN, i64::MAX];
                for (end, bound) in ends.iter_mut().zip(bounds) {
                    if let Some(bound) = bound {
                        *end = defined!(self.int(bound));
                    }
                }
                let Value::Matrix(index, items) = of else {
                    return Ok(None);
                };
                let inside =
                    |at: &Value| at.number().is_some_and(|at| ends[0] <= at && at <= ends[1]);
                let kept = index.iter().zip(items).filter(|(at, _)| inside(at));
                Value::list(kept.map(|(_, item)| item).collect())
            }
            Kind::Field(of, label) => match defined!(self.value(of)) {
                Value::Record(fields) => {
                    let found = fields.into_iter().find(|(name, _)| **name == **label);
                    return Ok(found.map(|(_, value)| value));
                }
                Value::Variant(name, value) if *name == **label => *value,
                _ => return Ok(None),
            },
            Kind::Active(of, label) => match defined!(self.value(of)) {
                Value::Variant(name, _) => Value::Bool(*name == *label.name),
                _ => return Ok(None),
            },
            Kind::Attribute(name, of, number) => {
                let value = defined!(self.value(of));
                let number = match number {
                    None => 0,
                    Some(number) => defined!(self.int(number)),
                };
                Value::Bool(self.attribute(name, of, &value, number)?)
            }
            Kind::Tuple(items) => Value::Tuple(defined!(self.several(items))),
            Kind::Record(fields) => {
                let mut values = Vec::new();
                for (name, value) in fields {
                    let value = defined!(self.value(value));
                    values.push((Arc::from(name.name.as_str()), value));
                }
                Value::record(values)
            }
            Kind::Variant(name, value) => {
                let value = defined!(self.value(value));
                Value::Variant(Arc::from(name.name.as_str()), Box::new(value))
            }
            Kind::Matrix(items, index) => {
                let items = defined!(self.several(items));
                match index {
                    None => Value::list(items),
                    Some(index) => {
                        let domain = defined!(self.domain(index));
                        let members = index_members(&domain, items.len(), &self.poll);
                        match members {
                            Some(members) if members.len() == items.len() => {
                                Value::Matrix(members, items)
                            }
                            _ => {
                                let count = items.len();
                                let message = format!("the index does not fit {count} items");
                                return Err(index.span.error(message));
                            }
                        }
                    }
                }
            }
            Kind::Set(items) => Value::set(defined!(self.several(items))),
            Kind::MSet(items) => Value::mset(defined!(self.several(items))),
            Kind::Sequence(items) => Value::Sequence(defined!(self.several(items))),
            Kind::Relation(items) => Value::relation(defined!(self.several(items))),
            Kind::Partition(items) => {
                let parts = defined!(self.several(items));
                let parts = parts.into_iter().map(|part| match part.members() {
                    Some(members) => Value::set(members),
                    None => part,
                });
                Value::partition(parts.collect())
            }
            Kind::Function(pairs) => {
                let mut values: Vec<(Value, Value)> = Vec::new();
                for (from, to) in pairs {
                    let from = defined!(self.value(from));
                    let to = defined!(self.value(to));
                    values.push((from, to));
                }
                match Value::function(values) {
                    // Two images of one value: this is no function.
                    Value::Function(pairs)
                        if pairs.windows(2).any(|pair| pair[0].0 == pair[1].0) =>
                    {
                        return Ok(None);
                    }
                    function => function,
                }
            }
            Kind::Permutation(cycles) => {
                let mut pairs = Vec::new();
                for cycle in cycles {
                    let members = defined!(self.several(cycle));
                    for (at, member) in members.iter().enumerate() {
                        let next = members[(at + 1) % members.len()].clone();
                        pairs.push((member.clone(), next));
                    }
                }
                let count = pairs.len();
                let mut moved: Vec<&Value> = pairs.iter().map(|(from, _)| from).collect();
                moved.sort();
                moved.dedup();
                if moved.len() != count {
                    return Err(span.error("a member is in two places of the cycles"));
                }
                Value::permutation(pairs)
            }
            Kind::Comprehension(body, generators) => {
                let mut items = Vec::new();
                let mark = self.locals.len();
                let done = self.generate(generators, &mut |evaluator| {
                    let value = defined!(evaluator.value(body));
                    items.push(value);
                    Ok(Some(()))
                });
                self.locals.truncate(mark);
                defined!(done);
                Value::list(items)
            }
            Kind::Domain(domain) => {
                let domain = defined!(self.domain(domain));
                match domain.values(&self.poll) {
                    Some(values) => Value::list(values),
                    None => return Err(span.error("this domain has too many values to list")),
                }
            }
            Kind::Typed(of, _) => return self.value(of),
        }))
    }

    /// Calls `each` for all values of the generators' variables for which the conditions hold.
    fn generate(
        &mut self,
        generators: &[Generator],
        each: &mut dyn FnMut(&mut Self) -> Evaluated<()>,
    ) -> Evaluated<()> {
        let Some((first, rest)) = generators.split_first() else {
            return each(self);
        };
        let (pattern, values) = match first {
            Generator::Condition(condition) => {
                return match self.truth(condition)? {
                    true => self.generate(rest, each),
                    false => Ok(Some(())),
                };
            }
            Generator::Letting(pattern, of) => match self.value(of)? {
                Some(value) => (pattern, vec![value]),
                None => {
                    let mark = self.locals.len();
                    self.locals.extend((0..pattern.names()).map(|_| None));
                    let done = self.generate(rest, each);
                    self.locals.truncate(mark);
                    return done;
                }
            },
            Generator::Domain(pattern, node) => {
                let domain = defined!(self.domain(node));
                match domain.values(&self.poll) {
                    Some(values) => (pattern, values),
                    None => {
                        let message = "this domain has too many values to go through";
                        return Err(node.span.error(message));
                    }
                }
            }
            Generator::Collection(pattern, of) => {
                let members = defined!(self.value(of)).members();
                (pattern, members.unwrap_or_default())
            }
            Generator::Subsets(pattern, of) => {
                let value = defined!(self.value(of));
                match call::power_set(&value) {
                    Some(Value::Set(subsets)) => (pattern, subsets),
                    _ => return Err(of.span.error("this set has too many subsets")),
                }
            }
        };
        for value in values {
            self.poll.step();
            let mark = self.locals.len();
            if bind(&mut self.locals, pattern, value) {
                defined!(self.generate(rest, each));
            }
            self.locals.truncate(mark);
        }
        Ok(Some(()))
    }
}

/// Binds the parts of a pattern, from left to right. Returns false if the value does not have this
/// form.
fn bind(locals: &mut Vec<Option<Value>>, pattern: &Pattern, value: Value) -> bool {
    match (pattern, value) {
        (Pattern::Name(_) | Pattern::Wildcard, value) => {
            locals.push(Some(value));
            true
        }
        (Pattern::Tuple(parts, _), Value::Tuple(items))
        | (Pattern::Matrix(parts, _), Value::Matrix(_, items)) => {
            parts.len() == items.len()
                && parts
                    .iter()
                    .zip(items)
                    .all(|(part, item)| bind(locals, part, item))
        }
        (Pattern::Set(parts, _), Value::Set(mut items)) => {
            items.sort_by(Value::order);
            parts.len() == items.len()
                && parts
                    .iter()
                    .zip(items)
                    .all(|(part, item)| bind(locals, part, item))
        }
        _ => false,
    }
}

/// The members of the index of a literal with this many items; an open index starts at its bound.
pub(crate) fn index_members(domain: &Domain, count: usize, poll: &Poll) -> Option<Vec<Value>> {
    if let Domain::Int(ranges) = domain
        && let [(low, high)] = ranges[..]
        && high == i64::MAX
    {
        let first = if low == i64::MIN { 1 } else { low };
        return Some((first..).take(count).map(Value::Int).collect());
    }
    domain.values(poll)
}

fn too_large(span: Span) -> BadText {
    span.error("this number is too large")
}

fn factorial(number: i64) -> Option<i64> {
    if number > 20 {
        return None;
    }
    (2..=number).try_fold(1i64, |all, factor| all.checked_mul(factor))
}

/// `m[i, j]`; `None` if there is no such item.
fn indexed(of: &Value, indices: &[Option<Value>]) -> Option<Value> {
    let Some((first, rest)) = indices.split_first() else {
        return Some(of.clone());
    };
    match (of, first) {
        (Value::Matrix(index, items), Some(member)) => {
            let at = index.binary_search(member).ok()?;
            indexed(&items[at], rest)
        }
        (Value::Matrix(index, items), None) => {
            let items = items.iter().map(|item| indexed(item, rest));
            Some(Value::Matrix(index.clone(), items.collect::<Option<_>>()?))
        }
        (Value::Tuple(items), Some(member)) => {
            let at = usize::try_from(member.number()?.checked_sub(1)?).ok()?;
            indexed(items.get(at)?, rest)
        }
        _ => None,
    }
}

/// `f(x)`, `r(x, _)`; `None` if it is undefined.
fn apply(of: &Value, mut arguments: Vec<Option<Value>>) -> Option<Value> {
    if let Value::Relation(tuples) = of {
        let mut found = Vec::new();
        for tuple in tuples {
            let Value::Tuple(items) = tuple else { continue };
            let mut pairs = items.iter().zip(&arguments);
            if pairs.all(|(item, argument)| argument.as_ref().is_none_or(|value| value == item)) {
                let open = items.iter().zip(&arguments);
                let open = open.filter(|(_, argument)| argument.is_none());
                found.push(Value::Tuple(open.map(|(item, _)| item.clone()).collect()));
            }
        }
        return Some(match arguments.iter().all(Option::is_some) {
            true => Value::Bool(!found.is_empty()),
            false => Value::relation(found),
        });
    }
    let argument = match arguments.len() {
        1 => arguments.pop()??,
        _ => Value::Tuple(arguments.into_iter().collect::<Option<_>>()?),
    };
    call::image(of, &argument)
}
