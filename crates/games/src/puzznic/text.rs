//! Levels and moves as text.
//!
//! The board: `#` wall, `.` empty, a letter for each block. A blank inside the board is an empty
//! cell too. A region of blanks at the rim that borders on no block and no `.` is wall, because
//! everything outside the board is wall. Output has no blanks. A board that has not settled is kept
//! as its author wrote it until the first move.

use super::fast::{Field, MOST_CELLS, State};
use super::rules::{self, Board, Move, Puzznic, Tile};
use crate::*;

impl Text for Puzznic {
    const FORMATS: &'static [Format<Self>] = super::formats::FORMATS;
    const SYMBOLS: &'static [Symbol] = super::symbols::SYMBOLS;
    const SYMMETRIES: Symmetries = Symmetries {
        mirror_columns: true,
        is_name: |c| c.is_ascii_alphabetic(),
        ..Symmetries::NONE
    };

    fn parse(document: &Document) -> Result<Self, BadText> {
        document.only(&[])?;
        level(document.cells(' ')?, document.board_line())
    }

    fn write(&self, state: &State) -> LevelText {
        LevelText {
            options: Vec::new(),
            rows: rows(&shown(self, state), &self.letters),
        }
    }

    fn print_move(&self, _state: &State, mv: Move) -> String {
        format!("{} {} {}", mv.row + 1, mv.col + 1, mv.side.name())
    }

    fn parse_move(&self, _state: &State, text: &str) -> Result<Move, BadText> {
        let mut words = Vec::new();
        let mut column = 1;
        for word in text.split(' ') {
            let length = word.chars().count();
            if !word.trim().is_empty() {
                words.push((column, word.trim(), length));
            }
            column += length + 1;
        }
        let &[(row_at, row, _), (col_at, col, _), (side_at, side, wide)] = words.as_slice() else {
            return Err(BadText::new(
                1,
                1,
                format!(
                    "a move is the row and the column of a block and 'left' or 'right', like '3 4 left', found '{}'",
                    text.trim()
                ),
            )
            .wide(text.chars().count()));
        };
        let number = |what: &str, at: usize, word: &str, most: usize| {
            let number: Option<usize> = word.parse().ok();
            let number = number.filter(|number| (1..=most).contains(number));
            number.map(|number| (number - 1) as u16).ok_or_else(|| {
                BadText::new(
                    1,
                    at,
                    format!("the {what} is a number from 1 to {most}, found '{word}'"),
                )
                .wide(word.chars().count())
            })
        };
        let row = number("row", row_at, row, self.written.rows())?;
        let col = number("column", col_at, col, self.written.cols())?;
        let side = Side::parse(side)
            .filter(|side| matches!(side, Side::Left | Side::Right))
            .ok_or_else(|| {
                BadText::new(
                    1,
                    side_at,
                    format!("a block moves 'left' or 'right', found '{side}'"),
                )
                .wide(wide)
            })?;
        Ok(Move { row, col, side })
    }
}

/// The level from a rectangle of characters; `first_line` is the line of its first row in the text.
pub(super) fn level(cells: Vec<Vec<char>>, first_line: usize) -> Result<Puzznic, BadText> {
    let mut letters: Vec<char> = Vec::new();
    for (row, line) in cells.iter().enumerate() {
        for (col, &cell) in line.iter().enumerate() {
            if cell.is_ascii_alphabetic() {
                letters.push(cell);
            } else if !matches!(cell, '#' | '.' | ' ') {
                return Err(BadText::new(
                    first_line + row,
                    col + 1,
                    format!("a cell is '#', '.' or a letter, found '{cell}'"),
                ));
            }
        }
    }
    letters.sort_unstable();
    letters.dedup();
    let tile = |cell: char| match cell {
        '#' => Tile::Wall,
        '.' | ' ' => Tile::Empty,
        letter => Tile::Block {
            pattern: letters.binary_search(&letter).expect("collected above") as u8,
            id: 0,
        },
    };
    let cells = Grid::from_rows(cells);
    let mut rows = Grid::new(cells.rows(), cells.cols(), Tile::Wall);
    let outside = outside(&cells);
    for place in cells.places().filter(|&place| !outside[place]) {
        rows[place] = tile(cells[place]);
    }
    assemble(rows, letters, first_line)
}

