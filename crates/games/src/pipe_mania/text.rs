//! Levels and moves as text.
//!
//! ```text
//! game: pipe-mania
//! from: 1 1
//! through: 2 2
//!
//! B1L3##
//! ##L1B1
//! ```
//! A cell is two characters: the letter of a piece and its rotation, or `##` for no piece. If some
//! piece is marked with `!`, every cell of that board takes three characters, so that the columns
//! stay aligned: `R1 `, `L2!`, `## `. These two layouts are printed. We also read `..` and blanks
//! for a cell without a piece, cells separated by blanks, and a `!` between packed cells
//! (`R1L2!R1`). Short rows are filled with empty cells, with a warning.

use super::piece::{Kind, Tile};
use super::rules::{Move, PipeMania, Place, State};
use crate::document::LONGEST_SIDE;
use crate::*;

impl Text for PipeMania {
    const FORMATS: &'static [Format<Self>] = super::formats::FORMATS;
    const SYMBOLS: &'static [Symbol] = super::symbols::SYMBOLS;
    const EMPTY_CELL: &'static str = "##";
    const OPTIONS: &'static [LevelOption] = super::symbols::OPTIONS;

    fn parse(document: &Document) -> Result<Self, BadText> {
        document.only(&["from", "to", "through", "join"])?;
        if document.board.is_empty() {
            return Err(BadText::new(document.last_line, 1, "the board is missing"));
        }
        let lines = document.board.iter();
        let lines: Vec<_> = lines.map(|row| (row.line, row.text.as_str())).collect();
        let mut level = read_board(&lines)?;
        level.from = end(document, &level, "from")?;
        level.to = end(document, &level, "to")?;
        if level.from.is_some() && level.from == level.to {
            let entry = document.required("to")?;
            return Err(
                entry.bad("a path leads from one B to another: 'from' and 'to' are the same")
            );
        }
        for entry in document.all("through") {
            let place = place(entry, &level)?;
            if level.board[place].kind == Kind::Empty {
                return Err(entry.bad("there is no piece to pass through"));
            }
            if level.through.contains(&place) {
                return Err(entry.bad("this piece is named twice"));
            }
            level.through.push(place);
        }
        level.join = match document.option("join")? {
            None => false,
            Some(entry) => match entry.value.as_str() {
                "yes" => true,
                "no" => false,
                other => return Err(entry.bad(format!("join is 'yes' or 'no', found '{other}'"))),
            },
        };
        Ok(level)
    }

    fn write(&self, state: &State) -> LevelText {
        let place = |&(row, col): &Place| format!("{} {}", row + 1, col + 1);
        let mut options = Vec::new();
        options.extend(self.from.iter().map(|end| ("from", place(end))));
        options.extend(self.to.iter().map(|end| ("to", place(end))));
        options.extend(self.through.iter().map(|piece| ("through", place(piece))));
        if self.join {
            options.push(("join", "yes".to_string()));
        }
        let wide = self.board.cells().iter().any(|tile| tile.fixed);
        let rows = rows(self, state, if wide { " " } else { "" });
        LevelText { options, rows }
    }

    fn warnings(&self) -> &[BadText] {
        &self.warnings
    }

    fn variant(&self) -> String {
        let options = self.write(&self.start()).options;
        let options = options.iter().map(|(key, value)| format!("{key} {value}"));
        options.collect::<Vec<_>>().join(", ")
    }

    fn print_move(&self, _state: &State, mv: Move) -> String {
        format!("rotate {} {}", mv.row + 1, mv.col + 1)
    }

    fn parse_move(&self, _state: &State, text: &str) -> Result<Move, BadText> {
        let bad = || {
            let message = format!("a move is 'rotate ROW COLUMN', found '{}'", text.trim());
            BadText::new(1, 1, message).wide(text.chars().count())
        };
        let text = text.trim().to_ascii_lowercase();
        let rest = text
            .strip_prefix("rotate")
            .filter(|rest| rest.starts_with(char::is_whitespace));
        let (row, col) = rest.and_then(read_place).ok_or_else(bad)?;
        let (row, col) = (
            row.try_into().map_err(|_| bad())?,
            col.try_into().map_err(|_| bad())?,
        );
        Ok(Move { row, col })
    }
}

/// The rows of the board; `unmarked` is written after a piece without `!`.
pub(super) fn rows(level: &PipeMania, state: &State, unmarked: &str) -> Vec<String> {
    let row = |row| {
        let mut text = String::new();
        for col in 0..level.board.cols() {
            let tile = level.board[(row, col)];
            text.push(tile.kind.letter());
            match tile.kind {
                Kind::Empty => text.push('#'),
                _ => text.push((b'1' + level.rotation(state, (row, col))) as char),
            }
            text.push_str(if tile.fixed { "!" } else { unmarked });
        }
        text.truncate(text.trim_end().len());
        text
    };
    (0..level.board.rows()).map(row).collect()
}

