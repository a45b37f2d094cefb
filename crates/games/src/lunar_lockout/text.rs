//! Levels and moves as text.
//!
//! On the board, `.` is an empty cell, `R` red, another letter or digit a helper, `X` the goal, and
//! `+` red resting on the goal. A helper on the goal hides it; only then the option `goal: ROW COL`
//! is required. It is always allowed.

use std::sync::Arc;

use super::fast::Tables;
use super::rules::{LunarLockout, MAX_CELLS, MAX_CRAFT, Move, State};
use crate::*;

pub(super) const RED: char = 'R';
const EMPTY: char = '.';
const GOAL: char = 'X';
const RED_ON_GOAL: char = '+';

impl Text for LunarLockout {
    const FORMATS: &'static [Format<Self>] = super::formats::FORMATS;
    const SYMBOLS: &'static [Symbol] = super::symbols::SYMBOLS;
    const OPTIONS: &'static [LevelOption] = super::symbols::OPTIONS;
    const SYMMETRIES: Symmetries = Symmetries {
        mirror_columns: true,
        mirror_rows: true,
        transpose: true,
        is_name: |c| c.is_ascii_alphanumeric() && c != 'R' && c != 'X',
    };

    fn parse(document: &Document) -> Result<Self, BadText> {
        document.only(&["goal", "edge", "wall"])?;
        let rows = document.cells(EMPTY)?;
        let board = Board::read(&rows, |row| document.board[row].line)?;
        let size = (rows.len(), rows[0].len());
        let given = match document.option("goal")? {
            Some(entry) => {
                let place = read_place(entry.value.split_whitespace(), size);
                Some(place.map_err(|why| entry.bad(format!("{why}, found '{}'", entry.value)))?)
            }
            None => None,
        };
        if let (Some(drawn), Some(given)) = (board.goal, given)
            && drawn != given
        {
            let entry = document.required("goal")?;
            return Err(entry.bad(format!(
                "the board shows the goal in row {}, column {}",
                drawn.0 + 1,
                drawn.1 + 1
            )));
        }
        let goal = board.goal.or(given).ok_or_else(|| {
            BadText::new(
                document.board_line(),
                1,
                "the goal is missing: an 'X' on the board, or 'goal: ROW COL' above it",
            )
        })?;
        let edge_stops = match document.option("edge")? {
            None => false,
            Some(entry) => match entry.value.as_str() {
                "void" => false,
                "stop" => true,
                other => {
                    return Err(entry.bad(format!("edge is 'stop' or 'void', found '{other}'")));
                }
            },
        };
        let mut walls = Grid::new(size.0, size.1, 0);
        for entry in document.all("wall") {
            let words: Vec<&str> = entry.value.split_whitespace().collect();
            let bad = |why: &str| entry.bad(format!("{why}, found '{}'", entry.value));
            let [row, col, side] = words[..] else {
                return Err(bad("a wall is 'ROW COL SIDE'"));
            };
            let place = read_place([row, col].into_iter(), size).map_err(|why| bad(&why))?;
            let side = Side::parse(side).ok_or_else(|| bad("a side is up, right, down or left"))?;
            build_wall(&mut walls, place, side);
        }
        Ok(level(size, goal, &board.craft, edge_stops, walls))
    }

    fn write(&self, state: &State) -> LevelText {
        let mut options = Vec::new();
        if self.craft(state)[1..].contains(&self.goal) {
            let (row, col) = self.place(self.goal);
            options.push(("goal", format!("{} {}", row + 1, col + 1)));
        }
        if self.edge_stops {
            options.push(("edge", "stop".to_string()));
        }
        for (row, col) in self.walls.places() {
            for side in Side::ALL {
                // A wall between two cells is written once, for the upper or left one.
                let written = matches!(side, Side::Right | Side::Down)
                    || self.walls.beside((row, col), side).is_none();
                if written && self.has_wall((row, col), side) {
                    let wall = format!("{} {} {}", row + 1, col + 1, side.name());
                    options.push(("wall", wall));
                }
            }
        }
        let mut rows = draw(self, state, EMPTY);
        let (row, col) = self.place(self.goal);
        rows[row][col] = match rows[row][col] {
            EMPTY => GOAL,
            RED => RED_ON_GOAL,
            helper => helper,
        };
        let rows = rows.into_iter().map(String::from_iter).collect();
        LevelText { options, rows }
    }

    fn variant(&self) -> String {
        let walls = self.walls.cells().iter().any(|&sides| sides != 0);
        let mut words = Vec::new();
        words.extend(self.edge_stops.then_some("edge stop"));
        words.extend(walls.then_some("walls"));
        words.join(", ")
    }

    fn print_move(&self, state: &State, mv: Move) -> String {
        let mover = self.craft_at(state, mv.cell);
        let name = mover.map_or('?', |mover| self.names[mover]);
        format!("{name} {}", mv.side.name())
    }

