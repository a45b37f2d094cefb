//! From the model to terms: parameters are substituted, quantifiers unrolled, and constants folded
//! before the expression around them is built. Where a guard is false, the guarded part is not
//! built at all.
//!
//! An int term that may be undefined pushes the conditions under which it is defined; the smallest
//! boolean expression around it adds them to its term. One that is always undefined is `None`.

use std::rc::Rc;

use ployglot_base::BadText;
use ployglot_csp::{Domain, VarId};

use super::arithmetic::LinearSum;
use super::nodes::{Bool, Int, Nodes};
use super::tabulate::make_table;
use crate::deep::deep;
use crate::lex::Span;
use crate::model::*;
use crate::tree::{Compare, Quantifier};
use crate::value::Axis;

/// What a name or an expression of the model is after unrolling.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    Int(Int),
    Bool(Bool),
    Matrix(Rc<TermMatrix>),
    /// Only names of domains mean this; no expression does.
    Domain(Rc<Domain>),
    /// A letting whose rows have different lengths: only its expression has rows.
    Ragged(Rc<Expr>),
}

/// A matrix of terms, row by row, the last index running fastest.
#[derive(Clone, Debug)]
pub(crate) struct TermMatrix {
    pub axes: Vec<Axis>,
    pub items: Items,
}

/// The items of a matrix, which all have one type.
#[derive(Clone, Debug)]
pub(crate) enum Items {
    Ints(Vec<Int>),
    Bools(Vec<Bool>),
}

/// Unrolls expressions of one instance.
pub(crate) struct Builder<'a> {
    pub nodes: &'a mut Nodes,
    /// The meaning of each global of the model.
    pub globals: Vec<Meaning>,
    /// The values of quantified variables, by slot.
    pub(super) locals: Vec<Meaning>,
    /// The conditions under which the int terms built so far are defined.
    pub(super) conditions: Vec<Bool>,
    /// The first error; callers stop when it is set.
    pub error: Option<BadText>,
}

impl Meaning {
    /// A constant: the number of an int or bool.
    pub fn constant(of: Scalar, number: i64) -> Meaning {
        match of {
            Scalar::Bool => Meaning::Bool(Bool::of(number != 0)),
            _ => Meaning::Int(Int::Constant(number)),
        }
    }
}

impl Items {
    /// Constants: the numbers of ints or bools.
    pub fn constants(of: Scalar, numbers: impl Iterator<Item = i64>) -> Items {
        match of {
            Scalar::Bool => Items::Bools(numbers.map(|number| Bool::of(number != 0)).collect()),
            _ => Items::Ints(numbers.map(Int::Constant).collect()),
        }
    }

    /// The item at this place.
    pub fn get(&self, at: usize) -> Meaning {
        match self {
            Items::Ints(ints) => Meaning::Int(ints[at]),
            Items::Bools(bools) => Meaning::Bool(bools[at]),
        }
    }

