//! From the model to terms: parameters substituted, quantifiers unrolled, and whatever is known folded before anything
//! around it is built. A guard that is known to be false costs nothing but the guard.
//!
//! An int term that may be undefined leaves the conditions of its definedness behind; the smallest boolean expression
//! around it collects them. One that is surely undefined is `None`.

use std::rc::Rc;

use ployglot_base::BadText;
use ployglot_csp::Domain;

use super::arithmetic::Total;
use super::nodes::{Bool, Int, Nodes};
use crate::lex::Spot;
use crate::model::*;
use crate::tree::{Compare, Quantifier};
use crate::value::Axis;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Int(Int),
    Bool(Bool),
}

/// A matrix of terms, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub axes: Vec<Axis>,
    pub cells: Vec<Cell>,
}

#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    Cell(Cell),
    Grid(Rc<Grid>),
    Domain(Rc<Domain>),
}

pub(crate) struct Builder<'a> {
    pub nodes: &'a mut Nodes,
    pub globals: Vec<Meaning>,
    pub(super) locals: Vec<Meaning>,
    pub(super) conditions: Vec<Bool>,
    pub error: Option<BadText>,
}

impl<'a> Builder<'a> {
    pub fn new(nodes: &'a mut Nodes, globals: Vec<Meaning>) -> Self {
        Builder {
            nodes,
            globals,
            locals: Vec::new(),
            conditions: Vec::new(),
            error: None,
        }
    }

    /// Adds what must hold for the expression to hold, in as many pieces as it has.
    pub fn assert(&mut self, expr: &Expr, pieces: &mut Vec<Bool>) {
        match &expr.kind {
            ExprKind::And(parts) => {
                for part in parts {
                    self.assert(part, pieces);
                }
            }
            ExprKind::Quantified(Quantifier::ForAll, binds, body) => {
                let defined = self.each(binds, &[], &mut |builder| {
                    builder.assert(body, pieces);
                    builder.error.is_none()
                });
                if !defined {
                    pieces.push(Bool::FALSE);
                }
            }
            _ => {
                let term = self.bool(expr);
                if self.nodes.overflow {
                    self.nodes.overflow = false;
                    self.fail(expr.spot, "numbers grow too large here");
                }
                pieces.push(term);
            }
        }
    }

    /// An int that must be defined; its conditions become pieces.
    pub fn objective(&mut self, expr: &Expr, pieces: &mut Vec<Bool>) -> Int {
        let value = self.int(expr);
        pieces.append(&mut self.conditions);
        value.unwrap_or_else(|| {
            pieces.push(Bool::FALSE);
            Int::Known(0)
        })
    }

    pub(super) fn fail(&mut self, spot: Spot, message: impl Into<String>) {
        if self.error.is_none() {
            self.error = Some(spot.bad(message));
        }
    }

    pub fn bool(&mut self, expr: &Expr) -> Bool {
        let mark = self.conditions.len();
        let term = self.bool_term(expr).unwrap_or(Bool::FALSE);
        if self.conditions.len() == mark {
            return term;
        }
        let mut parts = self.conditions.split_off(mark);
        if term == Bool::FALSE {
            return term;
        }
        parts.push(term);
        self.nodes.and(parts)
    }

