//! What is wrong with a stranger's text: where, and what was expected there.

use std::fmt;

/// The text cannot be read. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadText {
    pub line: usize,
    pub column: usize,
    /// How many characters the mark covers; at least 1.
    pub width: usize,
    /// A sentence without its full stop: `a cell is '.', 'X' or a letter, found '#'`.
    pub message: String,
}

impl BadText {
    pub fn new(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            width: 1,
            message: message.into(),
        }
    }

    pub fn wide(self, width: usize) -> Self {
        Self {
            width: width.max(1),
            ..self
        }
    }
}

impl fmt::Display for BadText {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}",
            self.line, self.column, self.message
        )
    }
}

impl std::error::Error for BadText {}

/// The known name that `name` was probably meant to be.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= 1 + candidate.chars().count() / 4)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// How many characters must be changed, added, dropped or swapped with their neighbour (Damerau 1964).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_name() {
        assert_eq!(nearest("gaol", ["game", "goal", "hand"]), Some("goal"));
        assert_eq!(nearest("floor", ["goal", "hand"]), None);
        assert_eq!(nearest("goals", ["goal", "hand"]), Some("goal"));
        assert_eq!(
            nearest("wildcard", ["wildcards", "hand"]),
            Some("wildcards")
        );
    }
}
