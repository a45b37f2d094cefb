//! What went wrong, as the user sees it: the file, the line with a mark under the spot, what was expected, and an exit
//! code.
//!
//! Exit codes follow Fast Downward's table: 0 solved, 11 proven unsolvable, 12 ended without a proof, 22 out of memory,
//! 23 out of time, 30 to 36 errors.

use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use ployglot_games::BadText;

/// How a command that did its work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Solved = 0,
    Unsolvable = 11,
    /// Ended without a proof.
    Unproven = 12,
    OutOfMemory = 22,
    OutOfTime = 23,
    /// The route claimed what the referee rejects, or another defect of the program.
    Defect = 32,
    /// The plan that was checked is wrong.
    Rejected = 1,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// A text that cannot be read; `origin` names where it is from.
    Text {
        origin: String,
        text: String,
        bad: BadText,
    },
    /// A file or a stream.
    Io {
        origin: String,
        error: std::io::Error,
    },
    /// Something on the command line that only the level could tell is wrong.
    Usage(String),
}

pub const BAD_INPUT: u8 = 31;
pub const BAD_USAGE: u8 = 33;
pub const BAD_FILE: u8 = 35;

impl Failure {
    pub fn io(origin: impl Into<String>, error: std::io::Error) -> Self {
        Failure::Io {
            origin: origin.into(),
            error,
        }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Failure::Usage(message.into())
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Text { .. } => BAD_INPUT,
            Failure::Usage(_) => BAD_USAGE,
            Failure::Io { .. } => BAD_FILE,
        }
    }

    /// The whole message, for a terminal with or without colours.
    pub fn render(&self, colours: bool) -> String {
        let renderer = if colours {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let group = match self {
            Failure::Text { origin, text, bad } => mark(origin, text, bad),
            Failure::Io { origin, error } => bare(format!("{origin}: {error}")),
            Failure::Usage(message) => bare(message.clone()),
        };
        renderer.render(&[group])
    }
}

fn bare<'a>(message: String) -> Group<'a> {
    Group::with_title(Level::ERROR.primary_title(message))
}

/// A longer line is shown in part only.
const LONGEST_SHOWN: usize = 160;

/// The line with a mark under the spot. A long line is cut on both sides, so that a megabyte without a newline does not
/// fill the terminal.
fn mark<'a>(origin: &'a str, text: &str, bad: &'a BadText) -> Group<'a> {
    let line: Vec<char> = text
        .lines()
        .nth(bad.line - 1)
        .unwrap_or("")
        .chars()
        .map(printable)
        .collect();
    let at = (bad.column - 1).min(line.len());
    let first = if line.len() <= LONGEST_SHOWN {
        0
    } else {
        at.saturating_sub(LONGEST_SHOWN / 2)
    };
    let shown: String = line[first..(first + LONGEST_SHOWN).min(line.len())]
        .iter()
        .collect();
    let byte = |chars: usize| shown.chars().take(chars).map(char::len_utf8).sum::<usize>();
    let span = byte(at - first)..byte(at - first + bad.width);
    let spot = Origin::path(origin).line(bad.line).char_column(bad.column);
    let snippet = Snippet::source(shown)
        .line_start(bad.line)
        .annotation(AnnotationKind::Primary.span(span));
    Level::ERROR
        .primary_title(bad.message.as_str())
        .element(spot)
        .element(snippet)
}

/// Control characters of a stranger's text must not reach the terminal.
fn printable(c: char) -> char {
    if c == '\t' {
        ' '
    } else if c.is_control() {
        '\u{fffd}'
    } else {
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &str, line: usize, column: usize, width: usize) -> String {
        let bad = BadText::new(line, column, "a cell is '.' or 'X'").wide(width);
        Failure::Text {
            origin: "a.level".to_string(),
            text: text.to_string(),
            bad,
        }
        .render(false)
    }

    #[test]
    fn the_line_is_shown_with_a_mark_under_the_spot() {
        let message = render("..\n.?X\n", 2, 2, 1);
        assert!(message.contains("a cell is '.' or 'X'"), "{message}");
        assert!(message.contains("a.level:2:2"), "{message}");
        assert!(
            message.contains("2 | .?X") && message.contains("  |  ^"),
            "{message}"
        );
    }

    #[test]
    fn a_place_past_the_end_and_a_megabyte_line_are_shown_too() {
        assert!(render("ab", 1, 3, 5).contains("1 | ab"));
        assert!(render("", 1, 1, 1).contains("a.level:1:1"));
        let long = render(&"x".repeat(1 << 20), 1, 70_000, 1);
        assert!(
            long.len() < 1000 && long.contains("a.level:1:70000"),
            "{long}"
        );
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert!(!render("\u{1b}[31mX", 1, 1, 1).contains('\u{1b}'));
    }
}
