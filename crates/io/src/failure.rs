//! Errors as the user sees them: the file, the line with a mark under the place, and what was
//! expected.

use std::io::IsTerminal;

use annotate_snippets::renderer::{AnsiColor, Style};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use ployglot_base::BadText;
use ployglot_base::text::{is_printable, printable, printable_lines};

use crate::exit::{BAD_FILE, BAD_INPUT, BAD_REQUEST, BAD_USAGE, DEFECT, UNSUPPORTED};

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// A text with an error; `origin` is its file, or `standard input`.
    Text {
        origin: String,
        text: String,
        bad: BadText,
    },
    /// A file or a stream that cannot be read or written.
    Io {
        origin: String,
        error: std::io::Error,
    },
    /// A command line that is wrong for every level.
    CommandLine(String),
    /// A command line that is wrong for this level or game.
    Usage(String),
    /// The request is valid but cannot be fulfilled for this level.
    Unsupported(String),
    /// A defect of the program.
    Defect(String),
}

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
            Failure::CommandLine(_) => BAD_USAGE,
            Failure::Usage(_) => BAD_REQUEST,
            Failure::Unsupported(_) => UNSUPPORTED,
            Failure::Defect(_) => DEFECT,
            Failure::Io { .. } => BAD_FILE,
        }
    }

    /// Whether the reader of our output closed the pipe (`ploy levels | head -1`), which is no
    /// error.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Io { error, .. } if error.kind() == std::io::ErrorKind::BrokenPipe)
    }

    /// Whether the file does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Failure::Io { error, .. } if error.kind() == std::io::ErrorKind::NotFound)
    }

    /// The message on one line, for programs.
    pub fn line(&self) -> String {
        match self {
            Failure::Text { origin, bad, .. } => {
                let (origin, message) = (printable(origin), shorten(&bad.message));
                format!("{origin}:{}:{}: {message}", bad.line, bad.column)
            }
            Failure::Io { origin, error } => {
                format!("{}: {}", printable(origin), reason(error))
            }
            Failure::CommandLine(message)
            | Failure::Usage(message)
            | Failure::Unsupported(message)
            | Failure::Defect(message) => printable_lines(message).into_owned(),
        }
    }

    /// Prints the message to standard error.
    pub fn print(&self) {
        anstream::eprintln!("{}", self.render(colours()));
    }

    /// The whole message, for a terminal with or without colours.
    pub fn render(&self, colours: bool) -> String {
        let group = match self {
            Failure::Text { origin, text, bad } => {
                let origin = printable(origin);
                let group = mark(Level::ERROR, &origin, text, bad);
                return renderer(colours).render(&[group]);
            }
            _ => bare(self.line()),
        };
        renderer(colours).render(&[group])
    }
}

/// Prints a warning to standard error: the text is valid, but probably not what was meant.
pub fn warn(origin: &str, text: &str, bad: &BadText) {
    let origin = printable(origin);
    let group = mark(Level::WARNING, &origin, text, bad);
    anstream::eprintln!("{}", renderer(colours()).render(&[group]));
}

fn colours() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Red and magenta can be read on light and on dark terminals; the bright colours that are usual
/// for error messages vanish on white. The rest is bold, in the terminal's own colour.
fn renderer(colours: bool) -> Renderer {
    let bold = Style::new().bold();
    if colours {
        Renderer::styled()
            .error(AnsiColor::Red.on_default().bold())
            .warning(AnsiColor::Magenta.on_default().bold())
            .info(bold)
            .note(bold)
            .help(bold)
            .line_num(bold)
            .context(bold)
            .emphasis(bold)
    } else {
        Renderer::plain()
    }
}

/// The system's message; the common ones in our words, without the error number.
fn reason(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_string(),
        ErrorKind::IsADirectory => "this is a directory; name the files in it".to_string(),
        ErrorKind::PermissionDenied => "permission denied".to_string(),
        ErrorKind::StorageFull => "the disk is full".to_string(),
        ErrorKind::QuotaExceeded => "the quota of the disk is used up".to_string(),
        _ => error.to_string(),
    }
}

fn bare<'a>(message: String) -> Group<'a> {
    Group::with_title(Level::ERROR.primary_title(message))
}

/// A longer line of text is cut to this many characters.
const LONGEST_SHOWN: usize = 160;

/// Cuts the middle out of a long message and replaces control characters: a message may quote the
/// user's text, which may be a megabyte without a newline.
fn shorten(message: &str) -> String {
    const HALF: usize = 200;
    let chars: Vec<char> = message.chars().map(shown).collect();
    if chars.len() <= 2 * HALF {
        return chars.iter().collect();
    }
    let (start, end) = (&chars[..HALF], &chars[chars.len() - HALF..]);
    start.iter().chain(&[' ', '…', ' ']).chain(end).collect()
}

/// The message, and the line of the text with a mark under the place. A long line is cut on both
/// sides.
fn mark<'a>(level: Level<'a>, origin: &'a str, text: &str, bad: &'a BadText) -> Group<'a> {
    let line: Vec<char> = text
        .lines()
        .nth(bad.line.saturating_sub(1))
        .unwrap_or("")
        .chars()
        .map(shown)
        .collect();
    let at = bad.column.saturating_sub(1).min(line.len());
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
    let cut = shown.chars().count() < line.len();
    let snippet = Snippet::source(shown)
        .line_start(bad.line)
        .annotation(AnnotationKind::Primary.span(span));
    let title = level.primary_title(shorten(&bad.message));
    // The renderer computes the column from the shown text, which is wrong for a line that is cut.
    if cut {
        let place = Origin::path(origin).line(bad.line).char_column(bad.column);
        title.element(place).element(snippet)
    } else {
        title.element(snippet.path(origin))
    }
}

/// The character as it is shown: what is not printable must not reach the terminal.
fn shown(c: char) -> char {
    if c == '\t' {
        ' '
    } else if is_printable(c) {
        c
    } else {
        '\u{fffd}'
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
    fn the_line_is_shown_with_a_mark_under_the_place() {
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
    fn a_message_that_quotes_a_megabyte_is_cut() {
        let bad = BadText::new(
            1,
            1,
            format!("a cell is '.', found '{}'", "x".repeat(1 << 20)),
        );
        let failure = Failure::Text {
            origin: "a.level".to_string(),
            text: String::new(),
            bad,
        };
        assert!(failure.line().len() < 500 && failure.render(false).len() < 600);
        assert!(failure.line().ends_with("xx'"), "{}", failure.line());
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert!(!render("\u{1b}[31mX", 1, 1, 1).contains('\u{1b}'));
    }
}
