//! Foreign formats: Essence Prime parameters, and the ASCII `.prob`.
//!
//! Both are recognised by their content. A parameter file of Plotting has an `initGrid` too, but
//! also `goalBlocksRemaining`. A `.prob` has only walls, letters and blanks, and each of its rows
//! begins and ends with a wall. By contrast, Plotting's has no wall on the left and a line `g N`,
//! Sokoban's has `@`, `$` and `.`, and a pipe string has digits.

use super::fast::State;
use super::rules::{Board, Puzznic, Tile};
use super::text;
use crate::*;

pub(super) const FORMATS: &[Format<Puzznic>] = &[
    Format {
        name: "param",
        about: "Essence Prime parameters: initGrid, 0 wall, 1 empty, 2.. patterns",
        recognise: |text| {
            Params::gives(text, "initGrid") && !Params::gives(text, "goalBlocksRemaining")
        },
        read: read_param,
        write: write_param,
    },
    Format {
        name: "prob",
        about: "ASCII: '#' wall, blank empty, letters patterns",
        recognise: recognise_prob,
        read: read_prob,
        write: write_prob,
    },
];

/// The comment that names the letters of the patterns 2, 3, …; it is optional.
const LETTERS: &str = "$ patterns ";

/// The number of letters.
const MOST_PATTERNS: usize = 52;

fn read_param(text: &str) -> Result<Puzznic, BadText> {
    let params = Params::parse(text)?;
    let grid = params.required("initGrid")?;
    let rows = grid.grid("initGrid", 0..=MOST_PATTERNS as i64 + 1)?;
    let named = text.lines().find_map(|line| line.strip_prefix(LETTERS));
    let names: Vec<char> = named.map_or(Vec::new(), |names| {
        let mut names: Vec<char> = names
            .chars()
            .filter(|c| c.is_ascii_alphabetic())
            .take(MOST_PATTERNS)
            .collect();
        names.dedup();
        names
    });
    let named = names.is_sorted() && !names.is_empty();
    let letter = |number: i64| match number {
        0 => '#',
        1 => '.',
        _ => {
            let index = number as usize - 2;
            let name = names.get(index).filter(|_| named);
            name.copied()
                .unwrap_or_else(|| ('A'..='Z').chain('a'..='z').nth(index).expect("at most 52"))
        }
    };
    let cells = rows
        .iter()
        .map(|row| row.iter().map(|&cell| letter(cell)).collect())
        .collect();
    text::level(cells, grid.spot.line)
}

fn write_param(level: &Puzznic, state: &State) -> Result<String, String> {
    let board = text::shown(level, state);
    check_walls_around(&board)?;
    let number = |tile: &Tile| match tile {
        Tile::Wall => "0".to_string(),
        Tile::Empty => "1".to_string(),
        Tile::Block { pattern, .. } => (pattern + 2).to_string(),
    };
    let row = |row: usize| {
        let numbers: Vec<String> = board.row(row).iter().map(number).collect();
        format!(" [{}]", numbers.join(", "))
    };
    let rows: Vec<String> = (0..board.rows()).map(row).collect();
    let letters: String = level.letters.iter().collect();
    Ok(format!(
        "language ESSENCE' 1.0\n{LETTERS}{letters}\nletting gridHeight be {}\nletting gridWidth be {}\nletting initGrid be [\n{}\n]\n",
        board.rows(),
        board.cols(),
        rows.join(",\n")
    ))
}

fn recognise_prob(text: &str) -> bool {
    let known = |c: char| c == '#' || c == ' ' || c.is_ascii_alphabetic();
    let walled = |line: &str| {
        let line = line.trim_end();
        line.trim_start().starts_with('#') && line.ends_with('#') && line.chars().all(known)
    };
    let mut rows = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .peekable();
    rows.peek().is_some() && rows.all(walled)
}

fn read_prob(text: &str) -> Result<Puzznic, BadText> {
    let above = text
        .lines()
        .take_while(|line| line.trim().is_empty())
        .count();
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let rows = lines.iter().enumerate().skip(above);
    let cells = document::rectangle(rows.map(|(index, &line)| (index + 1, line)), ' ')?;
    text::level(cells, above + 1)
}

fn write_prob(level: &Puzznic, state: &State) -> Result<String, String> {
    let board = text::shown(level, state);
    check_walls_around(&board)?;
    let rows = text::rows(&board, &level.letters);
    Ok(rows
        .iter()
        .map(|row| row.replace('.', " ") + "\n")
        .collect())
}

/// An error if the board is not enclosed by walls: in both formats the walls mark where it ends.
fn check_walls_around(board: &Board) -> Result<(), String> {
    let rim = |&(row, col): &(usize, usize)| {
        row == 0 || col == 0 || row + 1 == board.rows() || col + 1 == board.cols()
    };
    let open = board
        .places()
        .filter(rim)
        .find(|&place| board[place] != Tile::Wall);
    match open {
        None => Ok(()),
        Some((row, col)) => Err(format!(
            "this format needs walls all around the board, and row {}, column {} is not a wall",
            row + 1,
            col + 1
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> String {
        match AnyLevel::read(text) {
            Ok(AnyLevel::Puzznic(level)) => level.game.write(&level.game.start).rows.join("\n"),
            Ok(other) => other.game_name().to_string(),
            Err(bad) => bad.to_string(),
        }
    }

    #[test]
    fn a_parameter_file_of_the_paper() {
        let text = "letting initGrid be [[0,0,0,0,0],\n[0,2,1,2,0],\n[0,3,1,3,0],\n[0,0,0,0,0]]\n";
        assert_eq!(rows(text), "#####\n#A.A#\n#B.B#\n#####");
        let named = format!("$ patterns GR\n{text}");
        assert_eq!(rows(&named), "#####\n#G.G#\n#R.R#\n#####");
        let bad = text.replace('3', "99");
        assert!(rows(&bad).starts_with("line 3, column 4"), "{}", rows(&bad));
    }

    #[test]
    fn an_ascii_file_of_the_paper() {
        assert_eq!(
            rows("\n ####\n##R ##\n#PR P#\n######\n"),
            "######\n##R.##\n#PR.P#\n######"
        );
    }

    #[test]
    fn texts_of_other_games_are_not_recognised() {
        for text in [
            "RGG#\nRRG#\n####\ng 2\n",
            "#####\n#@$.#\n#####\n",
            "##B1R2##\n##L1L2##\n",
            "letting initGrid be [[1, 2]]\nletting goalBlocksRemaining be 1\n",
        ] {
            let found = AnyLevel::read(text);
            assert!(!matches!(found, Ok(AnyLevel::Puzznic(_))), "{text}");
        }
    }

    #[test]
    fn a_board_without_walls_around_it_cannot_be_written() {
        let document = Document::parse("game: puzznic\n\nA.A\n").unwrap();
        let level = Puzznic::parse(&document).unwrap();
        for format in FORMATS {
            let why = (format.write)(&level, &level.start).unwrap_err();
            assert!(why.contains("row 1, column 1"), "{why}");
        }
    }
}
