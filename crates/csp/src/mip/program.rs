//! Columns, rows, and the views of a problem's variables: what an integer program is made of.
//!
//! Everything is an affine form over columns with integer factors. A variable with two values is a
//! scaled binary column. Others are an integer column, and get more columns on demand: one 0/1
//! column for each *value*, which sum to one, where the domain is small or single values are used;
//! or one for each *step* `x ≥ v` that some constraint uses, where it is wide. Whether a variable
//! is in a set of values is then a form without a column of its own.
//!
//! A row is simplified before it is kept: fixed columns become constants, a row over one column
//! becomes its bounds, a common divisor is divided out and the bounds rounded, and a row that
//! always holds is dropped.

use std::collections::BTreeMap;

use ployglot_base::Poll;

use super::TooLarge;
use crate::domain::Domain;

/// A variable with at most this many values gets a column for each when a set of values is used.
const FEW: u64 = 16;
/// The same limit for domains with holes, and for sets that are neither an initial nor a final part
/// of the domain.
const SOME: u64 = 256;
/// Hulls are written by value for variables with at most this many values.
const BY_VALUE: u64 = 64;
/// Rows with larger factors or sums could be decided by rounding errors.
const LARGEST_FACTOR: u64 = 1_000_000;
const LARGEST_REACH: i128 = 1_000_000_000;

pub(super) type ColumnId = u32;

#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub low: i64,
    pub high: i64,
    /// Columns that are not marked as integer take integral values wherever the integer ones do.
    pub integer: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub terms: Vec<(ColumnId, i64)>,
    pub low: Option<i64>,
    pub high: Option<i64>,
}

/// An affine form: a sum of columns with integer factors, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    pub terms: Vec<(ColumnId, i64)>,
    pub constant: i64,
}

/// A variable of the problem.
#[derive(Clone, Debug)]
struct View {
    domain: Domain,
    form: Form,
    /// A column for each value, in the order of the domain; empty until needed.
    values: Vec<ColumnId>,
    /// The columns that are 1 where `x ≥ v`.
    steps: BTreeMap<i32, ColumnId>,
}

#[derive(Default)]
pub(super) struct Program {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    views: Vec<View>,
    /// Some row cannot hold: there is no solution.
    pub infeasible: bool,
    /// Ends the work at a limit.
    pub poll: Poll,
}

impl Form {
    pub fn number(constant: i64) -> Self {
        let terms = Vec::new();
        Self { terms, constant }
    }

    pub fn column(column: ColumnId) -> Self {
        Self {
            terms: vec![(column, 1)],
            constant: 0,
        }
    }

    /// `self + factor * other`.
    pub fn plus(mut self, factor: i64, other: &Self) -> Result<Self, TooLarge> {
        let product = |a: i64| a.checked_mul(factor).ok_or(TooLarge);
        self.constant = (product(other.constant)?)
            .checked_add(self.constant)
            .ok_or(TooLarge)?;
        for &(column, weight) in &other.terms {
            self.terms.push((column, product(weight)?));
        }
        Ok(self)
    }

    pub fn sum<'f>(forms: impl IntoIterator<Item = &'f Self>) -> Result<Self, TooLarge> {
        let mut sum = Self::default();
        for form in forms {
            sum = sum.plus(1, form)?;
        }
        Ok(sum)
    }

    /// `1 - self`: the negation of a form that is 0 or 1.
    pub fn opposite(&self) -> Self {
        Self {
            terms: self.terms.iter().map(|&(x, w)| (x, -w)).collect(),
            constant: 1 - self.constant,
        }
    }

    pub fn is_number(&self, number: i64) -> bool {
        self.terms.is_empty() && self.constant == number
    }
}

impl Program {
    pub fn column(&mut self, low: i64, high: i64, integer: bool) -> ColumnId {
        self.poll.step();
        let id = self.columns.len() as ColumnId;
        self.columns.push(Column { low, high, integer });
        id
    }

    pub fn binary(&mut self) -> Form {
        Form::column(self.column(0, 1, true))
    }

    /// The next variable of the problem; its domain is not empty.
    pub fn add_variable(&mut self, domain: &Domain) -> Result<(), TooLarge> {
        let (low, high) = (i64::from(domain.min()), i64::from(domain.max()));
        let form = match domain.len() {
            1 => Form::number(low),
            2 => Form::number(low).plus(high - low, &self.binary())?,
            _ => Form::column(self.column(low, high, true)),
        };
        self.views.push(View {
            domain: domain.clone(),
            form,
            values: Vec::new(),
            steps: BTreeMap::new(),
        });
        let x = self.views.len() - 1;
        let holes = domain.len() > 2 && domain.ranges().len() > 1;
        if holes && domain.len() <= SOME {
            self.make_values(x)?;
        } else if holes {
            for &(from, _) in &domain.ranges()[1..] {
                self.step(x, from)?;
            }
        }
        Ok(())
    }

