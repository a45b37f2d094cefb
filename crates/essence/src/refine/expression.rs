//! Expressions as symbolic values: names, literals, indices, applications and comprehensions.

use std::rc::Rc;
use std::sync::Arc;

use ployglot_eprime::{Bool, Int};

use super::collection::int_of;
use super::sym::{Pair, Sym, sort_constants};
use super::{Evaluated, Meaning, Refiner, defined};
use crate::evaluate::index_members;
use crate::model::GlobalKind;
use crate::tree::{Kind, Node, Operator};
use crate::value::Value;

impl Refiner<'_> {
    pub(super) fn inside(&mut self, node: &Node) -> Evaluated<Sym> {
        let span = node.span;
        let present = |items: Vec<Sym>| items.into_iter().map(|item| (Bool::TRUE, item)).collect();
        Ok(Some(match &node.kind {
            Kind::Number(number) => Sym::number(*number),
            Kind::Truth(truth) => Sym::Bool(Bool::of(*truth)),
            Kind::Name(name) => return Err(span.error(format!("'{name}' is not resolved"))),
            Kind::Local(place) => {
                let (condition, sym) = self.locals[*place].clone();
                return Ok(self.demand(condition).then_some(sym).flatten());
            }
            Kind::Member(of, place) => match &self.globals[*of] {
                Meaning::Named(named) => Sym::Member(named.clone(), Int::Constant(*place)),
                _ => return Ok(None),
            },
            Kind::Global(place) => match &self.globals[*place] {
                Meaning::Sym(sym) => sym.clone(),
                Meaning::Open => {
                    let GlobalKind::Letting(_, value, _) =
                        &self.instance.model.globals[*place].kind
                    else {
                        return Ok(None);
                    };
                    // A letting sees no bound variables.
                    let locals = std::mem::take(&mut self.locals);
                    let sym = self.sym(value);
                    self.locals = locals;
                    return sym;
                }
                _ => return Ok(None),
            },
            Kind::Not(of) => Sym::Bool(!self.truth(of)?),
            Kind::Negate(of) => {
                let of = defined!(self.int(of));
                Sym::Int(self.terms.sum([(-1, of)], 0))
            }
            Kind::Factorial(of) => {
                let of = defined!(self.int(of));
                return self.factorial(of, span).map(Some);
            }
            Kind::Bars(of) => {
                if let Kind::Domain(domain) = &of.kind {
                    let size = defined!(self.domain(domain)).size(of.span)?;
                    return Ok(Some(Sym::number(size)));
                }
                let of = defined!(self.sym(of));
                match int_of(&of) {
                    Some(number) => Sym::Int(self.terms.absolute(number)),
                    None => Sym::Int(self.size(&of)),
                }
            }
            Kind::Binary(operator, sides) => return self.binary(*operator, sides, span),
            Kind::Call(Operator::And | Operator::Or, operands)
                if matches!(operands[0].kind, Kind::Comprehension(..)) =>
            {
                let is_and = matches!(node.kind, Kind::Call(Operator::And, _));
                return self
                    .quantified(is_and, &operands[0])
                    .map(|term| term.map(Sym::Bool));
            }
            Kind::Call(operator, operands) => {
                return self.call(*operator, operands, &node.ty, span);
            }
            Kind::Apply(of, arguments) => {
                let of = defined!(self.sym(of));
                let mut syms = Vec::new();
                for argument in arguments {
                    syms.push(match argument {
                        None => None,
                        Some(argument) => Some(defined!(self.sym(argument))),
                    });
                }
                return Ok(self.apply(&of, syms));
            }
            Kind::Index(of, indices) => {
                let of = defined!(self.sym(of));
                let mut syms = Vec::new();
                for index in indices {
                    syms.push(match index {
                        None => None,
                        Some(index) => Some(defined!(self.sym(index))),
                    });
                }
                return Ok(self.indexed(&of, &syms));
            }
            Kind::Slice(of, bounds) => {
                let sym = defined!(self.sym(of));
                let mut ends = [Int::Constant(i64::MIN), Int::Constant(i64::MAX)];
                for (end, bound) in ends.iter_mut().zip(bounds) {
                    if let Some(bound) = bound {
                        *end = defined!(self.int(bound));
                    }
                }
                let (Sym::Matrix(index, items), [Int::Constant(from), Int::Constant(to)]) =
                    (sym, ends)
                else {
                    let message = "the length of a slice cannot depend on decision variables";
                    return Err(of.span.error(message));
                };
                let inside = |at: &Value| at.number().is_some_and(|at| from <= at && at <= to);
                let kept = index.iter().zip(items.iter()).filter(|(at, _)| inside(at));
                Sym::list(kept.map(|(_, item)| item.clone()).collect())
            }
            Kind::Field(of, label) => {
                let of = defined!(self.sym(of));
                return Ok(self.field(&of, label));
            }
            Kind::Active(of, label) => match defined!(self.sym(of)) {
                Sym::Variant(tag, fields) => {
                    let at = fields.iter().position(|(name, _)| **name == *label.name);
                    match at {
                        Some(at) => Sym::Bool(self.terms.equal(tag, Int::Constant(at as i64))),
                        None => Sym::Bool(Bool::FALSE),
                    }
                }
                _ => return Ok(None),
            },
            Kind::Attribute(name, of, number) => {
                let sym = defined!(self.sym(of));
                let number = match number {
                    None => Int::Constant(0),
                    Some(number) => defined!(self.int(number)),
                };
                Sym::Bool(self.attribute(name, of, &sym, number)?)
            }
            Kind::Tuple(items) => Sym::tuple(defined!(self.several(items))),
            Kind::Record(fields) => {
                let mut syms = Vec::new();
                for (name, value) in fields {
                    let sym = defined!(self.sym(value));
                    syms.push((Arc::from(name.name.as_str()), sym));
                }
                syms.sort_by(|(a, _): &(Arc<str>, Sym), (b, _)| a.cmp(b));
                Sym::Record(Rc::new(syms))
            }
            Kind::Variant(name, value) => {
                let sym = defined!(self.sym(value));
                let field = (Arc::from(name.name.as_str()), sym);
                Sym::Variant(Int::Constant(0), Rc::new(vec![field]))
            }
            Kind::Matrix(items, index) => {
                let items = defined!(self.several(items));
                match index {
                    None => Sym::list(items),
                    Some(index) => {
                        let domain = defined!(self.domain(index));
                        match index_members(&domain, items.len(), &self.poll) {
                            Some(members) if members.len() == items.len() => {
                                Sym::Matrix(Rc::new(members), Rc::new(items))
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
            Kind::Set(items) => {
                let items = defined!(self.several(items));
                Sym::Set(Rc::new(self.set_of(present(items))))
            }
            Kind::Relation(items) => {
                let items = defined!(self.several(items));
                Sym::Relation(Rc::new(self.set_of(present(items))))
            }
            Kind::MSet(items) => {
                let items = defined!(self.several(items));
                let items = items.into_iter().map(|item| (Int::Constant(1), item));
                Sym::MSet(Rc::new(sort_constants(items.collect())))
            }
            Kind::Sequence(items) => {
                let items = defined!(self.several(items));
                Sym::Sequence(Int::Constant(items.len() as i64), Rc::new(items))
            }
            Kind::Partition(items) => {
                let mut parts = Vec::new();
                for part in defined!(self.several(items)) {
                    let members = self.members(&part).unwrap_or_default();
                    let present = self.terms.or(members.iter().map(|(present, _)| *present));
                    parts.push((present, Rc::new(self.set_of(members))));
                }
                Sym::Partition(Rc::new(parts))
            }
            Kind::Function(nodes) => {
                let mut pairs: Vec<Pair> = Vec::new();
                for (from, to) in nodes {
                    let key = defined!(self.sym(from));
                    let image = defined!(self.sym(to));
                    // Equal keys with different images are no function; of equal pairs one counts.
                    let mut earlier = Vec::new();
                    for pair in &pairs {
                        let same = self.equal(&pair.key, &key);
                        let here = self.terms.and([pair.present, same]);
                        earlier.push((here, pair.image.clone()));
                    }
                    let mut known = Vec::new();
                    for (here, other) in earlier {
                        known.push(here);
                        if here != Bool::FALSE {
                            let agree = self.equal(&other, &image);
                            let agree = self.implies(here, agree);
                            if !self.demand(agree) {
                                return Ok(None);
                            }
                        }
                    }
                    let known = self.terms.or(known);
                    pairs.push(Pair {
                        present: !known,
                        key,
                        image,
                    });
                }
                if pairs.iter().all(|pair| pair.key.value().is_some()) {
                    pairs.sort_by_cached_key(|pair| pair.key.value());
                }
                Sym::function(pairs)
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
                Sym::Permutation(Rc::new(pairs))
            }
            Kind::Comprehension(..) => {
                let mut items = Vec::new();
                defined!(self.comprehension(node, &mut |_, guard, item| {
                    items.push((guard, item));
                    true
                }));
                Self::settled(items)
            }
            Kind::Domain(domain) => {
                let domain = defined!(self.domain(domain));
                match domain.values(&self.poll) {
                    Some(values) => Sym::list(values.iter().map(Sym::constant).collect()),
                    None => return Err(span.error("this domain has too many values to list")),
                }
            }
            Kind::Typed(of, _) => return self.sym(of),
        }))
    }
}
