//! Compares two sets of results case by case: first cases that are no longer solved (lost), then
//! newly solved ones (won), then other changed outcomes, then changes of time, largest first.

use super::grid::Grid;
use super::results::{Case, Results};

/// The table of changes.
pub fn changes(before: &Results, after: &Results) -> Grid {
    let mut rows: Vec<(u8, f64, Vec<String>)> = Vec::new();
    for new in &after.cases {
        rows.push(match find(before, new) {
            Some(old) => change(old, new),
            None => (4, 0.0, row("new", None, Some(new))),
        });
    }
    for old in before.cases.iter().filter(|old| find(after, old).is_none()) {
        rows.push((5, 0.0, row("gone", Some(old), None)));
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut grid = Grid::new(
        5,
        [
            "change",
            "level",
            "solver",
            "before",
            "after",
            "cost before",
            "cost after",
            "cpu before",
            "cpu after",
        ],
    );
    let count = |kind: u8| rows.iter().filter(|row| row.0 == kind).count();
    grid.note = format!(
        "{} lost, {} won, {} changed otherwise, {} as before",
        count(0),
        count(1),
        count(2),
        count(3)
    );
    grid.rows = rows.into_iter().map(|(_, _, row)| row).collect();
    grid
}

fn find<'a>(results: &'a Results, case: &Case) -> Option<&'a Case> {
    let same = |other: &&Case| {
        other.solver == case.solver && other.level == case.level && other.measure == case.measure
    };
    results.cases.iter().find(same)
}

/// The rank of the kind of change, the size of the change, and the row.
fn change(old: &Case, new: &Case) -> (u8, f64, Vec<String>) {
    let ratio = new.cpu().max(0.001) / old.cpu().max(0.001);
    let (kind, word) = match (old.solved(), new.solved()) {
        (true, false) => (0, "lost".to_string()),
        (false, true) => (1, "won".to_string()),
        _ if old.outcome() != new.outcome() || old.cost() != new.cost() => {
            (2, "changed".to_string())
        }
        // The times of two unsolved cases are not compared.
        (false, false) => (3, "same".to_string()),
        _ if ratio >= 1.05 => (3, format!("slower ×{ratio:.2}")),
        _ if ratio <= 0.95 => (3, format!("faster ×{:.2}", 1.0 / ratio)),
        _ => (3, "same".to_string()),
    };
    (kind, ratio.ln().abs(), row(&word, Some(old), Some(new)))
}

fn row(word: &str, old: Option<&Case>, new: Option<&Case>) -> Vec<String> {
    let either = old.or(new).expect("a change has a case before or after");
    let cell =
        |case: Option<&Case>, what: &dyn Fn(&Case) -> String| case.map_or(String::new(), what);
    let seconds = |case: &Case| format!("{:.3}", case.cpu());
    vec![
        word.to_string(),
        either.level.clone(),
        either.solver.clone(),
        cell(old, &Case::outcome),
        cell(new, &Case::outcome),
        cell(old, &Case::cost),
        cell(new, &Case::cost),
        cell(old, &seconds),
        cell(new, &seconds),
    ]
}
