//! Constraints rewritten as simpler ones, for back ends without a form of their own for them: a
//! count as a sum of literals, a function of two numbers as a clause for each pair of arguments, a
//! forbidden row of values as a clause.

use crate::domain::Domain;
use crate::problem::{Literal, Operand, Quantity};

/// "`count` items have the value" as a linear equation: terms and bound.
pub(crate) fn counted(
    items: &[Operand],
    value: i32,
    count: Operand,
) -> (Vec<(i64, Quantity)>, i64) {
    let mut terms = Vec::with_capacity(items.len() + 1);
    let mut bound = 0;
    for &item in items {
        match item {
            Operand::Number(number) => bound -= i64::from(number == value),
            Operand::Var(x) => terms.push((1, Quantity::Truth(Literal::Is(x, value)))),
        }
    }
    match count {
        Operand::Number(number) => bound += i64::from(number),
        Operand::Var(x) => terms.push((-1, Quantity::Var(x))),
    }
    (terms, bound)
}

/// The indices of this many items, of which this is the first.
pub(crate) fn indices(first: i32, items: usize) -> Domain {
    let last = i64::from(first) + items as i64 - 1;
    match i32::try_from(last.min(i64::from(i32::MAX))) {
        Ok(last) => Domain::range(first, last),
        // There are no items, and the first index is the least number.
        Err(_) => Domain::default(),
    }
}

/// Quotient rounded down, and remainder; `None` for division by 0.
pub(crate) fn floor(a: i64, b: i64) -> Option<(i64, i64)> {
    if b == 0 {
        return None;
    }
    let down = a % b != 0 && (a < 0) != (b < 0);
    let quotient = a / b - i64::from(down);
    Some((quotient, a - b * quotient))
}

/// `None` if the exponent is negative or the power does not fit.
pub(crate) fn power(base: i64, exponent: i64) -> Option<i64> {
    base.checked_pow(u32::try_from(exponent).ok()?)
}

/// `result = f(a, b)` as clauses, one for each pair of values. Pairs for which `f` is `None` are
/// forbidden.
pub(crate) fn listed(
    domain: impl Fn(Operand) -> Domain,
    [a, b]: [Operand; 2],
    result: Operand,
    f: impl Fn(i64, i64) -> Option<i64>,
) -> Vec<Vec<Literal>> {
    let (lefts, rights, results) = (domain(a), domain(b), domain(result));
    let mut clauses = Vec::new();
    for v in lefts.values() {
        for w in rights.values() {
            if a == b && v != w {
                continue;
            }
            let value = f(i64::from(v), i64::from(w)).and_then(|value| i32::try_from(value).ok());
            let mut clause = differs(&[a, b], &[v, w]);
            match (value.filter(|&value| results.contains(value)), result) {
                (Some(_), Operand::Number(_)) => continue,
                (Some(value), Operand::Var(x)) => clause.push(Literal::Is(x, value)),
                (None, _) => {}
            }
            clauses.push(clause);
        }
    }
    clauses
}

/// "The columns do not have these values" as a clause; `None` where the domains exclude it anyway.
pub(crate) fn forbidden(
    domain: impl Fn(Operand) -> Domain,
    columns: &[Operand],
    row: &[i32],
) -> Option<Vec<Literal>> {
    let mut cells = columns.iter().zip(row);
    let possible = cells.all(|(&column, &v)| domain(column).contains(v));
    possible.then(|| differs(columns, row))
}

fn differs(columns: &[Operand], row: &[i32]) -> Vec<Literal> {
    let differs = |(column, &v): (&Operand, &i32)| match column {
        Operand::Var(x) => Some(Literal::IsNot(*x, v)),
        Operand::Number(_) => None,
    };
    columns.iter().zip(row).filter_map(differs).collect()
}
