//! The canonical level text, the same for all games: a header of `key: value` lines, then the
//! board.
//!
//! ```text
//! game: plotting
//! title: First shot
//! ; A comment.
//! goal: 2
//!
//! RRG
//! GGR
//! ```
//! The header ends where the board starts: at the first line that is neither blank, nor a comment,
//! nor `key: value`. After the board only comments and blank lines may follow. The header is kept
//! line by line, so that a level prints exactly as it was parsed.

use ployglot_base::BadText;
use ployglot_base::text::unknown;

/// The keys that every game's header may contain.
pub const COMMON_KEYS: &[&str] = &["game", "title", "author", "par", "difficulty", "source"];

/// The largest level text, in bytes. A 1000×1000 Pipe Mania level has 2 MB.
pub const LONGEST_TEXT: usize = 16 << 20;
/// The largest number of rows or columns of a board.
pub const LONGEST_SIDE: usize = 2000;

/// A level text, split into header and board, before a game interprets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The lines above the board.
    pub header: Vec<HeaderLine>,
    /// The rows of the board.
    pub board: Vec<BoardLine>,
    /// The comments and blank lines after the board.
    pub footer: Vec<String>,
    /// The number of the last line.
    pub last_line: usize,
}

/// A line above the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderLine {
    /// A comment or a blank line, as it is.
    Plain(String),
    /// A line `key: value`.
    Entry(Entry),
}

/// A header line `key: value` with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The value, without blanks around it.
    pub value: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column of the key, counted from 1.
    pub key_column: usize,
    /// The column of the value, counted from 1.
    pub value_column: usize,
}

/// A row of the board with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardLine {
    /// The line as it is.
    pub text: String,
    /// The line number, counted from 1.
    pub line: usize,
}

/// The part of a level text that a game writes: its options and the rows of the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelText {
    /// Keys and values for the header.
    pub options: Vec<(&'static str, String)>,
    /// The rows of the board.
    pub rows: Vec<String>,
}

impl Entry {
    /// An error at the value.
    pub fn bad(&self, message: impl Into<String>) -> BadText {
        BadText::new(self.line, self.value_column, message).wide(self.value.chars().count())
    }

    /// The whole value as a number in a range.
    pub fn number(&self, range: std::ops::RangeInclusive<usize>) -> Result<usize, BadText> {
        let number = self
            .value
            .parse()
            .ok()
            .filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let (low, high) = range.into_inner();
            self.bad(format!(
                "{} is a number from {low} to {high}, found '{}'",
                self.key, self.value
            ))
        })
    }
}

impl Document {
    /// Splits a canonical text into header and board. The line `game: …` may be missing.
    pub fn parse(text: &str) -> Result<Document, BadText> {
        check_size(text)?;
        let mut document = Document {
            header: Vec::new(),
            board: Vec::new(),
            footer: Vec::new(),
            last_line: 1,
        };
        for (index, raw) in text.lines().enumerate() {
            let line = index + 1;
            document.last_line = line;
            let blank = raw.is_empty();
            let comment = raw.trim_start().starts_with(';');
            if document.board.is_empty() {
                if blank || raw.trim().is_empty() || comment {
                    document
                        .header
                        .push(HeaderLine::Plain(raw.trim_end().to_string()));
                } else if let Some(entry) = Entry::parse(raw, line) {
                    document.header.push(HeaderLine::Entry(entry));
                } else {
                    if text
                        .lines()
                        .nth(index.wrapping_sub(1))
                        .is_some_and(is_blank_row)
                    {
                        return Err(BadText::new(
                            index,
                            1,
                            "is this the board's first row? An empty cell is written '.'",
                        ));
                    }
                    document.board.push(BoardLine {
                        text: raw.to_string(),
                        line,
                    });
                }
            } else if blank || comment {
                document.footer.push(raw.trim_end().to_string());
            } else if document.footer.is_empty() && document.board.len() == LONGEST_SIDE {
                // At once: the text may go on for millions of lines.
                let message = format!("a board has at most {LONGEST_SIDE} rows");
                return Err(BadText::new(line, 1, message));
            } else if document.footer.is_empty() {
                document.board.push(BoardLine {
                    text: raw.to_string(),
                    line,
                });
            } else {
                return Err(BadText::new(
                    line,
                    1,
                    "the board ended above: after it only comments (';') and blank lines may follow",
                ));
            }
        }
        while document.footer.last().is_some_and(String::is_empty) {
            document.footer.pop();
        }
        Ok(document)
    }

