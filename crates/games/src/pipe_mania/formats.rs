//! The pipe string of the thesis: the board alone, two characters a cell, usually with a border of
//! `##`.
//!
//! The border is kept as cells without a piece, so rows and columns count as in the file. Crosses,
//! one-way pieces and `!` are not part of the thesis, but the string can hold them. It cannot hold
//! named ends and required pieces.

use super::piece::Kind;
use super::rules::{PipeMania, State};
use super::text;
use crate::*;

pub(super) const FORMATS: &[Format<PipeMania>] = &[Format {
    name: "pipe",
    about: "the pipe string: two characters a cell, such as B1, R2, L3 and ##",
    recognise,
    read,
    write,
}];

/// Every line starts with a cell, and at least one cell is a piece. A Puzznic board has walls and
/// letters too, but no letter followed by a digit.
fn recognise(text: &str) -> bool {
    let mut pieces = 0;
    for line in text.lines().take(100) {
        let line = line.trim_end().as_bytes();
        for cell in line.windows(2).step_by(2).take(100) {
            let known = Kind::LETTERS
                .iter()
                .any(|(letter, _)| *letter as u8 == cell[0]);
            pieces += usize::from(known && (b'1'..=b'4').contains(&cell[1]));
        }
        let starts = line.first().is_none_or(|&first| {
            first == b'#' || first == b'.' || first == b' ' || first.is_ascii_uppercase()
        });
        if !starts {
            return false;
        }
    }
    pieces > 0
}

fn read(text: &str) -> Result<PipeMania, BadText> {
    let lines: Vec<_> = (text.lines().enumerate())
        .map(|(index, line)| (index + 1, line))
        .collect();
    // Blank lines above and below the board are ignored.
    let is_blank = |line: &&(usize, &str)| line.1.trim().is_empty();
    let above = lines.iter().take_while(is_blank).count();
    let below = lines[above..].iter().rev().take_while(is_blank).count();
    text::read_board(&lines[above..lines.len() - below])
}

fn write(level: &PipeMania, state: &State) -> Result<String, String> {
    if !level.write(state).options.is_empty() {
        return Err("a pipe string cannot hold from, to, through and join".to_string());
    }
    if level
        .board
        .cells()
        .iter()
        .all(|tile| tile.kind == Kind::Empty)
    {
        return Err("a pipe string without a piece would not be recognised".to_string());
    }
    let rows = text::rows(level, state, "");
    Ok(rows.iter().map(|row| format!("{row}\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_string_keeps_its_border_and_pieces_beyond_the_thesis() {
        let text = "########\n##B1O2##\n##X1B1\n########\n";
        assert!(recognise(text));
        let level = read(text).expect("a pipe string");
        assert_eq!(level.warnings().len(), 1);
        let again = write(&level, &level.start()).expect("it has no options");
        assert_eq!(again, "########\n##B1O2##\n##X1B1##\n########\n");
        let marked = read("B1R2!\nL1B1\n").expect("a pipe string");
        assert_eq!(
            write(&marked, &marked.start()),
            Ok("B1R2!\nL1B1\n".to_string())
        );
    }

    #[test]
    fn texts_of_other_games_are_not_recognised() {
        for text in [
            "######\n#L  L#\n######\n",
            "RRRG,RGGG 1",
            "goal 3 3\n..R..\n.....\n",
            "#####\n#@$.#\n#####\n",
            " RGB\n RGB\ng 2\n",
            "language ESSENCE' 1.0\nletting initGrid be [[1,2]]\n",
        ] {
            assert!(!recognise(text), "{text}");
        }
    }
}
