//! Products, and the functions that are built from them. A product with a small factor is split:
//! for each value of that factor there is a copy of the other factor, which is 0 unless the value
//! is taken; that is the convex hull. Of two wide factors, one is written in binary, and the other
//! is multiplied by each bit. Quotients, remainders and powers are tables where their arguments can
//! be listed.

use super::TooLarge;
use super::program::{Form, Program};
use crate::problem::Operand;
use crate::rewrite::{self, floor};

/// A factor with at most this many values is split by value.
const SPLIT: u64 = 64;
/// A function with at most this many combinations of arguments is listed.
const LISTED: u64 = 4096;

/// `a · b`, without a condition.
pub(super) fn product(program: &mut Program, a: Operand, b: Operand) -> Result<Form, TooLarge> {
    let (mut a, mut b) = (a, b);
    if program.values_of(a).len() > program.values_of(b).len() {
        (a, b) = (b, a);
    }
    let values = program.values_of(a);
    if a == b && values.len() <= SPLIT {
        let mut sum = Form::default();
        for v in values.values() {
            let square = i64::from(v) * i64::from(v);
            sum = sum.plus(square, &program.is(a, v)?)?;
        }
        return Ok(sum);
    }
    let other = program.operand(b);
    times(program, a, &other)
}

/// `a` times a form.
fn times(program: &mut Program, a: Operand, other: &Form) -> Result<Form, TooLarge> {
    let values = program.values_of(a);
    if let Some(number) = values.fixed() {
        return Form::default().plus(i64::from(number), other);
    }
    // The excess of the form over its least value is between 0 and its width.
    let (least, most) = program.range(other);
    let fits = |v: i128| i64::try_from(v).map_err(|_| TooLarge);
    let (least, width) = (fits(least)?, fits(most - least)?);
    let over = other.clone().plus(-1, &Form::number(least))?;
    let mut sum = Form::default().plus(least, &program.operand(a))?;
    if values.len() <= SPLIT {
        let mut rest = over;
        for v in values.values() {
            let taken = program.is(a, v)?;
            let part = Form::column(program.column(0, width, false));
            let room = part.clone().plus(-width, &taken)?;
            program.row(room, None, Some(0))?;
            rest = rest.plus(-1, &part)?;
            sum = sum.plus(i64::from(v), &part)?;
        }
        program.row(rest, Some(0), Some(0))?;
        return Ok(sum);
    }
    // a = its least value + bits; each part is a bit times the excess.
    let from = i64::from(values.min());
    sum = sum.plus(from, &over)?;
    let mut number = program.operand(a).plus(-1, &Form::number(from))?;
    let span = i64::from(values.max()) - from;
    let mut digit = 1i64;
    while digit <= span {
        let bit = program.binary();
        number = number.plus(-digit, &bit)?;
        let part = Form::column(program.column(0, width, false));
        program.row(part.clone().plus(-width, &bit)?, None, Some(0))?;
        let under = part.clone().plus(-1, &over)?;
        program.row(under.clone(), None, Some(0))?;
        program.row(under.plus(-width, &bit)?, Some(-width), None)?;
        sum = sum.plus(digit, &part)?;
        digit *= 2;
    }
    program.row(number, Some(0), Some(0))?;
    Ok(sum)
}

/// A result of a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Quotient,
    Remainder,
}

/// The quotient or remainder of `a / b` is the result.
pub(super) fn divided(
    program: &mut Program,
    when: &Form,
    [a, b]: [Operand; 2],
    result: Operand,
    part: Part,
) -> Result<(), TooLarge> {
    if combinations(program, a, b) <= LISTED {
        return listed(program, when, a, b, result, |a, b| {
            let (quotient, remainder) = floor(a, b)?;
            Some(match part {
                Part::Quotient => quotient,
                Part::Remainder => remainder,
            })
        });
    }
    let (quotient, remainder) = division(program, when, a, b)?;
    let form = match part {
        Part::Quotient => quotient,
        Part::Remainder => remainder,
    };
    let difference = form.plus(-1, &program.operand(result))?;
    program.equal(when, &difference, 0)
}

