//! Expressions: the types of the operands and of the result of each operator.

use ployglot_base::BadText;

use super::call::ROW;
use super::{Checker, fits, join, require_finite, too_many_dimensions};
use crate::deep::deep;
use crate::lex::Span;
use crate::model::*;
use crate::tree::{Binary, Binder, Chain, Kind, Node, Quantifier, Unary};

impl<'a> Checker<'a> {
    /// An expression that fits the type; `context` is the subject of the message.
    pub(super) fn expect(
        &mut self,
        node: &'a Node,
        wanted: Type,
        context: &str,
    ) -> Result<Expr, BadText> {
        let found = self.expression(node)?;
        match fits(found.ty, wanted) {
            true => Ok(found),
            false => {
                let message = format!("{context} expects {wanted}, found {}", found.ty);
                Err(node.span.error(message))
            }
        }
    }

    /// An expression with its type.
    pub(super) fn expression(&mut self, node: &'a Node) -> Result<Expr, BadText> {
        self.poll.step();
        deep(|| self.any_expression(node))
    }

    fn any_expression(&mut self, node: &'a Node) -> Result<Expr, BadText> {
        let span = node.span;
        if self.is_domain(node) {
            return Err(span.error("expected an expression, found a domain"));
        }
        let both = |sides: [Expr; 2]| Box::new(sides);
        let (ty, kind) = match &node.kind {
            Kind::Number(number) => (Type::INT, ExprKind::Number(*number)),
            Kind::Truth(truth) => (Type::BOOL, ExprKind::Truth(*truth)),
            Kind::Name(name) => return self.name(name, node),
            Kind::Unary(Unary::Not, of) => {
                let of = self.expect(of, Type::BOOL, "'!'")?;
                (Type::BOOL, ExprKind::Not(Box::new(of)))
            }
            Kind::Unary(Unary::Negate, of) => {
                let of = self.expect(of, Type::INT, "'-'")?;
                (Type::INT, ExprKind::Negate(Box::new(of)))
            }
            Kind::Unary(Unary::Absolute, of) => {
                let of = self.expect(of, Type::INT, "'| |'")?;
                (Type::INT, ExprKind::Absolute(Box::new(of)))
            }
            Kind::Chain(chain, parts) => {
                let (sign, ty) = match chain {
                    Chain::Sum => ("'+'", Type::INT),
                    Chain::Product => ("'*'", Type::INT),
                    Chain::And => ("'/\\'", Type::BOOL),
                    Chain::Or => ("'\\/'", Type::BOOL),
                    Chain::Xor => ("'xor'", Type::BOOL),
                };
                let parts = parts.iter().map(|part| self.expect(part, ty, sign));
                let parts = parts.collect::<Result<_, _>>()?;
                let kind = match chain {
                    Chain::Sum => ExprKind::Sum(parts),
                    Chain::Product => ExprKind::Product(parts),
                    Chain::And => ExprKind::And(parts),
                    Chain::Or => ExprKind::Or(parts),
                    Chain::Xor => ExprKind::Xor(parts),
                };
                (ty, kind)
            }
            Kind::Binary(Binary::In, sides) => return self.membership(node, sides),
            Kind::Binary(Binary::Compare(compare), sides) => {
                let sides = self.both(sides, Type::INT, "a comparison")?;
                (Type::BOOL, ExprKind::Compare(*compare, both(sides)))
            }
            Kind::Binary(Binary::Lex(compare), sides) => {
                let sides = self.both(sides, ROW, "a lexicographic comparison")?;
                (Type::BOOL, ExprKind::Lex(*compare, both(sides)))
            }
            Kind::Binary(Binary::Implies, sides) => {
                let sides = self.both(sides, Type::BOOL, "'->'")?;
                (Type::BOOL, ExprKind::Implies(both(sides)))
            }
            Kind::Binary(Binary::Iff, sides) => {
                let sides = self.both(sides, Type::BOOL, "'<->'")?;
                (Type::BOOL, ExprKind::Iff(both(sides)))
            }
            Kind::Binary(binary, sides) => {
                let (arithmetic, sign) = match binary {
                    Binary::Minus => (Arithmetic::Minus, "'-'"),
                    Binary::Quotient => (Arithmetic::Quotient, "'/'"),
                    Binary::Remainder => (Arithmetic::Remainder, "'%'"),
                    _ => (Arithmetic::Power, "'**'"),
                };
                let sides = self.both(sides, Type::INT, sign)?;
                (Type::INT, ExprKind::Arithmetic(arithmetic, both(sides)))
            }
            Kind::Quantified {
                quantifier,
                binder,
                body,
            } => {
                let depth = self.locals.len();
                let binds = self.bind(binder)?;
                let (ty, context) = match quantifier {
                    Quantifier::ForAll => (Type::BOOL, "'forAll'"),
                    Quantifier::Exists => (Type::BOOL, "'exists'"),
                    Quantifier::Sum => (Type::INT, "'sum'"),
                };
                let body = self.expect(body, ty, context)?;
                self.locals.truncate(depth);
                let kind = ExprKind::Quantified(*quantifier, binds, Box::new(body));
                (ty, kind)
            }
            Kind::Call(name, arguments) => return self.call(node, name, arguments),
            Kind::Matrix { items, index } => {
                let items = items.iter().map(|item| self.expression(item));
                let items: Vec<Expr> = items.collect::<Result<_, _>>()?;
                let index = index.as_deref().map(|node| self.scalar_domain(node));
                let ty = self.row_type(&items)?;
                (ty, ExprKind::Matrix(items, index.transpose()?))
            }
            Kind::Empty(domain) => {
                let domain = self.domain(domain)?;
                if domain.ty.dims == 0 {
                    let message = format!(
                        "an empty matrix has the type of a matrix, found {}",
                        domain.ty
                    );
                    return Err(span.error(message));
                }
                (domain.ty, ExprKind::Matrix(Vec::new(), None))
            }
            Kind::Row {
                is_bool,
                items,
                index,
            } => {
                let index = index.as_deref().map(|node| self.scalar_domain(node));
                let of = match is_bool {
                    true => Scalar::Bool,
                    false => Scalar::Int,
                };
                let ty = Type { dims: 1, of };
                (ty, ExprKind::Row(items.clone(), index.transpose()?))
            }
            Kind::Comprehension {
                body,
                binders,
                conditions,
                index,
            } => {
                let index = index.as_deref().map(|node| self.scalar_domain(node));
                let index = index.transpose()?;
                let depth = self.locals.len();
                let mut binds = Vec::new();
                for binder in binders {
                    binds.extend(self.bind(binder)?);
                }
                let mut checked = Vec::new();
                for node in conditions {
                    let condition = self.expect(node, Type::BOOL, "a condition")?;
                    self.require_constant(&condition, "a comprehension's condition")?;
                    checked.push(condition);
                }
                let body = self.expression(body)?;
                self.locals.truncate(depth);
                let ty = matrix_of(&body)?;
                let kind = ExprKind::Comprehension {
                    body: Box::new(body),
                    binds,
                    conditions: checked,
                    index,
                };
                (ty, kind)
            }
            Kind::Index(of, indices) => {
                let of = self.expression(of)?;
                if usize::from(of.ty.dims) != indices.len() {
                    let message = match of.ty.dims {
                        0 => format!("expected a matrix before '[', found {}", of.ty),
                        1 => format!("a {} takes 1 index, found {}", of.ty, indices.len()),
                        dims => {
                            format!("a {} takes {dims} indices, found {}", of.ty, indices.len())
                        }
                    };
                    return Err(span.error(message));
                }
                let mut checked = Vec::new();
                for index in indices {
                    checked.push(match index {
                        None => None,
                        Some(index) => Some(self.expect(index, Type::INT, "an index")?),
                    });
                }
                let kept = checked.iter().filter(|index| index.is_none()).count();
                let ty = Type {
                    dims: kept as u8,
                    of: of.ty.of,
                };
                (ty, ExprKind::Index(Box::new(of), checked))
            }
            Kind::BoolDomain | Kind::IntDomain(_) | Kind::MatrixDomain { .. } => {
                unreachable!("domains were refused above")
            }
        };
        Ok(typed(span, ty, kind))
    }

