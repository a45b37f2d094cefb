//! Domains: which are finite, which may be open, and that none depends on a decision variable.

use ployglot_base::BadText;

use super::call::ROW;
use super::{Checker, fits, join, too_many_dimensions};
use crate::model::{Bounds, MAX_DIMENSIONS, Role, Set, SetKind, Type};
use crate::tree::{Binary, Kind, Node, Range};

impl<'a> Checker<'a> {
    /// Whether the node is a domain, not a value.
    pub(super) fn is_domain(&mut self, node: &Node) -> bool {
        match &node.kind {
            Kind::BoolDomain | Kind::IntDomain(_) | Kind::MatrixDomain { .. } => true,
            Kind::Binary(Binary::Union | Binary::Intersect, _) => true,
            Kind::Binary(Binary::Minus, sides) => self.is_domain(&sides[0]),
            Kind::Call(name, _) => name == "toSet" || name == "indexOf",
            Kind::Name(name) => {
                let is_local = self.locals.iter().any(|(local, _)| local == name);
                let place = self.places.get(name.as_str());
                let declared = place.map(|&place| &self.entries[place].declared);
                !is_local && matches!(declared, Some(super::Declared::Domain(_)))
            }
            _ => false,
        }
    }

    /// A domain with its type.
    pub(super) fn domain(&mut self, node: &'a Node) -> Result<Set, BadText> {
        let span = node.span;
        let (ty, kind) = match &node.kind {
            Kind::BoolDomain => (Type::BOOL, SetKind::Bool),
            Kind::IntDomain(None) => (Type::INT, SetKind::Int(None)),
            Kind::IntDomain(Some(ranges)) => {
                let ranges = ranges.iter().map(|range| self.range(range));
                let ranges = ranges.collect::<Result<_, _>>()?;
                (Type::INT, SetKind::Int(Some(ranges)))
            }
            Kind::MatrixDomain { index, of } => {
                let index = index.iter().map(|node| self.scalar_domain(node));
                let index: Vec<Set> = index.collect::<Result<_, _>>()?;
                let of = self.domain(of)?;
                // A matrix of matrices is a matrix with more dimensions.
                let (mut all, mut of) = (index, of);
                if let SetKind::Matrix(more, inner) = of.kind {
                    all.extend(more);
                    of = *inner;
                }
                if all.len() > MAX_DIMENSIONS {
                    return Err(too_many_dimensions(span));
                }
                let ty = Type {
                    dims: all.len() as u8,
                    of: of.ty.of,
                };
                (ty, SetKind::Matrix(all, Box::new(of)))
            }
            Kind::Binary(binary @ (Binary::Union | Binary::Intersect | Binary::Minus), sides) => {
                let (left, right) = (self.domain(&sides[0])?, self.domain(&sides[1])?);
                let joined = join(left.ty, right.ty).filter(|ty| ty.dims == 0);
                let Some(ty) = joined else {
                    let message = format!(
                        "expected domains of int on both sides, found {} and {}",
                        left.ty, right.ty
                    );
                    return Err(span.error(message));
                };
                let sides = Box::new([left, right]);
                let kind = match binary {
                    Binary::Union => SetKind::Union(sides),
                    Binary::Intersect => SetKind::Intersect(sides),
                    _ => SetKind::Minus(sides),
                };
                (ty, kind)
            }
            Kind::Call(name, arguments) if name == "toSet" => {
                let items = self.members(node, arguments)?;
                self.require_constant(&items, "a domain")?;
                let of = Type {
                    dims: 0,
                    of: items.ty.of,
                };
                (of, SetKind::Items(Box::new(items)))
            }
            Kind::Call(name, arguments) if name == "indexOf" => {
                let [argument] = &arguments[..] else {
                    let message = format!("'indexOf' takes a matrix, found {}", arguments.len());
                    return Err(span.error(message + " arguments"));
                };
                let of = self.expect_matrix(argument, "'indexOf'")?;
                (Type::INT, SetKind::IndexOf(Box::new(of)))
            }
            Kind::Name(name) if self.is_domain(node) => {
                let (id, global) = self.global(name, span)?;
                let Role::Domain(set) = &global.role else {
                    unreachable!("it was declared as a domain")
                };
                // Matrix domains are used by their parts, so they are copied in.
                match &set.kind {
                    SetKind::Matrix(..) => (set.ty, set.kind.clone()),
                    _ => (set.ty, SetKind::Named(id)),
                }
            }
            _ => {
                let found = self.expression(node)?;
                return Err(span.error(format!("expected a domain, found {}", found.ty)));
            }
        };
        Ok(Set { span, ty, kind })
    }

    fn range(&mut self, range: &'a Range) -> Result<Bounds, BadText> {
        match range {
            Range::Single(node) => {
                let single = self.expression(node)?;
                self.require_constant(&single, "a domain")?;
                match single.ty.dims {
                    0 if fits(single.ty, Type::INT) => Ok(Bounds::Single(single)),
                    1 if fits(single.ty, ROW) => Ok(Bounds::Items(single)),
                    _ => {
                        let message = format!("a bound expects int, found {}", single.ty);
                        Err(node.span.error(message))
                    }
                }
            }
            Range::Between(from, to) => {
                let mut bound = |node: &'a Node| -> Result<_, BadText> {
                    let bound = self.expect(node, Type::INT, "a bound")?;
                    self.require_constant(&bound, "a domain")?;
                    Ok(bound)
                };
                Ok(Bounds::Between(
                    from.as_ref().map(&mut bound).transpose()?,
                    to.as_ref().map(&mut bound).transpose()?,
                ))
            }
        }
    }
}