    /// `None`: an undefined part makes it false.
    fn bool_term(&mut self, expr: &Expr) -> Option<Bool> {
        Some(match &expr.kind {
            ExprKind::Truth(truth) => Bool::of(*truth),
            ExprKind::Not(of) => !self.bool(of),
            ExprKind::And(parts) => self.all(parts, false),
            ExprKind::Or(parts) => !self.all(parts, true),
            ExprKind::Implies(sides) => {
                let [left, right] = &**sides;
                // The side that surely folds goes first.
                if right.decided_by.is_none() && left.decided_by.is_some() {
                    let right = self.bool(right);
                    if right == Bool::TRUE {
                        return Some(right);
                    }
                    let left = self.bool(left);
                    return Some(self.nodes.or([!left, right]));
                }
                let left = self.bool(left);
                if left == Bool::FALSE {
                    return Some(Bool::TRUE);
                }
                let right = self.bool(right);
                self.nodes.or([!left, right])
            }
            ExprKind::Iff(sides) => {
                let (left, right) = (self.bool(&sides[0]), self.bool(&sides[1]));
                self.nodes.iff(left, right)
            }
            ExprKind::Compare(compare, sides) => {
                let left = self.int(&sides[0])?;
                let right = self.int(&sides[1])?;
                self.nodes.compare(*compare, left, right)
            }
            ExprKind::Lex(compare, sides) => {
                let (left, right) = (self.ints(&sides[0])?, self.ints(&sides[1])?);
                match compare {
                    Compare::Less => self.lex(&left, &right, true),
                    Compare::AtMost => self.lex(&left, &right, false),
                    Compare::Greater => self.lex(&right, &left, true),
                    _ => self.lex(&right, &left, false),
                }
            }
            ExprKind::In(member, set) => {
                let member = self.int(member)?;
                if let SetKind::Items(items) = &set.kind {
                    let items = self.ints(items)?;
                    let equal = |&item: &Int| self.nodes.equal(member, item);
                    let parts: Vec<Bool> = items.iter().map(equal).collect();
                    return Some(self.nodes.or(parts));
                }
                let domain = self.domain(set)?;
                self.nodes.within(member, &domain)
            }
            ExprKind::Quantified(quantifier, binds, body) => {
                let is_all = *quantifier == Quantifier::ForAll;
                let mut parts = Vec::new();
                let mut settled = false;
                let defined = self.each(binds, &[], &mut |builder| {
                    let part = builder.bool(body);
                    let part = if is_all { part } else { !part };
                    settled = part == Bool::FALSE;
                    parts.push(part);
                    !settled && builder.error.is_none()
                });
                if !defined {
                    return None;
                }
                let all = match settled {
                    true => Bool::FALSE,
                    false => self.nodes.and(parts),
                };
                if is_all { all } else { !all }
            }
            ExprKind::Fold(Fold::And, of) => {
                let parts = self.bools(of)?;
                self.nodes.and(parts)
            }
            ExprKind::Fold(_, of) => {
                let parts = self.bools(of)?;
                self.nodes.or(parts)
            }
            ExprKind::AllDifferent(of, except) => {
                let items = self.ints(of)?;
                let except = match except {
                    None => None,
                    Some(except) => Some(self.known(except)?),
                };
                self.nodes.all_different(items, except)
            }
            ExprKind::Occurrences(at_least, parts) => {
                let items = self.ints(&parts[0])?;
                let (counts, values) = (self.ints(&parts[1])?, self.ints(&parts[2])?);
                let compare = match at_least {
                    true => Compare::AtLeast,
                    false => Compare::AtMost,
                };
                self.count(expr.spot, &items, &values, &counts, compare)
            }
            ExprKind::Cardinality(parts) => {
                let items = self.ints(&parts[0])?;
                let (values, counts) = (self.ints(&parts[1])?, self.ints(&parts[2])?);
                self.count(expr.spot, &items, &values, &counts, Compare::Equal)
            }
            ExprKind::Table(positive, sides) => {
                let items = self.ints(&sides[0])?;
                let grid = self.grid(&sides[1])?;
                let width = grid.axes.get(1).map_or(0, Axis::length);
                if !grid.cells.is_empty() && width != items.len() {
                    let message = format!(
                        "the rows have {width} values, the items are {}",
                        items.len()
                    );
                    self.fail(expr.spot, message);
                    return None;
                }
                let numbers: Vec<i64> = grid.cells.iter().map(|&c| self.number_of(c)).collect();
                let rows = match items.len() {
                    0 => vec![Vec::new(); grid.axes[0].length()],
                    width => numbers.chunks(width).map(<[i64]>::to_vec).collect(),
                };
                let listed = self.nodes.table(items, rows);
                if *positive { listed } else { !listed }
            }
            // Names and indices.
            _ => match self.cell(expr)? {
                Cell::Bool(term) => term,
                Cell::Int(int) => {
                    let one = Int::Known(1);
                    self.nodes.compare(Compare::AtLeast, int, one)
                }
            },
        })
    }