    /// Two operands of one type.
    fn both(
        &mut self,
        sides: &'a [Node; 2],
        wanted: Type,
        context: &str,
    ) -> Result<[Expr; 2], BadText> {
        Ok([
            self.expect(&sides[0], wanted, context)?,
            self.expect(&sides[1], wanted, context)?,
        ])
    }

    /// A quantified variable, or a global.
    fn name(&mut self, name: &str, node: &Node) -> Result<Expr, BadText> {
        let local = self.locals.iter().rposition(|(local, _)| *local == name);
        if let Some(slot) = local {
            let ty = self.locals[slot].1;
            return Ok(typed(node.span, ty, ExprKind::Local(slot)));
        }
        let (id, global) = self.global(name, node.span)?;
        let depends_on = matches!(global.role, Role::Find(_)).then_some(id);
        let ty = global.ty;
        Ok(Expr {
            depends_on,
            ..typed(node.span, ty, ExprKind::Global(id))
        })
    }

    /// Adds the names to the scope; the caller removes them.
    pub(super) fn bind(&mut self, binder: &'a Binder) -> Result<Vec<BoundVariable>, BadText> {
        let domain = self.domain(&binder.domain)?;
        require_finite(&domain)?;
        let binds = binder.names.iter().map(|identifier| {
            let slot = self.locals.len();
            self.locals.push((&identifier.name, domain.ty));
            BoundVariable {
                slot,
                domain: domain.clone(),
            }
        });
        Ok(binds.collect())
    }

