//! The types of domains.

use super::{Checked, Checker, Meaning};
use crate::tree::{Attributes, DomainKind, DomainNode, Range};
use crate::types::Type;

/// The attributes of each kind of domain.
const OF_SETS: [&str; 3] = ["size", "minSize", "maxSize"];
const OF_MSETS: [&str; 5] = ["size", "minSize", "maxSize", "minOccur", "maxOccur"];
const OF_SEQUENCES: [&str; 6] = [
    "size",
    "minSize",
    "maxSize",
    "injective",
    "surjective",
    "bijective",
];
const OF_FUNCTIONS: [&str; 7] = [
    "size",
    "minSize",
    "maxSize",
    "total",
    "injective",
    "surjective",
    "bijective",
];
pub(crate) const OF_BINARY_RELATIONS: [&str; 19] = [
    "reflexive",
    "irreflexive",
    "coreflexive",
    "symmetric",
    "antiSymmetric",
    "aSymmetric",
    "transitive",
    "total",
    "leftTotal",
    "rightTotal",
    "connex",
    "Euclidean",
    "serial",
    "equivalence",
    "partialOrder",
    "linearOrder",
    "weakOrder",
    "preOrder",
    "strictPartialOrder",
];
const OF_PARTITIONS: [&str; 8] = [
    "numParts",
    "minNumParts",
    "maxNumParts",
    "partSize",
    "minPartSize",
    "maxPartSize",
    "regular",
    "complete",
];
const OF_PERMUTATIONS: [&str; 3] = ["numMoved", "minNumMoved", "maxNumMoved"];

impl Checker {
    /// Resolves the names of a domain. Returns the type of its values.
    pub fn domain(&mut self, node: &mut DomainNode) -> Checked<Type> {
        crate::deep::deep(|| self.domain_inside(node))
    }

    fn boxed(&mut self, node: &mut DomainNode) -> Checked<Box<Type>> {
        self.domain(node).map(Box::new)
    }

