//! Levels and moves as text. A block is a capital letter, an empty cell is `.`.

use super::rules::{Cells, Colour, Hand, Move, Parts, Plotting, State};
use crate::*;

/// The letters of the colours, the most familiar ones first. Formats that number their colours use
/// the same order.
pub(super) const LETTERS: &str = "RGBYOVPCWKMATLSNDEFHIJQUXZ";

const MOST_WILDCARDS: usize = 99;

impl Text for Plotting {
    const FORMATS: &'static [Format<Self>] = super::formats::FORMATS;
    const SYMBOLS: &'static [Symbol] = super::symbols::SYMBOLS;
    const OPTIONS: &'static [LevelOption] = super::symbols::OPTIONS;
    const SYMMETRIES: Symmetries = Symmetries {
        is_name: |c| c.is_ascii_uppercase(),
        ..Symmetries::NONE
    };

    fn parse(document: &Document) -> Result<Self, BadText> {
        document.only(&["goal", "hand", "blocked", "wildcards"])?;
        let lines = document.cells('.')?;
        let spot = |row: usize, col: usize| (document.board[row].line, col + 1);
        let (letters, cells) = read_cells(&lines, spot)?;
        let goal = document.required("goal")?.number(0..=MOST_BLOCKS)?;
        let wildcards = match document.option("wildcards")? {
            Some(entry) => entry.number(0..=MOST_WILDCARDS)? as u8,
            None => 0,
        };
        let mut blocked_rows = vec![false; cells.rows()];
        let mut blocked_cols = vec![false; cells.cols()];
        for entry in document.all("blocked") {
            let line = read_line(&entry.value, cells.rows(), cells.cols())
                .map_err(|why| entry.bad(format!("blocked is 'row N' or 'col N': {why}")))?;
            let blocked = match line {
                Move::Row(row) => &mut blocked_rows[usize::from(row)],
                Move::Col(col) => &mut blocked_cols[usize::from(col)],
            };
            if std::mem::replace(blocked, true) {
                return Err(entry.bad(format!("{} is blocked twice", print_move(line))));
            }
        }
        let hand = match document.option("hand")? {
            Some(entry) => read_hand(entry)?,
            None => None,
        };
        Ok(with_hand(letters, cells, hand, |letters, cells, hand| {
            Plotting::new(Parts {
                letters,
                cells,
                goal,
                hand,
                blocked_rows,
                blocked_cols,
                wildcards,
            })
        }))
    }

    fn write(&self, state: &State) -> LevelText {
        let mut options = vec![("goal", self.goal.to_string())];
        if let Some(hand) = state.hand {
            options.push(("hand", self.letter(hand).to_string()));
        }
        for mv in self.all_shots() {
            if !self.is_open(mv) {
                options.push(("blocked", print_move(mv)));
            }
        }
        if state.wildcards > 0 {
            options.push(("wildcards", state.wildcards.to_string()));
        }
        LevelText {
            options,
            rows: rows(self, &self.cells(state), '.'),
        }
    }

    /// The options that change the rules: blocked rows and columns, and wildcards.
    fn variant(&self) -> String {
        let options = self.write(&self.start).options.into_iter();
        let options = options.filter(|(key, _)| matches!(*key, "blocked" | "wildcards"));
        let words: Vec<String> = options
            .map(|(key, value)| format!("{key} {value}"))
            .collect();
        words.join(", ")
    }

    fn print_move(&self, _state: &State, mv: Move) -> String {
        print_move(mv)
    }

    fn parse_move(&self, _state: &State, text: &str) -> Result<Move, BadText> {
        read_line(text, self.rows, self.cols).map_err(|why| {
            let column = text.chars().take_while(|c| c.is_whitespace()).count() + 1;
            BadText::new(1, column, format!("a move is 'row N' or 'col N': {why}"))
                .wide(text.trim().chars().count())
        })
    }
}

/// The most blocks that a board can have.
pub(super) const MOST_BLOCKS: usize = 128;

/// A level without options.
pub(super) fn plain(letters: Vec<char>, cells: Cells, goal: usize) -> Plotting {
    let (rows, cols) = (cells.rows(), cells.cols());
    Plotting::new(Parts {
        letters,
        cells,
        goal,
        hand: None,
        blocked_rows: vec![false; rows],
        blocked_cols: vec![false; cols],
        wildcards: 0,
    })
}

/// Converts letters to colours. `spot` gives the line and column of a cell in the text.
pub(super) fn read_cells(
    lines: &[Vec<char>],
    spot: impl Fn(usize, usize) -> (usize, usize),
) -> Result<(Vec<char>, Cells), BadText> {
    let bad = |row, col, message: String| {
        let (line, column) = spot(row, col);
        BadText::new(line, column, message)
    };
    let (rows, cols) = (lines.len(), lines.first().map_or(0, Vec::len));
    if !Plotting::fits(rows, cols) {
        return Err(bad(0, 0, too_large(rows, cols)));
    }
    for (row, line) in lines.iter().enumerate() {
        for (col, &cell) in line.iter().enumerate() {
            if cell != '.' && !cell.is_ascii_uppercase() {
                let message = format!("a cell is '.' or a letter from A to Z, found '{cell}'");
                return Err(bad(row, col, message));
            }
            if cell == '.' && row > 0 && lines[row - 1][col] != '.' {
                let above = lines[row - 1][col];
                let message = format!("{above} hangs in the air: the cell below it is empty");
                return Err(bad(row - 1, col, message));
            }
        }
    }
    let used = |letter: &char| lines.iter().any(|line| line.contains(letter));
    let letters: Vec<char> = LETTERS.chars().filter(used).collect();
    let colour = |cell: &char| letters.iter().position(|letter| letter == cell);
    let row = |line: &Vec<char>| {
        line.iter()
            .map(|cell| colour(cell).map(|c| c as Colour))
            .collect()
    };
    let cells = Grid::from_rows(lines.iter().map(row).collect());
    Ok((letters, cells))
}