    /// `x in D`, where `D` may depend on decision variables if it is a `toSet`.
    fn membership(&mut self, node: &'a Node, sides: &'a [Node; 2]) -> Result<Expr, BadText> {
        let member = self.expect(&sides[0], Type::INT, "'in'")?;
        let set = match &sides[1].kind {
            Kind::Call(name, arguments) if name == "toSet" => {
                let items = self.members(&sides[1], arguments)?;
                let ty = Type {
                    dims: 0,
                    of: items.ty.of,
                };
                let kind = SetKind::Items(Box::new(items));
                let span = sides[1].span;
                Set { span, ty, kind }
            }
            _ => self.domain(&sides[1])?,
        };
        if set.ty.dims > 0 {
            let message = format!("'in' expects a domain of int, found {}", set.ty);
            return Err(sides[1].span.error(message));
        }
        let kind = ExprKind::In(Box::new(member), Box::new(set));
        Ok(typed(node.span, Type::BOOL, kind))
    }

    /// The argument of `toSet`.
    pub(super) fn members(
        &mut self,
        node: &'a Node,
        arguments: &'a [Node],
    ) -> Result<Expr, BadText> {
        let [argument] = arguments else {
            let message = format!("'toSet' takes 1 argument, found {}", arguments.len());
            return Err(node.span.error(message));
        };
        self.expect(argument, ROW, "'toSet'")
    }

    /// The domain of an index: of int or bool, not of matrices.
    pub(super) fn scalar_domain(&mut self, node: &'a Node) -> Result<Set, BadText> {
        let set = self.domain(node)?;
        match set.ty.dims {
            0 => Ok(set),
            _ => Err(node.span.error(format!(
                "an index is a domain of int or bool, found {}",
                set.ty
            ))),
        }
    }

    /// The type of a matrix with these items.
    fn row_type(&self, items: &[Expr]) -> Result<Type, BadText> {
        let Some(first) = items.first() else {
            return Ok(Type {
                dims: 1,
                of: Scalar::Any,
            });
        };
        let mut ty = first.ty;
        for item in items {
            ty = join(ty, item.ty).ok_or_else(|| {
                let message = format!(
                    "the items of a matrix have one type, found {ty} and {}",
                    item.ty
                );
                item.span.error(message)
            })?;
        }
        matrix_of(&Expr {
            ty,
            ..typed(first.span, ty, ExprKind::Truth(false))
        })
    }
}

/// The type of a matrix whose items are like this one.
fn matrix_of(item: &Expr) -> Result<Type, BadText> {
    match item.ty.dims {
        dims if usize::from(dims) >= MAX_DIMENSIONS => Err(too_many_dimensions(item.span)),
        dims => Ok(Type {
            dims: dims + 1,
            of: item.ty.of,
        }),
    }
}

/// An expression of this type; it depends on a decision variable if one of its parts does.
pub(super) fn typed(span: Span, ty: Type, kind: ExprKind) -> Expr {
    let first = |exprs: &[Expr]| exprs.iter().find_map(|expr| expr.depends_on);
    let depends_on = match &kind {
        ExprKind::Number(_)
        | ExprKind::Truth(_)
        | ExprKind::Row(..)
        | ExprKind::Global(_)
        | ExprKind::Local(_)
        | ExprKind::Length(_) => None,
        ExprKind::Not(of)
        | ExprKind::Negate(of)
        | ExprKind::Absolute(of)
        | ExprKind::Factorial(of)
        | ExprKind::PopCount(of)
        | ExprKind::ToInt(of)
        | ExprKind::Quantified(_, _, of)
        | ExprKind::Fold(_, of)
        | ExprKind::Flatten(_, of)
        | ExprKind::MakeTable(of)
        | ExprKind::Comprehension { body: of, .. } => of.depends_on,
        ExprKind::And(parts)
        | ExprKind::Or(parts)
        | ExprKind::Xor(parts)
        | ExprKind::Sum(parts)
        | ExprKind::Product(parts)
        | ExprKind::Matrix(parts, _) => first(parts),
        ExprKind::Implies(sides)
        | ExprKind::Iff(sides)
        | ExprKind::Compare(_, sides)
        | ExprKind::Lex(_, sides)
        | ExprKind::Arithmetic(_, sides)
        | ExprKind::CatchUndef(sides)
        | ExprKind::Count(sides)
        | ExprKind::ShortTable(sides)
        | ExprKind::Table(_, sides) => first(&sides[..]),
        ExprKind::Occurrences(_, parts) | ExprKind::Cardinality(parts) => first(&parts[..]),
        ExprKind::In(member, set) => member.depends_on.or(match &set.kind {
            SetKind::Items(items) => items.depends_on,
            _ => None,
        }),
        ExprKind::Index(of, indices) => {
            let mut indices = indices.iter().flatten();
            of.depends_on
                .or_else(|| indices.find_map(|index| index.depends_on))
        }
        ExprKind::AllDifferent(items, except) => items
            .depends_on
            .or(except.as_ref().and_then(|except| except.depends_on)),
    };
    Expr {
        span,
        ty,
        depends_on,
        kind,
    }
}
