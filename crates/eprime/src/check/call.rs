//! Functions and global constraints: their names and arguments.

use ployglot_base::BadText;
use ployglot_base::text::unknown;

use super::Checker;
use super::expression::typed;
use crate::model::*;
use crate::tree::{Kind, Node};

/// Every function, with its arguments for messages.
const FUNCTIONS: [(&str, &str); 30] = [
    ("sum", "a matrix"),
    ("product", "a matrix"),
    ("and", "a matrix"),
    ("or", "a matrix"),
    ("min", "a matrix, or numbers"),
    ("max", "a matrix, or numbers"),
    ("flatten", "a matrix, perhaps after a number"),
    ("toSet", "a matrix"),
    ("toInt", "a bool"),
    ("factorial", "an int"),
    ("popcount", "an int"),
    ("allDiff", "a matrix"),
    ("alldiff", "a matrix"),
    ("alldifferent", "a matrix"),
    ("allDifferent", "a matrix"),
    ("alldifferent_except", "a matrix and a value"),
    ("atleast", "a matrix, counts and values"),
    ("atmost", "a matrix, counts and values"),
    ("gcc", "a matrix, values and counts"),
    ("table", "a matrix and rows"),
    ("negativetable", "a matrix and rows"),
    ("abs", "an int"),
    ("xor", "a matrix"),
    ("catchUndef", "an int or bool and a constant"),
    ("count", "a matrix and a value"),
    ("length", "a matrix"),
    ("indexOf", "a matrix"),
    ("tableshort", "a matrix and rows of pairs"),
    ("makeTable", "a bool"),
    ("elementId", "a matrix and an index"),
];

/// A one-dimensional matrix of int.
pub(super) const ROW: Type = Type {
    dims: 1,
    of: Scalar::Int,
};