    /// `b left`: the craft, then the side. A letter in the other case is accepted if no craft has
    /// it in the given case.
    fn parse_move(&self, state: &State, text: &str) -> Result<Move, BadText> {
        let expected = |message: String| BadText::new(1, 1, message).wide(text.chars().count());
        let words: Vec<&str> = text.split_whitespace().collect();
        let [name, side] = words[..] else {
            return Err(expected(format!(
                "a move is a spacecraft and a side, such as 'R up', found '{}'",
                text.trim()
            )));
        };
        let spot = |word: &str, message: String| {
            let before = word.as_ptr() as usize - text.as_ptr() as usize;
            BadText::at(text, before, message).wide(word.chars().count())
        };
        let mut letters = name.chars();
        let letter = letters.next().filter(|_| letters.next().is_none());
        let called = |wanted: char| self.names.iter().position(|&known| known == wanted);
        let other_case = |letter: char| {
            if letter.is_ascii_lowercase() {
                letter.to_ascii_uppercase()
            } else {
                letter.to_ascii_lowercase()
            }
        };
        let mover = letter.and_then(|letter| called(letter).or_else(|| called(other_case(letter))));
        let Some(mover) = mover else {
            let known: String = self.names.iter().collect();
            let message = format!("a spacecraft is one of the letters {known}, found '{name}'");
            return Err(spot(name, message));
        };
        let Some(side) = Side::parse(side) else {
            let message = format!("a side is up, right, down or left, found '{side}'");
            return Err(spot(side, message));
        };
        Ok(Move {
            cell: self.craft(state)[mover],
            side,
        })
    }
}

/// A level from its parts; red is the first craft.
pub(super) fn level(
    (rows, cols): (usize, usize),
    goal: (usize, usize),
    craft: &[(char, (usize, usize))],
    edge_stops: bool,
    walls: Grid<u8>,
) -> LunarLockout {
    let number = |(row, col): (usize, usize)| (row * cols + col) as u16;
    let cells: Vec<u16> = craft.iter().map(|&(_, place)| number(place)).collect();
    LunarLockout {
        rows,
        cols,
        goal: number(goal),
        names: craft.iter().map(|&(name, _)| name).collect(),
        start: cells,
        edge_stops,
        tables: Arc::new(Tables::new(&walls, edge_stops)),
        walls,
    }
}

/// Adds a wall, to the cells on both of its sides.
pub(super) fn build_wall(walls: &mut Grid<u8>, place: (usize, usize), side: Side) {
    walls[place] |= 1 << side as u8;
    if let Some(behind) = walls.beside(place, side) {
        walls[behind] |= 1 << side.opposite() as u8;
    }
}

/// The contents of a board text.
pub(super) struct Board {
    pub(super) goal: Option<(usize, usize)>,
    /// Red first, then the helpers in the order of their names.
    pub(super) craft: Vec<(char, (usize, usize))>,
}

impl Board {
    pub(super) fn read(rows: &[Vec<char>], line: impl Fn(usize) -> usize) -> Result<Self, BadText> {
        let (height, width) = (rows.len(), rows[0].len());
        if height * width > MAX_CELLS {
            let message =
                format!("a board has at most {MAX_CELLS} cells, this one {height}×{width}");
            return Err(BadText::new(line(0), 1, message));
        }
        let (mut red, mut goal, mut helpers) = (None, None, Vec::new());
        for (row, cells) in rows.iter().enumerate() {
            for (col, &cell) in cells.iter().enumerate() {
                let bad = |message: String| Err(BadText::new(line(row), col + 1, message));
                let here = (row, col);
                if (cell == RED || cell == RED_ON_GOAL) && red.replace(here).is_some() {
                    return bad("there is only one red spacecraft 'R'".to_string());
                }
                if (cell == GOAL || cell == RED_ON_GOAL) && goal.replace(here).is_some() {
                    return bad("there is only one goal".to_string());
                }
                match cell {
                    EMPTY | RED | GOAL | RED_ON_GOAL => {}
                    name if name.is_ascii_alphanumeric() => {
                        if helpers.iter().any(|&(other, _)| other == name) {
                            return bad(format!("two spacecraft are called '{name}'"));
                        }
                        helpers.push((name, here));
                    }
                    other => {
                        return bad(format!(
                            "a cell is '.', 'X', 'R', '+' or the letter of a helper, found '{other}'"
                        ));
                    }
                }
            }
        }
        let Some(red) = red else {
            let message = "the red spacecraft 'R' is missing";
            return Err(BadText::new(line(0), 1, message));
        };
        debug_assert!(helpers.len() < MAX_CRAFT, "there are no more letters");
        helpers.sort_unstable();
        let mut craft = vec![(RED, red)];
        craft.extend(helpers);
        Ok(Board { goal, craft })
    }
}

