//! When two levels are the same puzzle: they are equal up to reflection, rotation, or the names of
//! interchangeable pieces.

use crate::text::Text;

/// The changes of a board that keep the puzzle the same.
#[derive(Clone, Copy)]
pub struct Symmetries {
    /// Left and right may be exchanged.
    pub mirror_columns: bool,
    /// Top and bottom may be exchanged.
    pub mirror_rows: bool,
    /// Rows and columns may be exchanged.
    pub transpose: bool,
    /// The letters that are only names: exchanging them keeps the puzzle the same.
    pub is_name: fn(char) -> bool,
}

impl Symmetries {
    /// No symmetry: a level is the same puzzle only as itself.
    pub const NONE: Symmetries = Symmetries {
        mirror_columns: false,
        mirror_rows: false,
        transpose: false,
        is_name: |_| false,
    };
}

/// The canonical form of a level: the same text for all levels that are the same puzzle.
pub fn canonical_form<G: Text>(level: &G) -> String {
    let images = images(level).into_iter();
    images
        .map(|(options, rows)| rename(G::SYMMETRIES.is_name, &options, &rows))
        .min()
        .unwrap_or_default()
}

/// Options and rows of an image, as `Text::write` returns them.
type Image = (Vec<(&'static str, String)>, Vec<String>);

/// Every symmetric image of the level, with the level's own names. A level with an option that
/// names a cell (an option with two numbers) has no image but itself.
pub fn images<G: Text>(level: &G) -> Vec<Image> {
    let text = level.write(&level.start());
    let kind = G::SYMMETRIES;
    let numbers = |value: &str| {
        let words = value.split_whitespace();
        words.filter(|word| word.parse::<u32>().is_ok()).count()
    };
    let fixed = text.options.iter().any(|(_, value)| numbers(value) > 1);
    let mut boards = vec![text.rows];
    if !fixed {
        for (wanted, change) in [
            (
                kind.mirror_columns,
                mirror_columns as fn(&[String]) -> Vec<String>,
            ),
            (kind.mirror_rows, |rows| {
                rows.iter().rev().cloned().collect()
            }),
            (kind.transpose, transpose),
        ] {
            if wanted {
                let changed: Vec<_> = boards.iter().map(|rows| change(rows)).collect();
                boards.extend(changed);
            }
        }
    }
    let with_options = |rows| (text.options.clone(), rows);
    boards.into_iter().map(with_options).collect()
}

fn mirror_columns(rows: &[String]) -> Vec<String> {
    rows.iter().map(|row| row.chars().rev().collect()).collect()
}

fn transpose(rows: &[String]) -> Vec<String> {
    let cells: Vec<Vec<char>> = rows.iter().map(|row| row.chars().collect()).collect();
    let width = cells.first().map_or(0, Vec::len);
    let column = |at: usize| cells.iter().filter_map(|row| row.get(at)).collect();
    (0..width).map(column).collect()
}

/// The image as text, with its names replaced by letters in the order of their first use.
fn rename(is_name: fn(char) -> bool, options: &[(&str, String)], rows: &[String]) -> String {
    let mut known: Vec<char> = Vec::new();
    let mut letter = |c: char| {
        if !is_name(c) {
            return c;
        }
        let at = known
            .iter()
            .position(|&known| known == c)
            .unwrap_or_else(|| {
                known.push(c);
                known.len() - 1
            });
        // Beyond the letters, the following Unicode characters.
        char::from_u32('A' as u32 + at as u32).unwrap_or(c)
    };
    let mut text = String::new();
    for row in rows {
        text.extend(row.chars().map(&mut letter));
        text.push('\n');
    }
    for (key, value) in options {
        let single = value.chars().count() == 1;
        let value = value.chars().map(|c| if single { letter(c) } else { c });
        text.push_str(key);
        text.push(' ');
        text.extend(value);
        text.push('\n');
    }
    text
}