    pub fn variables(&self) -> usize {
        self.views.len()
    }

    pub fn domain(&self, x: usize) -> &Domain {
        &self.views[x].domain
    }

    pub fn form(&self, x: usize) -> &Form {
        &self.views[x].form
    }

    /// Whether single values of the variable have, or may have, columns of their own.
    pub fn has_values(&self, x: usize) -> bool {
        let view = &self.views[x];
        view.domain.len() <= BY_VALUE || !view.values.is_empty()
    }

    /// 1 where the variable has a value of the set, else 0.
    pub fn member(&mut self, x: usize, set: &Domain) -> Result<Form, TooLarge> {
        self.poll.steps(1 + self.views[x].domain.ranges().len());
        let domain = self.views[x].domain.clone();
        let inside = domain.intersect(set);
        if inside.is_empty() {
            return Ok(Form::number(0));
        }
        if inside == domain {
            return Ok(Form::number(1));
        }
        if domain.len() == 2 {
            let upper = Form::column(self.views[x].form.terms[0].0);
            return Ok(match inside.contains(domain.max()) {
                true => upper,
                false => upper.opposite(),
            });
        }
        let end = inside.contains(domain.min()) != inside.contains(domain.max())
            && runs(&inside, &domain) == 1;
        let single = domain.len() <= FEW || !end && domain.len() <= SOME;
        if single && self.views[x].values.is_empty() {
            self.make_values(x)?;
        }
        if !self.views[x].values.is_empty() {
            return Ok(self.by_values(x, &inside));
        }
        let mut form = Form::default();
        for &(from, to) in inside.ranges() {
            form = form.plus(1, &self.step(x, from)?)?;
            if to < domain.max() {
                form = form.plus(-1, &self.step(x, to + 1)?)?;
            }
        }
        Ok(form)
    }

    /// The sum of the columns of the values inside, or 1 minus those outside, whichever is shorter.
    fn by_values(&self, x: usize, inside: &Domain) -> Form {
        let view = &self.views[x];
        let fewer = 2 * inside.len() <= view.domain.len();
        let pairs = view.domain.values().zip(&view.values);
        let chosen = pairs.filter(|(v, _)| inside.contains(*v) == fewer);
        let form = Form {
            terms: chosen.map(|(_, &column)| (column, 1)).collect(),
            constant: 0,
        };
        if fewer { form } else { form.opposite() }
    }

    fn make_values(&mut self, x: usize) -> Result<(), TooLarge> {
        let values: Vec<i32> = self.views[x].domain.values().collect();
        let columns: Vec<ColumnId> = values.iter().map(|_| self.column(0, 1, true)).collect();
        let terms = columns.iter().map(|&column| (column, 1)).collect();
        let one = Form { terms, constant: 0 };
        self.row(one, Some(1), Some(1))?;
        let mut sum = self.views[x].form.clone();
        for (&v, &column) in values.iter().zip(&columns) {
            sum = sum.plus(-i64::from(v), &Form::column(column))?;
        }
        self.row(sum, Some(0), Some(0))?;
        for (v, step) in self.views[x].steps.clone() {
            let above = values.iter().zip(&columns).filter(|pair| *pair.0 >= v);
            let terms = above.map(|(_, &column)| (column, 1)).collect();
            let above = Form { terms, constant: 0 };
            self.row(above.plus(-1, &Form::column(step))?, Some(0), Some(0))?;
        }
        self.views[x].values = columns;
        Ok(())
    }

    /// 1 where the variable is at least `v`.
    fn step(&mut self, x: usize, v: i32) -> Result<Form, TooLarge> {
        let domain = &self.views[x].domain;
        let (least, most) = (domain.min(), domain.max());
        if v <= least {
            return Ok(Form::number(1));
        }
        if v > most {
            return Ok(Form::number(0));
        }
        // The values on either side of the step; between them there may be a hole.
        let above = domain.intersect(&Domain::range(v, most)).min();
        let below = domain.intersect(&Domain::range(least, v - 1)).max();
        if let Some(&column) = self.views[x].steps.get(&above) {
            return Ok(Form::column(column));
        }
        let step = self.column(0, 1, true);
        let form = self.views[x].form.clone();
        let (least, most) = (i64::from(least), i64::from(most));
        let (below, up) = (i64::from(below), i64::from(above));
        // x ≤ below + (most - below) step, and x ≥ least + (above - least) step.
        let upper = form.clone().plus(-(most - below), &Form::column(step))?;
        self.row(upper, None, Some(below))?;
        let lower = form.plus(-(up - least), &Form::column(step))?;
        self.row(lower, Some(least), None)?;
        // Steps are monotone: a higher step implies the lower ones.
        let steps = &self.views[x].steps;
        let before = steps.range(..above).next_back().map(|pair| *pair.1);
        let after = steps.range(above..).next().map(|pair| *pair.1);
        for (high, low) in [(before, Some(step)), (Some(step), after)] {
            if let (Some(high), Some(low)) = (high, low) {
                let fall = Form::column(high).plus(-1, &Form::column(low))?;
                self.row(fall, Some(0), None)?;
            }
        }
        self.views[x].steps.insert(above, step);
        Ok(Form::column(step))
    }

