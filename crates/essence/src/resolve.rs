//! From a domain in the text to a [`Domain`] of an instance: bounds and attributes are evaluated.
//! Judge and refinement bring their own evaluation ([`Bounds`]).

use std::sync::Arc;

use ployglot_base::BadText;

use crate::domain::{Domain, Property, Size, normal_ranges};
use crate::tree::{Attributes, DomainKind, DomainNode, Node, Range};
use crate::value::{Named, Value};

/// What the global at a place is, to a domain.
pub(crate) enum NamedDomain {
    Domain(Domain),
    Type(Arc<Named>),
    /// A part of it is undefined.
    Undefined,
}

/// Evaluates the bounds of domains.
pub(crate) trait Bounds {
    /// The constant value of an expression; `None` if it is undefined.
    fn constant(&mut self, node: &Node) -> Result<Option<Value>, BadText>;
    /// The domain or type that a declaration names.
    fn named(&mut self, place: usize) -> NamedDomain;
}

/// The domain; `None` if a bound or attribute is undefined.
pub(crate) fn resolve(
    bounds: &mut dyn Bounds,
    node: &DomainNode,
) -> Result<Option<Domain>, BadText> {
    crate::deep::deep(|| resolve_inside(bounds, node))
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

fn resolve_inside(bounds: &mut dyn Bounds, node: &DomainNode) -> Result<Option<Domain>, BadText> {
    let several = |bounds: &mut dyn Bounds, nodes: &[DomainNode]| {
        let mut all = Vec::new();
        for node in nodes {
            match resolve(bounds, node)? {
                Some(domain) => all.push(domain),
                None => return Ok(None),
            }
        }
        Ok::<_, BadText>(Some(all))
    };
    Ok(Some(match &node.kind {
        DomainKind::Any => Domain::Any,
        DomainKind::Bool => Domain::Bool,
        DomainKind::Int(None) => Domain::all_ints(),
        DomainKind::Int(Some(list)) => {
            Domain::Int(defined!(ranges(bounds, list, (i64::MIN, i64::MAX))))
        }
        DomainKind::Name(name, _) => {
            return Err(node.span.error(format!("'{name}' is not resolved")));
        }
        DomainKind::Global(place, list) => match (bounds.named(*place), list) {
            (NamedDomain::Undefined, _) => return Ok(None),
            (NamedDomain::Domain(domain), None) => domain,
            (NamedDomain::Domain(_), Some(list)) => {
                Domain::Int(defined!(ranges(bounds, list, (i64::MIN, i64::MAX))))
            }
            (NamedDomain::Type(named), list) => {
                let all = (1, named.members.len() as i64);
                let found = match list {
                    None => normal_ranges(vec![all]),
                    Some(list) => defined!(ranges(bounds, list, all)),
                };
                Domain::Member(named, found)
            }
        },
        DomainKind::Tuple(parts) => Domain::Tuple(defined!(several(bounds, parts))),
        DomainKind::Record(fields) | DomainKind::Variant(fields) => {
            let mut all = Vec::new();
            for (name, domain) in fields {
                let domain = defined!(resolve(bounds, domain));
                all.push((Arc::from(name.name.as_str()), domain));
            }
            all.sort_by(|(a, _): &(Arc<str>, Domain), (b, _)| a.cmp(b));
            match node.kind {
                DomainKind::Record(_) => Domain::Record(all),
                _ => Domain::Variant(all),
            }
        }
        DomainKind::Matrix(indices, of) => {
            let indices = defined!(several(bounds, indices));
            let of = defined!(resolve(bounds, of));
            let wrap = |of, index| Domain::Matrix(Box::new(index), Box::new(of));
            indices.into_iter().rev().fold(of, wrap)
        }
        DomainKind::Set(attributes, of) => {
            let size = defined!(size(bounds, attributes, ["size", "minSize", "maxSize"]));
            Domain::Set(size, Box::new(defined!(resolve(bounds, of))))
        }
        DomainKind::MSet(attributes, of) => {
            let size = defined!(size(bounds, attributes, ["size", "minSize", "maxSize"]));
            let occur = defined!(self::size(bounds, attributes, ["", "minOccur", "maxOccur"]));
            let of = Box::new(defined!(resolve(bounds, of)));
            Domain::MSet { size, occur, of }
        }
        DomainKind::Sequence(attributes, of) => Domain::Sequence {
            size: defined!(size(bounds, attributes, ["size", "minSize", "maxSize"])),
            injective: has(attributes, &["injective", "bijective"]),
            surjective: has(attributes, &["surjective", "bijective"]),
            of: Box::new(defined!(resolve(bounds, of))),
        },
        DomainKind::Function(attributes, sides) => Domain::Function {
            size: defined!(size(bounds, attributes, ["size", "minSize", "maxSize"])),
            total: has(attributes, &["total"]),
            injective: has(attributes, &["injective", "bijective"]),
            surjective: has(attributes, &["surjective", "bijective"]),
            from: Box::new(defined!(resolve(bounds, &sides[0]))),
            to: Box::new(defined!(resolve(bounds, &sides[1]))),
        },
        DomainKind::Relation(attributes, parts) => Domain::Relation {
            size: defined!(size(bounds, attributes, ["size", "minSize", "maxSize"])),
            binary: attributes
                .iter()
                .flat_map(|(name, _)| Property::of_attribute(&name.name))
                .collect(),
            of: defined!(several(bounds, parts)),
        },
        DomainKind::Partition(attributes, of) => Domain::Partition {
            parts: defined!(size(
                bounds,
                attributes,
                ["numParts", "minNumParts", "maxNumParts"]
            )),
            part_size: defined!(size(
                bounds,
                attributes,
                ["partSize", "minPartSize", "maxPartSize"]
            )),
            regular: has(attributes, &["regular"]),
            of: Box::new(defined!(resolve(bounds, of))),
        },
        DomainKind::Permutation(attributes, of) => Domain::Permutation {
            moved: defined!(size(
                bounds,
                attributes,
                ["numMoved", "minNumMoved", "maxNumMoved"]
            )),
            of: Box::new(defined!(resolve(bounds, of))),
        },
    }))
}

fn has(attributes: &Attributes, names: &[&str]) -> bool {
    let found =
        |(name, _): &(crate::tree::Identifier, Option<Node>)| names.contains(&name.name.as_str());
    attributes.iter().any(found)
}

/// The bounds that attributes give: the exact number, the least, the most.
fn size(
    bounds: &mut dyn Bounds,
    attributes: &Attributes,
    [exact, least, most]: [&str; 3],
) -> Result<Option<Size>, BadText> {
    let mut size = Size::FREE;
    for (name, value) in attributes {
        let name = name.name.as_str();
        let Some(value) = value
            .as_ref()
            .filter(|_| [exact, least, most].contains(&name))
        else {
            continue;
        };
        let number = defined!(bounds.constant(value)).number().unwrap_or(0);
        if name != most {
            size.least = size.least.max(number);
        }
        if name != least {
            size.most = Some(size.most.map_or(number, |most| most.min(number)));
        }
    }
    Ok(Some(size))
}

fn ranges(
    bounds: &mut dyn Bounds,
    list: &[Range],
    (first, last): (i64, i64),
) -> Result<Option<Vec<(i64, i64)>>, BadText> {
    let mut all = Vec::new();
    for range in list {
        match range {
            Range::Single(node) => {
                let value = defined!(bounds.constant(node));
                match (value.number(), value.members()) {
                    (Some(number), _) => all.push((number, number)),
                    (None, members) => {
                        let numbers = members.unwrap_or_default();
                        let numbers = numbers.iter().filter_map(Value::number);
                        all.extend(numbers.map(|number| (number, number)));
                    }
                }
            }
            Range::Between(low, high) => {
                let mut ends = [first, last];
                for (end, node) in ends.iter_mut().zip([low, high]) {
                    if let Some(node) = node {
                        *end = defined!(bounds.constant(node)).number().unwrap_or(0);
                    }
                }
                all.push((ends[0], ends[1]));
            }
        }
    }
    Ok(Some(normal_ranges(all)))
}
