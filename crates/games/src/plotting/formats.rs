//! Foreign formats: the Essence Prime parameters and the ASCII boards of the papers, and boards on
//! one line. None of them can express a given hand, blocked rows and columns, or wildcards.

use ployglot_base::text::position;

use super::rules::{Colour, Plotting, State};
use super::text::{self, LETTERS, MOST_BLOCKS};
use crate::*;

pub(super) const FORMATS: &[Format<Plotting>] = &[
    Format {
        name: "param",
        about: "Essence Prime: initGrid (0 empty, 1.. colours) and goalBlocksRemaining",
        recognise: |text| {
            Params::gives(text, "initGrid") && Params::gives(text, "goalBlocksRemaining")
        },
        read: read_param,
        write: write_param,
    },
    Format {
        name: "prob",
        about: "ASCII: # wall, a blank row above and a blank column on the left, then 'g N'",
        recognise: is_prob,
        read: read_prob,
        write: write_prob,
    },
    Format {
        name: "line",
        about: "one line: rows separated by commas, then the goal: RRRG,RGGG 1",
        recognise: |text| line_parts(text).is_some(),
        read: read_line,
        write: write_line,
    },
];

// Essence Prime.

/// A comment that names the letters of the colours 1, 2, …; absent for the usual letters.
const COLOURS_ARE: &str = "$ colours: ";

fn read_param(text: &str) -> Result<Plotting, BadText> {
    let params = Params::parse(text)?;
    let most = LETTERS.len() as i64;
    let grid = params.required("initGrid")?;
    let numbers = grid.grid("initGrid", 0..=most)?;
    let goal = params
        .required("goalBlocksRemaining")?
        .number("goalBlocksRemaining", 0..=MOST_BLOCKS as i64)?;
    if let Some(steps) = params.get("noSteps") {
        steps.number("noSteps", 0..=i64::MAX)?;
    }
    let named = text.lines().find_map(|line| line.strip_prefix(COLOURS_ARE));
    let letters: Vec<char> = named.unwrap_or("").trim().chars().collect();
    let letter = |number: i64| -> Option<char> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        letters.get(index).copied().or(LETTERS.chars().nth(index))
    };
    let cell = |&number: &i64| letter(number).unwrap_or('.');
    let lines: Vec<Vec<char>> = numbers
        .iter()
        .map(|row| row.iter().map(cell).collect())
        .collect();
    let rows = grid.list("initGrid")?;
    let spot = |row: usize, col: usize| {
        let cell = rows[row]
            .list("a row")
            .ok()
            .and_then(|cells| cells.get(col));
        let spot = cell.map_or(rows[row].spot, |cell| cell.spot);
        (spot.line, spot.column)
    };
    let (letters, cells) = text::read_cells(&lines, spot)?;
    Ok(text::plain(letters, cells, goal as usize))
}

fn write_param(level: &Plotting, state: &State) -> Result<String, String> {
    without_options(level, state)?;
    let cells = level.cells(state);
    if level.goal == 0 || level.goal > cells.cells().len() {
        return Err("goalBlocksRemaining is at least 1 and at most the number of cells".into());
    }
    let mut text = "language ESSENCE' 1.0\n".to_string();
    let usual: Vec<char> = LETTERS.chars().take(level.letters.len()).collect();
    if level.letters != usual {
        let letters: String = level.letters.iter().collect();
        text.push_str(&format!("{COLOURS_ARE}{letters}\n"));
    }
    text.push_str(&init_grid(level, state));
    text.push_str(&format!("letting goalBlocksRemaining be {}\n", level.goal));
    Ok(text)
}

/// The Essence Prime statement that defines `initGrid`.
pub(super) fn init_grid(level: &Plotting, state: &State) -> String {
    let cells = level.cells(state);
    let number = |cell: &Option<Colour>| cell.map_or(0, |colour| colour + 1).to_string();
    let row = |row| {
        let numbers: Vec<String> = cells.row(row).iter().map(number).collect();
        format!("[{}]", numbers.join(", "))
    };
    let rows: Vec<String> = (0..cells.rows()).map(row).collect();
    format!("letting initGrid be [\n{}\n]\n", rows.join(",\n"))
}

// ASCII.