/// The level from a board; the letters are sorted, and each occurs on it.
pub(super) fn assemble(
    mut board: Board,
    letters: Vec<char>,
    first_line: usize,
) -> Result<Puzznic, BadText> {
    let inside = board
        .cells()
        .iter()
        .filter(|&&tile| tile != Tile::Wall)
        .count();
    if inside > MOST_CELLS {
        return Err(BadText::new(
            first_line,
            1,
            format!("a board has at most {MOST_CELLS} cells that are not wall, found {inside}"),
        ));
    }
    // The id of a block is its place, as in `rules::board`.
    for (row, col) in board.places() {
        let place = (row * board.cols() + col) as u32;
        if let Tile::Block { id, .. } = &mut board[(row, col)] {
            *id = place;
        }
    }
    let field = Field::new(&board, letters.len());
    let mut start = field.state_of(&board);
    field.settle_all(&mut start);
    Ok(Puzznic {
        written: board,
        letters,
        field,
        start,
    })
}

/// The regions of blanks that touch the rim of the rectangle and border on neither a block nor a
/// '.'.
fn outside(cells: &Grid<char>) -> Grid<bool> {
    let mut seen = Grid::new(cells.rows(), cells.cols(), false);
    let mut outside = seen.clone();
    for place in cells.places() {
        if seen[place] || cells[place] != ' ' {
            continue;
        }
        seen[place] = true;
        let mut region = vec![place];
        let (mut touches_rim, mut borders_board) = (false, false);
        let mut next = 0;
        while next < region.len() {
            for side in Side::ALL {
                match cells.beside(region[next], side) {
                    None => touches_rim = true,
                    Some(beside) if cells[beside] == ' ' => {
                        if !seen[beside] {
                            seen[beside] = true;
                            region.push(beside);
                        }
                    }
                    Some(beside) => borders_board |= cells[beside] != '#',
                }
            }
            next += 1;
        }
        if touches_rim && !borders_board {
            for place in region {
                outside[place] = true;
            }
        }
    }
    outside
}

/// The board in this state; in the start state, as the author wrote it.
pub(super) fn shown(level: &Puzznic, state: &State) -> Board {
    if *state == level.start {
        level.written.clone()
    } else {
        rules::board(level, state)
    }
}

pub(super) fn rows(board: &Board, letters: &[char]) -> Vec<String> {
    let letter = |&tile: &Tile| match tile {
        Tile::Wall => '#',
        Tile::Empty => '.',
        Tile::Block { pattern, .. } => letters[usize::from(pattern)],
    };
    let row = |row| board.row(row).iter().map(letter).collect();
    (0..board.rows()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(rows: &str) -> String {
        let document = Document::parse(&format!("game: puzznic\n\n{rows}\n")).unwrap();
        let level = Puzznic::parse(&document).unwrap();
        level.write(&level.start).rows.join("\n")
    }

    #[test]
    fn blanks_inside_are_empty_and_blanks_outside_are_wall() {
        assert_eq!(
            printed("  ###\n###A##\n#A   #\n######"),
            "######\n###A##\n#A...#\n######"
        );
    }

    #[test]
    fn a_blank_at_the_rim_that_a_block_borders_on_is_inside() {
        assert_eq!(printed("A A"), "A.A");
        assert_eq!(printed("#  A\n####"), "#..A\n####");
        assert_eq!(printed("   #\n####\n#A.#"), "####\n####\n#A.#");
    }

    #[test]
    fn a_board_that_has_not_settled_is_printed_as_written() {
        assert_eq!(printed("A.A\n.B.\n..."), "A.A\n.B.\n...");
    }

    #[test]
    fn errors_have_a_position() {
        let document = Document::parse("game: puzznic\n\n####\n#A+#\n").unwrap();
        let bad = Puzznic::parse(&document).unwrap_err();
        assert_eq!((bad.line, bad.column), (4, 3));
        let document = Document::parse("game: puzznic\n\nA.A\n").unwrap();
        let level = Puzznic::parse(&document).unwrap();
        for (text, column, part) in [
            ("2 1 left", 1, "the row is a number from 1 to 1"),
            ("1  9 left", 4, "the column is a number from 1 to 3"),
            ("1 1 up", 5, "'left' or 'right', found 'up'"),
            ("1 left", 1, "like '3 4 left'"),
        ] {
            let bad = level.parse_move(&level.start, text).unwrap_err();
            assert_eq!(bad.column, column, "{bad}");
            assert!(bad.message.contains(part), "{bad}");
        }
    }
}
