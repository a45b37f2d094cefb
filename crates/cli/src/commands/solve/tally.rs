//! How a run over many levels went, in one line and one exit code.

use std::collections::BTreeMap;

use ployglot_io::exit::Exit;
use ployglot_io::row::Row;

/// How many levels ended how.
#[derive(Default)]
pub struct Tally {
    words: BTreeMap<&'static str, usize>,
    first: Option<Exit>,
    error: Option<Exit>,
}

impl Tally {
    pub fn count(&mut self, row: &Row) {
        *self.words.entry(row.status).or_default() += 1;
        self.first.get_or_insert(row.exit);
        if row.status == "error" {
            self.error.get_or_insert(row.exit);
        }
    }

    fn levels(&self) -> usize {
        self.words.values().sum()
    }

    pub fn text(&self) -> String {
        let parts: Vec<String> = STATUSES
            .iter()
            .filter_map(|word| Some(format!("{} {word}", self.words.get(word)?)))
            .collect();
        format!("{} levels: {}", self.levels(), parts.join(", "))
    }

    /// One level: how it ended. Many: whether there was an error.
    pub fn exit(&self) -> Exit {
        match self.levels() {
            1 => self.first.unwrap_or(Exit::Defect),
            _ => self.error.unwrap_or(Exit::Solved),
        }
    }
}

const STATUSES: [&str; 5] = ["optimal", "unsolvable", "feasible", "limit", "error"];