    /// The `key: value` lines of the header, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.header.iter().filter_map(|line| match line {
            HeaderLine::Entry(entry) => Some(entry),
            HeaderLine::Plain(_) => None,
        })
    }

    /// Every entry with this key, in order.
    pub fn all<'a>(&'a self, key: &str) -> impl Iterator<Item = &'a Entry> {
        self.entries().filter(move |entry| entry.key == key)
    }

    /// The entry with this key, if there is one; two of them are an error.
    pub fn option(&self, key: &str) -> Result<Option<&Entry>, BadText> {
        let mut found = self.all(key);
        let first = found.next();
        match found.next() {
            Some(second) => Err(second.bad(format!("'{key}' is given twice"))),
            None => Ok(first),
        }
    }

    /// The entry with this key, which must be there.
    pub fn required(&self, key: &str) -> Result<&Entry, BadText> {
        self.option(key)?.ok_or_else(|| {
            BadText::new(
                self.board_line(),
                1,
                format!("'{key}: …' is missing above the board"),
            )
        })
    }

    /// Returns an error for a key that is neither common nor in this list.
    pub fn only(&self, keys: &[&str]) -> Result<(), BadText> {
        for entry in self.entries() {
            let known = || COMMON_KEYS.iter().chain(keys).copied();
            if known().any(|key| key == entry.key) {
                continue;
            }
            let message = unknown("option", &entry.key, known());
            return Err(
                BadText::new(entry.line, entry.key_column, message).wide(entry.key.chars().count())
            );
        }
        Ok(())
    }

    /// The line number of the board's first row, or of the last line where there is no board.
    pub fn board_line(&self) -> usize {
        self.board.first().map_or(self.last_line, |line| line.line)
    }

    /// The board as a rectangle of characters, one for each cell: blanks become `fill`, and short
    /// rows are filled with it.
    pub fn cells(&self, fill: char) -> Result<Vec<Vec<char>>, BadText> {
        if self.board.is_empty() {
            return Err(BadText::new(self.last_line, 1, "the board is missing"));
        }
        rectangle(
            self.board.iter().map(|row| (row.line, row.text.as_str())),
            fill,
        )
    }
}

impl Entry {
    /// Reads a line `key: value`, where the key is a lower-case word; `None` for any other line.
    fn parse(raw: &str, line: usize) -> Option<Entry> {
        let (before, after) = raw.split_once(':')?;
        let key = before.trim();
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !key.starts_with(|c: char| c.is_ascii_lowercase()) || !key.chars().all(word) {
            return None;
        }
        let indent = before.chars().count() - before.trim_start().chars().count();
        let gap = after.chars().count() - after.trim_start().chars().count();
        Some(Entry {
            key: key.to_string(),
            value: after.trim().to_string(),
            line,
            key_column: indent + 1,
            value_column: before.chars().count() + 2 + gap,
        })
    }
}

impl HeaderLine {
    /// The line as text, without trailing blanks.
    pub fn print(&self) -> String {
        match self {
            HeaderLine::Plain(text) => text.clone(),
            HeaderLine::Entry(entry) => format!("{}: {}", entry.key, entry.value)
                .trim_end()
                .to_string(),
        }
    }
}

/// Whether a line consists of blanks only. Its author may have meant it as a row of empty cells.
fn is_blank_row(raw: &str) -> bool {
    !raw.is_empty() && raw.trim().is_empty()
}

/// Returns an error for a text that is too large to read.
pub fn check_size(text: &str) -> Result<(), BadText> {
    if text.len() > LONGEST_TEXT {
        return Err(BadText::new(
            1,
            1,
            format!("a level has at most {} MB", LONGEST_TEXT >> 20),
        ));
    }
    Ok(())
}

/// Lines as a rectangle of characters: blanks become `fill`, and short rows are filled with it.
/// Each line comes with its number.
pub fn rectangle<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    fill: char,
) -> Result<Vec<Vec<char>>, BadText> {
    let mut rows: Vec<Vec<char>> = Vec::new();
    for (line, text) in lines {
        let row: Vec<char> = text
            .trim_end()
            .chars()
            .map(|c| if c == ' ' { fill } else { c })
            .collect();
        if row.len() > LONGEST_SIDE {
            return Err(BadText::new(
                line,
                LONGEST_SIDE + 1,
                format!("a row has at most {LONGEST_SIDE} cells"),
            ));
        }
        rows.push(row);
    }
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    if rows.len() > LONGEST_SIDE || width == 0 {
        return Err(BadText::new(
            1,
            1,
            format!("a board has 1 to {LONGEST_SIDE} rows and columns"),
        ));
    }
    for row in &mut rows {
        row.resize(width, fill);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_board_and_footer_are_separated() {
        let document = Document::parse("game: x\n; hello\n\nab\nc \n\n; bye\n").unwrap();
        assert_eq!(document.header.len(), 3);
        assert_eq!(document.cells('.').unwrap(), [['a', 'b'], ['c', '.']]);
        assert_eq!(document.footer, ["", "; bye"]);
    }

    #[test]
    fn an_unknown_key_is_marked_and_a_known_one_suggested() {
        let document = Document::parse("  goals: 3\nab\n").unwrap();
        let bad = document.only(&["goal"]).unwrap_err();
        assert_eq!((bad.line, bad.column, bad.width), (1, 3, 5));
        assert!(
            bad.message.contains("did you mean 'goal'?"),
            "{}",
            bad.message
        );
    }

    #[test]
    fn a_board_in_two_parts_is_an_error() {
        assert_eq!(Document::parse("ab\n\ncd\n").unwrap_err().line, 3);
    }
}
