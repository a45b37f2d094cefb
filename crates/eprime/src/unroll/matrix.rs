//! Matrices of terms, domains, and the loops over domains.

use std::rc::Rc;

use ployglot_csp::Domain;

use super::build::{Builder, Items, Meaning, TermMatrix};
use super::nodes::{Bool, Int};
use crate::deep::deep;
use crate::evaluate::{MAX_CELLS, RAGGED};
use crate::model::*;
use crate::tree::Compare;
use crate::value::{Axis, alike};

impl Builder<'_> {
    /// A scalar that is a name, or an item of a matrix; `None` if it is always undefined.
    pub(super) fn name_or_index(&mut self, expr: &Expr) -> Option<Meaning> {
        match &expr.kind {
            ExprKind::Global(GlobalId(place)) => Some(self.globals[*place as usize].clone()),
            ExprKind::Local(slot) => Some(self.locals[*slot].clone()),
            ExprKind::Index(of, indices) => self.item(of, indices),
            _ => unreachable!("operators are built by bool and int"),
        }
    }

    /// A matrix; `None` if it is always undefined.
    pub(super) fn matrix(&mut self, expr: &Expr) -> Option<Rc<TermMatrix>> {
        deep(|| self.matrix_term(expr))
    }

    fn matrix_term(&mut self, expr: &Expr) -> Option<Rc<TermMatrix>> {
        match &expr.kind {
            ExprKind::Global(GlobalId(place)) => match &self.globals[*place as usize] {
                Meaning::Matrix(matrix) => Some(matrix.clone()),
                Meaning::Ragged(_) => {
                    self.fail(expr.span, RAGGED);
                    None
                }
                _ => unreachable!("the checker saw a matrix"),
            },
            ExprKind::Local(slot) => match &self.locals[*slot] {
                Meaning::Matrix(matrix) => Some(matrix.clone()),
                _ => unreachable!("the checker saw a matrix"),
            },
            ExprKind::Matrix(parts, index) => {
                let mut rows = Vec::with_capacity(parts.len());
                for part in parts {
                    rows.push(self.meaning(part)?);
                }
                self.stack(rows, index.as_ref(), expr)
            }
            ExprKind::Row(items, index) => {
                self.nodes.poll.allocate::<Int>(items.len() as u64);
                let axes = vec![self.first_axis(items.len(), index.as_ref(), expr)?];
                let numbers = items.iter().map(|&item| i64::from(item));
                let items = Items::constants(expr.ty.of, numbers);
                Some(Rc::new(TermMatrix { axes, items }))
            }
            ExprKind::Comprehension {
                body,
                binds,
                conditions,
                index,
            } => {
                let mut rows = Some(Vec::new());
                let defined = self.each(binds, conditions, &mut |builder| {
                    match (builder.meaning(body), &mut rows) {
                        (Some(row), Some(rows)) => rows.push(row),
                        _ => rows = None,
                    }
                    rows.is_some() && builder.error.is_none()
                });
                if !defined {
                    return None;
                }
                self.stack(rows?, index.as_ref(), expr)
            }
            ExprKind::Index(of, indices) => self.slice(of, indices),
            ExprKind::Flatten(merged, of) => self.flatten(*merged, of),
            _ => unreachable!("the checker saw a matrix"),
        }
    }

    /// An expression of any type; `None` if it is always undefined.
    pub(super) fn meaning(&mut self, expr: &Expr) -> Option<Meaning> {
        match expr.ty.dims {
            0 if expr.ty == Type::BOOL => Some(Meaning::Bool(self.bool(expr))),
            0 => self.int(expr).map(Meaning::Int),
            _ => self.matrix(expr).map(Meaning::Matrix),
        }
    }

    /// A matrix of these rows; where some are ints and some are bools, bools become ints.
    fn stack(
        &mut self,
        rows: Vec<Meaning>,
        index: Option<&Set>,
        expr: &Expr,
    ) -> Option<Rc<TermMatrix>> {
        let mut axes = vec![self.first_axis(rows.len(), index, expr)?];
        let (mut ints, mut bools) = (Vec::new(), Vec::new());
        let is_bool = expr.ty.of == Scalar::Bool;
        for (i, row) in rows.into_iter().enumerate() {
            match row {
                Meaning::Bool(term) if is_bool => bools.push(term),
                Meaning::Bool(term) => ints.push(self.nodes.int_from_bool(term)),
                Meaning::Int(term) => ints.push(term),
                Meaning::Matrix(row) => {
                    if i == 0 {
                        axes.extend(row.axes.iter().cloned());
                    } else if !alike(&axes[1..], &row.axes) {
                        self.fail(expr.span, RAGGED);
                        return None;
                    }
                    match is_bool {
                        true => bools.extend(bools_of(&row.items)),
                        false => ints.extend(self.items_as_ints(row.items.clone())),
                    }
                }
                Meaning::Domain(_) | Meaning::Ragged(_) => {
                    unreachable!("no expression means this")
                }
            }
        }
        while axes.len() < usize::from(expr.ty.dims) {
            axes.push(Axis::from_one(0));
        }
        let items = match is_bool {
            true => Items::Bools(bools),
            false => Items::Ints(ints),
        };
        Some(Rc::new(TermMatrix { axes, items }))
    }

    /// The index of a matrix with this many rows: as written after `;`, otherwise counted from 1.
    pub(super) fn first_axis(
        &mut self,
        rows: usize,
        index: Option<&Set>,
        expr: &Expr,
    ) -> Option<Axis> {
        let mut axis = match index {
            None => return Some(Axis::from_one(rows)),
            Some(set) => self.axis(set)?,
        };
        if axis.domain.len() != rows as u64 {
            let open = axis.domain.ranges().len() == 1 && axis.domain.max() == i32::MAX;
            if !open {
                let message = format!("the index {axis} does not fit {rows} items");
                self.fail(expr.span, message);
                return None;
            }
            let low = axis.domain.min();
            let Ok(high) = i32::try_from(i64::from(low) + rows as i64 - 1) else {
                let message = format!("the index {axis} does not fit {rows} items");
                self.fail(expr.span, message);
                return None;
            };
            axis.domain = Domain::range(low, high);
        }
        Some(axis)
    }

    /// The items of a matrix as ints.
    pub(super) fn ints(&mut self, expr: &Expr) -> Option<Vec<Int>> {
        let matrix = self.matrix(expr)?;
        Some(self.items_as_ints(matrix.items.clone()))
    }

    pub(super) fn items_as_ints(&mut self, items: Items) -> Vec<Int> {
        self.nodes.poll.steps(items.len());
        match items {
            Items::Ints(ints) => ints,
            Items::Bools(bools) => {
                let ints = bools.into_iter().map(|term| self.nodes.int_from_bool(term));
                ints.collect()
            }
        }
    }

    /// The items of a matrix of bools.
    pub(super) fn bools(&mut self, expr: &Expr) -> Option<Vec<Bool>> {
        let matrix = self.matrix(expr)?;
        Some(bools_of(&matrix.items))
    }

    /// The items of a matrix without decision variables.
    pub(super) fn numbers(&mut self, matrix: &TermMatrix) -> Vec<i64> {
        let number = |int: Int| match int {
            Int::Constant(number) => number,
            Int::Node(_) => unreachable!("the checker saw no decision variable"),
        };
        self.items_as_ints(matrix.items.clone())
            .into_iter()
            .map(number)
            .collect()
    }

    /// One item of a matrix.
    fn item(&mut self, of: &Expr, indices: &[Option<Expr>]) -> Option<Meaning> {
        let matrix = self.matrix(of)?;
        // The common case: all indices are constant.
        let mut at = Some(0);
        let mut terms = [Int::Constant(0); MAX_DIMENSIONS];
        for ((axis, index), term) in matrix.axes.iter().zip(indices).zip(&mut terms) {
            let index = index.as_ref().expect("a scalar keeps no dimension");
            *term = self.int(index)?;
            at = match (*term, at) {
                (Int::Constant(member), Some(at)) => {
                    Some(at * axis.length() + axis.position(member)?)
                }
                _ => None,
            };
        }
        if let Some(at) = at {
            return Some(matrix.items.get(at));
        }
        let terms: Vec<Option<Int>> = terms[..indices.len()].iter().copied().map(Some).collect();
        Some(self.select(&matrix, &terms)?.items.get(0))
    }

    /// A matrix with some of its dimensions fixed by indices.
    fn slice(&mut self, of: &Expr, indices: &[Option<Expr>]) -> Option<Rc<TermMatrix>> {
        let matrix = self.matrix(of)?;
        let mut terms = Vec::new();
        for index in indices {
            terms.push(match index {
                None => None,
                Some(index) => Some(self.int(index)?),
            });
        }
        self.select(&matrix, &terms).map(Rc::new)
    }

    /// The items that the indices select (`None` keeps a dimension). Where an index is not
    /// constant, the items are elements.
    fn select(&mut self, matrix: &TermMatrix, indices: &[Option<Int>]) -> Option<TermMatrix> {
        let mut axes = Vec::new();
        // Where the kept items start, and how far the open indices lead from there.
        self.nodes.poll.steps(matrix.items.len() / 16);
        let mut kept = vec![0];
        let mut offsets = vec![0];
        let mut open: Vec<(Int, Vec<i64>)> = Vec::new();
        let mut stride = matrix.items.len();
        for (axis, index) in matrix.axes.iter().zip(indices) {
            let length = axis.length();
            stride = stride.checked_div(length).unwrap_or(0);
            let spread = |starts: &[usize]| -> Vec<usize> {
                let all = starts
                    .iter()
                    .flat_map(|&start| (0..length).map(move |step| start + step * stride));
                all.collect()
            };
            match *index {
                None => {
                    axes.push(Axis::from_one(length));
                    kept = spread(&kept);
                }
                Some(Int::Constant(member)) => {
                    let position = axis.position(member)?;
                    kept.iter_mut()
                        .for_each(|start| *start += position * stride);
                }
                Some(index) => {
                    let defined = self.nodes.within(index, &axis.domain);
                    self.require(defined)?;
                    self.nodes.poll.allocate::<i64>(axis.domain.len());
                    let members: Vec<i64> = axis.domain.values().map(i64::from).collect();
                    offsets = spread(&offsets);
                    open.push((index, members));
                }
            }
        }
        if open.is_empty() {
            let items = matrix.items.pick(kept.into_iter());
            return Some(TermMatrix { axes, items });
        }
        let is_bool = matches!(matrix.items, Items::Bools(_));
        let (mut ints, mut bools) = (Vec::new(), Vec::new());
        for &start in &kept {
            let chosen = matrix
                .items
                .pick(offsets.iter().map(|&offset| start + offset));
            let chosen = self.items_as_ints(chosen);
            let element = self.nodes.element(chosen, open.clone());
            match is_bool {
                true => {
                    let one = Int::Constant(1);
                    bools.push(self.nodes.compare(Compare::AtLeast, element, one));
                }
                false => ints.push(element),
            }
        }
        let items = match is_bool {
            true => Items::Bools(bools),
            false => Items::Ints(ints),
        };
        Some(TermMatrix { axes, items })
    }

    /// The members of a domain of int or bool.
    pub(super) fn domain(&mut self, set: &Set) -> Option<Rc<Domain>> {
        Some(match &set.kind {
            SetKind::Bool => Rc::new(Domain::bool()),
            SetKind::Int(None) => Rc::new(Domain::range(i32::MIN, i32::MAX)),
            SetKind::Int(Some(ranges)) => {
                let mut all = Vec::with_capacity(ranges.len());
                for range in ranges {
                    let (from, to) = match range {
                        Bounds::Items(items) => {
                            let values = self.values_in_32_bits(items)?;
                            all.extend(values.into_iter().map(|value| (value, value)));
                            continue;
                        }
                        Bounds::Single(single) => {
                            let value = self.number(single)?;
                            (value, value)
                        }
                        Bounds::Between(from, to) => {
                            let low = match from {
                                Some(from) => self.number(from)?,
                                None => i64::from(i32::MIN),
                            };
                            let high = match to {
                                Some(to) => self.number(to)?,
                                None => i64::from(i32::MAX),
                            };
                            (low, high)
                        }
                    };
                    if from > to {
                        continue;
                    }
                    let (Ok(from), Ok(to)) = (i32::try_from(from), i32::try_from(to)) else {
                        self.fail_too_large(
                            set.span,
                            "a bound of this domain does not fit 32 bits",
                        );
                        return None;
                    };
                    all.push((from, to));
                }
                Rc::new(Domain::from_ranges(all))
            }
            SetKind::Named(GlobalId(place)) => match &self.globals[*place as usize] {
                Meaning::Domain(domain) => domain.clone(),
                _ => unreachable!("the checker saw a domain"),
            },
            SetKind::Union(sides) => {
                let (a, b) = (self.domain(&sides[0])?, self.domain(&sides[1])?);
                Rc::new(a.union(&b))
            }
            SetKind::Intersect(sides) => {
                let (a, b) = (self.domain(&sides[0])?, self.domain(&sides[1])?);
                Rc::new(a.intersect(&b))
            }
            SetKind::Minus(sides) => {
                let (a, b) = (self.domain(&sides[0])?, self.domain(&sides[1])?);
                Rc::new(a.minus(&b))
            }
            SetKind::Items(items) => Rc::new(Domain::from_values(self.values_in_32_bits(items)?)),
            SetKind::IndexOf(of) => Rc::new(self.axes(of)?[0].domain.clone()),
            SetKind::Matrix(..) => unreachable!("the checker saw a scalar domain"),
        })
    }

    /// The items of a row without decision variables, as members of a domain.
    fn values_in_32_bits(&mut self, items: &Expr) -> Option<Vec<i32>> {
        let matrix = self.matrix(items)?;
        let numbers = self.numbers(&matrix);
        let narrow = numbers.iter().map(|&n| i32::try_from(n));
        let values = narrow.collect::<Result<Vec<i32>, _>>();
        if values.is_err() {
            self.fail_too_large(items.span, "a member of this set does not fit 32 bits");
        }
        values.ok()
    }

    /// An index with these members, as written in the model.
    fn axis(&mut self, set: &Set) -> Option<Axis> {
        let domain = Domain::clone(&*self.domain(set)?);
        let is_bool = set.ty.of == Scalar::Bool;
        Some(Axis {
            domain,
            is_bool,
            explicit: true,
        })
    }

    /// Calls `act` for every assignment of the bound variables that meets the conditions, until it
    /// returns false. The result is false if a domain is undefined.
    pub(super) fn each(
        &mut self,
        binds: &[BoundVariable],
        conditions: &[Expr],
        act: &mut dyn FnMut(&mut Self) -> bool,
    ) -> bool {
        let mut continues = true;
        self.each_from(binds, conditions, act, &mut continues)
    }

    /// `each`, for the bound variables that have no value yet.
    fn each_from(
        &mut self,
        binds: &[BoundVariable],
        conditions: &[Expr],
        act: &mut dyn FnMut(&mut Self) -> bool,
        continues: &mut bool,
    ) -> bool {
        let Some((bind, rest)) = binds.split_first() else {
            for condition in conditions {
                if self.bool(condition) != Bool::TRUE {
                    return true;
                }
            }
            *continues = act(self);
            return true;
        };
        if let SetKind::Matrix(index, of) = &bind.domain.kind {
            return self.each_matrix(bind, index, of, rest, conditions, act, continues);
        }
        let Some(domain) = self.domain(&bind.domain) else {
            return false;
        };
        if domain.len() > 1 << 28 {
            self.fail(
                bind.domain.span,
                "expected a finite domain, found an open range",
            );
            return false;
        }
        let of = bind.domain.ty.of;
        let mut complete = true;
        for member in domain.values() {
            self.nodes.poll.step();
            self.locals.truncate(bind.slot);
            self.locals.push(Meaning::constant(of, i64::from(member)));
            complete &= self.each_from(rest, conditions, act, continues);
            if !*continues || self.error.is_some() {
                break;
            }
        }
        self.locals.truncate(bind.slot);
        complete
    }

    /// `each_from`, where the first variable ranges over matrices.
    #[allow(
        clippy::too_many_arguments,
        reason = "the matrix arm of each_from, which it continues"
    )]
    fn each_matrix(
        &mut self,
        bind: &BoundVariable,
        index: &[Set],
        of: &Set,
        rest: &[BoundVariable],
        conditions: &[Expr],
        act: &mut dyn FnMut(&mut Self) -> bool,
        continues: &mut bool,
    ) -> bool {
        let mut axes = Vec::new();
        for set in index {
            match self.axis(set) {
                Some(axis) => axes.push(axis),
                None => return false,
            }
        }
        let Some(of_domain) = self.domain(of) else {
            return false;
        };
        let cells = axes
            .iter()
            .fold(1u64, |cells, axis| cells.saturating_mul(axis.domain.len()));
        if cells > MAX_CELLS {
            self.fail_too_large(bind.domain.span, "this matrix is too large");
            return false;
        }
        let count = cells as usize;
        self.nodes.poll.allocate::<usize>(cells);
        let values: Vec<i32> = match of_domain.len() {
            0..=0x10_0000 => of_domain.values().collect(),
            _ => {
                self.fail_too_large(bind.domain.span, "this domain has too many matrices");
                return false;
            }
        };
        if values.is_empty() && count > 0 {
            return true;
        }
        let all = (values.len() as f64).powf(count as f64);
        if all > (1u64 << 24) as f64 {
            self.fail_too_large(bind.domain.span, "this domain has too many matrices");
            return false;
        }
        let mut picks = vec![0usize; count];
        let mut complete = true;
        loop {
            self.nodes.poll.steps(1 + count);
            let numbers = picks.iter().map(|&pick| i64::from(values[pick]));
            let matrix = TermMatrix {
                axes: axes.clone(),
                items: Items::constants(of.ty.of, numbers),
            };
            self.locals.truncate(bind.slot);
            self.locals.push(Meaning::Matrix(Rc::new(matrix)));
            complete &= self.each_from(rest, conditions, act, continues);
            // The next matrix: count up, with one digit for each item.
            let mut at = count;
            while at > 0 && picks[at - 1] + 1 == values.len() {
                at -= 1;
                picks[at] = 0;
            }
            if at == 0 || !*continues || self.error.is_some() {
                break;
            }
            picks[at - 1] += 1;
        }
        self.locals.truncate(bind.slot);
        complete
    }
}

/// The items, which the checker found to be bools; an empty matrix may have any type.
pub(super) fn bools_of(items: &Items) -> Vec<Bool> {
    match items {
        Items::Bools(bools) => bools.clone(),
        Items::Ints(ints) if ints.is_empty() => Vec::new(),
        Items::Ints(_) => unreachable!("the checker saw bools"),
    }
}
