//! Matrices by their rows: `flatten` and short tables, whose rows may have different lengths, and the
//! index of a matrix whose items have no values yet.
//!
//! A matrix with rows of different lengths has no [`Value`]. It may be written where its rows are
//! used one by one: as a literal, a comprehension, or the name of a letting that is one of these.

use ployglot_base::BadText;

use super::{Evaluated, Evaluator, GlobalValue};
use crate::model::*;
use crate::value::{Axis, Matrix, Value, alike};

impl Evaluator<'_> {
    /// The matrix with its first `merged + 1` dimensions as one.
    pub(super) fn flattened(&mut self, merged: usize, of: &Expr) -> Evaluated<Value> {
        if merged == 0 {
            return self.value(of);
        }
        let mut rows = Vec::new();
        let by_rows = self.each_row(of, &mut |evaluator, row| {
            rows.push(evaluator.flattened(merged - 1, row)?);
            Ok(())
        })?;
        match by_rows {
            Some(true) => {}
            Some(false) => return Ok(None),
            None => return self.flattened_value(merged, of),
        }
        // All rows have the same inner indices; rows without items may have any.
        let mut inner: Option<Vec<Axis>> = None;
        let mut items = Vec::new();
        let mut length = 0;
        for row in rows {
            let Some(Value::Matrix(row)) = row else {
                return Ok(None);
            };
            if row.axes[0].length() == 0 {
                continue;
            }
            length += row.axes[0].length();
            match &inner {
                Some(inner) if !alike(inner, &row.axes[1..]) => {
                    self.ragged = true;
                    return Err(of.span.error(super::RAGGED));
                }
                Some(_) => {}
                None => inner = Some(row.axes[1..].to_vec()),
            }
            items.extend_from_slice(&row.items);
        }
        let kept = usize::from(of.ty.dims) - merged - 1;
        let inner = inner.unwrap_or_else(|| vec![Axis::from_one(0); kept]);
        let axes = [Axis::from_one(length)].into_iter().chain(inner).collect();
        let of = of.ty.of;
        Ok(Some(Value::Matrix(Matrix { axes, of, items }.into())))
    }

    fn flattened_value(&mut self, merged: usize, of: &Expr) -> Evaluated<Value> {
        let Some(Value::Matrix(matrix)) = self.value(of)? else {
            return Ok(None);
        };
        let (joined, kept) = matrix.axes.split_at(merged + 1);
        let first = Axis::from_one(joined.iter().map(Axis::length).product());
        let axes = [first].into_iter().chain(kept.iter().cloned()).collect();
        let (of, items) = (matrix.of, matrix.items.clone());
        Ok(Some(Value::Matrix(Matrix { axes, of, items }.into())))
    }

    /// Calls `act` for each row of a literal or comprehension, or of a letting whose rows differ in
    /// length. `None`: the expression is none of these. `Some(false)`: a domain is undefined.
    #[allow(
        clippy::type_complexity,
        reason = "the callback of `each`, with the row as a second argument"
    )]
    pub(super) fn each_row(
        &mut self,
        of: &Expr,
        act: &mut dyn FnMut(&mut Self, &Expr) -> Result<(), BadText>,
    ) -> Result<Option<bool>, BadText> {
        match &of.kind {
            ExprKind::Matrix(parts, _) => {
                for part in parts {
                    act(self, part)?;
                }
                Ok(Some(true))
            }
            ExprKind::Comprehension {
                body,
                binds,
                conditions,
                ..
            } => {
                let complete = self.each(binds, conditions, &mut |evaluator| act(evaluator, body));
                complete.map(Some)
            }
            ExprKind::Global(id) if matches!(self.global_value(*id)?, GlobalValue::Ragged) => {
                let model = self.model;
                let Role::Letting(_, value) = &model.global(*id).role else {
                    unreachable!("only lettings have rows of different lengths")
                };
                // Quantified variables around the use are not in scope in the declaration.
                let locals = std::mem::take(&mut self.locals);
                let rows = self.each_row(value, act);
                self.locals = locals;
                rows
            }
            _ => Ok(None),
        }
    }

    /// Whether the items agree with all pairs of some row.
    pub(super) fn in_short_table(&mut self, [items, rows]: &[Expr; 2]) -> Evaluated<bool> {
        let Some(items) = self.items(items)? else {
            return Ok(None);
        };
        let Some(rows) = self.pairs(rows)? else {
            return Ok(None);
        };
        let agrees = |&(place, value): &(usize, i64)| items.get(place) == Some(&value);
        Ok(Some(rows.iter().any(|row| row.iter().all(agrees))))
    }

    /// The rows of a short table: places, counted from 0, with their values.
    fn pairs(&mut self, rows: &Expr) -> Evaluated<Vec<Vec<(usize, i64)>>> {
        let span = rows.span;
        if rows.ty.dims < 3 {
            return Ok(Some(Vec::new()));
        }
        let mut flat: Vec<Option<Value>> = Vec::new();
        let by_rows = self.each_row(rows, &mut |evaluator, row| {
            flat.push(evaluator.flattened(1, row)?);
            Ok(())
        })?;
        if by_rows == Some(false) {
            return Ok(None);
        }
        let lists: Option<Vec<Vec<i64>>> = match by_rows {
            Some(_) => {
                let items = |value: Option<Value>| value?.matrix().map(|row| row.items.clone());
                flat.into_iter().map(items).collect()
            }
            None => self.value(rows)?.and_then(|value| {
                let matrix = value.matrix()?;
                let width = matrix.axes[1].length() * matrix.axes[2].length();
                let row = |at: usize| matrix.items[at * width..(at + 1) * width].to_vec();
                Some((0..matrix.axes[0].length()).map(row).collect())
            }),
        };
        let Some(lists) = lists else {
            return Ok(None);
        };
        let mut all = Vec::new();
        for list in lists {
            let mut row = Vec::new();
            for pair in list.chunks(2) {
                let &[place, value] = pair else {
                    let message = "a row of 'tableshort' has pairs of a place and a value";
                    return Err(span.error(message));
                };
                let place = usize::try_from(place).ok().and_then(|at| at.checked_sub(1));
                let place = place
                    .ok_or_else(|| span.error("the places of 'tableshort' are counted from 1"))?;
                row.push((place, value));
            }
            all.push(row);
        }
        Ok(Some(all))
    }

    /// The indices of a matrix, whose items may depend on decision variables without values.
    pub(super) fn axes(&mut self, expr: &Expr) -> Evaluated<Vec<Axis>> {
        let mut all = match &expr.kind {
            ExprKind::Global(id) => match self.global_value(*id)? {
                GlobalValue::Find(shape) => shape.axes,
                _ => match self.value(expr)? {
                    Some(Value::Matrix(matrix)) => matrix.axes.clone(),
                    _ => return Ok(None),
                },
            },
            ExprKind::Matrix(parts, index) => {
                let Some(first) = self.first_axis(parts.len(), index.as_ref(), expr.span)? else {
                    return Ok(None);
                };
                let mut axes = vec![first];
                if let Some(part) = parts.first()
                    && part.ty.dims > 0
                {
                    match self.axes(part)? {
                        Some(inner) => axes.extend(inner),
                        None => return Ok(None),
                    }
                }
                axes
            }
            ExprKind::Comprehension {
                body,
                binds,
                conditions,
                index,
            } => {
                let mut length = 0;
                let mut inner = Some(Vec::new());
                let complete = self.each(binds, conditions, &mut |evaluator| {
                    length += 1;
                    if length == 1 && body.ty.dims > 0 {
                        inner = evaluator.axes(body)?;
                    }
                    Ok(())
                })?;
                let first = self.first_axis(length, index.as_ref(), expr.span)?;
                let (Some(first), Some(inner), true) = (first, inner, complete) else {
                    return Ok(None);
                };
                [first].into_iter().chain(inner).collect()
            }
            ExprKind::Flatten(0, of) => return self.axes(of),
            ExprKind::Flatten(merged, of) => {
                let mut length = Some(0);
                let mut inner = None;
                let by_rows = self.each_row(of, &mut |evaluator, row| {
                    let axes = match merged {
                        1 => evaluator.axes(row)?,
                        _ => evaluator.flat_axes(merged - 1, row)?,
                    };
                    length = match (length, &axes) {
                        (Some(length), Some(axes)) => Some(length + axes[0].length()),
                        _ => None,
                    };
                    inner = inner.take().or(axes.map(|axes| axes[1..].to_vec()));
                    Ok(())
                })?;
                match by_rows {
                    Some(true) => {
                        let Some(length) = length else {
                            return Ok(None);
                        };
                        let first = [Axis::from_one(length)].into_iter();
                        first.chain(inner.unwrap_or_default()).collect()
                    }
                    Some(false) => return Ok(None),
                    None => match self.flat_axes(*merged, of)? {
                        Some(axes) => axes,
                        None => return Ok(None),
                    },
                }
            }
            ExprKind::Index(of, indices) if expr.depends_on.is_some() => {
                let Some(axes) = self.axes(of)? else {
                    return Ok(None);
                };
                let kept = axes
                    .iter()
                    .zip(indices)
                    .filter(|(_, index)| index.is_none());
                kept.map(|(axis, _)| Axis::from_one(axis.length()))
                    .collect()
            }
            _ => match self.value(expr)? {
                Some(Value::Matrix(matrix)) => matrix.axes.clone(),
                _ => return Ok(None),
            },
        };
        while all.len() < usize::from(expr.ty.dims) {
            all.push(Axis::from_one(0));
        }
        Ok(Some(all))
    }

    /// The indices of `flatten(merged, of)`, for a matrix whose rows have one length.
    fn flat_axes(&mut self, merged: usize, of: &Expr) -> Evaluated<Vec<Axis>> {
        let Some(axes) = self.axes(of)? else {
            return Ok(None);
        };
        let (joined, kept) = axes.split_at(merged + 1);
        let first = Axis::from_one(joined.iter().map(Axis::length).product());
        Ok(Some(
            [first].into_iter().chain(kept.iter().cloned()).collect(),
        ))
    }
}