impl<'a> Checker<'a> {
    /// A call of a function.
    pub(super) fn call(
        &mut self,
        node: &'a Node,
        name: &str,
        arguments: &'a [Node],
    ) -> Result<Expr, BadText> {
        let Some((_, takes)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            let message = match self.places.contains_key(name) {
                true => format!("'{name}' is not a function; indices are written in '[ ]'"),
                false => unknown("function", name, FUNCTIONS.iter().map(|&(known, _)| known)),
            };
            return Err(node.span.error(message));
        };
        let quoted = format!("'{name}'");
        let wrong = || {
            let found = arguments.len();
            node.span
                .error(format!("{quoted} takes {takes}, found {found} arguments"))
        };
        let constant = |checker: &mut Self, node: &'a Node, ty: Type, what: &str| {
            let expr = checker.expect(node, ty, &quoted)?;
            checker.require_constant(&expr, &format!("the {what} of {quoted}"))?;
            Ok::<_, BadText>(expr)
        };
        let (ty, kind) = match (name, arguments) {
            ("min" | "max", [first, rest @ ..]) => {
                let fold = if name == "min" { Fold::Min } else { Fold::Max };
                let of = match rest {
                    [] => self.expect(first, ROW, &quoted)?,
                    _ => {
                        let items = arguments
                            .iter()
                            .map(|node| self.expect(node, Type::INT, &quoted));
                        let items = items.collect::<Result<_, _>>()?;
                        typed(node.span, ROW, ExprKind::Matrix(items, None))
                    }
                };
                (Type::INT, ExprKind::Fold(fold, Box::new(of)))
            }
            ("sum" | "product", [of]) => {
                let fold = if name == "sum" {
                    Fold::Sum
                } else {
                    Fold::Product
                };
                let of = self.expect(of, ROW, &quoted)?;
                (Type::INT, ExprKind::Fold(fold, Box::new(of)))
            }
            ("and" | "or" | "xor", [of]) => {
                let fold = match name {
                    "and" => Fold::And,
                    "or" => Fold::Or,
                    _ => Fold::Xor,
                };
                let row = Type {
                    dims: 1,
                    of: Scalar::Bool,
                };
                let of = self.expect(of, row, &quoted)?;
                (Type::BOOL, ExprKind::Fold(fold, Box::new(of)))
            }
            ("flatten", [of]) => {
                let of = self.expect_matrix(of, &quoted)?;
                let ty = Type {
                    dims: 1,
                    of: of.ty.of,
                };
                let merged = usize::from(of.ty.dims) - 1;
                (ty, ExprKind::Flatten(merged, Box::new(of)))
            }
            ("flatten", [merged, of]) => {
                let Kind::Number(number) = merged.kind else {
                    let message =
                        "the first of two arguments of 'flatten' is a number, not an expression";
                    return Err(merged.span.error(message));
                };
                let of = self.expect_matrix(of, &quoted)?;
                let dims = i64::from(of.ty.dims);
                if number >= dims {
                    let message = format!("expected a number below {dims}, found {number}");
                    return Err(merged.span.error(message));
                }
                let ty = Type {
                    dims: (dims - number) as u8,
                    of: of.ty.of,
                };
                (ty, ExprKind::Flatten(number as usize, Box::new(of)))
            }
            ("toInt", [of]) => {
                let of = self.expect(of, Type::INT, &quoted)?;
                (Type::INT, ExprKind::ToInt(Box::new(of)))
            }
            ("factorial", [of]) => {
                let of = self.expect(of, Type::INT, &quoted)?;
                (Type::INT, ExprKind::Factorial(Box::new(of)))
            }
            ("popcount", [of]) => {
                let of = self.expect(of, Type::INT, &quoted)?;
                (Type::INT, ExprKind::PopCount(Box::new(of)))
            }
            ("abs", [of]) => {
                let of = self.expect(of, Type::INT, &quoted)?;
                (Type::INT, ExprKind::Absolute(Box::new(of)))
            }
            ("allDiff" | "alldiff" | "alldifferent" | "allDifferent", [of]) => {
                let of = self.expect(of, ROW, &quoted)?;
                (Type::BOOL, ExprKind::AllDifferent(Box::new(of), None))
            }
            ("alldifferent_except", [of, except]) => {
                let of = self.expect(of, ROW, &quoted)?;
                let except = constant(self, except, Type::INT, "excepted value")?;
                let kind = ExprKind::AllDifferent(Box::new(of), Some(Box::new(except)));
                (Type::BOOL, kind)
            }
            ("atleast" | "atmost", [of, counts, values]) => {
                let parts = [
                    self.expect(of, ROW, &quoted)?,
                    constant(self, counts, ROW, "counts")?,
                    constant(self, values, ROW, "values")?,
                ];
                let kind = ExprKind::Occurrences(name == "atleast", Box::new(parts));
                (Type::BOOL, kind)
            }
            ("gcc", [of, values, counts]) => {
                let parts = [
                    self.expect(of, ROW, &quoted)?,
                    constant(self, values, ROW, "values")?,
                    self.expect(counts, ROW, &quoted)?,
                ];
                (Type::BOOL, ExprKind::Cardinality(Box::new(parts)))
            }
            ("table" | "negativetable", [of, rows]) => {
                let table = Type {
                    dims: 2,
                    of: Scalar::Int,
                };
                let of = self.expect(of, ROW, &quoted)?;
                // A table without rows is written `[]`, which has one dimension.
                let empty = matches!(&rows.kind, Kind::Matrix { items, .. } if items.is_empty());
                let rows = constant(self, rows, if empty { ROW } else { table }, "rows")?;
                let sides = Box::new([of, rows]);
                (Type::BOOL, ExprKind::Table(name == "table", sides))
            }
            ("catchUndef", [of, default]) => {
                let of = self.expression(of)?;
                if of.ty.dims > 0 {
                    let message = format!("{quoted} expects an int or a bool, found {}", of.ty);
                    return Err(of.span.error(message));
                }
                let default = constant(self, default, of.ty, "second argument")?;
                (of.ty, ExprKind::CatchUndef(Box::new([of, default])))
            }
            ("count", [of, value]) => {
                let parts = [
                    self.expect(of, ROW, &quoted)?,
                    self.expect(value, Type::INT, &quoted)?,
                ];
                (Type::INT, ExprKind::Count(Box::new(parts)))
            }
            ("length", [of]) => {
                let of = self.expect(of, ROW, &quoted)?;
                (Type::INT, ExprKind::Length(Box::new(of)))
            }
            ("tableshort", [of, rows]) => {
                let of = self.expect(of, ROW, &quoted)?;
                let table = Type {
                    dims: 3,
                    of: Scalar::Int,
                };
                // A table without rows is written `[]`, which has one dimension.
                let empty = matches!(&rows.kind, Kind::Matrix { items, .. } if items.is_empty());
                let rows = constant(self, rows, if empty { ROW } else { table }, "rows")?;
                (Type::BOOL, ExprKind::ShortTable(Box::new([of, rows])))
            }
            ("elementId", [of, index]) => {
                // The item at the index; the index itself where there is none.
                let of = self.expect(of, ROW, &quoted)?;
                if of.ty.of == Scalar::Bool {
                    // An item that does not exist would be false, not undefined.
                    let message = format!("{quoted} expects a matrix of int, found {}", of.ty);
                    return Err(of.span.error(message));
                }
                let at = self.expect(index, Type::INT, &quoted)?;
                let indices = vec![Some(at.clone())];
                let item = typed(node.span, Type::INT, ExprKind::Index(Box::new(of), indices));
                (Type::INT, ExprKind::CatchUndef(Box::new([item, at])))
            }
            ("makeTable", [of]) => {
                let of = self.expect(of, Type::BOOL, &quoted)?;
                (Type::BOOL, ExprKind::MakeTable(Box::new(of)))
            }
            ("toSet" | "indexOf", _) => {
                return Err(node.span.error("expected an expression, found a domain"));
            }
            _ => return Err(wrong()),
        };
        Ok(typed(node.span, ty, kind))
    }

    /// An expression that is a matrix; `context` is the subject of the message.
    pub(super) fn expect_matrix(&mut self, node: &'a Node, context: &str) -> Result<Expr, BadText> {
        let of = self.expression(node)?;
        match of.ty.dims {
            0 => Err(node
                .span
                .error(format!("{context} expects a matrix, found {}", of.ty))),
            _ => Ok(of),
        }
    }
}
