//! Errors in input text (where, and what was expected there), messages for unknown names and for
//! panics, numbers of things, and foreign text that is safe to print.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

/// An error in input text. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadText {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// How many characters are wrong; at least 1.
    pub width: usize,
    /// A sentence without its full stop: `a cell is '.', 'X' or a letter, found '#'`.
    pub message: String,
    /// The text is right, but what it describes is beyond a limit of this program on sizes or
    /// numbers.
    pub too_large: bool,
}

impl BadText {
    /// An error of one character.
    pub fn new(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            width: 1,
            message: message.into(),
            too_large: false,
        }
    }

    /// The same error, covering this many characters.
    pub fn wide(self, width: usize) -> Self {
        Self {
            width: width.max(1),
            ..self
        }
    }

    /// The same error, as a limit on sizes or numbers and not a mistake in the text.
    pub fn beyond_limit(self) -> Self {
        Self {
            too_large: true,
            ..self
        }
    }

    /// An error at a byte of the text.
    pub fn at(text: &str, byte: usize, message: impl Into<String>) -> Self {
        let (line, column) = position(text, byte);
        Self::new(line, column, message)
    }
}

/// The message of a panic that was caught.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// The line and the column of a byte of the text, both from 1, columns in characters.
pub fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(byte)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

/// The bytes as text; the error reports the first byte that is not UTF-8. `what` is the subject of
/// the message: `a level`.
pub fn utf8<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str, BadText> {
    std::str::from_utf8(bytes).map_err(|error| {
        let end = error.valid_up_to();
        let before = String::from_utf8_lossy(&bytes[..end]);
        BadText::at(
            &before,
            end,
            format!("{what} is UTF-8 text, found the byte 0x{:02x}", bytes[end]),
        )
    })
}

/// Whether a character may be printed on a terminal. Control characters start escape sequences (also
/// the 8-bit ones, U+0080 to U+009F), and bidirectional overrides show text in another order.
pub fn is_printable(c: char) -> bool {
    let reorders = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks_line = matches!(c, '\u{2028}' | '\u{2029}');
    !c.is_control() && !reorders && !breaks_line
}

/// Foreign text, such as the name of a file, on one line: what is not printable becomes `\u{fffd}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    replace_unless(text, is_printable)
}

/// The same for a text of several lines: newlines and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    replace_unless(text, |c| is_printable(c) || c == '\n' || c == '\t')
}

fn replace_unless(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&keep) {
        return Cow::Borrowed(text);
    }
    let replaced = text.chars().map(|c| if keep(c) { c } else { '\u{fffd}' });
    Cow::Owned(replaced.collect())
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

/// A message lists at most this many known names.
const MOST_LISTED: usize = 20;

/// The message for an unknown name: `unknown route 'serach:astar'; did you mean 'search:astar'?`,
/// or the known names where none is similar.
pub fn unknown<'a, I>(what: &str, name: &str, known: I) -> String
where
    I: IntoIterator<Item = &'a str>,
    I::IntoIter: Clone,
{
    let known = known.into_iter();
    let hint = did_you_mean(name, known.clone()).unwrap_or_else(|| {
        let mut list: Vec<&str> = known.clone().take(MOST_LISTED).collect();
        if known.count() > MOST_LISTED {
            list.push("…");
        }
        match list.is_empty() {
            true => "there are none".to_string(),
            false => format!("known are {}", list.join(", ")),
        }
    });
    format!("unknown {what} '{name}'; {hint}")
}

/// The question `did you mean 'goal'?`; `None` where no known name is similar.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, known).map(|near| format!("did you mean '{near}'?"))
}

/// The known name that is most similar to `name`; `None` where no known name is similar.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= 1 + candidate.chars().count() / 4)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// How many characters must be changed, added, removed or swapped with their neighbour (Damerau
/// 1964).
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

/// A number of things, whose name is given in the plural: `1 shot`, `2 shots`. A sum, such as
/// `pieces+rotations`, has no singular.
pub fn amount<N: fmt::Display + PartialEq + From<u8>>(number: N, things: &str) -> String {
    let singular = things.strip_suffix('s').filter(|one| !one.contains('+'));
    let name = singular.filter(|_| number == 1.into()).unwrap_or(things);
    format!("{number} {name}").trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_made_printable() {
        for (text, expected) in [
            ("level 1 · é ✓", "level 1 · é ✓"),
            ("\u{1b}[31mred", "\u{fffd}[31mred"),
            ("\u{9b}31mred", "\u{fffd}31mred"),
            ("\u{1b}]0;title\u{7}", "\u{fffd}]0;title\u{fffd}"),
            ("a\u{9d}b\u{9c}", "a\u{fffd}b\u{fffd}"),
            ("lev\u{202e}le\u{202c}", "lev\u{fffd}le\u{fffd}"),
            ("\u{2066}a\u{2069}\u{200f}", "\u{fffd}a\u{fffd}\u{fffd}"),
            (
                "a\r\u{8}b\u{7f}\u{2028}",
                "a\u{fffd}\u{fffd}b\u{fffd}\u{fffd}",
            ),
        ] {
            assert_eq!(printable(text), expected);
            assert_eq!(printable_lines(text), expected);
        }
        assert_eq!(printable("a\nb\tc"), "a\u{fffd}b\u{fffd}c");
        assert_eq!(printable_lines("a\nb\tc"), "a\nb\tc");
    }

    #[test]
    fn positions_count_characters_from_one() {
        let text = "ab\nçde\n";
        assert_eq!(position(text, 0), (1, 1));
        assert_eq!(position(text, 3), (2, 1));
        assert_eq!(position(text, 5), (2, 2), "ç has two bytes");
        assert_eq!(position(text, text.len()), (3, 1));
        assert_eq!(position(text, 999), (3, 1), "beyond the end is the end");
    }

    #[test]
    fn the_first_byte_that_is_not_utf8_is_reported() {
        assert_eq!(utf8("né".as_bytes(), "a plan"), Ok("né"));
        let bad = utf8(b"ab\nc\xff", "a plan").unwrap_err();
        assert_eq!(
            bad.to_string(),
            "line 2, column 2: a plan is UTF-8 text, found the byte 0xff"
        );
    }

    #[test]
    fn an_unknown_name_gets_a_hint() {
        let known = ["bfs", "astar"];
        assert_eq!(
            unknown("search", "asatr", known),
            "unknown search 'asatr'; did you mean 'astar'?"
        );
        assert_eq!(
            unknown("search", "tabu", known),
            "unknown search 'tabu'; known are bfs, astar"
        );
    }

    #[test]
    fn a_typing_error_finds_the_name() {
        assert_eq!(nearest("gaol", ["game", "goal", "hand"]), Some("goal"));
        assert_eq!(nearest("floor", ["goal", "hand"]), None);
        assert_eq!(nearest("goals", ["goal", "hand"]), Some("goal"));
        assert_eq!(
            nearest("wildcard", ["wildcards", "hand"]),
            Some("wildcards")
        );
    }

    #[test]
    fn one_thing_is_in_the_singular() {
        assert_eq!(amount(1, "shots"), "1 shot");
        assert_eq!(amount(2_usize, "shots"), "2 shots");
        assert_eq!(amount(1, "pieces+rotations"), "1 pieces+rotations");
        assert_eq!(amount(0, ""), "0");
    }
}
