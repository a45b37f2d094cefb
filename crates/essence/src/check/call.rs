//! The types of operators with the syntax of a function.

use ployglot_eprime::Span;

use super::{Checked, Checker};
use crate::tree::{Node, Operator};
use crate::types::Type;

impl Checker {
    pub(super) fn call(
        &mut self,
        operator: Operator,
        operands: &mut [Node],
        span: Span,
    ) -> Checked<Type> {
        use Operator as Op;
        for operand in operands.iter_mut() {
            self.expression(operand)?;
        }
        let types: Vec<Type> = operands.iter().map(|operand| operand.ty.clone()).collect();
        let wrong = |at: usize, wanted: &str| {
            let ty = &types[at];
            let message = format!("expected {wanted}, this is {ty}");
            operands[at].span.error(message)
        };
        let is = |at: usize, ty: &Type| match types[at].unify(ty) {
            Some(_) => Ok(()),
            None => Err(wrong(at, &ty.to_string())),
        };
        let member = |at: usize| types[at].member().ok_or_else(|| wrong(at, "a collection"));
        let members = |at: usize, ty: &Type| match member(at)?.unify(ty) {
            Some(_) => Ok(()),
            None => Err(wrong(at, &format!("a collection of {ty}"))),
        };
        let scalar =
            |ty: &Type| matches!(ty, Type::Int | Type::Bool | Type::Member(..) | Type::Any);
        Ok(match operator {
            Op::And | Op::Or | Op::Xor => {
                members(0, &Type::Bool)?;
                Type::Bool
            }
            Op::Sum | Op::Product => {
                if member(0)? != Type::Bool {
                    members(0, &Type::Int)?;
                }
                Type::Int
            }
            Op::Min | Op::Max => {
                let ty = match types.len() {
                    1 => member(0)?,
                    _ => types[0]
                        .unify(&types[1])
                        .ok_or_else(|| wrong(1, &types[0].to_string()))?,
                };
                if !scalar(&ty) {
                    return Err(wrong(0, "values that '<' compares"));
                }
                ty
            }
            Op::AllDifferent => {
                member(0)?;
                Type::Bool
            }
            Op::AllDifferentExcept => {
                members(0, &types[1])?;
                Type::Bool
            }
            Op::AtLeast | Op::AtMost => {
                let ty = member(0)?;
                members(1, &Type::Int)?;
                members(2, &ty)?;
                Type::Bool
            }
            Op::Gcc => {
                let ty = member(0)?;
                members(1, &ty)?;
                members(2, &Type::Int)?;
                Type::Bool
            }
            Op::Apart | Op::Together => {
                let of = member(0)?;
                is(1, &Type::Partition(Box::new(of)))?;
                Type::Bool
            }
            Op::CatchUndefined => types[0]
                .unify(&types[1])
                .ok_or_else(|| wrong(1, &types[0].to_string()))?,
            Op::Compose => {
                is(0, &Type::Permutation(Box::new(Type::Any)))?;
                types[0]
                    .unify(&types[1])
                    .ok_or_else(|| wrong(1, &types[0].to_string()))?
            }
            Op::Concatenate => match (&types[..], types[0].member()) {
                ([_], Some(inner)) => match inner {
                    Type::Sequence(_) | Type::Matrix(..) | Type::Any => inner,
                    _ => return Err(wrong(0, "a list of lists")),
                },
                ([a, b], _) => a.unify(b).ok_or_else(|| wrong(1, &a.to_string()))?,
                _ => return Err(wrong(0, "a list of lists")),
            },
            Op::Count | Op::Freq => {
                members(0, &types[1])?;
                Type::Int
            }
            Op::Defined => match &types[0] {
                Type::Function(from, _) => Type::Set(from.clone()),
                Type::Sequence(_) => Type::Set(Box::new(Type::Int)),
                Type::Permutation(of) => Type::Set(of.clone()),
                Type::Any => Type::Any,
                _ => return Err(wrong(0, "a function")),
            },
            Op::Range => match &types[0] {
                Type::Function(_, to) => Type::Set(to.clone()),
                Type::Sequence(of) | Type::Permutation(of) => Type::Set(of.clone()),
                Type::Any => Type::Any,
                _ => return Err(wrong(0, "a function")),
            },
            Op::ElementId => {
                is(1, &Type::Int)?;
                member(0)?
            }
            Op::Factorial => {
                is(0, &Type::Int)?;
                Type::Int
            }
            Op::Flatten => {
                let last = types.len() - 1;
                if last == 1 {
                    is(0, &Type::Int)?;
                }
                let mut ty = types[last].clone();
                if !matches!(ty, Type::Matrix(..) | Type::Any) {
                    return Err(wrong(last, "a matrix"));
                }
                let mut levels = match (&operands[0].kind, last) {
                    (_, 0) => i64::MAX,
                    (crate::tree::Kind::Number(levels), _) => *levels,
                    _ => return Err(wrong(0, "a number")),
                };
                while let Type::Matrix(_, inner) = &ty
                    && levels > 0
                    && matches!(**inner, Type::Matrix(..))
                {
                    ty = (**inner).clone();
                    levels -= 1;
                }
                ty
            }
            Op::Hist => {
                let of = member(0)?;
                match types.len() {
                    1 => Type::list(Type::Tuple(vec![of, Type::Int])),
                    _ => Type::list(Type::Int),
                }
            }
            Op::Image => match &types[0] {
                Type::Function(from, to) => {
                    is(1, from)?;
                    (**to).clone()
                }
                Type::Sequence(of) => {
                    is(1, &Type::Int)?;
                    (**of).clone()
                }
                Type::Permutation(of) => match types[1].unify(of) {
                    Some(ty) => ty,
                    None => types[1].clone(),
                },
                Type::Any => Type::Any,
                _ => return Err(wrong(0, "a function")),
            },
            Op::ImageSet => match &types[0] {
                Type::Function(from, to) => {
                    is(1, from)?;
                    Type::Set(to.clone())
                }
                Type::Sequence(of) => {
                    is(1, &Type::Int)?;
                    Type::Set(of.clone())
                }
                Type::Any => Type::Any,
                _ => return Err(wrong(0, "a function")),
            },
            Op::PreImage => match &types[0] {
                Type::Function(from, to) => {
                    is(1, to)?;
                    Type::Set(from.clone())
                }
                Type::Sequence(of) => {
                    is(1, of)?;
                    Type::Set(Box::new(Type::Int))
                }
                Type::Any => Type::Any,
                _ => return Err(wrong(0, "a function")),
            },
            Op::Inverse => {
                match (&types[0], &types[1]) {
                    (Type::Function(a, b), Type::Function(c, d)) => {
                        if a.unify(d).is_none() || b.unify(c).is_none() {
                            return Err(wrong(1, &format!("function {b} --> {a}")));
                        }
                    }
                    (
                        Type::Sequence(_) | Type::Permutation(_) | Type::Any | Type::Function(..),
                        _,
                    ) => {}
                    _ => return Err(wrong(0, "a function")),
                }
                Type::Bool
            }
            Op::MakeTable => {
                is(0, &Type::Bool)?;
                Type::Bool
            }
            Op::Participants => match &types[0] {
                Type::Partition(of) => Type::Set(of.clone()),
                Type::Any => Type::Any,
                _ => return Err(wrong(0, "a partition")),
            },
            Op::Parts => match &types[0] {
                Type::Partition(of) => Type::Set(Box::new(Type::Set(of.clone()))),
                Type::Any => Type::Any,
                _ => return Err(wrong(0, "a partition")),
            },
            Op::Party => match &types[1] {
                Type::Partition(of) => {
                    is(0, of)?;
                    Type::Set(of.clone())
                }
                Type::Any => Type::Any,
                _ => return Err(wrong(1, "a partition")),
            },
            Op::PermInverse => {
                is(0, &Type::Permutation(Box::new(Type::Any)))?;
                types[0].clone()
            }
            Op::PowerSet => match &types[0] {
                Type::Set(_) => Type::Set(Box::new(types[0].clone())),
                Type::Any => Type::Any,
                _ => return Err(wrong(0, "a set")),
            },
            Op::Pred | Op::Succ => match scalar(&types[0]) {
                true => types[0].clone(),
                false => return Err(wrong(0, "int or an enumerated type")),
            },
            Op::Restrict => match (&types[0], &types[1]) {
                (Type::Function(from, _), domain) => {
                    let fits = domain.member().and_then(|ty| ty.unify(from));
                    if fits.is_none() {
                        return Err(wrong(1, &format!("a domain of {from}")));
                    }
                    types[0].clone()
                }
                (Type::Any, _) => Type::Any,
                _ => return Err(wrong(0, "a function")),
            },
            Op::Table => {
                let of = member(0)?;
                is(1, &Type::list(Type::list(of)))?;
                Type::Bool
            }
            Op::ToInt => {
                if !scalar(&types[0]) {
                    return Err(wrong(0, "bool"));
                }
                Type::Int
            }
            Op::ToMSet => Type::MSet(Box::new(member(0)?)),
            Op::ToSet => Type::Set(Box::new(member(0)?)),
            Op::ToRelation => match member(0)? {
                Type::Tuple(types) => Type::Relation(types),
                Type::Any => Type::Any,
                _ => return Err(wrong(0, "a function")),
            },
            Op::Transform => {
                let map = match &types[0] {
                    Type::Matrix(_, of) => of,
                    one => one,
                };
                if !matches!(map, Type::Permutation(_) | Type::Any) {
                    return Err(wrong(0, "a permutation, or a list of permutations"));
                }
                types[1].clone()
            }
            Op::True => {
                let _ = span;
                Type::Bool
            }
        })
    }
}