/// Whether the text has a floor of `#`, rows above it that start with a blank and end with `#`, and
/// a goal.
fn is_prob(text: &str) -> bool {
    let mut lines = text
        .lines()
        .take(1000)
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .skip_while(|line| line.starts_with(' ') && line.ends_with('#'));
    // The first line that is not a row must be the floor.
    lines.next().is_some_and(is_floor)
        && text.starts_with([' ', '\r', '\n'])
        && lines.any(|line| line.split_whitespace().next() == Some("g"))
}

fn is_floor(line: &str) -> bool {
    !line.is_empty() && line.bytes().all(|byte| byte == b'#')
}

fn read_prob(text: &str) -> Result<Plotting, BadText> {
    let bad =
        |line: usize, column: usize, message: &str| BadText::new(line + 1, column + 1, message);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let floor = lines.iter().position(|line| is_floor(line));
    let floor =
        floor.ok_or_else(|| bad(lines.len().max(1) - 1, 0, "the floor of '#' is missing"))?;
    let top = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    let width = lines[floor].len();
    if width < 3 || floor < top + 2 {
        let message = "above the floor there must be a blank row and then the board, with a blank column on its left and a wall on its right";
        return Err(bad(floor, 0, message));
    }

    // The board is what lies inside the blank row, the blank column, the wall and the floor.
    let mut board: Vec<Vec<char>> = Vec::new();
    for (index, line) in lines.iter().enumerate().take(floor).skip(top) {
        let chars: Vec<char> = line.chars().collect();
        if chars.len() != width || chars[width - 1] != '#' {
            let message = format!("this row must end with '#' in column {width}, like the floor");
            return Err(bad(
                index,
                chars.len().min(width).saturating_sub(1),
                &message,
            ));
        }
        let blank = if index == top { width - 1 } else { 1 };
        if let Some(column) = chars[..blank].iter().position(|&c| c != ' ') {
            let message = "the first row and the first column must be blank: shots start there";
            return Err(bad(index, column, message));
        }
        if index > top {
            let cell = |&c: &char| if c == ' ' { '.' } else { c };
            board.push(chars[1..width - 1].iter().map(cell).collect());
        }
    }
    let mut goal = None;
    for (index, line) in lines.iter().enumerate().skip(floor + 1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            ["g", number] if goal.is_none() => {
                let number = number.parse().ok().filter(|&number| number <= MOST_BLOCKS);
                let message = format!("the goal is a number from 0 to {MOST_BLOCKS}");
                goal = Some(number.ok_or_else(|| bad(index, 2, &message))?);
            }
            _ => return Err(bad(index, 0, "expected 'g N', once")),
        }
    }
    let goal = goal.ok_or_else(|| bad(lines.len() - 1, 0, "the goal 'g N' is missing"))?;
    let spot = |row: usize, col: usize| (top + row + 2, col + 2);
    let (letters, cells) = text::read_cells(&board, spot)?;
    Ok(text::plain(letters, cells, goal))
}

fn write_prob(level: &Plotting, state: &State) -> Result<String, String> {
    without_options(level, state)?;
    let mut text = format!("{}#\n", " ".repeat(level.cols + 1));
    for row in text::rows(level, &level.cells(state), ' ') {
        text.push_str(&format!(" {row}#\n"));
    }
    text.push_str(&format!(
        "{}\ng {}\n",
        "#".repeat(level.cols + 2),
        level.goal
    ));
    Ok(text)
}

// One line.

/// The rows and the goal, if the text is one line in this format.
fn line_parts(text: &str) -> Option<(&str, &str)> {
    let mut words = text.split_whitespace();
    let (rows, goal) = (words.next()?, words.next()?);
    let cell = |c: char| c.is_ascii_uppercase() || c == '.';
    let board =
        rows.len() <= 1000 && rows.contains(cell) && rows.chars().all(|c| cell(c) || c == ',');
    let number = goal.bytes().all(|byte| byte.is_ascii_digit());
    (board && number && words.next().is_none() && text.trim().lines().count() == 1)
        .then_some((rows, goal))
}