pub(super) fn too_large(rows: usize, cols: usize) -> String {
    format!(
        "(rows + 1) × columns is at most 128, as with 10 rows and 11 columns; this board has {rows} rows and {cols} columns"
    )
}

fn read_hand(entry: &document::Entry) -> Result<Option<char>, BadText> {
    let mut chars = entry.value.chars();
    match (chars.next(), chars.next()) {
        (Some(letter), None) if letter.is_ascii_uppercase() => Ok(Some(letter)),
        _ if entry.value == "wildcard" => Ok(None),
        _ => Err(entry.bad(format!(
            "hand is a letter from A to Z, or 'wildcard', found '{}'",
            entry.value
        ))),
    }
}

/// Adds the hand to a level. It may have a colour that is not in the grid: then the colours are
/// renumbered.
fn with_hand<T>(
    letters: Vec<char>,
    mut cells: Cells,
    hand: Option<char>,
    make: impl FnOnce(Vec<char>, Cells, Hand) -> T,
) -> T {
    let Some(hand) = hand else {
        return make(letters, cells, None);
    };
    let known = |letter: &char| letters.contains(letter) || *letter == hand;
    let all: Vec<char> = LETTERS.chars().filter(known).collect();
    let number = |letter: char| all.iter().position(|&other| other == letter);
    let number = |letter| number(letter).expect("all letters are there") as Colour;
    for (row, col) in cells.places() {
        cells[(row, col)] = cells[(row, col)].map(|colour| number(letters[usize::from(colour)]));
    }
    let hand = number(hand);
    make(all, cells, Some(hand))
}

/// The board as lines of letters.
pub(super) fn rows(level: &Plotting, cells: &Cells, empty: char) -> Vec<String> {
    let letter = |cell: &Option<Colour>| cell.map_or(empty, |colour| level.letter(colour));
    (0..cells.rows())
        .map(|row| cells.row(row).iter().map(letter).collect())
        .collect()
}

pub(super) fn print_move(mv: Move) -> String {
    match mv {
        Move::Row(row) => format!("row {}", row + 1),
        Move::Col(col) => format!("col {}", col + 1),
    }
}

/// Reads `row 3` or `col 2`; the error is the reason why it is neither.
fn read_line(text: &str, rows: usize, cols: usize) -> Result<Move, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [kind, number] = words[..] else {
        return Err(format!("found '{}'", text.trim()));
    };
    let kind = kind.to_ascii_lowercase();
    let (count, name) = match kind.as_str() {
        "row" => (rows, "row"),
        "col" | "column" => (cols, "column"),
        _ => return Err(format!("found '{kind}'")),
    };
    let number: Option<usize> = number.parse().ok();
    let index = number.filter(|number| (1..=count).contains(number));
    let index = index.ok_or(format!("the {name}s are 1 to {count}"))? - 1;
    Ok(if name == "row" {
        Move::Row(index as u8)
    } else {
        Move::Col(index as u8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let parsed = Document::parse(text).and_then(|document| Level::<Plotting>::parse(&document));
        parsed.expect_err("this text is wrong").to_string()
    }

    #[test]
    fn errors_have_a_position_and_a_reason() {
        for (text, expected) in [
            (
                "RG\n",
                "line 1, column 1: 'goal: …' is missing above the board",
            ),
            (
                "goal: 1\nR?\n",
                "line 2, column 2: a cell is '.' or a letter from A to Z, found '?'",
            ),
            (
                "goal: 1\n.R\nG.\n",
                "line 2, column 2: R hangs in the air: the cell below it is empty",
            ),
            (
                "goal: 1\nhand: RG\nR\n",
                "line 2, column 7: hand is a letter from A to Z, or 'wildcard', found 'RG'",
            ),
            (
                "goal: 1\nblocked: row 2\nR\n",
                "line 2, column 10: blocked is 'row N' or 'col N': the rows are 1 to 1",
            ),
            (
                "goal: 1\nblocked: col 1\nblocked: col 1\nR\n",
                "line 3, column 10: col 1 is blocked twice",
            ),
            (
                "goal: 1\nwildcards: 100\nR\n",
                "line 2, column 12: wildcards is a number from 0 to 99, found '100'",
            ),
        ] {
            assert_eq!(refusal(text), expected);
        }
        let wide = format!("goal: 1\n{}\n", "R".repeat(65));
        assert!(
            refusal(&wide).contains("(rows + 1) × columns is at most 128"),
            "{}",
            refusal(&wide)
        );
    }

    #[test]
    fn a_move_outside_the_board_is_refused() {
        let document = Document::parse("goal: 1\nRGB\n").unwrap();
        let level = Plotting::parse(&document).unwrap();
        let parse_move = |text| level.parse_move(&level.start, text);
        assert_eq!(parse_move(" Column 3"), Ok(Move::Col(2)));
        let bad = parse_move("  row 2").unwrap_err();
        assert_eq!((bad.column, bad.width), (3, 5));
        assert_eq!(
            bad.message,
            "a move is 'row N' or 'col N': the rows are 1 to 1"
        );
    }
}