    /// All parts hold (or, flipped, none), the known ones asked first.
    fn all(&mut self, parts: &[Expr], flip: bool) -> Bool {
        let mut terms = Vec::with_capacity(parts.len());
        let known = parts.iter().filter(|part| part.decided_by.is_none());
        let open = parts.iter().filter(|part| part.decided_by.is_some());
        for part in known.chain(open) {
            let term = self.bool(part);
            let term = if flip { !term } else { term };
            if term == Bool::FALSE {
                return term;
            }
            terms.push(term);
        }
        self.nodes.and(terms)
    }

    fn lex(&mut self, left: &[Int], right: &[Int], strict: bool) -> Bool {
        let common = left.len().min(right.len());
        let mut term = Bool::of(match strict {
            true => left.len() < right.len(),
            false => left.len() <= right.len(),
        });
        // left ≤ right here, and either < here or the rest decides.
        for i in (0..common).rev() {
            let at_most = self.nodes.compare(Compare::AtMost, left[i], right[i]);
            let less = self.nodes.compare(Compare::Less, left[i], right[i]);
            let rest = self.nodes.or([less, term]);
            term = self.nodes.and([at_most, rest]);
        }
        term
    }

    fn count(
        &mut self,
        spot: Spot,
        items: &[Int],
        values: &[Int],
        counts: &[Int],
        compare: Compare,
    ) -> Bool {
        if counts.len() != values.len() {
            let message = format!(
                "there are {} counts for {} values",
                counts.len(),
                values.len()
            );
            self.fail(spot, message);
            return Bool::FALSE;
        }
        let mut parts = Vec::new();
        for (&value, &count) in values.iter().zip(counts) {
            let mut total = Total::default();
            for &item in items {
                let equal = self.nodes.equal(item, value);
                let one = self.nodes.truth(equal);
                self.nodes.add(&mut total, 1, one);
            }
            let total = self.nodes.total(total);
            parts.push(self.nodes.compare(compare, total, count));
        }
        self.nodes.and(parts)
    }

    /// `None`: surely undefined.
    pub fn int(&mut self, expr: &Expr) -> Option<Int> {
        if expr.ty == Type::BOOL {
            let term = self.bool(expr);
            return Some(self.nodes.truth(term));
        }
        Some(match &expr.kind {
            ExprKind::Number(number) => Int::Known(*number),
            ExprKind::ToInt(of) => self.int(of)?,
            ExprKind::Negate(of) => {
                let of = self.int(of)?;
                self.nodes.scaled(-1, of)
            }
            ExprKind::Absolute(of) => {
                let of = self.int(of)?;
                self.nodes.absolute(of)
            }
            ExprKind::Sum(parts) => {
                let mut total = Total::default();
                for part in parts {
                    let part = self.int(part)?;
                    self.nodes.add(&mut total, 1, part);
                }
                self.nodes.total(total)
            }
            ExprKind::Product(parts) => {
                let mut product = Int::Known(1);
                for part in parts {
                    let part = self.int(part)?;
                    product = self.nodes.product(product, part);
                }
                product
            }
            ExprKind::Arithmetic(arithmetic, sides) => {
                let (left, right) = (self.int(&sides[0])?, self.int(&sides[1])?);
                return self.arithmetic(*arithmetic, left, right);
            }
            ExprKind::Factorial(of) => {
                let of = self.int(of)?;
                let factorial =
                    |n: i64| (1..=n).try_fold(1i64, |product, i| product.checked_mul(i));
                return self.lookup(of, expr.spot, factorial);
            }
            ExprKind::PopCount(of) => {
                let of = self.int(of)?;
                return self.lookup(of, expr.spot, |n| Some(i64::from(n.count_ones())));
            }
            ExprKind::Quantified(_, binds, body) => {
                let mut total = Total::default();
                let mut undefined = false;
                let defined = self.each(binds, &[], &mut |builder| {
                    match builder.int(body) {
                        Some(part) => builder.nodes.add(&mut total, 1, part),
                        None => undefined = true,
                    }
                    !undefined && builder.error.is_none()
                });
                if !defined || undefined {
                    return None;
                }
                self.nodes.total(total)
            }
            ExprKind::Fold(fold, of) => {
                let items = self.ints(of)?;
                match fold {
                    Fold::Sum => {
                        let mut total = Total::default();
                        for item in items {
                            self.nodes.add(&mut total, 1, item);
                        }
                        self.nodes.total(total)
                    }
                    Fold::Product => {
                        let mut product = Int::Known(1);
                        for item in items {
                            product = self.nodes.product(product, item);
                        }
                        product
                    }
                    _ if items.is_empty() => return None,
                    _ => self.nodes.extreme(items, *fold == Fold::Min),
                }
            }
            _ => {
                let cell = self.cell(expr)?;
                self.int_of(cell)
            }
        })
    }