    /// The items at these places.
    pub fn pick(&self, places: impl Iterator<Item = usize>) -> Items {
        match self {
            Items::Ints(ints) => Items::Ints(places.map(|at| ints[at]).collect()),
            Items::Bools(bools) => Items::Bools(places.map(|at| bools[at]).collect()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Items::Ints(ints) => ints.len(),
            Items::Bools(bools) => bools.len(),
        }
    }
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

    /// Adds the conjuncts of a constraint: an *and* or `forAll` is split into its parts.
    pub fn assert(&mut self, expr: &Expr, conjuncts: &mut Vec<Bool>) {
        match &expr.kind {
            ExprKind::And(parts) => {
                for part in parts {
                    self.assert(part, conjuncts);
                }
            }
            ExprKind::Quantified(Quantifier::ForAll, binds, body) => {
                let defined = self.each(binds, &[], &mut |builder| {
                    builder.assert(body, conjuncts);
                    builder.error.is_none()
                });
                if !defined {
                    conjuncts.push(Bool::FALSE);
                }
            }
            _ => {
                let term = self.bool(expr);
                if self.nodes.overflow {
                    self.nodes.overflow = false;
                    self.fail_too_large(expr.span, "the numbers of this constraint are too large");
                }
                conjuncts.push(term);
            }
        }
    }

    /// The objective, which must be defined: its conditions become conjuncts.
    pub fn objective(&mut self, expr: &Expr, conjuncts: &mut Vec<Bool>) -> Int {
        let value = self.int(expr);
        if std::mem::take(&mut self.nodes.overflow) {
            self.fail_too_large(expr.span, "the numbers of the objective are too large");
        }
        conjuncts.append(&mut self.conditions);
        value.unwrap_or_else(|| {
            conjuncts.push(Bool::FALSE);
            Int::Constant(0)
        })
    }

    /// Adds the decision variables of an item of `branching on`: a scalar or a matrix, in order. An
    /// expression that is more than a decision variable branches on the variables in it.
    pub fn branching(&mut self, expr: &Expr, variables: &mut Vec<VarId>) {
        let mark = self.conditions.len();
        let terms = match self.meaning(expr) {
            Some(Meaning::Matrix(matrix)) => matrix.items.clone(),
            Some(Meaning::Int(term)) => Items::Ints(vec![term]),
            Some(Meaning::Bool(term)) => Items::Bools(vec![term]),
            _ => Items::Ints(Vec::new()),
        };
        self.conditions.truncate(mark);
        match terms {
            Items::Ints(terms) => {
                let found = terms
                    .iter()
                    .flat_map(|&term| self.nodes.variables_of_int(term));
                variables.extend(found);
            }
            Items::Bools(terms) => {
                let found = terms.iter().flat_map(|&term| self.nodes.variables_of(term));
                variables.extend(found);
            }
        }
    }

    /// Notes an error, unless there is one already.
    pub(super) fn fail(&mut self, span: Span, message: impl Into<String>) {
        if self.error.is_none() {
            self.error = Some(span.error(message));
        }
    }

    /// Notes that the model is beyond a limit of this program, unless there is an error already.
    pub(super) fn fail_too_large(&mut self, span: Span, message: impl Into<String>) {
        if self.error.is_none() {
            self.error = Some(span.too_large(message));
        }
    }

    /// A boolean expression as a term that is false where a part is undefined.
    pub fn bool(&mut self, expr: &Expr) -> Bool {
        let mark = self.conditions.len();
        let term = deep(|| self.bool_term(expr)).unwrap_or(Bool::FALSE);
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

    /// `None`: a part is always undefined.
    fn bool_term(&mut self, expr: &Expr) -> Option<Bool> {
        Some(match &expr.kind {
            ExprKind::Truth(truth) => Bool::of(*truth),
            ExprKind::Not(of) => !self.bool(of),
            ExprKind::And(parts) => self.all(parts, false),
            ExprKind::Or(parts) => !self.all(parts, true),
            ExprKind::Xor(parts) => {
                let parts: Vec<Bool> = parts.iter().map(|part| self.bool(part)).collect();
                self.parity(&parts)
            }
            ExprKind::Implies(sides) => self.implies(sides),
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
                return self.quantified(*quantifier == Quantifier::ForAll, binds, body);
            }
            ExprKind::Fold(Fold::And, of) => {
                let parts = self.bools(of)?;
                self.nodes.and(parts)
            }
            ExprKind::Fold(Fold::Xor, of) => {
                let parts = self.bools(of)?;
                self.parity(&parts)
            }
            ExprKind::Fold(_, of) => {
                let parts = self.bools(of)?;
                self.nodes.or(parts)
            }
            // A bool is always defined.
            ExprKind::CatchUndef(sides) => self.bool(&sides[0]),
            ExprKind::MakeTable(of) => {
                let term = self.bool(of);
                make_table(self.nodes, term)
            }
            ExprKind::ShortTable(sides) => self.short_table(sides)?,
            ExprKind::AllDifferent(of, except) => {
                let items = self.ints(of)?;
                let except = match except {
                    None => None,
                    Some(except) => Some(self.number(except)?),
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
                self.count(expr.span, &items, &values, &counts, compare)
            }
            ExprKind::Cardinality(parts) => {
                let items = self.ints(&parts[0])?;
                let (values, counts) = (self.ints(&parts[1])?, self.ints(&parts[2])?);
                self.count(expr.span, &items, &values, &counts, Compare::Equal)
            }
            ExprKind::Table(positive, sides) => {
                let listed = self.table(sides, expr.span)?;
                if *positive { listed } else { !listed }
            }
            _ => match self.name_or_index(expr)? {
                Meaning::Bool(term) => term,
                _ => unreachable!("the checker saw a bool"),
            },
        })
    }

    /// An odd number of the parts holds.
    fn parity(&mut self, parts: &[Bool]) -> Bool {
        parts
            .iter()
            .fold(Bool::FALSE, |odd, &part| !self.nodes.iff(odd, part))
    }

    fn implies(&mut self, [left, right]: &[Expr; 2]) -> Bool {
        // A side that is constant is built first: it may make the other one unnecessary.
        if right.depends_on.is_none() && left.depends_on.is_some() {
            let right = self.bool(right);
            if right == Bool::TRUE {
                return right;
            }
            let left = self.bool(left);
            return self.nodes.or([!left, right]);
        }
        let left = self.bool(left);
        if left == Bool::FALSE {
            return Bool::TRUE;
        }
        let right = self.bool(right);
        self.nodes.or([!left, right])
    }

    /// `forAll` (`is_all`) or `exists`. The loop ends at the first part that decides the result.
    fn quantified(&mut self, is_all: bool, binds: &[BoundVariable], body: &Expr) -> Option<Bool> {
        let mut parts = Vec::new();
        let mut is_false = false;
        let defined = self.each(binds, &[], &mut |builder| {
            let part = builder.bool(body);
            let part = if is_all { part } else { !part };
            is_false = part == Bool::FALSE;
            parts.push(part);
            !is_false && builder.error.is_none()
        });
        if !defined {
            return None;
        }
        let all = match is_false {
            true => Bool::FALSE,
            false => self.nodes.and(parts),
        };
        Some(if is_all { all } else { !all })
    }

    /// The items are one of the rows.
    fn table(&mut self, [items, rows]: &[Expr; 2], span: Span) -> Option<Bool> {
        let items = self.ints(items)?;
        let matrix = self.matrix(rows)?;
        let width = matrix.axes.get(1).map_or(0, Axis::length);
        if matrix.items.len() > 0 && width != items.len() {
            let items = items.len();
            let message = format!("a row has {width} values, but there are {items} items");
            self.fail(span, message);
            return None;
        }
        let numbers = self.numbers(&matrix);
        let height = matrix.axes[0].length();
        self.nodes.poll.allocate::<Vec<i64>>(height as u64);
        let rows = match items.len() {
            0 => vec![Vec::new(); height],
            width => numbers.chunks(width).map(<[i64]>::to_vec).collect(),
        };
        Some(self.nodes.table(items, rows))
    }

    /// All parts hold (or, flipped, none does). Constant parts are built first.
    fn all(&mut self, parts: &[Expr], flip: bool) -> Bool {
        let mut terms = Vec::with_capacity(parts.len());
        let constant = parts.iter().filter(|part| part.depends_on.is_none());
        let open = parts.iter().filter(|part| part.depends_on.is_some());
        for part in constant.chain(open) {
            let term = self.bool(part);
            let term = if flip { !term } else { term };
            if term == Bool::FALSE {
                return term;
            }
            terms.push(term);
        }
        self.nodes.and(terms)
    }

    /// The left row comes before the right one in lexicographic order, or equals it if not strict.
    fn lex(&mut self, left: &[Int], right: &[Int], strict: bool) -> Bool {
        let common = left.len().min(right.len());
        let mut term = Bool::of(match strict {
            true => left.len() < right.len(),
            false => left.len() <= right.len(),
        });
        // left ≤ right at i, and either left < right at i or the rest is in order.
        for i in (0..common).rev() {
            let at_most = self.nodes.compare(Compare::AtMost, left[i], right[i]);
            let less = self.nodes.compare(Compare::Less, left[i], right[i]);
            let rest = self.nodes.or([less, term]);
            term = self.nodes.and([at_most, rest]);
        }
        term
    }

    /// For each value, the number of items that have it compares with its count.
    fn count(
        &mut self,
        span: Span,
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
            self.fail(span, message);
            return Bool::FALSE;
        }
        let mut parts = Vec::new();
        for (&value, &count) in values.iter().zip(counts) {
            let total = self.occurrences(items, value);
            parts.push(self.nodes.compare(compare, total, count));
        }
        self.nodes.and(parts)
    }

    /// How many items have the value.
    fn occurrences(&mut self, items: &[Int], value: Int) -> Int {
        let mut total = LinearSum::default();
        for &item in items {
            let equal = self.nodes.equal(item, value);
            let one = self.nodes.int_from_bool(equal);
            self.nodes.add(&mut total, 1, one);
        }
        self.nodes.total(total)
    }

    /// An int expression, or a bool as 0 or 1. `None`: always undefined.
    pub fn int(&mut self, expr: &Expr) -> Option<Int> {
        deep(|| self.int_term(expr))
    }

    fn int_term(&mut self, expr: &Expr) -> Option<Int> {
        if expr.ty == Type::BOOL {
            let term = self.bool(expr);
            return Some(self.nodes.int_from_bool(term));
        }
        Some(match &expr.kind {
            ExprKind::Number(number) => Int::Constant(*number),
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
                let mut total = LinearSum::default();
                for part in parts {
                    let part = self.int(part)?;
                    self.nodes.add(&mut total, 1, part);
                }
                self.nodes.total(total)
            }
            ExprKind::Product(parts) => {
                let mut product = Int::Constant(1);
                for part in parts {
                    let part = self.int(part)?;
                    product = self.nodes.product(product, part);
                }
                product
            }
            ExprKind::CatchUndef(sides) => {
                let default = self.int(&sides[1])?;
                let mark = self.conditions.len();
                let Some(of) = self.int(&sides[0]) else {
                    self.conditions.truncate(mark);
                    return Some(default);
                };
                let conditions = self.conditions.split_off(mark);
                let defined = self.nodes.and(conditions);
                match self.nodes.int_from_bool(defined) {
                    Int::Constant(0) => default,
                    Int::Constant(_) => of,
                    index => self
                        .nodes
                        .element(vec![default, of], vec![(index, vec![0, 1])]),
                }
            }
            ExprKind::Count(sides) => {
                let (items, value) = (self.ints(&sides[0])?, self.int(&sides[1])?);
                self.occurrences(&items, value)
            }
            ExprKind::Length(of) => Int::Constant(self.axes(of)?[0].length() as i64),
            ExprKind::Arithmetic(arithmetic, sides) => {
                let (left, right) = (self.int(&sides[0])?, self.int(&sides[1])?);
                return self.arithmetic(*arithmetic, left, right);
            }
            ExprKind::Factorial(of) => {
                let of = self.int(of)?;
                let factorial =
                    |n: i64| (1..=n).try_fold(1i64, |product, i| product.checked_mul(i));
                return self.lookup(of, expr.span, factorial);
            }
            ExprKind::PopCount(of) => {
                let of = self.int(of)?;
                return self.lookup(of, expr.span, |n| Some(i64::from(n.count_ones())));
            }
            ExprKind::Quantified(_, binds, body) => {
                let mut total = LinearSum::default();
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
                        let mut total = LinearSum::default();
                        for item in items {
                            self.nodes.add(&mut total, 1, item);
                        }
                        self.nodes.total(total)
                    }
                    Fold::Product => {
                        let mut product = Int::Constant(1);
                        for item in items {
                            product = self.nodes.product(product, item);
                        }
                        product
                    }
                    _ if items.is_empty() => return None,
                    _ => self.nodes.min_or_max(items, *fold == Fold::Min),
                }
            }
            _ => match self.name_or_index(expr)? {
                Meaning::Int(int) => int,
                _ => unreachable!("the checker saw an int"),
            },
        })
    }

    /// A difference, quotient, remainder or power.
    fn arithmetic(&mut self, arithmetic: Arithmetic, left: Int, right: Int) -> Option<Int> {
        let zero = Int::Constant(0);
        Some(match arithmetic {
            Arithmetic::Minus => {
                let mut total = LinearSum::default();
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
                let (base, exponent) =
                    (self.nodes.equal(left, zero), self.nodes.equal(right, zero));
                let both_zero = self.nodes.and([base, exponent]);
                self.require(!both_zero)?;
                self.nodes.power(left, right)
            }
        })
    }

    /// A function of a number that is not negative, as an element of the row of its values.
    fn lookup(
        &mut self,
        of: Int,
        span: Span,
        function: impl Fn(i64) -> Option<i64>,
    ) -> Option<Int> {
        let zero = Int::Constant(0);
        let defined = self.nodes.compare(Compare::AtLeast, of, zero);
        self.require(defined)?;
        let (low, high) = self.nodes.bounds(of);
        let low = low.max(0);
        if high - low > 1 << 20 {
            self.fail_too_large(span, "the argument has too many values");
            return None;
        }
        let members: Vec<i64> = (low..=high).collect();
        let items: Option<Vec<Int>> = members
            .iter()
            .map(|&n| function(n).map(Int::Constant))
            .collect();
        let Some(items) = items else {
            self.fail_too_large(span, "this number does not fit 64 bits");
            return None;
        };
        Some(self.nodes.element(items, vec![(of, members)]))
    }

    /// The int term being built is defined only where this holds. `None`: nowhere.
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

    /// An int expression without decision variables.
    pub(super) fn number(&mut self, expr: &Expr) -> Option<i64> {
        match self.int(expr)? {
            Int::Constant(number) => Some(number),
            Int::Node(_) => {
                self.fail(expr.span, "this must not depend on a decision variable");
                None
            }
        }
    }
}
