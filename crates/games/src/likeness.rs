//! When two levels are the same puzzle: one is the other seen in a mirror, turned, or with other names for its pieces.

use crate::text::Text;

/// Which changes of a board make no other puzzle.
#[derive(Clone, Copy)]
pub struct Likeness {
    /// Left and right change places.
    pub mirror_columns: bool,
    /// Top and bottom change places.
    pub mirror_rows: bool,
    /// Rows become columns.
    pub transpose: bool,
    /// The letters that are only names.
    pub is_name: fn(char) -> bool,
}

impl Likeness {
    /// Only a level itself is like it.
    pub const NONE: Likeness = Likeness {
        mirror_columns: false,
        mirror_rows: false,
        transpose: false,
        is_name: |_| false,
    };
}

/// The same text for all levels that are the same puzzle.
pub fn likeness<G: Text>(level: &G) -> String {
    let images = images(level).into_iter();
    images
        .map(|(options, rows)| rename(G::LIKENESS.is_name, &options, &rows))
        .min()
        .unwrap_or_default()
}

/// Options and rows of a level, as the level writes them.
type Image = (Vec<(&'static str, String)>, Vec<String>);

/// The level in every mirror, with its own names. Where an option says a place, only the level itself.
pub fn images<G: Text>(level: &G) -> Vec<Image> {
    let sheet = level.write(&level.start());
    let kind = G::LIKENESS;
    let numbers = |value: &str| {
        let words = value.split_whitespace();
        words.filter(|word| word.parse::<u32>().is_ok()).count()
    };
    let fixed = sheet.options.iter().any(|(_, value)| numbers(value) > 1);
    let mut boards = vec![sheet.rows];
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
    let with_options = |rows| (sheet.options.clone(), rows);
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

/// Names in the order of their first use.
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
        // Beyond the letters, whatever comes next in the alphabet of all.
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
