//! Attributes as constraints: `total(f)`, `maxSize(s, 3)`.

use ployglot_base::BadText;
use ployglot_eprime::{Bool, Int};

use super::Refiner;
use super::sym::Sym;
use crate::domain::{Domain, Property};
use crate::evaluate::GlobalValue;
use crate::model::GlobalKind;
use crate::tree::{Kind, Node};
use crate::value::Value;

impl Refiner<'_> {
    pub(super) fn attribute(
        &mut self,
        name: &str,
        node: &Node,
        sym: &Sym,
        number: Int,
    ) -> Result<Bool, BadText> {
        let compare = |refiner: &mut Self, count: Int, name: &str| {
            if name.starts_with("min") {
                refiner.terms.at_most(number, count)
            } else if name.starts_with("max") {
                refiner.terms.at_most(count, number)
            } else {
                refiner.terms.equal(count, number)
            }
        };
        Ok(match name {
            "size" | "minSize" | "maxSize" | "numParts" | "minNumParts" | "maxNumParts"
            | "numMoved" | "minNumMoved" | "maxNumMoved" => {
                let count = match sym {
                    Sym::Partition(parts) => self.count(parts.iter().map(|(p, _)| *p).collect()),
                    _ => self.size(sym),
                };
                compare(self, count, name)
            }
            "partSize" | "minPartSize" | "maxPartSize" | "regular" => {
                let Sym::Partition(parts) = sym else {
                    return Err(node.span.error(format!("'{name}' takes a partition")));
                };
                let mut sizes = Vec::new();
                for (present, members) in parts.iter() {
                    let members = self.distinct(members);
                    let inside = members.into_iter().map(|(inside, _)| inside).collect();
                    sizes.push((*present, self.count(inside)));
                }
                let mut all = Vec::new();
                for (at, &(present, size)) in sizes.iter().enumerate() {
                    if name != "regular" {
                        let fits = compare(self, size, name);
                        all.push(self.implies(present, fits));
                        continue;
                    }
                    for &(other, earlier) in &sizes[..at] {
                        let same = self.terms.equal(size, earlier);
                        all.push(self.terms.or([!present, !other, same]));
                    }
                }
                self.terms.and(all)
            }
            "injective" => self.is_injective(sym),
            "maxOccur" => {
                let items = self.counted(sym).unwrap_or_default();
                let mut all = Vec::new();
                for (_, item) in &items {
                    let count = self.frequency(&items, item);
                    all.push(self.terms.at_most(count, number));
                }
                self.terms.and(all)
            }
            "complete" => Bool::TRUE,
            _ => {
                let domain = self.declared(node)?;
                match (name, &domain) {
                    ("total", Domain::Function { from, .. }) => {
                        let keys = self.list_of(from, name, node)?;
                        let count = self.size(sym);
                        self.terms.equal(count, Int::Constant(keys.len() as i64))
                    }
                    (
                        "surjective" | "bijective",
                        Domain::Function { to: of, .. } | Domain::Sequence { of, .. },
                    ) => {
                        let values = self.list_of(of, name, node)?;
                        let surjective = self.is_surjective(sym, &values);
                        match name {
                            "surjective" => surjective,
                            _ => {
                                let injective = self.is_injective(sym);
                                self.terms.and([surjective, injective])
                            }
                        }
                    }
                    ("minOccur", Domain::MSet { of, .. }) => {
                        let items = self.counted(sym).unwrap_or_default();
                        let mut all = Vec::new();
                        for value in self.list_of(of, name, node)? {
                            let count = self.frequency(&items, &Sym::constant(&value));
                            all.push(self.terms.at_most(number, count));
                        }
                        self.terms.and(all)
                    }
                    (_, Domain::Relation { of, .. }) => {
                        let members = self.list_of(&of[0], name, node)?;
                        self.has_properties(sym, &members, &Property::of_attribute(name))
                    }
                    _ => {
                        let message = format!("'{name}' does not fit this value");
                        return Err(node.span.error(message));
                    }
                }
            }
        })
    }

    fn list_of(&self, domain: &Domain, name: &str, node: &Node) -> Result<Vec<Value>, BadText> {
        domain.values(&self.poll).ok_or_else(|| {
            let message = format!("'{name}' needs a domain that can be listed");
            node.span.error(message)
        })
    }

    /// The domain that an expression was declared with.
    fn declared(&mut self, node: &Node) -> Result<Domain, BadText> {
        let message =
            "this attribute needs a decision variable or parameter, whose domain is known";
        let Kind::Global(place) = node.kind else {
            return Err(node.span.error(message));
        };
        if let GlobalValue::Find(Some(domain)) = &self.instance.evaluator.globals[place] {
            return Ok(domain.clone());
        }
        if let GlobalKind::Given(domain) = &self.instance.model.globals[place].kind
            && let Some(domain) = self.domain(domain)?
        {
            return Ok(domain);
        }
        Err(node.span.error(message))
    }
}