    fn arithmetic(&mut self, arithmetic: Arithmetic, left: Int, right: Int) -> Option<Int> {
        let zero = Int::Known(0);
        Some(match arithmetic {
            Arithmetic::Minus => {
                let mut total = Total::default();
                self.nodes.add(&mut total, 1, left);
                self.nodes.add(&mut total, -1, right);
                self.nodes.total(total)
            }
            Arithmetic::Quotient | Arithmetic::Remainder => {
                let defined = !self.nodes.equal(right, zero);
                self.require(defined)?;
                match arithmetic {
                    Arithmetic::Quotient => self.nodes.quotient(left, right),
                    _ => self.nodes.remainder(left, right),
                }
            }
            Arithmetic::Power => {
                let defined = self.nodes.compare(Compare::AtLeast, right, zero);
                self.require(defined)?;
                self.nodes.power(left, right)
            }
        })
    }

    /// A function of a number that is not negative, as a row to look it up in.
    fn lookup(
        &mut self,
        of: Int,
        spot: Spot,
        function: impl Fn(i64) -> Option<i64>,
    ) -> Option<Int> {
        let zero = Int::Known(0);
        let defined = self.nodes.compare(Compare::AtLeast, of, zero);
        self.require(defined)?;
        let (low, high) = self.nodes.bounds(of);
        let low = low.max(0);
        if high - low > 1 << 20 {
            self.fail(spot, "the argument has too many values");
            return None;
        }
        let members: Vec<i64> = (low..=high).collect();
        let items: Option<Vec<Int>> = members
            .iter()
            .map(|&n| function(n).map(Int::Known))
            .collect();
        let Some(items) = items else {
            self.fail(spot, "this number grows beyond 64 bits");
            return None;
        };
        Some(self.nodes.element(items, vec![(of, members)]))
    }

    /// The term around is defined only where this holds.
    pub(super) fn require(&mut self, defined: Bool) -> Option<()> {
        match defined.known() {
            Some(true) => Some(()),
            Some(false) => None,
            None => {
                self.conditions.push(defined);
                Some(())
            }
        }
    }

    pub(super) fn int_of(&mut self, cell: Cell) -> Int {
        match cell {
            Cell::Int(int) => int,
            Cell::Bool(term) => self.nodes.truth(term),
        }
    }

    pub(super) fn number_of(&mut self, cell: Cell) -> i64 {
        match self.int_of(cell) {
            Int::Known(number) => number,
            Int::Node(_) => 0,
        }
    }

    /// An int without decision variables.
    pub(super) fn known(&mut self, expr: &Expr) -> Option<i64> {
        match self.int(expr)? {
            Int::Known(number) => Some(number),
            Int::Node(_) => {
                self.fail(expr.spot, "this must not depend on a decision variable");
                None
            }
        }
    }
}
