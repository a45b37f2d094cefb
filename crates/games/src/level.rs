//! A level with what its author wrote around it.

use ployglot_base::BadText;

use crate::document::{COMMON_KEYS, Document, Entry, HeaderLine};
use crate::game::Game;

#[derive(Clone, Debug)]
pub struct Level<G: Game> {
    /// Every line above the board, options included.
    header: Vec<HeaderLine>,
    footer: Vec<String>,
    pub game: G,
}

/// What is known of the best plans: `par: 7`, `par: unsolvable`, `par: 12 pieces, 15 pieces+rotations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Par {
    Cost(u32),
    Unsolvable,
}

impl<G: Game> Level<G> {
    pub fn parse(document: &Document) -> Result<Self, BadText> {
        let game = G::parse(document)?;
        let level = Self {
            header: document.header.clone(),
            footer: document.footer.clone(),
            game,
        };
        for measure in G::MEASURES {
            level.read_par(measure.name)?;
        }
        Ok(level)
    }

    /// A level that came without a header.
    pub fn bare(game: G) -> Self {
        let mut header = vec![entry("game", G::NAME)];
        let sheet = game.write(&game.start());
        header.extend(sheet.options.iter().map(|(key, value)| entry(key, value)));
        header.push(HeaderLine::Plain(String::new()));
        Self {
            header,
            footer: Vec::new(),
            game,
        }
    }

    pub fn title(&self) -> Option<&str> {
        self.common("title")
    }

    /// What the author wrote under one of the `COMMON_KEYS`.
    pub fn common(&self, key: &str) -> Option<&str> {
        self.entries()
            .find(|entry| entry.key == key)
            .map(|entry| entry.value.as_str())
    }

    /// The par that the text claims for a measure.
    pub fn par(&self, measure: &str) -> Option<Par> {
        self.read_par(measure).expect("checked by parse")
    }

    /// The text of the level, exactly as it was parsed.
    pub fn print(&self) -> String {
        let sheet = self.game.write(&self.game.start());
        self.lines(
            self.header.iter().map(HeaderLine::print).collect(),
            sheet.rows,
        )
    }

    /// The text of the level that starts in this state. Its par, if any, is no longer known.
    pub fn print_at(&self, state: &G::State) -> String {
        let sheet = self.game.write(state);
        let mut lines: Vec<String> = Vec::new();
        for line in &self.header {
            match line {
                HeaderLine::Entry(entry) if !COMMON_KEYS.contains(&entry.key.as_str()) => {}
                HeaderLine::Entry(entry) if entry.key == "par" || entry.key == "difficulty" => {}
                kept => lines.push(kept.print()),
            }
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines.extend(
            sheet
                .options
                .iter()
                .map(|(key, value)| entry(key, value).print()),
        );
        lines.push(String::new());
        self.lines(lines, sheet.rows)
    }

    fn lines(&self, header: Vec<String>, rows: Vec<String>) -> String {
        let mut text = String::new();
        for line in header.iter().chain(&rows).chain(&self.footer) {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.header.iter().filter_map(|line| match line {
            HeaderLine::Entry(entry) => Some(entry),
            HeaderLine::Plain(_) => None,
        })
    }

    fn read_par(&self, measure: &str) -> Result<Option<Par>, BadText> {
        let Some(entry) = self.entries().find(|entry| entry.key == "par") else {
            return Ok(None);
        };
        let bad = || {
            let names: Vec<_> = G::MEASURES.iter().map(|measure| measure.name).collect();
            entry.bad(format!(
                "par is 'unsolvable', or a number, or numbers with their measures ({}), found '{}'",
                names.join(", "),
                entry.value
            ))
        };
        if entry.value == "unsolvable" {
            return Ok(Some(Par::Unsolvable));
        }
        let mut found = None;
        for part in entry.value.split(',') {
            let mut words = part.split_whitespace();
            let cost = words
                .next()
                .and_then(|word| word.parse().ok())
                .ok_or_else(bad)?;
            let named = words.next().unwrap_or(G::MEASURES[0].name);
            if words.next().is_some() || G::MEASURES.iter().all(|measure| measure.name != named) {
                return Err(bad());
            }
            if named == measure {
                found = Some(Par::Cost(cost));
            }
        }
        Ok(found)
    }
}

fn entry(key: &str, value: &str) -> HeaderLine {
    HeaderLine::Entry(Entry {
        key: key.to_string(),
        value: value.to_string(),
        line: 0,
        key_column: 0,
        value_column: 0,
    })
}