/// Reads a place on the board, counted from 1; `Err` holds what was expected.
pub(super) fn read_place<'a>(
    mut words: impl Iterator<Item = &'a str>,
    (rows, cols): (usize, usize),
) -> Result<(usize, usize), String> {
    let expected = || format!("a place is 'ROW COL', from 1 1 to {rows} {cols}");
    let mut number = |most: usize| {
        let number: Option<usize> = words.next().and_then(|word| word.parse().ok());
        number.filter(|number| (1..=most).contains(number))
    };
    let (Some(row), Some(col)) = (number(rows), number(cols)) else {
        return Err(expected());
    };
    match words.next() {
        None => Ok((row - 1, col - 1)),
        Some(_) => Err(expected()),
    }
}

/// The craft on the board, without the goal.
pub(super) fn draw(level: &LunarLockout, state: &State, empty: char) -> Vec<Vec<char>> {
    let mut rows = vec![vec![empty; level.cols]; level.rows];
    for (&cell, &name) in level.craft(state).iter().zip(&level.names) {
        let (row, col) = level.place(cell);
        rows[row][col] = name;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LunarLockout, BadText> {
        let document = Document::parse(&format!("game: lunar-lockout\n{text}"))?;
        LunarLockout::parse(&document)
    }

    /// Compares the line and column of the error, and a part of the message.
    fn check_bad(text: &str, line: usize, column: usize, message: &str) {
        let bad = read(text).unwrap_err();
        assert_eq!((bad.line, bad.column), (line, column), "{bad}");
        assert!(bad.message.contains(message), "{bad}");
    }

    #[test]
    fn errors_report_line_and_column() {
        check_bad("R.X\n.#.\n", 3, 2, "found '#'");
        check_bad("R.X\n.R.\n", 3, 2, "only one red");
        check_bad("R.X\nX..\n", 3, 1, "only one goal");
        check_bad("R.X\na.a\n", 3, 3, "two spacecraft are called 'a'");
        check_bad("..X\na..\n", 2, 1, "'R' is missing");
        check_bad("R..\na..\n", 2, 1, "the goal is missing");
        check_bad(
            "goal: 1 1\nR.X\n",
            2,
            7,
            "shows the goal in row 1, column 3",
        );
        check_bad("goal: 3 1\nR..\n", 2, 7, "from 1 1 to 1 3, found '3 1'");
        check_bad("edge: soft\nR.X\n", 2, 7, "'stop' or 'void'");
        check_bad("wall: 1 2\nR.X\n", 2, 7, "'ROW COL SIDE'");
        check_bad("wall: 1 2 in\nR.X\n", 2, 7, "up, right, down or left");
        check_bad("wal: 1 2 up\nR.X\n", 2, 1, "did you mean 'wall'?");
    }

    #[test]
    fn the_option_goal_is_written_only_if_a_helper_hides_the_goal() {
        let options = |text: &str| read(text).map(|level| level.write(&level.start()).options);
        assert_eq!(options("goal: 1 3\nR..\n"), Ok(vec![]));
        let hidden = vec![("goal", "1 3".to_string())];
        assert_eq!(options("goal: 1 3\nR.a\n"), Ok(hidden));
    }

    #[test]
    fn blanks_are_empty_cells_and_short_rows_are_filled() {
        let level = read("a  R\n X\n").unwrap();
        assert_eq!(level.write(&level.start()).rows, ["a..R", ".X.."]);
    }

    #[test]
    fn a_wall_between_two_cells_is_written_once() {
        let level = read("edge: stop\nwall: 2 2 up\nwall: 1 1 left\nR..\n.X.\n").unwrap();
        let sheet = level.write(&level.start());
        let expected = [("edge", "stop"), ("wall", "1 1 left"), ("wall", "1 2 down")];
        assert_eq!(
            sheet.options,
            expected.map(|(key, value)| (key, value.to_string()))
        );
        assert_eq!(level.variant(), "edge stop, walls");
    }

    #[test]
    fn letters_that_differ_in_case_are_two_craft() {
        let level = read("Rb.B\n.rX.\n").unwrap();
        let mover = |text: &str| level.parse_move(&level.start(), text).map(|mv| mv.cell);
        assert_eq!(mover("R up"), Ok(0));
        assert_eq!(mover("b up"), Ok(1));
        assert_eq!(mover("B up"), Ok(3));
        assert_eq!(mover(" r  UP "), Ok(5));
        let bad = level.parse_move(&level.start(), "c up").unwrap_err();
        assert!(bad.message.contains("one of the letters RBbr"), "{bad}");
        let bad = level
            .parse_move(&level.start(), " b  sideways")
            .unwrap_err();
        assert_eq!((bad.column, bad.width), (5, 8));
    }
}