    fn domain_inside(&mut self, node: &mut DomainNode) -> Checked<Type> {
        let span = node.span;
        Ok(match &mut node.kind {
            DomainKind::Any => Type::Any,
            DomainKind::Bool => Type::Bool,
            DomainKind::Int(ranges) => {
                self.ranges(ranges.as_deref_mut().unwrap_or_default(), &Type::Int)?;
                Type::Int
            }
            DomainKind::Global(..) => unreachable!("a domain is checked once"),
            DomainKind::Name(name, ranges) => {
                let place = self.globals.iter().position(|(known, _)| known == name);
                let Some(place) = place else {
                    return Err(self.unknown(name, span));
                };
                let ty = match &self.globals[place].1 {
                    Meaning::Domain(ty) => ty.clone(),
                    Meaning::Named => Type::Member(place, name.clone()),
                    Meaning::Value(..) => {
                        return Err(span.error(format!("'{name}' is a value, not a domain")));
                    }
                };
                if let Some(ranges) = ranges {
                    if !matches!(ty, Type::Member(..) | Type::Int) {
                        return Err(span.error(format!("'{name}' takes no ranges")));
                    }
                    self.ranges(ranges, &ty)?;
                }
                node.kind = DomainKind::Global(place, ranges.take());
                ty
            }
            DomainKind::Tuple(parts) => {
                let types = parts.iter_mut().map(|part| self.domain(part));
                Type::Tuple(types.collect::<Checked<_>>()?)
            }
            DomainKind::Record(fields) | DomainKind::Variant(fields) => {
                let mut types: Vec<(String, Type)> = Vec::new();
                for (name, domain) in fields.iter_mut() {
                    if types.iter().any(|(known, _)| *known == name.name) {
                        let message = format!("the field '{}' is declared twice", name.name);
                        return Err(name.span.error(message));
                    }
                    let ty = self.domain(domain)?;
                    types.push((name.name.clone(), ty));
                }
                match node.kind {
                    DomainKind::Record(_) => Type::Record(types),
                    _ => Type::Variant(types, false),
                }
            }
            DomainKind::Matrix(indices, of) => {
                let mut types = Vec::new();
                for index in indices.iter_mut() {
                    let ty = self.domain(index)?;
                    if !matches!(ty, Type::Int | Type::Bool | Type::Member(..) | Type::Any) {
                        let message = format!(
                            "a matrix is indexed by int, bool or an enumerated type, this is {ty}"
                        );
                        return Err(index.span.error(message));
                    }
                    types.push(ty);
                }
                let of = self.domain(of)?;
                let wrap = |of, index| Type::Matrix(Box::new(index), Box::new(of));
                types.into_iter().rev().fold(of, wrap)
            }
            DomainKind::Set(attributes, of) => {
                self.attributes(attributes, &OF_SETS, "a set")?;
                Type::Set(self.boxed(of)?)
            }
            DomainKind::MSet(attributes, of) => {
                self.attributes(attributes, &OF_MSETS, "an mset")?;
                Type::MSet(self.boxed(of)?)
            }
            DomainKind::Sequence(attributes, of) => {
                self.attributes(attributes, &OF_SEQUENCES, "a sequence")?;
                Type::Sequence(self.boxed(of)?)
            }
            DomainKind::Function(attributes, sides) => {
                self.attributes(attributes, &OF_FUNCTIONS, "a function")?;
                let from = self.boxed(&mut sides[0])?;
                Type::Function(from, self.boxed(&mut sides[1])?)
            }
            DomainKind::Relation(attributes, parts) => {
                let types = parts.iter_mut().map(|part| self.domain(part));
                let types: Vec<Type> = types.collect::<Checked<_>>()?;
                let known = [&OF_SETS[..], &OF_BINARY_RELATIONS[..]].concat();
                self.attributes(attributes, &known, "a relation")?;
                let binary = |name: &str| OF_BINARY_RELATIONS.contains(&name);
                if let Some((name, _)) = attributes.iter().find(|(name, _)| binary(&name.name)) {
                    let fits = types.len() == 2 && types[0].unify(&types[1]).is_some();
                    if !fits {
                        let message = format!(
                            "'{}' needs a relation between two values of one type",
                            name.name
                        );
                        return Err(name.span.error(message));
                    }
                }
                Type::Relation(types)
            }
            DomainKind::Partition(attributes, of) => {
                self.attributes(attributes, &OF_PARTITIONS, "a partition")?;
                Type::Partition(self.boxed(of)?)
            }
            DomainKind::Permutation(attributes, of) => {
                self.attributes(attributes, &OF_PERMUTATIONS, "a permutation")?;
                Type::Permutation(self.boxed(of)?)
            }
        })
    }

    fn attributes(
        &mut self,
        attributes: &mut Attributes,
        known: &[&str],
        what: &str,
    ) -> Checked<()> {
        for (name, value) in attributes {
            if !known.contains(&name.name.as_str()) {
                let message = format!("{what} has no attribute '{}'", name.name);
                return Err(name.span.error(message));
            }
            if let Some(value) = value {
                self.expect(value, &Type::Int, "the value of this attribute")?;
            }
        }
        Ok(())
    }

    fn ranges(&mut self, ranges: &mut [Range], ty: &Type) -> Checked<()> {
        let count = ranges.len();
        for range in ranges {
            match range {
                Range::Single(node) => {
                    self.expression(node)?;
                    let collection = node.ty.member().filter(|_| count == 1);
                    let fits = node.ty.unify(ty).is_some()
                        || collection.is_some_and(|member| member.unify(ty).is_some());
                    if !fits {
                        let message = format!("a bound is {ty}, this is {}", node.ty);
                        return Err(node.span.error(message));
                    }
                }
                Range::Between(low, high) => {
                    for bound in [low, high].into_iter().flatten() {
                        self.expect(bound, ty, "a bound")?;
                    }
                }
            }
        }
        Ok(())
    }
}
