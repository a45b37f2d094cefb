//! The judge of every solution: the definition of each constraint, evaluated on plain numbers.
//! It shares no code with the back ends.

use ployglot_base::{Budget, Limit, Poll};

use crate::problem::{Comparison, Constraint, Literal, Operand, Problem, Quantity, VarId};

/// Why an assignment is no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The value of this variable is outside its domain.
    Domain(VarId),
    /// The constraint with this index does not hold; it is the first such.
    Constraint(usize),
}

/// Whether `values`, one for each variable, are a solution. Panics if their number is wrong.
pub fn check(problem: &Problem, values: &[i32]) -> Result<(), Violation> {
    checked(problem, values, &Poll::default())
}

fn checked(problem: &Problem, values: &[i32], poll: &Poll) -> Result<(), Violation> {
    assert_eq!(
        values.len(),
        problem.variables.len(),
        "a value for each variable"
    );
    for (i, (variable, &value)) in problem.variables.iter().zip(values).enumerate() {
        if !variable.domain.contains(value) {
            return Err(Violation::Domain(VarId(i as u32)));
        }
    }
    let truth = |literal: Literal| literal.holds_for(values[literal.variable().index()]);
    for (i, posted) in problem.constraints.iter().enumerate() {
        poll.steps(posted.constraint.length());
        if posted.when.is_none_or(truth) && !holds(&posted.constraint, values) {
            return Err(Violation::Constraint(i));
        }
    }
    Ok(())
}

/// [`check`] within a budget; the outer error is the limit that ended it.
pub fn check_within(
    problem: &Problem,
    values: &[i32],
    budget: &Budget,
) -> Result<Result<(), Violation>, Limit> {
    budget.stoppable("checking", |poll| checked(problem, values, poll))
}

/// Whether the constraint is true under the assignment.
pub fn holds(constraint: &Constraint, values: &[i32]) -> bool {
    let truth = |literal: Literal| literal.holds_for(values[literal.variable().index()]);
    let value = |operand: Operand| match operand {
        Operand::Number(number) => i64::from(number),
        Operand::Var(variable) => i64::from(values[variable.index()]),
    };
    let all = |operands: &[Operand]| -> Vec<i64> { operands.iter().map(|&o| value(o)).collect() };
    let listed = |columns: &[Operand], rows: &[Vec<i32>]| {
        let columns = all(columns);
        let same = |row: &Vec<i32>| {
            row.iter()
                .map(|&v| i64::from(v))
                .eq(columns.iter().copied())
        };
        rows.iter().any(same)
    };
    match constraint {
        Constraint::Clause(literals) => literals.iter().any(|&literal| truth(literal)),
        Constraint::Linear {
            terms,
            comparison,
            bound,
        } => {
            let amount = |quantity: Quantity| match quantity {
                Quantity::Var(variable) => i128::from(values[variable.index()]),
                Quantity::Truth(literal) => i128::from(truth(literal)),
            };
            let sum: i128 = terms.iter().map(|&(c, q)| i128::from(c) * amount(q)).sum();
            let bound = i128::from(*bound);
            match comparison {
                Comparison::Equal => sum == bound,
                Comparison::NotEqual => sum != bound,
                Comparison::AtMost => sum <= bound,
                Comparison::AtLeast => sum >= bound,
            }
        }
        Constraint::Element {
            items,
            first,
            index,
            result,
        } => {
            let place = usize::try_from(value(*index) - i64::from(*first));
            let item = place.ok().and_then(|place| items.get(place));
            item.is_some_and(|&item| value(item) == value(*result))
        }
        Constraint::Table { columns, rows } => listed(columns, rows),
        Constraint::NegativeTable { columns, rows } => !listed(columns, rows),
        Constraint::AllDifferent { items, except } => {
            let except = except.map(i64::from);
            let mut items = all(items);
            items.retain(|&item| Some(item) != except);
            items.sort_unstable();
            items.windows(2).all(|pair| pair[0] != pair[1])
        }
        Constraint::Count {
            items,
            value: wanted,
            count,
        } => {
            let wanted = i64::from(*wanted);
            let found = all(items).into_iter().filter(|&v| v == wanted).count();
            found as i64 == value(*count)
        }
        Constraint::Minimum { items, result } => {
            all(items).into_iter().min() == Some(value(*result))
        }
        Constraint::Maximum { items, result } => {
            all(items).into_iter().max() == Some(value(*result))
        }
        Constraint::Product { factors, result } => {
            value(factors[0]) * value(factors[1]) == value(*result)
        }
        Constraint::Quotient {
            dividend,
            divisor,
            result,
        } => {
            let (a, b) = (value(*dividend), value(*divisor));
            b != 0 && floor_div(a, b) == value(*result)
        }
        Constraint::Remainder {
            dividend,
            divisor,
            result,
        } => {
            let (a, b) = (value(*dividend), value(*divisor));
            b != 0 && a - b * floor_div(a, b) == value(*result)
        }
        Constraint::Power {
            base,
            exponent,
            result,
        } => {
            let exponent = u32::try_from(value(*exponent));
            let power = exponent.ok().and_then(|e| value(*base).checked_pow(e));
            power == Some(value(*result))
        }
        Constraint::Absolute { of, result } => value(*of).abs() == value(*result),
    }
}

fn floor_div(a: i64, b: i64) -> i64 {
    let quotient = a / b;
    match a % b != 0 && (a < 0) != (b < 0) {
        true => quotient - 1,
        false => quotient,
    }
}
