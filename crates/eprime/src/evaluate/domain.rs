//! Domains as sets of numbers, and values as members of domains.

use ployglot_base::BadText;
use ployglot_csp::Domain;

use super::{Evaluated, Evaluator, GlobalValue, Shape};
use crate::model::{Bounds, Expr, Scalar, Set, SetKind};
use crate::value::{Axis, Matrix, Value};

/// A matrix has at most this many cells.
pub(crate) const MAX_CELLS: u64 = 1 << 28;

impl Evaluator<'_> {
    /// The members of a domain of int or bool; `None` if a bound is undefined. An open end is the
    /// least or the greatest number of 32 bits.
    pub fn domain(&mut self, set: &Set) -> Evaluated<Domain> {
        Ok(Some(match &set.kind {
            SetKind::Bool => Domain::bool(),
            SetKind::Int(None) => Domain::range(i32::MIN, i32::MAX),
            SetKind::Int(Some(ranges)) => {
                let mut all = Vec::new();
                for range in ranges {
                    let (from, to) = match range {
                        Bounds::Items(expr) => {
                            let Some(items) = self.items_in_32_bits(expr)? else {
                                return Ok(None);
                            };
                            all.extend(items.into_iter().map(|item| (item, item)));
                            continue;
                        }
                        Bounds::Single(expr) => (Some(expr), Some(expr)),
                        Bounds::Between(from, to) => (from.as_ref(), to.as_ref()),
                    };
                    let (mut low, mut high) = (i64::from(i32::MIN), i64::from(i32::MAX));
                    if let Some(from) = from {
                        let Some(number) = self.number(from)? else {
                            return Ok(None);
                        };
                        low = number;
                    }
                    if let Some(to) = to {
                        let Some(number) = self.number(to)? else {
                            return Ok(None);
                        };
                        high = number;
                    }
                    if low > high {
                        continue;
                    }
                    let narrow = |bound: i64| {
                        i32::try_from(bound).map_err(|_| {
                            set.span
                                .too_large(format!("the bound {bound} does not fit 32 bits"))
                        })
                    };
                    all.push((narrow(low)?, narrow(high)?));
                }
                Domain::from_ranges(all)
            }
            SetKind::Named(id) => match self.global_value(*id)? {
                GlobalValue::Domain(domain) => domain,
                _ => unreachable!("the checker saw a domain"),
            },
            SetKind::Union(sides) | SetKind::Intersect(sides) | SetKind::Minus(sides) => {
                let (left, right) = (self.domain(&sides[0])?, self.domain(&sides[1])?);
                let (Some(left), Some(right)) = (left, right) else {
                    return Ok(None);
                };
                match &set.kind {
                    SetKind::Union(_) => left.union(&right),
                    SetKind::Intersect(_) => left.intersect(&right),
                    _ => left.minus(&right),
                }
            }
            SetKind::Items(expr) => {
                let Some(items) = self.items_in_32_bits(expr)? else {
                    return Ok(None);
                };
                Domain::from_values(items)
            }
            SetKind::IndexOf(expr) => {
                let Some(axes) = self.axes(expr)? else {
                    return Ok(None);
                };
                axes[0].domain.clone()
            }
            SetKind::Matrix(..) => return Err(set.span.error("expected a domain of int")),
        }))
    }

    /// The items of a row, as members of a domain.
    fn items_in_32_bits(&mut self, expr: &Expr) -> Evaluated<Vec<i32>> {
        let Some(Value::Matrix(matrix)) = self.value(expr)? else {
            return Ok(None);
        };
        let member = |&item: &i64| {
            let too_large = |_| {
                let message = format!("{item} does not fit 32 bits");
                expr.span.too_large(message)
            };
            i32::try_from(item).map_err(too_large)
        };
        let members: Result<Vec<i32>, BadText> = matrix.items.iter().map(member).collect();
        members.map(Some)
    }

    /// `domain`, where it is an error if a bound is undefined.
    pub fn defined_domain(&mut self, set: &Set) -> Result<Domain, BadText> {
        if let SetKind::Matrix(..) = set.kind {
            // The checker copies a named matrix domain to where it is used.
            return Ok(Domain::default());
        }
        let domain = self.domain(set)?;
        domain.ok_or_else(|| set.span.error("a bound of this domain is undefined"))
    }

    /// An index with these members, as written in the model.
    pub fn axis(&mut self, set: &Set) -> Evaluated<Axis> {
        let Some(domain) = self.domain(set)? else {
            return Ok(None);
        };
        Ok(Some(Axis {
            domain,
            is_bool: set.ty.of == Scalar::Bool,
            explicit: true,
        }))
    }

    /// The shape of a decision variable with this domain.
    pub fn shape(&mut self, set: &Set) -> Result<Shape, BadText> {
        let (index, of) = match &set.kind {
            SetKind::Matrix(index, of) => (index.as_slice(), &**of),
            _ => (&[][..], set),
        };
        let mut axes = Vec::new();
        let mut size = 1u64;
        for set in index {
            let axis = self.axis(set)?;
            let axis = axis.ok_or_else(|| set.span.error("a bound of this index is undefined"))?;
            size = size.saturating_mul(axis.domain.len());
            if size > MAX_CELLS {
                return Err(set.span.too_large("this matrix is too large"));
            }
            axes.push(axis);
        }
        Ok(Shape {
            axes,
            ty: set.ty,
            domain: self.defined_domain(of)?,
        })
    }

    /// Every value of a domain, matrices included, in order.
    pub fn members(&mut self, set: &Set) -> Evaluated<Vec<Value>> {
        let SetKind::Matrix(index, of) = &set.kind else {
            let Some(domain) = self.domain(set)? else {
                return Ok(None);
            };
            if domain.len() > 1 << 28 {
                return Err(set
                    .span
                    .error("expected a finite domain, found an open range"));
            }
            let value = |member: i32| match set.ty.of {
                Scalar::Bool => Value::Truth(member != 0),
                _ => Value::Number(i64::from(member)),
            };
            self.poll.allocate::<Value>(domain.len());
            return Ok(Some(domain.values().map(value).collect()));
        };
        let mut axes = Vec::new();
        for set in index {
            match self.axis(set)? {
                Some(axis) => axes.push(axis),
                None => return Ok(None),
            }
        }
        let Some(of) = self.domain(of)? else {
            return Ok(None);
        };
        let cells = axes
            .iter()
            .fold(1u64, |cells, axis| cells.saturating_mul(axis.domain.len()));
        if cells > MAX_CELLS {
            return Err(set.span.too_large("this matrix is too large"));
        }
        let count = (0..cells).try_fold(1u64, |count, _| {
            self.poll.step();
            count.checked_mul(of.len()).filter(|&count| count < 1 << 24)
        });
        if count.is_none() {
            return Err(set.span.too_large("this domain has too many matrices"));
        }
        let mut all = vec![Vec::new()];
        for _ in 0..cells {
            self.poll
                .allocate::<Vec<i64>>((all.len() as u64).saturating_mul(of.len()));
            let poll = &self.poll;
            let longer = all.iter().flat_map(|items: &Vec<i64>| {
                of.values().map(move |value| {
                    poll.steps(1 + items.len());
                    let mut items = items.clone();
                    items.push(i64::from(value));
                    items
                })
            });
            all = longer.collect();
        }
        let of = set.ty.of;
        let matrix = |items| {
            let axes = axes.clone();
            Value::Matrix(Matrix { axes, of, items }.into())
        };
        Ok(Some(all.into_iter().map(matrix).collect()))
    }

    /// These indices, if a matrix with them has no items; an open one is taken to be empty then.
    fn empty_axes(&mut self, index: &[Set]) -> Evaluated<Vec<Axis>> {
        let mut axes = Vec::new();
        for set in index {
            let Some(axis) = self.axis(set)? else {
                return Ok(None);
            };
            axes.push(match is_open(&axis.domain) {
                true => Axis::from_one(0),
                false => axis,
            });
        }
        let is_empty = axes.iter().any(|axis| axis.length() == 0);
        Ok(is_empty.then_some(axes))
    }

    /// The value with the index and type of the domain; the inner error is the reason why it is
    /// no member.
    pub fn coerce(&mut self, value: Value, set: &Set) -> Result<Result<Value, String>, BadText> {
        let (found, wanted) = (value.ty(), set.ty);
        if let (Value::Matrix(matrix), SetKind::Matrix(index, _)) = (&value, &set.kind)
            && matrix.items.is_empty()
            && found.dims == wanted.dims
            && let Some(axes) = self.empty_axes(index)?
        {
            let (of, items) = (wanted.of, Vec::new());
            return Ok(Ok(Value::Matrix(Matrix { axes, of, items }.into())));
        }
        if !crate::check::fits(found, wanted) {
            return Ok(Err(format!("is {wanted}, found {found}")));
        }
        let of = match &set.kind {
            SetKind::Matrix(_, of) => &**of,
            _ => set,
        };
        let items = match &value {
            Value::Matrix(matrix) => matrix.items.as_slice(),
            scalar => &[scalar.number().expect("a scalar")],
        };
        let domain = self.defined_domain(of)?;
        let outside = |&&item: &&i64| !i32::try_from(item).is_ok_and(|item| domain.contains(item));
        if let Some(item) = items.iter().find(outside) {
            return Ok(Err(format!("is of int({domain}), found {item}")));
        }
        let Value::Matrix(matrix) = &value else {
            let number = value.number().expect("a scalar");
            return Ok(Ok(match wanted.of {
                Scalar::Bool => Value::Truth(number != 0),
                _ => Value::Number(number),
            }));
        };
        let SetKind::Matrix(index, _) = &set.kind else {
            unreachable!("its type is that of a matrix")
        };
        let mut matrix = Matrix::clone(matrix);
        for (set, axis) in index.iter().zip(&mut matrix.axes) {
            let declared = self.axis(set)?;
            let declared =
                declared.ok_or_else(|| set.span.error("a bound of this index is undefined"))?;
            if axis.length() as u64 != declared.domain.len() && is_open(&declared.domain) {
                // An open index has as many members as the value has rows.
                continue;
            }
            if axis.length() as u64 != declared.domain.len() {
                let message = format!(
                    "has {} rows in one of its dimensions, found {}",
                    declared.domain.len(),
                    axis.length()
                );
                return Ok(Err(message));
            }
            if axis.explicit && axis.domain != declared.domain {
                return Ok(Err(format!("is indexed by {declared}, found {axis}")));
            }
            *axis = declared;
        }
        matrix.of = wanted.of;
        Ok(Ok(Value::Matrix(matrix.into())))
    }
}

fn is_open(domain: &Domain) -> bool {
    !domain.is_empty() && (domain.min() == i32::MIN || domain.max() == i32::MAX)
}
