//! The section of win conditions: `some A`, `no A on B`, `all A on B`.

use super::line::is_blank;
use super::words::QUANTIFIERS;
use super::{Reader, WinText};

impl Reader<'_> {
    pub(super) fn wins(&mut self, starts: bool) {
        if starts {
            let (text, _) = self.text_without_comment();
            let words = text.split(is_blank).filter(|word| !word.is_empty());
            self.source.wins.push(WinText {
                line: self.number,
                words: words.map(str::to_string).collect(),
            });
            self.step = -1;
        }
        self.step += 1;
        let place = self.here();
        let Some(word) = self.line.word() else {
            self.error(place, "win-text", "a win condition consists of words");
            self.line.skip_to_comment();
            return;
        };
        let upper = word.to_uppercase();
        match self.step {
            0 if !QUANTIFIERS.contains(&word.as_str()) => {
                let message = format!("expected ALL, SOME, ANY or NO, found {upper}");
                self.error(place, "win-quantifier", message);
            }
            2 if word != "on" => {
                let message = format!("expected ON, found {upper}");
                self.error(place, "win-on", message);
            }
            1 | 3 if !self.source.names.contains(&word) => {
                let message = format!("the name {upper} of a win condition is not defined");
                self.error(place, "win-name", message);
            }
            4.. => {
                let message = format!("a win condition ends before {upper}");
                self.error(place, "win-too-long", message);
            }
            _ => {}
        }
    }
}
