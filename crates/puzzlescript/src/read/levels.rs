//! The section of levels: maps with a symbol for each cell, and messages between them.

use super::line::{is_ascii_wordy, trim};
use super::{LegendKind, LevelText, MESSAGE, Reader};

/// `Reader::step`: in a row of a map.
const MAP: i32 = 2;

impl Reader<'_> {
    /// The symbols that a map may use: names of one character that are not properties.
    pub(super) fn collect_keys(&mut self) {
        let objects = self.source.objects.iter().map(|object| &object.name);
        let legend = self.source.legend.iter();
        let legend = legend.filter(|entry| entry.kind != LegendKind::Property);
        for name in objects.chain(legend.map(|entry| &entry.name)) {
            let mut chars = name.chars();
            if let (Some(key), None) = (chars.next(), chars.next()) {
                self.keys.insert(key);
            }
        }
    }

    pub(super) fn levels(&mut self, starts: bool) {
        if self.step == MESSAGE && !starts {
            self.line.skip_to_end();
            return;
        }
        if starts {
            let place = self.here();
            let rest: String = self.line.rest().iter().collect();
            if let Some(after) = rest.strip_prefix("message") {
                if after.starts_with(is_ascii_wordy) {
                    let message = "a blank should follow 'message'";
                    self.warning(place, "message-without-blank", message);
                }
                self.line.at += "message".len();
                self.line.skip_blanks();
                let text = trim(&self.line.rest_original()).to_string();
                let line = self.number;
                self.source.levels.push(LevelText::Message { line, text });
                self.map_is_open = false;
                self.step = MESSAGE;
                return;
            }
            self.step = MAP;
            let row: Vec<char> = rest
                .split('(')
                .next()
                .map(trim)
                .unwrap_or("")
                .chars()
                .collect();
            match self.source.levels.last_mut() {
                Some(LevelText::Map { rows, .. }) if self.map_is_open => {
                    let differs = rows.first().is_some_and(|first| first.len() != row.len());
                    rows.push(row);
                    if differs {
                        let message = "the rows of a map must have the same length";
                        self.warning(place, "map-not-rectangular", message);
                    }
                }
                _ => self.source.levels.push(LevelText::Map {
                    line: self.number,
                    rows: vec![row],
                }),
            }
            self.map_is_open = true;
        }
        if let Some(key) = self.line.peek() {
            if self.step == MAP && !self.keys.contains(&key) {
                let upper = key.to_uppercase();
                let message = format!("the symbol \"{upper}\" is not in the legend");
                self.error(self.here(), "unknown-symbol", message);
            }
            self.line.advance();
        }
    }
}
