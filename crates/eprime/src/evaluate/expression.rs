//! Terms: each operator as the language describes it.

use ployglot_base::BadText;

use super::{Answer, Evaluator};
use crate::lex::Spot;
use crate::model::*;
use crate::tree::{Compare, Quantifier};
use crate::value::{Axis, Matrix, Value};

impl Evaluator<'_> {
    /// As `value`, but a bool may be undefined here.
    pub(super) fn term(&mut self, expr: &Expr) -> Answer<Value> {
        let spot = expr.spot;
        let number = |number: Option<i64>| Ok(number.map(Value::Number));
        let truth = |truth: bool| Ok(Some(Value::Truth(truth)));
        match &expr.kind {
            ExprKind::Number(value) => number(Some(*value)),
            ExprKind::Truth(value) => truth(*value),
            ExprKind::Global(id) => self.global(*id, expr),
            ExprKind::Local(slot) => Ok(Some(self.locals[*slot].clone())),
            ExprKind::Not(of) => {
                let of = self.truth(of)?;
                truth(!of)
            }
            ExprKind::And(parts) => {
                for part in parts {
                    if !self.truth(part)? {
                        return truth(false);
                    }
                }
                truth(true)
            }
            ExprKind::Or(parts) => {
                for part in parts {
                    if self.truth(part)? {
                        return truth(true);
                    }
                }
                truth(false)
            }
            ExprKind::Implies(sides) => {
                let holds = !self.truth(&sides[0])? || self.truth(&sides[1])?;
                truth(holds)
            }
            ExprKind::Iff(sides) => {
                let holds = self.truth(&sides[0])? == self.truth(&sides[1])?;
                truth(holds)
            }
            ExprKind::Compare(compare, sides) => {
                let (left, right) = (self.number(&sides[0])?, self.number(&sides[1])?);
                let (Some(left), Some(right)) = (left, right) else {
                    return Ok(None);
                };
                truth(compares(*compare, &left, &right))
            }
            ExprKind::Lex(compare, sides) => {
                let (left, right) = (self.items(&sides[0])?, self.items(&sides[1])?);
                let (Some(left), Some(right)) = (left, right) else {
                    return Ok(None);
                };
                truth(compares(*compare, &left, &right))
            }
            ExprKind::In(member, set) => {
                let member = self.number(member)?;
                let members = match &set.kind {
                    SetKind::Items(items) => {
                        let items = self.items(items)?;
                        items.map(|items| member.is_some_and(|member| items.contains(&member)))
                    }
                    _ => self.domain(set)?.map(|domain| {
                        let member = member.and_then(|member| i32::try_from(member).ok());
                        member.is_some_and(|member| domain.contains(member))
                    }),
                };
                Ok(members.map(Value::Truth))
            }
            ExprKind::ToInt(of) => {
                let of = self.number(of)?;
                number(of)
            }
            ExprKind::Negate(of) => {
                let of = self.number(of)?;
                number(of.map(|of| -of))
            }
            ExprKind::Absolute(of) => {
                let of = self.number(of)?;
                number(of.map(i64::abs))
            }
            ExprKind::Factorial(of) => match self.number(of)? {
                Some(of) if of >= 0 => {
                    let product = (1..=of).try_fold(1i64, |product, i| product.checked_mul(i));
                    number(Some(within(product, spot)?))
                }
                _ => Ok(None),
            },
            ExprKind::PopCount(of) => match self.number(of)? {
                Some(of) if of >= 0 => number(Some(i64::from(of.count_ones()))),
                _ => Ok(None),
            },
            ExprKind::Sum(parts) => {
                let parts = self.numbers(parts)?;
                number(parts.map(|parts| total(&parts, spot)).transpose()?)
            }
            ExprKind::Product(parts) => {
                let parts = self.numbers(parts)?;
                number(parts.map(|parts| multiplied(&parts, spot)).transpose()?)
            }
            ExprKind::Arithmetic(arithmetic, sides) => {
                let (left, right) = (self.number(&sides[0])?, self.number(&sides[1])?);
                let (Some(left), Some(right)) = (left, right) else {
                    return Ok(None);
                };
                number(match arithmetic {
                    Arithmetic::Minus => Some(within(left.checked_sub(right), spot)?),
                    Arithmetic::Quotient if right == 0 => None,
                    Arithmetic::Quotient => Some(floor(left, right)),
                    Arithmetic::Remainder if right == 0 => None,
                    Arithmetic::Remainder => Some(left - right * floor(left, right)),
                    Arithmetic::Power if right < 0 => None,
                    Arithmetic::Power => {
                        let power = match (left, u32::try_from(right)) {
                            (0 | 1, _) | (_, Ok(0)) => Some(if right == 0 { 1 } else { left }),
                            (-1, _) => Some(if right % 2 == 0 { 1 } else { -1 }),
                            (_, Ok(right)) => left.checked_pow(right),
                            (_, Err(_)) => None,
                        };
                        Some(within(power, spot)?)
                    }
                })
            }
            ExprKind::Quantified(quantifier, binds, body) => {
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
                match quantifier {
                    Quantifier::ForAll => truth(values.iter().all(|&value| value != 0)),
                    Quantifier::Exists => truth(values.iter().any(|&value| value != 0)),
                    Quantifier::Sum => number(Some(total(&values, spot)?)),
                }
            }
            ExprKind::Fold(fold, of) => {
                let Some(items) = self.items(of)? else {
                    return Ok(None);
                };
                match fold {
                    Fold::Sum => number(Some(total(&items, spot)?)),
                    Fold::Product => number(Some(multiplied(&items, spot)?)),
                    Fold::And => truth(items.iter().all(|&item| item != 0)),
                    Fold::Or => truth(items.iter().any(|&item| item != 0)),
                    Fold::Min => number(items.iter().min().copied()),
                    Fold::Max => number(items.iter().max().copied()),
                }
            }
            ExprKind::Matrix(parts, index) => {
                let mut values = Vec::new();
                for part in parts {
                    values.push(self.value(part)?);
                }
                self.matrix(values.into_iter().collect(), index.as_ref(), expr)
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
            ExprKind::Index(of, places) => self.indexed(of, places),
            ExprKind::Flatten(merged, of) => {
                let Some(Value::Matrix(matrix)) = self.value(of)? else {
                    return Ok(None);
                };
                let kept = &matrix.axes[merged + 1..];
                let length = matrix.axes[..=*merged]
                    .iter()
                    .map(Axis::length)
                    .product::<usize>();
                let first = match merged {
                    0 => matrix.axes[0].clone(),
                    _ => Axis::counted(length),
                };
                let axes = [first].into_iter().chain(kept.iter().cloned()).collect();
                let (of, items) = (matrix.of, matrix.items.clone());
                Ok(Some(Value::Matrix(Matrix { axes, of, items }.into())))
            }
            ExprKind::AllDifferent(of, except) => {
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
                truth(items.windows(2).all(|pair| pair[0] != pair[1]))
            }
            ExprKind::Occurrences(at_least, parts) => {
                let (of, counts, values) = (
                    self.items(&parts[0])?,
                    self.items(&parts[1])?,
                    self.items(&parts[2])?,
                );
                let (Some(of), Some(counts), Some(values)) = (of, counts, values) else {
                    return Ok(None);
                };
                same_length(&counts, &values, spot)?;
                let mut pairs = counts.iter().zip(&values);
                truth(pairs.all(|(&count, value)| {
                    let found = of.iter().filter(|&item| item == value).count() as i64;
                    match at_least {
                        true => found >= count,
                        false => found <= count,
                    }
                }))
            }
            ExprKind::Cardinality(parts) => {
                let (of, values, counts) = (
                    self.items(&parts[0])?,
                    self.items(&parts[1])?,
                    self.items(&parts[2])?,
                );
                let (Some(of), Some(values), Some(counts)) = (of, values, counts) else {
                    return Ok(None);
                };
                same_length(&counts, &values, spot)?;
                let mut pairs = counts.iter().zip(&values);
                truth(pairs.all(|(&count, value)| {
                    let found = of.iter().filter(|&item| item == value).count() as i64;
                    found == count
                }))
            }
            ExprKind::Table(positive, sides) => {
                let (of, rows) = (self.items(&sides[0])?, self.value(&sides[1])?);
                let (Some(of), Some(Value::Matrix(rows))) = (of, rows) else {
                    return Ok(None);
                };
                if !rows.items.is_empty() && rows.axes[1].length() != of.len() {
                    let message = format!(
                        "the rows have {} values, the items are {}",
                        rows.axes[1].length(),
                        of.len()
                    );
                    return Err(spot.bad(message));
                }
                let listed = match of.len() {
                    0 => rows.axes[0].length() > 0,
                    width => rows.items.chunks(width).any(|row| row == of),
                };
                truth(listed == *positive)
            }
        }
    }

    fn numbers(&mut self, exprs: &[Expr]) -> Answer<Vec<i64>> {
        let mut numbers = Vec::new();
        for expr in exprs {
            numbers.push(self.number(expr)?);
        }
        Ok(numbers.into_iter().collect())
    }

    /// The items of a one-dimensional matrix.
    fn items(&mut self, expr: &Expr) -> Answer<Vec<i64>> {
        let value = self.value(expr)?;
        let matrix = value.as_ref().and_then(Value::matrix);
        Ok(matrix.map(|matrix| matrix.items.clone()))
    }

    /// Calls for every choice of the bound variables that fits the conditions. False: a domain is undefined.
    fn each(
        &mut self,
        binds: &[Bind],
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
            self.locals.truncate(bind.slot);
            self.locals.push(member);
            complete &= self.each(rest, conditions, act)?;
        }
        self.locals.truncate(bind.slot);
        Ok(complete)
    }

    fn matrix(
        &mut self,
        values: Option<Vec<Value>>,
        index: Option<&Set>,
        expr: &Expr,
    ) -> Answer<Value> {
        let axis = match index {
            None => None,
            Some(set) => match self.axis(set)? {
                None => return Ok(None),
                axis => axis,
            },
        };
        let Some(values) = values else {
            return Ok(None);
        };
        let length = values.len();
        let mut axis = axis.unwrap_or_else(|| Axis::counted(length));
        if axis.domain.len() != length as u64 {
            // An open index starts where it says and is as long as it must be.
            let open = !axis.domain.is_empty() && axis.domain.max() == i32::MAX;
            if !open || axis.domain.ranges().len() != 1 {
                let message = format!("the index {axis} does not fit {length} items");
                return Err(expr.spot.bad(message));
            }
            let low = axis.domain.min();
            let high = i64::from(low) + length as i64 - 1;
            axis.domain = ployglot_csp::Domain::range(low, high as i32);
        }
        let mut axes = vec![axis];
        let mut items = Vec::new();
        for (i, value) in values.iter().enumerate() {
            match value {
                Value::Matrix(row) => {
                    if i == 0 {
                        axes.extend(row.axes.iter().cloned());
                    } else if !axes[1..].iter().eq(&row.axes) {
                        let message = "the rows of a matrix have one length and one index";
                        return Err(expr.spot.bad(message));
                    }
                    items.extend_from_slice(&row.items);
                }
                scalar => items.push(scalar.number().expect("a scalar")),
            }
        }
        // A matrix without rows does not know how long they would be.
        while axes.len() < usize::from(expr.ty.dims) {
            axes.push(Axis::counted(0));
        }
        let of = expr.ty.of;
        Ok(Some(Value::Matrix(Matrix { axes, of, items }.into())))
    }

    fn indexed(&mut self, of: &Expr, places: &[Option<Expr>]) -> Answer<Value> {
        let matrix = self.value(of)?;
        let mut members = Vec::new();
        for place in places {
            members.push(match place {
                None => None,
                Some(place) => match self.number(place)? {
                    None => return Ok(None),
                    member => member,
                },
            });
        }
        let Some(Value::Matrix(matrix)) = matrix else {
            return Ok(None);
        };
        // The places of all items that the indices leave.
        let mut chosen = vec![0];
        let mut axes = Vec::new();
        for (axis, member) in matrix.axes.iter().zip(members) {
            let length = axis.length();
            let picked: Vec<usize> = match member {
                None => {
                    axes.push(Axis::counted(length));
                    (0..length).collect()
                }
                Some(member) => match axis.place(member) {
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

fn within(number: Option<i64>, spot: Spot) -> Result<i64, BadText> {
    number.ok_or_else(|| spot.bad("this number grows beyond 64 bits"))
}

fn total(numbers: &[i64], spot: Spot) -> Result<i64, BadText> {
    let sum = numbers
        .iter()
        .try_fold(0i64, |sum, &number| sum.checked_add(number));
    within(sum, spot)
}

fn multiplied(numbers: &[i64], spot: Spot) -> Result<i64, BadText> {
    let product = numbers
        .iter()
        .try_fold(1i64, |product, &number| product.checked_mul(number));
    within(product, spot)
}

fn floor(left: i64, right: i64) -> i64 {
    let quotient = left / right;
    match left % right != 0 && (left < 0) != (right < 0) {
        true => quotient - 1,
        false => quotient,
    }
}

fn same_length(counts: &[i64], values: &[i64], spot: Spot) -> Result<(), BadText> {
    match counts.len() == values.len() {
        true => Ok(()),
        false => Err(spot.bad(format!(
            "there are {} counts for {} values",
            counts.len(),
            values.len()
        ))),
    }
}
