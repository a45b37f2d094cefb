//! An integer program as MPS text, which every MIP solver reads.
//!
//! The text follows the columns of fixed MPS and is free MPS at the same time: names have at most
//! eight characters and no spaces, and numbers at most twelve, so no reader can misunderstand it.
//! The objective is always minimised, because some readers ignore `OBJSENSE`; its constant is left
//! out, because readers disagree about the sign of a constant in `RHS`. Both bounds of each column
//! are stated, because the default upper bound of integer columns differs between solvers.

use std::fmt::Write;

use ployglot_base::Poll;

use super::program::{ColumnId, Form, Program, Row};

/// The name of a column.
pub(super) fn column_name(column: usize) -> String {
    format!("c{column}")
}

/// The column of a name that [`column_name`] made.
pub(super) fn column_of(name: &str) -> Option<usize> {
    name.strip_prefix('c')?.parse().ok()
}

/// The text of a program with additional rows. The objective is a form with the sign 1 to minimise
/// and -1 to maximise; the text minimises the form times the sign, without its constant.
pub(super) fn mps(
    program: &Program,
    more: &[Row],
    objective: Option<&(Form, i64)>,
    poll: &Poll,
) -> String {
    // A row without columns is an assumption about a constant, which holds.
    let rows = program.rows.iter().chain(more);
    let rows: Vec<&Row> = rows.filter(|row| !row.terms.is_empty()).collect();
    let mut text = String::from("NAME          ploy\nROWS\n N  obj\n");
    for (i, row) in rows.iter().enumerate() {
        poll.step();
        let kind = match (row.low, row.high) {
            (Some(low), Some(high)) if low == high => 'E',
            (Some(_), _) => 'G',
            (None, _) => 'L',
        };
        let _ = writeln!(text, " {kind}  r{i}");
    }
    columns(&mut text, program, &rows, objective, poll);
    let value = |text: &mut String, set: &str, row: usize, number: i64| {
        let _ = writeln!(text, "    {set:<10}r{row:<9}{number:>12}");
    };
    text.push_str("RHS\n");
    for (i, row) in rows.iter().enumerate() {
        poll.step();
        match row.low.or(row.high) {
            None | Some(0) => {}
            Some(number) => value(&mut text, "rhs", i, number),
        }
    }
    // A row of the kind G with a range R is between its right-hand side and that plus R.
    let both = |row: &&Row| row.low.is_some() && row.high.is_some() && row.low != row.high;
    if rows.iter().any(both) {
        text.push_str("RANGES\n");
    }
    for (i, row) in rows.iter().enumerate() {
        if let (Some(low), Some(high)) = (row.low, row.high)
            && low != high
        {
            value(&mut text, "range", i, high - low);
        }
    }
    text.push_str("BOUNDS\n");
    for (i, column) in program.columns.iter().enumerate() {
        poll.step();
        let name = column_name(i);
        let mut bound = |kind: &str, number: i64| {
            let _ = writeln!(text, " {kind} bound     {name:<10}{number:>12}");
        };
        if column.low == column.high {
            bound("FX", column.low);
        } else {
            bound("LO", column.low);
            bound("UP", column.high);
        }
    }
    text.push_str("ENDATA\n");
    text
}

/// The section with the factors, column by column. Integer columns stand between markers.
fn columns(
    text: &mut String,
    program: &Program,
    rows: &[&Row],
    objective: Option<&(Form, i64)>,
    poll: &Poll,
) {
    // The rows of each column.
    let count = program.columns.len();
    let mut factors: Vec<Vec<(usize, i64)>> = vec![Vec::new(); count];
    for (i, row) in rows.iter().enumerate() {
        poll.steps(1 + row.terms.len());
        for &(column, weight) in &row.terms {
            factors[column as usize].push((i, weight));
        }
    }
    let mut costs = vec![0i64; count];
    if let Some((form, sign)) = objective {
        for &(column, weight) in &form.terms {
            let column: ColumnId = column;
            costs[column as usize] += weight * sign;
        }
    }
    text.push_str("COLUMNS\n");
    let mut markers = 0;
    let mut marker = |text: &mut String, word: &str| {
        let _ = writeln!(text, "    m{markers:<9}'MARKER'                 '{word}'");
        markers += 1;
    };
    let mut within = false;
    for (i, column) in program.columns.iter().enumerate() {
        poll.steps(1 + factors[i].len());
        if column.integer != within {
            marker(text, if column.integer { "INTORG" } else { "INTEND" });
            within = column.integer;
        }
        let name = column_name(i);
        // A column without factors is declared by its cost.
        if costs[i] != 0 || factors[i].is_empty() {
            let _ = writeln!(text, "    {name:<10}obj       {:>12}", costs[i]);
        }
        for &(row, weight) in &factors[i] {
            let _ = writeln!(text, "    {name:<10}r{row:<9}{weight:>12}");
        }
    }
    if within {
        marker(text, "INTEND");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_states_rows_ranges_and_bounds() {
        let mut program = Program::default();
        let x = Form::column(program.column(-3, 20, true));
        let y = Form::column(program.column(0, 1, false));
        program.column(7, 7, true);
        let sum = x.clone().plus(2, &y).expect("small");
        program.row(sum, Some(-1), Some(4)).expect("small");
        let row = Row {
            terms: vec![(0, 1)],
            low: None,
            high: Some(5),
        };
        let text = mps(&program, &[row], Some(&(x, -1)), &Poll::default());
        let expected = "\
NAME          ploy
ROWS
 N  obj
 G  r0
 L  r1
COLUMNS
    m0        'MARKER'                 'INTORG'
    c0        obj                 -1
    c0        r0                   1
    c0        r1                   1
    m1        'MARKER'                 'INTEND'
    c1        r0                   2
    m2        'MARKER'                 'INTORG'
    c2        obj                  0
    m3        'MARKER'                 'INTEND'
RHS
    rhs       r0                  -1
    rhs       r1                   5
RANGES
    range     r0                   5
BOUNDS
 LO bound     c0                  -3
 UP bound     c0                  20
 LO bound     c1                   0
 UP bound     c1                   1
 FX bound     c2                   7
ENDATA
";
        assert_eq!(text, expected);
    }
}