fn read_line(text: &str) -> Result<Plotting, BadText> {
    let (rows, goal) = line_parts(text)
        .ok_or_else(|| BadText::new(1, 1, "expected rows and a goal, as in 'RRRG,RGGG 1'"))?;
    let indent = text.len() - text.trim_start().len();
    let (line, first_column) = position(text, indent);
    let lines: Vec<Vec<char>> = rows.split(',').map(|row| row.chars().collect()).collect();
    let width = lines[0].len();
    let spot = |row: usize, col: usize| (line, first_column + row * (width + 1) + col);
    if let Some(short) = lines.iter().position(|row| row.len() != width) {
        let (line, column) = spot(short, 0);
        let message = format!("every row must have {width} cells, like the first");
        return Err(BadText::new(line, column, message));
    }
    let number = goal.parse().ok().filter(|&number| number <= MOST_BLOCKS);
    let goal = number.ok_or_else(|| {
        let message = format!("the goal is a number from 0 to {MOST_BLOCKS}");
        BadText::new(line, first_column + rows.len() + 1, message)
    })?;
    let (letters, cells) = text::read_cells(&lines, spot)?;
    Ok(text::plain(letters, cells, goal))
}

fn write_line(level: &Plotting, state: &State) -> Result<String, String> {
    without_options(level, state)?;
    let rows = text::rows(level, &level.cells(state), '.');
    Ok(format!("{} {}\n", rows.join(","), level.goal))
}

/// An error if the level or state has an option that foreign formats cannot express.
pub(super) fn without_options(level: &Plotting, state: &State) -> Result<(), String> {
    let missing = if state.hand.is_some() {
        "a hand that is not a wildcard"
    } else if level.all_shots().into_iter().any(|mv| !level.is_open(mv)) {
        "blocked rows and columns"
    } else if state.wildcards > 0 {
        "wildcards"
    } else {
        return Ok(());
    };
    Err(format!("{missing} cannot be expressed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a text in any format and writes it in the canonical one.
    fn canonical(text: &str) -> String {
        match AnyLevel::read(text) {
            Ok(AnyLevel::Plotting(level)) => level.print(),
            Ok(other) => format!("a level of {}", other.game_name()),
            Err(bad) => bad.to_string(),
        }
    }

    #[test]
    fn the_same_level_in_three_formats() {
        let expected = "game: plotting\ngoal: 2\n\n.G..\nRRGB\n";
        for text in [
            "language ESSENCE' 1.0\nletting initGrid be [[0,2,0,0],\n [1,1,2,3]]\nletting goalBlocksRemaining be 2\nletting noSteps be 3",
            "     #\n  G  #\n RRGB#\n######\ng 2\n",
            "\n  .G..,RRGB 2 \n",
        ] {
            assert_eq!(canonical(text), expected);
        }
    }

    #[test]
    fn letters_of_the_colours_are_kept() {
        let (letters, cells) = text::read_cells(&[vec!['Q', 'A']], |_, _| (1, 1)).unwrap();
        let level = text::plain(letters, cells, 1);
        let text = write_param(&level, &level.start()).unwrap();
        assert!(
            text.contains("$ colours: AQ\n") && text.contains("[2, 1]"),
            "{text}"
        );
        assert_eq!(canonical(&text), "game: plotting\ngoal: 1\n\nQA\n");
    }

    #[test]
    fn errors_have_a_position_and_a_reason() {
        for (text, expected) in [
            (
                "letting initGrid be [[1],\n[0]]\nletting goalBlocksRemaining be 1",
                "line 1, column 23: R hangs in the air: the cell below it is empty",
            ),
            (
                "letting initGrid be [[99]]\nletting goalBlocksRemaining be 1",
                "line 1, column 23: a cell is a number from 0 to 26, found 99",
            ),
            (
                "    #\n RR #\n R#G#\n#####\ng 1\n",
                "line 3, column 3: a cell is '.' or a letter from A to Z, found '#'",
            ),
            (
                "    #\n RR\n#####\ng 1\n",
                "this is not a known level format",
            ),
            (
                "   #\n RR#\n####\ng x\n",
                "line 4, column 3: the goal is a number from 0 to 128",
            ),
            (
                " R #\n RR#\n####\ng 1\n",
                "line 1, column 2: the first row and the first column must be blank",
            ),
            (
                "RRG,RR 1",
                "line 1, column 5: every row must have 3 cells, like the first",
            ),
            ("R.,.R 1", "line 1, column 1: R hangs in the air"),
        ] {
            let found = canonical(text);
            assert!(found.contains(expected), "{found}\n{expected}");
        }
    }
}