pub(super) fn power(
    program: &mut Program,
    when: &Form,
    [base, exponent]: [Operand; 2],
    result: Operand,
) -> Result<(), TooLarge> {
    if combinations(program, base, exponent) > LISTED {
        return Err(TooLarge);
    }
    listed(program, when, base, exponent, result, rewrite::power)
}

pub(super) fn absolute(
    program: &mut Program,
    when: &Form,
    of: Operand,
    result: Operand,
) -> Result<(), TooLarge> {
    let values = program.values_of(of);
    if values.len() <= SPLIT {
        let unused = Operand::Number(0);
        return listed(program, when, of, unused, result, |a, _| Some(a.abs()));
    }
    // The maximum of the number and its negative: at least both, and at most one of them.
    let (form, to) = (program.operand(of), program.operand(result));
    let positive = program.binary();
    for (sign, side) in [(1, positive.clone()), (-1, positive.opposite())] {
        let over = to.clone().plus(-sign, &form)?;
        program.at_least(when, &over, 0)?;
        // Not above where both the condition and this side hold; loosened where either does not.
        let slack = i64::try_from(program.range(&over).1).map_err(|_| TooLarge)?;
        if slack > 0 {
            let both = over.plus(slack, when)?.plus(slack, &side)?;
            program.row(both, None, Some(slack.checked_mul(2).ok_or(TooLarge)?))?;
        }
    }
    Ok(())
}

/// `result = f(a, b)` as a table, false where `f` has no value.
fn listed(
    program: &mut Program,
    when: &Form,
    a: Operand,
    b: Operand,
    result: Operand,
    f: impl Fn(i64, i64) -> Option<i64>,
) -> Result<(), TooLarge> {
    let (of_a, of_b) = (program.values_of(a), program.values_of(b));
    let mut rows = Vec::new();
    for v in of_a.values() {
        for w in of_b.values() {
            let value = f(i64::from(v), i64::from(w)).and_then(|value| i32::try_from(value).ok());
            if let Some(value) = value.filter(|_| a != b || v == w) {
                rows.push(vec![v, w, value]);
            }
        }
    }
    program.table(when, &[a, b, result], rows.into_iter())
}

/// Quotient and remainder of `a` by `b`, correct where the condition holds.
fn division(
    program: &mut Program,
    when: &Form,
    a: Operand,
    b: Operand,
) -> Result<(Form, Form), TooLarge> {
    let (of_a, of_b) = (program.values_of(a), program.values_of(b));
    let reach = of_a.magnitude();
    let largest = of_b.magnitude();
    // The quotient's absolute value exceeds the dividend's by at most one, where it is rounded
    // down.
    let quotient = Form::column(program.column(-reach - 1, reach + 1, true));
    let most = largest.max(1) - 1;
    let rest = Form::column(program.column(-most, most, true));
    let multiple = times(program, b, &quotient)?;
    let sum = multiple.plus(1, &rest)?.plus(-1, &program.operand(a))?;
    program.equal(when, &sum, 0)?;
    // The remainder lies between 0 and the divisor, and has its sign.
    let positive = program.binary();
    let divisor = program.operand(b);
    for (sign, side) in [(1, positive.clone()), (-1, positive.opposite())] {
        let within = Form::default().plus(sign, &rest)?;
        let below = Form::default().plus(sign, &divisor)?.plus(-1, &within)?;
        for (form, bound) in [(within, 0), (below, 1)] {
            let slack = i128::from(bound) - program.range(&form).0;
            let slack = i64::try_from(slack).map_err(|_| TooLarge)?;
            if slack > 0 {
                let both = form.plus(-slack, when)?.plus(-slack, &side)?;
                let least = slack
                    .checked_mul(-2)
                    .and_then(|least| least.checked_add(bound));
                program.row(both, Some(least.ok_or(TooLarge)?), None)?;
            }
        }
    }
    Ok((quotient, rest))
}

fn combinations(program: &Program, a: Operand, b: Operand) -> u64 {
    let (a, b) = (program.values_of(a).len(), program.values_of(b).len());
    a.saturating_mul(b)
}