/// Reads a board from its lines, each with its line number.
pub(super) fn read_board(lines: &[(usize, &str)]) -> Result<PipeMania, BadText> {
    let marked = lines.iter().any(|(_, text)| text.contains('!'));
    let (rows, unit) = match read_rows(lines, Layout::Columns(2)) {
        Ok(rows) => (rows, 2),
        Err(bad) => match read_rows(lines, Layout::Columns(3)) {
            Ok(rows) => (rows, 3),
            // Report the error of the layout that was probably meant.
            Err(_) => {
                let packed = read_rows(lines, Layout::Packed);
                (
                    packed.map_err(|packed| if marked { packed } else { bad })?,
                    2,
                )
            }
        },
    };
    let cols = rows.iter().map(Vec::len).max().unwrap_or(0);
    if cols == 0 || rows.len() > LONGEST_SIDE {
        let message = format!("a board has 1 to {LONGEST_SIDE} rows and columns");
        return Err(BadText::new(
            lines.first().map_or(1, |line| line.0),
            1,
            message,
        ));
    }
    let mut warnings = Vec::new();
    for (row, (line, _)) in rows.iter().zip(lines) {
        if row.len() < cols {
            let message = format!(
                "this row has {} cells and the longest has {cols}: filled up with empty cells",
                row.len()
            );
            warnings.push(BadText::new(*line, row.len() * unit + 1, message));
        }
    }
    let fill = |mut row: Vec<Tile>| {
        row.resize(cols, Tile::EMPTY);
        row
    };
    let mut level = PipeMania::new(Grid::from_rows(rows.into_iter().map(fill).collect()));
    level.warnings = warnings;
    Ok(level)
}

/// How cells are arranged in a line.
#[derive(Clone, Copy)]
enum Layout {
    /// Every cell takes this many characters.
    Columns(usize),
    /// Cells follow each other, with or without blanks between.
    Packed,
}

fn read_rows(lines: &[(usize, &str)], layout: Layout) -> Result<Vec<Vec<Tile>>, BadText> {
    let mut rows = Vec::with_capacity(lines.len());
    for &(line, text) in lines {
        let row = read_row(line, text.trim_end(), layout)?;
        rows.push(row);
    }
    Ok(rows)
}

fn read_row(line: usize, text: &str, layout: Layout) -> Result<Vec<Tile>, BadText> {
    let mut row = Vec::with_capacity(text.len() / 2);
    let mut letters = text.chars().peekable();
    let mut column = 1;
    while letters.peek().is_some() {
        if row.len() == LONGEST_SIDE {
            let message = format!("a row has at most {LONGEST_SIDE} cells");
            return Err(BadText::new(line, column, message));
        }
        let bad = |found: &str| {
            let message = format!(
                "a cell is B, R, L, X or O with a rotation from 1 to 4, or '##', found '{found}'"
            );
            BadText::new(line, column, message).wide(found.chars().count())
        };
        let first = letters.next().unwrap_or(' ');
        if matches!(layout, Layout::Packed) && first == ' ' {
            column += 1;
            continue;
        }
        // Trailing blanks may be missing.
        let second = letters.next().unwrap_or(' ');
        let mut tile = read_piece(first, second).ok_or_else(|| bad(&format!("{first}{second}")))?;
        let mark = match layout {
            Layout::Columns(2) => None,
            Layout::Columns(_) => letters.next(),
            Layout::Packed => letters.next_if_eq(&'!'),
        };
        match mark {
            None | Some(' ') => {}
            Some('!') if tile.kind != Kind::Empty => tile.fixed = tile.turnable(),
            Some(other) => return Err(bad(&format!("{first}{second}{other}"))),
        }
        column += 2 + usize::from(mark.is_some());
        row.push(tile);
    }
    Ok(row)
}

/// A cell from its two characters.
fn read_piece(letter: char, rotation: char) -> Option<Tile> {
    match (letter, rotation) {
        ('#', _) | ('.', '.') | (' ', ' ') => return Some(Tile::EMPTY),
        _ => {}
    }
    let &(_, kind) = Kind::LETTERS.iter().find(|(known, _)| *known == letter)?;
    let rotation = rotation
        .to_digit(10)
        .filter(|turn| (1..=4).contains(turn))?;
    Some(Tile {
        kind,
        rotation: rotation as u8 - 1,
        fixed: false,
    })
}

/// A named end, which must be a B.
fn end(document: &Document, level: &PipeMania, key: &str) -> Result<Option<Place>, BadText> {
    let Some(entry) = document.option(key)? else {
        return Ok(None);
    };
    let place = place(entry, level)?;
    match level.board[place].kind {
        Kind::End => Ok(Some(place)),
        _ => Err(entry.bad("a path begins and ends in a B, and there is none here")),
    }
}

