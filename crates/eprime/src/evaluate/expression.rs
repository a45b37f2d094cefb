//! Expressions: each operator as the language defines it.
//!
//! `Ok(None)` is an undefined value; an operator with an undefined argument is undefined.

use ployglot_base::BadText;

use super::{Evaluated, Evaluator, RAGGED};
use crate::lex::Span;
use crate::model::*;
use crate::tree::{Compare, Quantifier};
use crate::value::{Axis, Matrix, Value, alike};

impl Evaluator<'_> {
    /// As `value`, but a bool may be undefined here.
    pub(super) fn maybe_undefined(&mut self, expr: &Expr) -> Evaluated<Value> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(number) => Ok(Some(Value::Number(*number))),
            ExprKind::Truth(truth) => Ok(Some(Value::Truth(*truth))),
            ExprKind::Global(id) => self.global(*id, expr),
            ExprKind::Local(slot) => Ok(Some(self.locals[*slot].clone())),
            ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Xor(_)
            | ExprKind::Implies(_)
            | ExprKind::Iff(_) => self
                .logical(&expr.kind)
                .map(|holds| Some(Value::Truth(holds))),
            ExprKind::Compare(compare, sides) => truth(self.compared(*compare, sides)),
            ExprKind::Lex(compare, sides) => truth(self.compared_rows(*compare, sides)),
            ExprKind::In(member, set) => truth(self.is_member(member, set)),
            ExprKind::ToInt(of) => number(self.number(of)),
            ExprKind::Negate(of) => {
                let of = self.number(of)?;
                number(of.map(|of| within(of.checked_neg(), span)).transpose())
            }
            ExprKind::Absolute(of) => {
                let of = self.number(of)?;
                number(of.map(|of| within(of.checked_abs(), span)).transpose())
            }
            ExprKind::Factorial(of) => number(self.factorial(of, span)),
            ExprKind::PopCount(of) => {
                let of = self.number(of)?.filter(|&of| of >= 0);
                Ok(of.map(|of| Value::Number(i64::from(of.count_ones()))))
            }
            ExprKind::Sum(parts) => {
                let parts = self.numbers(parts)?;
                number(parts.map(|parts| total(&parts, span)).transpose())
            }
            ExprKind::Product(parts) => {
                let parts = self.numbers(parts)?;
                number(parts.map(|parts| multiplied(&parts, span)).transpose())
            }
            ExprKind::CatchUndef(sides) => match self.value(&sides[0])? {
                None => self.value(&sides[1]),
                value => Ok(value),
            },
            ExprKind::Count(sides) => {
                let (items, value) = (self.items(&sides[0])?, self.number(&sides[1])?);
                let (Some(items), Some(value)) = (items, value) else {
                    return Ok(None);
                };
                let found = items.iter().filter(|&&item| item == value).count();
                Ok(Some(Value::Number(found as i64)))
            }
            ExprKind::Length(of) => {
                let axes = self.axes(of)?;
                Ok(axes.map(|axes| Value::Number(axes[0].length() as i64)))
            }
            ExprKind::Arithmetic(arithmetic, sides) => {
                number(self.arithmetic(*arithmetic, sides, span))
            }
            ExprKind::Quantified(quantifier, binds, body) => {
                self.quantified(*quantifier, binds, body, span)
            }
            ExprKind::Fold(fold, of) => self.folded(*fold, of, span),
            ExprKind::Matrix(parts, index) => {
                let mut values = Vec::new();
                for part in parts {
                    values.push(self.value(part)?);
                }
                self.matrix(values.into_iter().collect(), index.as_ref(), expr)
            }
            ExprKind::Row(items, index) => {
                self.poll.allocate::<i64>(items.len() as u64);
                let Some(axis) = self.first_axis(items.len(), index.as_ref(), span)? else {
                    return Ok(None);
                };
                let items = items.iter().map(|&item| i64::from(item)).collect();
                let (axes, of) = (vec![axis], expr.ty.of);
                Ok(Some(Value::Matrix(Matrix { axes, of, items }.into())))
            }
            ExprKind::Comprehension {
                body,
                binds,
                conditions,
                index,
            } => {
                let mut values = Vec::new();
                let complete = self.each(binds, conditions, &mut |evaluator| {
                    values.push(evaluator.value(body)?);
                    Ok(())
                })?;
                let values = values.into_iter().collect::<Option<_>>();
                self.matrix(values.filter(|_| complete), index.as_ref(), expr)
            }
            ExprKind::Index(of, indices) => self.indexed(of, indices),
            ExprKind::Flatten(merged, of) => self.flattened(*merged, of),
            ExprKind::AllDifferent(of, except) => truth(self.all_different(of, except.as_deref())),
            ExprKind::Occurrences(at_least, parts) => {
                let [of, counts, values] = &**parts;
                let compare = match at_least {
                    true => Compare::AtLeast,
                    false => Compare::AtMost,
                };
                truth(self.counted(of, values, counts, compare, span))
            }
            ExprKind::Cardinality(parts) => {
                let [of, values, counts] = &**parts;
                truth(self.counted(of, values, counts, Compare::Equal, span))
            }
            ExprKind::Table(positive, sides) => truth(self.in_table(*positive, sides, span)),
            ExprKind::ShortTable(sides) => truth(self.in_short_table(sides)),
            ExprKind::MakeTable(of) => truth(self.truth(of).map(Some)),
        }
    }

    /// The operators on bools, which are never undefined.
    fn logical(&mut self, kind: &ExprKind) -> Result<bool, BadText> {
        Ok(match kind {
            ExprKind::Not(of) => !self.truth(of)?,
            ExprKind::And(parts) => {
                for part in parts {
                    if !self.truth(part)? {
                        return Ok(false);
                    }
                }
                true
            }
            ExprKind::Or(parts) => {
                for part in parts {
                    if self.truth(part)? {
                        return Ok(true);
                    }
                }
                false
            }
            ExprKind::Xor(parts) => {
                let mut odd = false;
                for part in parts {
                    odd ^= self.truth(part)?;
                }
                odd
            }
            ExprKind::Implies(sides) => !self.truth(&sides[0])? || self.truth(&sides[1])?,
            ExprKind::Iff(sides) => self.truth(&sides[0])? == self.truth(&sides[1])?,
            _ => unreachable!("only the operators on bools get here"),
        })
    }

    fn compared(&mut self, compare: Compare, sides: &[Expr; 2]) -> Evaluated<bool> {
        let (left, right) = (self.number(&sides[0])?, self.number(&sides[1])?);
        let (Some(left), Some(right)) = (left, right) else {
            return Ok(None);
        };
        Ok(Some(compares(compare, &left, &right)))
    }

    fn compared_rows(&mut self, compare: Compare, sides: &[Expr; 2]) -> Evaluated<bool> {
        let (left, right) = (self.items(&sides[0])?, self.items(&sides[1])?);
        let (Some(left), Some(right)) = (left, right) else {
            return Ok(None);
        };
        Ok(Some(compares(compare, &left, &right)))
    }

    fn is_member(&mut self, member: &Expr, set: &Set) -> Evaluated<bool> {
        let member = self.number(member)?;
        if let SetKind::Items(items) = &set.kind {
            let items = self.items(items)?;
            return Ok(items.map(|items| member.is_some_and(|member| items.contains(&member))));
        }
        let member = member.and_then(|member| i32::try_from(member).ok());
        let domain = self.domain(set)?;
        Ok(domain.map(|domain| member.is_some_and(|member| domain.contains(member))))
    }

    fn factorial(&mut self, of: &Expr, span: Span) -> Evaluated<i64> {
        match self.number(of)? {
            Some(of) if of >= 0 => {
                let product = (1..=of).try_fold(1i64, |product, i| product.checked_mul(i));
                within(product, span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A difference, quotient, remainder or power.
    fn arithmetic(
        &mut self,
        arithmetic: Arithmetic,
        sides: &[Expr; 2],
        span: Span,
    ) -> Evaluated<i64> {
        let (left, right) = (self.number(&sides[0])?, self.number(&sides[1])?);
        let (Some(left), Some(right)) = (left, right) else {
            return Ok(None);
        };
        Ok(match arithmetic {
            Arithmetic::Minus => Some(within(left.checked_sub(right), span)?),
            Arithmetic::Quotient if right == 0 => None,
            Arithmetic::Quotient => Some(within(floor(left, right), span)?),
            Arithmetic::Remainder if right == 0 => None,
            Arithmetic::Remainder => {
                // Between 0 and the divisor, so it fits even where the quotient does not.
                let remainder = i128::from(left).rem_euclid(i128::from(right));
                let below = remainder != 0 && right < 0;
                let remainder = remainder + if below { i128::from(right) } else { 0 };
                Some(remainder as i64)
            }
            Arithmetic::Power if right < 0 || left == 0 && right == 0 => None,
            Arithmetic::Power => Some(within(power(left, right), span)?),
        })
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        binds: &[BoundVariable],
        body: &Expr,
        span: Span,
    ) -> Evaluated<Value> {
        let mut values = Vec::new();
        let complete = self.each(binds, &[], &mut |evaluator| {
            let value = evaluator.value(body)?;
            values.push(value.and_then(|value| value.number()));
            Ok(())
        })?;
        let values: Option<Vec<i64>> = values.into_iter().collect();
        let Some(values) = values.filter(|_| complete) else {
            return Ok(None);
        };
        Ok(Some(match quantifier {
            Quantifier::ForAll => Value::Truth(values.iter().all(|&value| value != 0)),
            Quantifier::Exists => Value::Truth(values.iter().any(|&value| value != 0)),
            Quantifier::Sum => Value::Number(total(&values, span)?),
        }))
    }

    /// `sum`, `product`, `and`, `or`, `min` or `max` of a row; the last two are undefined if it is
    /// empty.
    fn folded(&mut self, fold: Fold, of: &Expr, span: Span) -> Evaluated<Value> {
        let Some(items) = self.items(of)? else {
            return Ok(None);
        };
        Ok(match fold {
            Fold::Sum => Some(Value::Number(total(&items, span)?)),
            Fold::Product => Some(Value::Number(multiplied(&items, span)?)),
            Fold::And => Some(Value::Truth(items.iter().all(|&item| item != 0))),
            Fold::Or => Some(Value::Truth(items.iter().any(|&item| item != 0))),
            Fold::Xor => {
                let held = items.iter().filter(|&&item| item != 0).count();
                Some(Value::Truth(held % 2 == 1))
            }
            Fold::Min => items.iter().min().copied().map(Value::Number),
            Fold::Max => items.iter().max().copied().map(Value::Number),
        })
    }

    fn all_different(&mut self, of: &Expr, except: Option<&Expr>) -> Evaluated<bool> {
        let items = self.items(of)?;
        let except = match except {
            None => None,
            Some(except) => match self.number(except)? {
                None => return Ok(None),
                some => some,
            },
        };
        let Some(mut items) = items else {
            return Ok(None);
        };
        items.retain(|&item| Some(item) != except);
        items.sort_unstable();
        Ok(Some(items.windows(2).all(|pair| pair[0] != pair[1])))
    }

    /// For each value, the number of items that have it compares with its count.
    fn counted(
        &mut self,
        of: &Expr,
        values: &Expr,
        counts: &Expr,
        compare: Compare,
        span: Span,
    ) -> Evaluated<bool> {
        let (of, values, counts) = (self.items(of)?, self.items(values)?, self.items(counts)?);
        let (Some(of), Some(values), Some(counts)) = (of, values, counts) else {
            return Ok(None);
        };
        if counts.len() != values.len() {
            let (counts, values) = (counts.len(), values.len());
            return Err(span.error(format!("there are {counts} counts for {values} values")));
        }
        let mut pairs = values.iter().zip(&counts);
        Ok(Some(pairs.all(|(value, count)| {
            self.poll.steps(of.len() / 16);
            let found = of.iter().filter(|&item| item == value).count() as i64;
            compares(compare, &found, count)
        })))
    }

    /// Whether the items are one of the rows, or (not positive) none of them.
    fn in_table(&mut self, positive: bool, sides: &[Expr; 2], span: Span) -> Evaluated<bool> {
        let (of, rows) = (self.items(&sides[0])?, self.value(&sides[1])?);
        let (Some(of), Some(Value::Matrix(rows))) = (of, rows) else {
            return Ok(None);
        };
        if !rows.items.is_empty() && rows.axes[1].length() != of.len() {
            let (width, items) = (rows.axes[1].length(), of.len());
            let message = format!("a row has {width} values, but there are {items} items");
            return Err(span.error(message));
        }
        self.poll.steps(rows.items.len() / 16);
        let listed = match of.len() {
            0 => rows.axes[0].length() > 0,
            width => rows.items.chunks(width).any(|row| row == of),
        };
        Ok(Some(listed == positive))
    }

    fn numbers(&mut self, exprs: &[Expr]) -> Evaluated<Vec<i64>> {
        let mut numbers = Vec::new();
        for expr in exprs {
            numbers.push(self.number(expr)?);
        }
        Ok(numbers.into_iter().collect())
    }

    /// The items of a one-dimensional matrix.
    pub(super) fn items(&mut self, expr: &Expr) -> Evaluated<Vec<i64>> {
        let value = self.value(expr)?;
        let matrix = value.as_ref().and_then(Value::matrix);
        Ok(matrix.map(|matrix| matrix.items.clone()))
    }

    /// Calls `act` for every assignment of the bound variables that meets the conditions. Returns
    /// false if a domain is undefined.
    pub(super) fn each(
        &mut self,
        binds: &[BoundVariable],
        conditions: &[Expr],
        act: &mut dyn FnMut(&mut Self) -> Result<(), BadText>,
    ) -> Result<bool, BadText> {
        let Some((bind, rest)) = binds.split_first() else {
            for condition in conditions {
                if !self.truth(condition)? {
                    return Ok(true);
                }
            }
            act(self)?;
            return Ok(true);
        };
        let Some(members) = self.members(&bind.domain)? else {
            return Ok(false);
        };
        let mut complete = true;
        for member in members {
            self.poll.step();
            self.locals.truncate(bind.slot);
            self.locals.push(member);
            complete &= self.each(rest, conditions, act)?;
        }
        self.locals.truncate(bind.slot);
        Ok(complete)
    }

    /// A matrix of these rows, with the index written behind `;` if there is one.
    fn matrix(
        &mut self,
        values: Option<Vec<Value>>,
        index: Option<&Set>,
        expr: &Expr,
    ) -> Evaluated<Value> {
        let Some(values) = values else {
            return Ok(None);
        };
        let Some(axis) = self.first_axis(values.len(), index, expr.span)? else {
            return Ok(None);
        };
        let mut axes = vec![axis];
        let mut items = Vec::new();
        for (i, value) in values.iter().enumerate() {
            match value {
                Value::Matrix(row) => {
                    if i == 0 {
                        axes.extend(row.axes.iter().cloned());
                    } else if !alike(&axes[1..], &row.axes) {
                        self.ragged = true;
                        return Err(expr.span.error(RAGGED));
                    }
                    items.extend_from_slice(&row.items);
                }
                scalar => items.push(scalar.number().expect("a scalar")),
            }
        }
        // A matrix without rows gets inner dimensions of length 0.
        while axes.len() < usize::from(expr.ty.dims) {
            axes.push(Axis::from_one(0));
        }
        let of = expr.ty.of;
        Ok(Some(Value::Matrix(Matrix { axes, of, items }.into())))
    }

    /// The index of a matrix with this many rows: as written behind `;`, otherwise counted from 1.
    pub(super) fn first_axis(
        &mut self,
        length: usize,
        index: Option<&Set>,
        span: Span,
    ) -> Evaluated<Axis> {
        let Some(set) = index else {
            return Ok(Some(Axis::from_one(length)));
        };
        let Some(mut axis) = self.axis(set)? else {
            return Ok(None);
        };
        if axis.domain.len() != length as u64 {
            // An open index (`; int(0..)`) starts at its lower bound and has as many members as
            // there are items.
            let open = axis.domain.ranges().len() == 1 && axis.domain.max() == i32::MAX;
            let low = if open { axis.domain.min() } else { 0 };
            let high = i32::try_from(i64::from(low) + length as i64 - 1);
            match high {
                Ok(high) if open => axis.domain = ployglot_csp::Domain::range(low, high),
                _ => {
                    let message = format!("the index {axis} does not fit {length} items");
                    return Err(span.error(message));
                }
            }
        }
        Ok(Some(axis))
    }

    /// An item of a matrix, or (`None` keeps a dimension) a slice of it.
    fn indexed(&mut self, of: &Expr, indices: &[Option<Expr>]) -> Evaluated<Value> {
        let matrix = self.value(of)?;
        let mut members = Vec::new();
        for index in indices {
            members.push(match index {
                None => None,
                Some(index) => match self.number(index)? {
                    None => return Ok(None),
                    member => member,
                },
            });
        }
        let Some(Value::Matrix(matrix)) = matrix else {
            return Ok(None);
        };
        // The positions of the selected items.
        let mut chosen = vec![0];
        let mut axes = Vec::new();
        for (axis, member) in matrix.axes.iter().zip(members) {
            let length = axis.length();
            self.poll.steps(chosen.len());
            let picked: Vec<usize> = match member {
                None => {
                    axes.push(Axis::from_one(length));
                    (0..length).collect()
                }
                Some(member) => match axis.position(member) {
                    None => return Ok(None),
                    Some(place) => vec![place],
                },
            };
            let further = chosen
                .iter()
                .flat_map(|&place| picked.iter().map(move |&next| place * length + next));
            chosen = further.collect();
        }
        let items: Vec<i64> = chosen.iter().map(|&place| matrix.items[place]).collect();
        let of = matrix.of;
        Ok(Some(match (axes.is_empty(), of) {
            (true, Scalar::Bool) => Value::Truth(items[0] != 0),
            (true, _) => Value::Number(items[0]),
            (false, _) => Value::Matrix(Matrix { axes, of, items }.into()),
        }))
    }
}

fn compares<T: PartialOrd>(compare: Compare, left: &T, right: &T) -> bool {
    match compare {
        Compare::Equal => left == right,
        Compare::NotEqual => left != right,
        Compare::Less => left < right,
        Compare::AtMost => left <= right,
        Compare::Greater => left > right,
        Compare::AtLeast => left >= right,
    }
}

/// An error where the number did not fit 64 bits.
fn within(number: Option<i64>, span: Span) -> Result<i64, BadText> {
    number.ok_or_else(|| span.too_large("this number does not fit 64 bits"))
}

fn total(numbers: &[i64], span: Span) -> Result<i64, BadText> {
    let sum = numbers
        .iter()
        .try_fold(0i64, |sum, &number| sum.checked_add(number));
    within(sum, span)
}

fn multiplied(numbers: &[i64], span: Span) -> Result<i64, BadText> {
    let product = numbers
        .iter()
        .try_fold(1i64, |product, &number| product.checked_mul(number));
    within(product, span)
}

/// The quotient rounded down; `None` if it does not fit 64 bits.
fn floor(left: i64, right: i64) -> Option<i64> {
    let quotient = left.checked_div(right)?;
    Some(match left % right != 0 && (left < 0) != (right < 0) {
        true => quotient - 1,
        false => quotient,
    })
}

/// `None` if it does not fit 64 bits; the exponent is not negative.
fn power(base: i64, exponent: i64) -> Option<i64> {
    match (base, u32::try_from(exponent)) {
        (0 | 1, _) | (_, Ok(0)) => Some(if exponent == 0 { 1 } else { base }),
        (-1, _) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        (_, Ok(exponent)) => base.checked_pow(exponent),
        (_, Err(_)) => None,
    }
}

fn truth(truth: Evaluated<bool>) -> Evaluated<Value> {
    Ok(truth?.map(Value::Truth))
}

fn number(number: Evaluated<i64>) -> Evaluated<Value> {
    Ok(number?.map(Value::Number))
}
