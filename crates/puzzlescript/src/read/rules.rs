//! The section of rules. The reader checks that each word is known, and keeps the line for the
//! compiler, which reads it again as a rule.

use super::line::is_blank;
use super::words::{is_command, is_movement, is_rule_start};
use super::{MESSAGE, Reader, RuleText};

/// `Reader::step`: a bracket was passed.
const IN_BRACKETS: i32 = 1;

impl Reader<'_> {
    pub(super) fn rules(&mut self, starts: bool, first: Option<char>) {
        if starts {
            let (text, column) = self.text_without_comment();
            self.source.rules.push(RuleText {
                line: self.number,
                text,
                column,
                original: self.line.whole_original(),
            });
            self.step = 0;
        }
        if self.step == MESSAGE {
            self.line.skip_to_end();
            return;
        }
        if self.line.rest().starts_with(&['-', '>']) {
            self.line.advance();
            self.line.advance();
            self.line.skip_blanks();
            return;
        }
        if let Some('[' | '|' | ']' | '+') = first {
            if first != Some('+') {
                self.step = IN_BRACKETS;
            }
            self.line.advance();
            self.line.skip_blanks();
            return;
        }
        let place = self.here();
        let word = self
            .line
            .take_while(|c| !['[', '|', ']'].contains(&c) && !is_blank(c));
        let known = match self.step {
            0 => is_rule_start(&word),
            _ => is_movement(&word),
        };
        if known || word == "..." {
            return;
        }
        if self.source.names.contains(&word) {
            if starts {
                let message = "objects occur only within square brackets in a rule";
                self.error(place, "object-outside-brackets", message);
            }
            return;
        }
        if word == "rigid" || word == "random" {
            return;
        }
        if is_command(&word) {
            if word == "message" {
                self.step = MESSAGE;
            }
            return;
        }
        let message = format!("the name \"{word}\" of a rule is not defined");
        self.error(place, "unknown-name", message);
    }

    /// The text of the line up to the comment, and the column at which it starts. Where the line
    /// starts with a comment, the reference takes the text within it: such a rule is malformed.
    pub(super) fn text_without_comment(&self) -> (String, usize) {
        let whole = self.line.whole();
        let brackets = whole.chars().take_while(|&c| c == '(').count();
        let text = whole.chars().skip(brackets).take_while(|&c| c != '(');
        (text.collect(), brackets)
    }
}
