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
