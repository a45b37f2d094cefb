//! Matrices of terms, domains, and the loops over them.

use std::rc::Rc;

use ployglot_csp::Domain;

use super::build::{Builder, Cell, Grid, Meaning};
use super::nodes::{Bool, Int};
use crate::model::*;
use crate::value::Axis;

impl Builder<'_> {
    /// A name or an index: whatever is no operator.
    pub(super) fn cell(&mut self, expr: &Expr) -> Option<Cell> {
        match &expr.kind {
            ExprKind::Global(GlobalId(place)) => match &self.globals[*place as usize] {
                Meaning::Cell(cell) => Some(*cell),
                _ => unreachable!("the checker saw a scalar"),
            },
            ExprKind::Local(slot) => match &self.locals[*slot] {
                Meaning::Cell(cell) => Some(*cell),
                _ => unreachable!("the checker saw a scalar"),
            },
            ExprKind::Index(of, places) => self.indexed(of, places),
            _ => match expr.ty {
                Type::BOOL => Some(Cell::Bool(self.bool(expr))),
                _ => self.int(expr).map(Cell::Int),
            },
        }
    }

    /// A matrix; `None` if it is surely undefined.
    pub(super) fn grid(&mut self, expr: &Expr) -> Option<Rc<Grid>> {
        match &expr.kind {
            ExprKind::Global(GlobalId(place)) => match &self.globals[*place as usize] {
                Meaning::Grid(grid) => Some(grid.clone()),
                _ => unreachable!("the checker saw a matrix"),
            },
            ExprKind::Local(slot) => match &self.locals[*slot] {
                Meaning::Grid(grid) => Some(grid.clone()),
                _ => unreachable!("the checker saw a matrix"),
            },
            ExprKind::Matrix(parts, index) => {
                let mut rows = Vec::with_capacity(parts.len());
                for part in parts {
                    rows.push(self.meaning(part)?);
                }
                self.stack(rows, index.as_ref(), expr)
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
            ExprKind::Index(of, places) => self.slice(of, places),
            ExprKind::Flatten(merged, of) => {
                let grid = self.grid(of)?;
                let length = grid.axes[..=*merged].iter().map(Axis::length).product();
                let first = match merged {
                    0 => grid.axes[0].clone(),
                    _ => Axis::counted(length),
                };
                let kept = grid.axes[merged + 1..].iter().cloned();
                Some(Rc::new(Grid {
                    axes: [first].into_iter().chain(kept).collect(),
                    cells: grid.cells.clone(),
                }))
            }
            _ => unreachable!("the checker saw a matrix"),
        }
    }

    fn meaning(&mut self, expr: &Expr) -> Option<Meaning> {
        match expr.ty.dims {
            0 if expr.ty == Type::BOOL => Some(Meaning::Cell(Cell::Bool(self.bool(expr)))),
            0 => self.int(expr).map(|int| Meaning::Cell(Cell::Int(int))),
            _ => self.grid(expr).map(Meaning::Grid),
        }
    }

    fn stack(&mut self, rows: Vec<Meaning>, index: Option<&Set>, expr: &Expr) -> Option<Rc<Grid>> {
        let mut axis = match index {
            None => Axis::counted(rows.len()),
            Some(set) => self.axis(set)?,
        };
        if axis.domain.len() != rows.len() as u64 {
            let open = axis.domain.ranges().len() == 1 && axis.domain.max() == i32::MAX;
            if !open {
                let message = format!("the index {axis} does not fit {} items", rows.len());
                self.fail(expr.spot, message);
                return None;
            }
            let low = axis.domain.min();
            let high = i64::from(low) + rows.len() as i64 - 1;
            axis.domain = Domain::range(low, high as i32);
        }
        let mut axes = vec![axis];
        let mut cells = Vec::with_capacity(rows.len());
        for (i, row) in rows.into_iter().enumerate() {
            match row {
                Meaning::Cell(cell) => cells.push(cell),
                Meaning::Grid(row) => {
                    if i == 0 {
                        axes.extend(row.axes.iter().cloned());
                    } else if !axes[1..].iter().eq(&row.axes) {
                        let message = "the rows of a matrix have one length and one index";
                        self.fail(expr.spot, message);
                        return None;
                    }
                    cells.extend_from_slice(&row.cells);
                }
                Meaning::Domain(_) => unreachable!("the checker keeps domains out"),
            }
        }
        while axes.len() < usize::from(expr.ty.dims) {
            axes.push(Axis::counted(0));
        }
        Some(Rc::new(Grid { axes, cells }))
    }

    pub(super) fn ints(&mut self, expr: &Expr) -> Option<Vec<Int>> {
        let grid = self.grid(expr)?;
        Some(grid.cells.iter().map(|&cell| self.int_of(cell)).collect())
    }

    pub(super) fn bools(&mut self, expr: &Expr) -> Option<Vec<Bool>> {
        let grid = self.grid(expr)?;
        let term = |cell: &Cell| match *cell {
            Cell::Bool(term) => term,
            Cell::Int(_) => unreachable!("the checker saw bools"),
        };
        Some(grid.cells.iter().map(term).collect())
    }

    fn indexed(&mut self, of: &Expr, places: &[Option<Expr>]) -> Option<Cell> {
        let grid = self.grid(of)?;
        // The common case: everything is known.
        let mut at = Some(0);
        let mut indices = [Int::Known(0); 20];
        for ((axis, place), index) in grid.axes.iter().zip(places).zip(&mut indices) {
            let place = place.as_ref().expect("a cell keeps no dimension");
            *index = self.int(place)?;
            at = match (*index, at) {
                (Int::Known(member), Some(at)) => Some(at * axis.length() + axis.place(member)?),
                _ => None,
            };
        }
        if let Some(at) = at {
            return Some(grid.cells[at]);
        }
        let indices: Vec<Option<Int>> = indices[..places.len()].iter().copied().map(Some).collect();
        let (_, cells) = self.pick(&grid, &indices)?;
        Some(cells[0])
    }

    fn slice(&mut self, of: &Expr, places: &[Option<Expr>]) -> Option<Rc<Grid>> {
        let grid = self.grid(of)?;
        let mut indices = Vec::new();
        for place in places {
            indices.push(match place {
                None => None,
                Some(place) => Some(self.int(place)?),
            });
        }
        let (axes, cells) = self.pick(&grid, &indices)?;
        Some(Rc::new(Grid { axes, cells }))
    }

    /// The cells that the indices leave; an index that is not known makes elements of them.
    fn pick(&mut self, grid: &Grid, indices: &[Option<Int>]) -> Option<(Vec<Axis>, Vec<Cell>)> {
        let mut axes = Vec::new();
        // Where each kept cell starts, and where the open indices lead from there.
        let mut kept = vec![0];
        let mut open = vec![0];
        let mut places: Vec<(Int, Vec<i64>)> = Vec::new();
        let mut stride = grid.cells.len();
        for (axis, index) in grid.axes.iter().zip(indices) {
            let length = axis.length();
            stride = stride.checked_div(length).unwrap_or(0);
            let spread = |starts: &[usize], steps: &[usize]| -> Vec<usize> {
                let all = starts
                    .iter()
                    .flat_map(|&start| steps.iter().map(move |&step| start + step * stride));
                all.collect()
            };
            match *index {
                None => {
                    axes.push(Axis::counted(length));
                    let steps: Vec<usize> = (0..length).collect();
                    kept = spread(&kept, &steps);
                }
                Some(Int::Known(member)) => {
                    let place = axis.place(member)?;
                    kept.iter_mut().for_each(|start| *start += place * stride);
                }
                Some(index) => {
                    let defined = self.nodes.within(index, &axis.domain);
                    self.require(defined)?;
                    let members: Vec<i64> = axis.domain.values().map(i64::from).collect();
                    let steps: Vec<usize> = (0..length).collect();
                    open = spread(&open, &steps);
                    places.push((index, members));
                }
            }
        }
        if places.is_empty() {
            let cells = kept.iter().map(|&at| grid.cells[at]).collect();
            return Some((axes, cells));
        }
        let mut cells = Vec::with_capacity(kept.len());
        for &start in &kept {
            let chosen: Vec<Cell> = open.iter().map(|&step| grid.cells[start + step]).collect();
            let of_bools = matches!(chosen.first(), Some(Cell::Bool(_)));
            let items = chosen.into_iter().map(|cell| self.int_of(cell)).collect();
            let element = self.nodes.element(items, places.clone());
            cells.push(match of_bools {
                true => {
                    let one = Int::Known(1);
                    let at_least = crate::tree::Compare::AtLeast;
                    Cell::Bool(self.nodes.compare(at_least, element, one))
                }
                false => Cell::Int(element),
            });
        }
        Some((axes, cells))
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
                        Bounds::Single(single) => {
                            let value = self.known(single)?;
                            (value, value)
                        }
                        Bounds::Between(from, to) => {
                            let low = match from {
                                Some(from) => self.known(from)?,
                                None => i64::from(i32::MIN),
                            };
                            let high = match to {
                                Some(to) => self.known(to)?,
                                None => i64::from(i32::MAX),
                            };
                            (low, high)
                        }
                    };
                    if from > to {
                        continue;
                    }
                    let (Ok(from), Ok(to)) = (i32::try_from(from), i32::try_from(to)) else {
                        self.fail(set.spot, "a bound of this domain is beyond 32 bits");
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
            SetKind::Items(items) => {
                let grid = self.grid(items)?;
                let numbers: Vec<i64> = grid.cells.iter().map(|&c| self.number_of(c)).collect();
                let narrow = numbers.iter().map(|&n| i32::try_from(n));
                let Ok(values) = narrow.collect::<Result<Vec<i32>, _>>() else {
                    self.fail(set.spot, "a member of this set is beyond 32 bits");
                    return None;
                };
                Rc::new(Domain::from_values(values))
            }
            SetKind::Matrix(..) => unreachable!("the checker saw a scalar domain"),
        })
    }

    fn axis(&mut self, set: &Set) -> Option<Axis> {
        let domain = Domain::clone(&*self.domain(set)?);
        let is_bool = set.ty.of == Scalar::Bool;
        Some(Axis {
            domain,
            is_bool,
            written: true,
        })
    }

    /// Calls for every choice of the variables that fits the conditions, until it says no. False: a domain is undefined.
    pub(super) fn each(
        &mut self,
        binds: &[Bind],
        conditions: &[Expr],
        act: &mut dyn FnMut(&mut Self) -> bool,
    ) -> bool {
        let mut going = true;
        self.each_from(binds, conditions, act, &mut going)
    }

    fn each_from(
        &mut self,
        binds: &[Bind],
        conditions: &[Expr],
        act: &mut dyn FnMut(&mut Self) -> bool,
        going: &mut bool,
    ) -> bool {
        let Some((bind, rest)) = binds.split_first() else {
            for condition in conditions {
                if self.bool(condition) != Bool::TRUE {
                    return true;
                }
            }
            *going = act(self);
            return true;
        };
        if let SetKind::Matrix(index, of) = &bind.domain.kind {
            return self.each_matrix(bind, index, of, rest, conditions, act, going);
        }
        let Some(domain) = self.domain(&bind.domain) else {
            return false;
        };
        if domain.len() > 1 << 28 {
            self.fail(
                bind.domain.spot,
                "expected a finite domain, found an open range",
            );
            return false;
        }
        let is_bool = bind.domain.ty.of == Scalar::Bool;
        let mut complete = true;
        for member in domain.values() {
            let cell = match is_bool {
                true => Cell::Bool(Bool::of(member != 0)),
                false => Cell::Int(Int::Known(i64::from(member))),
            };
            self.locals.truncate(bind.slot);
            self.locals.push(Meaning::Cell(cell));
            complete &= self.each_from(rest, conditions, act, going);
            if !*going || self.error.is_some() {
                break;
            }
        }
        self.locals.truncate(bind.slot);
        complete
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the matrix arm of each_from, which it continues"
    )]
    fn each_matrix(
        &mut self,
        bind: &Bind,
        index: &[Set],
        of: &Set,
        rest: &[Bind],
        conditions: &[Expr],
        act: &mut dyn FnMut(&mut Self) -> bool,
        going: &mut bool,
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
        let count = axes.iter().map(Axis::length).product::<usize>();
        let values: Vec<i32> = match of_domain.len() {
            0..=0x10_0000 => of_domain.values().collect(),
            _ => {
                self.fail(bind.domain.spot, "this domain has too many matrices");
                return false;
            }
        };
        if values.is_empty() && count > 0 {
            return true;
        }
        let all = (values.len() as f64).powf(count as f64);
        if all > (1u64 << 24) as f64 {
            self.fail(bind.domain.spot, "this domain has too many matrices");
            return false;
        }
        let mut picks = vec![0usize; count];
        let mut complete = true;
        loop {
            let cell = |&pick: &usize| match of.ty.of {
                Scalar::Bool => Cell::Bool(Bool::of(values[pick] != 0)),
                _ => Cell::Int(Int::Known(i64::from(values[pick]))),
            };
            let cells = picks.iter().map(cell).collect();
            let axes = axes.clone();
            self.locals.truncate(bind.slot);
            self.locals
                .push(Meaning::Grid(Rc::new(Grid { axes, cells })));
            complete &= self.each_from(rest, conditions, act, going);
            // The next matrix, as a number with these digits.
            let mut at = count;
            while at > 0 && picks[at - 1] + 1 == values.len() {
                at -= 1;
                picks[at] = 0;
            }
            if at == 0 || !*going || self.error.is_some() {
                break;
            }
            picks[at - 1] += 1;
        }
        self.locals.truncate(bind.slot);
        complete
    }
}