/// A row and a column on the board.
fn place(entry: &document::Entry, level: &PipeMania) -> Result<Place, BadText> {
    let (rows, cols) = (level.board.rows(), level.board.cols());
    read_place(&entry.value)
        .filter(|&(row, col)| row < rows && col < cols)
        .ok_or_else(|| {
            entry.bad(format!(
                "{} is a row from 1 to {rows} and a column from 1 to {cols}, found '{}'",
                entry.key, entry.value
            ))
        })
}

/// Two numbers from 1.
fn read_place(text: &str) -> Option<Place> {
    let mut words = text
        .split_whitespace()
        .map(|word| word.parse::<usize>().ok());
    let (row, col) = (words.next()??, words.next()??);
    words.next().is_none().then_some(())?;
    Some((row.checked_sub(1)?, col.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PipeMania, String> {
        let level = Document::parse(text).and_then(|document| PipeMania::parse(&document));
        level.map_err(|bad| bad.to_string())
    }

    fn rows_of(text: &str) -> Vec<String> {
        let level = read(text).expect(text);
        level.write(&level.start()).rows
    }

    #[test]
    fn all_layouts_read_as_the_same_board() {
        let wide = ["B1 R2!##", "L3 X1 B4"];
        assert_eq!(rows_of("B1 R2!## \nL3 X1 B4 "), wide);
        assert_eq!(rows_of("B1R2!##\nL3X1B4"), wide);
        assert_eq!(rows_of("B1  R2! ..\nL3 X1   B4"), wide);
        let narrow = ["B1R2##", "L3X1B4"];
        assert_eq!(rows_of("B1R2..\nL3X1B4"), narrow);
        assert_eq!(rows_of("B1R2\nL3X1B4"), narrow);
        assert_eq!(rows_of("B1 R2\nL3 X1 B4"), narrow);
        assert_eq!(rows_of("##  B1\n#?R1L2"), ["####B1", "##R1L2"]);
    }

    #[test]
    fn a_mark_on_a_piece_that_never_turns_is_dropped() {
        assert_eq!(rows_of("B1!X2!R1"), ["B1X2R1"]);
    }

    #[test]
    fn a_short_row_is_filled_with_a_warning() {
        let level = read("B1R2L1\nL3\nR1R2B1").expect("only a warning");
        assert_eq!(rows_of("B1R2L1\nL3\nR1R2B1")[1], "L3####");
        let warnings: Vec<_> = level.warnings.iter().map(BadText::to_string).collect();
        assert_eq!(
            warnings,
            [
                "line 2, column 3: this row has 1 cells and the longest has 3: filled up with empty cells"
            ]
        );
    }

    #[test]
    fn errors_report_line_and_column() {
        let check = |text: &str, expected: &str| {
            let found = read(text).map(|_| String::new()).unwrap_or_else(|bad| bad);
            assert!(found.starts_with(expected), "{found}");
        };
        check(
            "B1R5\nL1B1",
            "line 1, column 3: a cell is B, R, L, X or O with a rotation",
        );
        check("B1R1\nL1Q1", "line 2, column 3: a cell is");
        check("B1R1!\nL1!Q1", "line 2, column 4: a cell is");
        check(
            "from: 1 2\nB1R1",
            "line 1, column 7: a path begins and ends in a B",
        );
        check(
            "from: 1 3\nB1R1",
            "line 1, column 7: from is a row from 1 to 1 and a column",
        );
        check(
            "from: 1 1\nto: 1 1\nB1B1",
            "line 2, column 5: a path leads from one B to another",
        );
        check(
            "through: 1 2\nB1##",
            "line 1, column 10: there is no piece to pass through",
        );
        check(
            "through: 1 2\nthrough: 1 2\nB1R1",
            "line 2, column 10: this piece is named twice",
        );
        check(
            "join: maybe\nB1B1",
            "line 1, column 7: join is 'yes' or 'no'",
        );
        check(
            "form: 1 1\nB1B1",
            "line 1, column 1: unknown option 'form'; did you mean 'from'?",
        );
    }

    #[test]
    fn moves_allow_blanks_and_upper_case_but_no_junk() {
        let document = Document::parse("B1B1").unwrap();
        let level = PipeMania::parse(&document).unwrap();
        let parse_move = |text| level.parse_move(&level.start(), text);
        let mv = |row, col| Move { row, col };
        assert_eq!(parse_move("rotate 2 5"), Ok(mv(1, 4)));
        assert_eq!(parse_move("  ROTATE   2   5 "), Ok(mv(1, 4)));
        for junk in [
            "rotate",
            "rotate 2",
            "rotate 2 5 1",
            "rotate 0 1",
            "rotate2 5",
            "turn 2 5",
        ] {
            assert!(parse_move(junk).is_err(), "{junk}");
        }
    }
}
