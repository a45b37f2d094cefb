//! Counts how the levels of a run ended, for the last line and the exit code.

use std::collections::BTreeMap;

use ployglot_io::exit::Exit;
use ployglot_io::row::{DEFECT, ERROR, Row};

/// The number of levels for each status, and what decides the exit code.
#[derive(Default)]
pub struct Tally {
    words: BTreeMap<&'static str, usize>,
    /// The exit of the first level.
    first: Option<Exit>,
    /// The exit of the first level that ended in an error; a defect of the program goes before all
    /// other errors.
    error: Option<Exit>,
}

impl Tally {
    /// Counts one finished level.
    pub fn count(&mut self, row: &Row) {
        *self.words.entry(row.status).or_default() += 1;
        self.first.get_or_insert(row.exit);
        match row.status {
            ERROR => _ = self.error.get_or_insert(row.exit),
            DEFECT => self.error = Some(Exit::Defect),
            _ => {}
        }
    }

    fn levels(&self) -> usize {
        self.words.values().sum()
    }

    /// `3 levels: 2 optimal, 1 limit`.
    pub fn text(&self) -> String {
        let parts: Vec<String> = STATUSES
            .iter()
            .filter_map(|word| Some(format!("{} {word}", self.words.get(word)?)))
            .collect();
        format!("{} levels: {}", self.levels(), parts.join(", "))
    }

    /// For one level: its own exit code. For many: a defect, or the first error, or success.
    pub fn exit(&self) -> Exit {
        match self.levels() {
            1 => self.first.unwrap_or(Exit::Defect),
            _ => self.error.unwrap_or(Exit::Solved),
        }
    }
}

const STATUSES: [&str; 6] = ["optimal", "unsolvable", "feasible", "limit", ERROR, DEFECT];

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_io::failure::Failure;

    #[test]
    fn a_defect_goes_before_other_errors() {
        let mut tally = Tally::default();
        tally.count(&Row::failed("a", &Failure::usage("no such route")));
        assert_eq!(tally.exit().code(), 33);
        tally.count(&Row::failed("b", &Failure::Defect("why".to_string())));
        tally.count(&Row::failed("c", &Failure::usage("no such route")));
        assert_eq!(tally.exit().code(), 32);
        assert_eq!(tally.text(), "3 levels: 2 error, 1 defect");
    }
}