    /// The least and the most that a form can be.
    pub fn range(&self, form: &Form) -> (i128, i128) {
        let (mut low, mut high) = (i128::from(form.constant), i128::from(form.constant));
        // Without merging, the range may only be too wide.
        let terms = merged(&form.terms).unwrap_or_else(|TooLarge| form.terms.clone());
        for (x, weight) in terms {
            let column = self.columns[x as usize];
            let (a, b) = (
                i128::from(weight) * i128::from(column.low),
                i128::from(weight) * i128::from(column.high),
            );
            low += a.min(b);
            high += a.max(b);
        }
        (low, high)
    }

    /// Adds the row `low ≤ form ≤ high`.
    pub fn row(&mut self, form: Form, low: Option<i64>, high: Option<i64>) -> Result<(), TooLarge> {
        self.poll.steps(1 + form.terms.len());
        let shift = |bound: i64, by: i64| bound.checked_sub(by).ok_or(TooLarge);
        let mut constant = form.constant;
        let mut terms = Vec::with_capacity(form.terms.len());
        let mut integer = true;
        for (x, weight) in merged(&form.terms)? {
            let column = self.columns[x as usize];
            if column.low == column.high {
                let fixed = weight.checked_mul(column.low).ok_or(TooLarge)?;
                constant = constant.checked_add(fixed).ok_or(TooLarge)?;
            } else {
                integer &= column.integer;
                terms.push((x, weight));
            }
        }
        let mut low = low.map(|low| shift(low, constant)).transpose()?;
        let mut high = high.map(|high| shift(high, constant)).transpose()?;
        let divisor = terms.iter().fold(0, |a, &(_, w)| gcd(a, w));
        if integer && divisor > 1 {
            terms.iter_mut().for_each(|(_, weight)| *weight /= divisor);
            low = low.map(|low| low.div_euclid(divisor) + i64::from(low % divisor != 0));
            high = high.map(|high| high.div_euclid(divisor));
        }
        let form = Form { terms, constant: 0 };
        let (least, most) = self.range(&form);
        low = low.filter(|&low| least < i128::from(low));
        high = high.filter(|&high| most > i128::from(high));
        if low.is_some_and(|low| most < i128::from(low))
            || high.is_some_and(|high| least > i128::from(high))
        {
            self.infeasible = true;
            return Ok(());
        }
        if low.is_none() && high.is_none() {
            return Ok(());
        }
        if let ([(x, weight)], true) = (&form.terms[..], integer) {
            self.bound(*x, *weight, low, high);
            return Ok(());
        }
        let reach: i128 = least.abs().max(most.abs());
        let factor = form.terms.iter().map(|term| term.1.unsigned_abs()).max();
        if reach > LARGEST_REACH || factor > Some(LARGEST_FACTOR) {
            return Err(TooLarge);
        }
        let terms = form.terms;
        self.rows.push(Row { terms, low, high });
        Ok(())
    }

    /// `low ≤ weight · x ≤ high`, where the weight is 1 or -1 after division.
    fn bound(&mut self, x: ColumnId, weight: i64, low: Option<i64>, high: Option<i64>) {
        let (low, high) = match weight > 0 {
            true => (low, high),
            false => (high.map(|v| -v), low.map(|v| -v)),
        };
        let column = &mut self.columns[x as usize];
        column.low = low.map_or(column.low, |low| low.max(column.low));
        column.high = high.map_or(column.high, |high| high.min(column.high));
        self.infeasible |= column.low > column.high;
    }
}

/// The terms with each column once, without those that cancel out.
fn merged(terms: &[(ColumnId, i64)]) -> Result<Vec<(ColumnId, i64)>, TooLarge> {
    let mut sorted = terms.to_vec();
    sorted.sort_unstable_by_key(|term| term.0);
    let mut merged: Vec<(ColumnId, i64)> = Vec::with_capacity(sorted.len());
    for (x, weight) in sorted {
        match merged.last_mut() {
            Some(last) if last.0 == x => {
                last.1 = last.1.checked_add(weight).ok_or(TooLarge)?;
            }
            _ => merged.push((x, weight)),
        }
    }
    merged.retain(|term| term.1 != 0);
    Ok(merged)
}

/// The number of runs of the set, where values outside the domain do not separate runs.
fn runs(set: &Domain, domain: &Domain) -> usize {
    let gap = |pair: &[(i32, i32)]| {
        let between = Domain::range(pair[0].1 + 1, pair[1].0 - 1);
        !domain.intersect(&between).is_empty()
    };
    1 + set.ranges().windows(2).filter(|pair| gap(pair)).count()
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
