//! Matrices by their rows: `flatten` and short tables, whose rows may have different lengths.

use std::rc::Rc;

use super::build::{Builder, Items, Meaning, TermMatrix};
use super::matrix::bools_of;
use super::nodes::{Bool, Int};
use crate::evaluate::RAGGED;
use crate::model::*;
use crate::value::{Axis, alike};

impl Builder<'_> {
    /// The matrix with its first `merged + 1` dimensions as one; `None` if it is always undefined.
    pub(super) fn flatten(&mut self, merged: usize, of: &Expr) -> Option<Rc<TermMatrix>> {
        if merged == 0 {
            return self.matrix(of);
        }
        let mut rows = Vec::new();
        let by_rows = self.each_row(of, &mut |builder, row| {
            let row = builder.flatten(merged - 1, row);
            let defined = row.is_some();
            rows.push(row);
            defined && builder.error.is_none()
        });
        match by_rows {
            Some(true) => {}
            Some(false) => return None,
            None => {
                let matrix = self.matrix(of)?;
                let (joined, kept) = matrix.axes.split_at(merged + 1);
                let first = Axis::from_one(joined.iter().map(Axis::length).product());
                return Some(Rc::new(TermMatrix {
                    axes: [first].into_iter().chain(kept.iter().cloned()).collect(),
                    items: matrix.items.clone(),
                }));
            }
        }
        let rows: Vec<Rc<TermMatrix>> = rows.into_iter().collect::<Option<_>>()?;
        let is_bool = of.ty.of == Scalar::Bool;
        let (mut ints, mut bools) = (Vec::new(), Vec::new());
        let mut length = 0;
        let mut inner: Option<&[Axis]> = None;
        for row in &rows {
            if row.axes[0].length() == 0 {
                continue;
            }
            length += row.axes[0].length();
            if inner.is_some_and(|inner| !alike(inner, &row.axes[1..])) {
                self.fail(of.span, RAGGED);
                return None;
            }
            inner = Some(&row.axes[1..]);
            match is_bool {
                true => bools.extend(bools_of(&row.items)),
                false => ints.extend(self.items_as_ints(row.items.clone())),
            }
        }
        let kept = usize::from(of.ty.dims) - merged - 1;
        let inner = inner.map_or_else(|| vec![Axis::from_one(0); kept], <[Axis]>::to_vec);
        Some(Rc::new(TermMatrix {
            axes: [Axis::from_one(length)].into_iter().chain(inner).collect(),
            items: match is_bool {
                true => Items::Bools(bools),
                false => Items::Ints(ints),
            },
        }))
    }

    /// Calls `act` for each row of a literal or comprehension, or of a letting whose rows differ in
    /// length, until it returns false. `None`: the expression is none of these. `Some(false)`: a
    /// domain is undefined.
    fn each_row(
        &mut self,
        of: &Expr,
        act: &mut dyn FnMut(&mut Self, &Expr) -> bool,
    ) -> Option<bool> {
        match &of.kind {
            ExprKind::Matrix(parts, _) => {
                for part in parts {
                    if !act(self, part) {
                        break;
                    }
                }
                Some(true)
            }
            ExprKind::Comprehension {
                body,
                binds,
                conditions,
                ..
            } => Some(self.each(binds, conditions, &mut |builder| act(builder, body))),
            ExprKind::Global(GlobalId(place)) => {
                let Meaning::Ragged(value) = &self.globals[*place as usize] else {
                    return None;
                };
                let value = value.clone();
                // Quantified variables around the use are not in scope in the declaration.
                let locals = std::mem::take(&mut self.locals);
                let rows = self.each_row(&value, act);
                self.locals = locals;
                rows
            }
            _ => None,
        }
    }

    /// The indices of a matrix, whether or not its items are defined; `None` if an index is
    /// undefined.
    pub(super) fn axes(&mut self, expr: &Expr) -> Option<Vec<Axis>> {
        let mut all = match &expr.kind {
            ExprKind::Matrix(parts, index) => {
                let mut axes = vec![self.first_axis(parts.len(), index.as_ref(), expr)?];
                if let Some(part) = parts.first()
                    && part.ty.dims > 0
                {
                    axes.extend(self.axes(part)?);
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
                let defined = self.each(binds, conditions, &mut |builder| {
                    length += 1;
                    if length == 1 && body.ty.dims > 0 {
                        inner = builder.axes(body);
                    }
                    true
                });
                if !defined {
                    return None;
                }
                let first = self.first_axis(length, index.as_ref(), expr)?;
                [first].into_iter().chain(inner?).collect()
            }
            ExprKind::Flatten(0, of) => return self.axes(of),
            ExprKind::Flatten(merged, of) => {
                let mut rows = Vec::new();
                let by_rows = self.each_row(of, &mut |builder, row| {
                    rows.push(match merged {
                        1 => builder.axes(row),
                        _ => builder.flat_axes(merged - 1, row),
                    });
                    true
                });
                match by_rows {
                    Some(true) => {
                        let rows: Vec<Vec<Axis>> = rows.into_iter().collect::<Option<_>>()?;
                        let length = rows.iter().map(|axes| axes[0].length()).sum();
                        let inner = rows.first().map_or(&[][..], |axes| &axes[1..]);
                        let first = [Axis::from_one(length)].into_iter();
                        first.chain(inner.iter().cloned()).collect()
                    }
                    Some(false) => return None,
                    None => self.flat_axes(*merged, of)?,
                }
            }
            ExprKind::Index(of, indices) if expr.depends_on.is_some() => {
                let axes = self.axes(of)?;
                let kept = axes
                    .iter()
                    .zip(indices)
                    .filter(|(_, index)| index.is_none());
                kept.map(|(axis, _)| Axis::from_one(axis.length()))
                    .collect()
            }
            _ => self.matrix(expr)?.axes.clone(),
        };
        while all.len() < usize::from(expr.ty.dims) {
            all.push(Axis::from_one(0));
        }
        Some(all)
    }

    /// The indices of `flatten(merged, of)`, for a matrix whose rows have one length.
    fn flat_axes(&mut self, merged: usize, of: &Expr) -> Option<Vec<Axis>> {
        let axes = self.axes(of)?;
        let (joined, kept) = axes.split_at(merged + 1);
        let first = Axis::from_one(joined.iter().map(Axis::length).product());
        Some([first].into_iter().chain(kept.iter().cloned()).collect())
    }

    /// The items agree with all pairs of some row.
    pub(super) fn short_table(&mut self, [items, rows]: &[Expr; 2]) -> Option<Bool> {
        let items = self.ints(items)?;
        if rows.ty.dims < 3 {
            return Some(Bool::FALSE);
        }
        let mut lists: Vec<Option<Rc<TermMatrix>>> = Vec::new();
        let by_rows = self.each_row(rows, &mut |builder, row| {
            lists.push(builder.flatten(1, row));
            builder.error.is_none()
        });
        let lists: Vec<Vec<i64>> = match by_rows {
            Some(true) => {
                let lists: Vec<Rc<TermMatrix>> = lists.into_iter().collect::<Option<_>>()?;
                lists.iter().map(|row| self.numbers(row)).collect()
            }
            Some(false) => return None,
            None => {
                let matrix = self.matrix(rows)?;
                let width = matrix.axes[1].length() * matrix.axes[2].length();
                let numbers = self.numbers(&matrix);
                let row = |at: usize| numbers[at * width..(at + 1) * width].to_vec();
                (0..matrix.axes[0].length()).map(row).collect()
            }
        };
        let mut rows_hold = Vec::with_capacity(lists.len());
        for list in lists {
            let mut pairs = Vec::with_capacity(list.len() / 2);
            for pair in list.chunks(2) {
                let &[place, value] = pair else {
                    let message = "a row of 'tableshort' has pairs of a place and a value";
                    self.fail(rows.span, message);
                    return None;
                };
                if place < 1 {
                    self.fail(rows.span, "the places of 'tableshort' are counted from 1");
                    return None;
                }
                let item = usize::try_from(place - 1).ok().and_then(|at| items.get(at));
                pairs.push(match item {
                    Some(&item) => self.nodes.equal(item, Int::Constant(value)),
                    None => Bool::FALSE,
                });
            }
            rows_hold.push(self.nodes.and(pairs));
        }
        Some(self.nodes.or(rows_hold))
    }
}
