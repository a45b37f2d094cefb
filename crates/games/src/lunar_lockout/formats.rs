//! The common grid format: an optional line `goal ROW COL`, then the board with `.`, `-` or a blank
//! for an empty cell, `R` for red and other letters for the helpers. Without a goal line (and
//! without an `X`) the goal is the middle cell, if there is one, as on the cards of the original
//! game.
//!
//! A grid without a goal line has no distinctive mark. A text is recognised as one if it has
//! exactly one `R`, no letter twice, some empty cell, and nothing but letters and empty cells.

use super::rules::{LunarLockout, State};
use super::text::{Board, RED, draw, level, read_place};
use crate::*;

pub(super) const FORMATS: &[Format<LunarLockout>] = &[Format {
    name: "grid",
    about: "a line 'goal ROW COL', then the board with '.', '-' or blank for an empty cell",
    recognise,
    read,
    write,
}];

/// The words after `goal`, if the line starts with it.
fn goal_words(line: &str) -> Option<Vec<&str>> {
    let mut words = line.split_whitespace();
    (words.next() == Some("goal")).then(|| words.collect())
}

fn recognise(text: &str) -> bool {
    let Some(first) = text.lines().find(|line| !line.trim().is_empty()) else {
        return false;
    };
    if let Some(words) = goal_words(first) {
        return words.iter().all(|word| word.parse::<i64>().is_ok());
    }
    let mut seen = [false; 128];
    let mut empty = false;
    for c in text.chars().filter(|c| !matches!(c, '\n' | '\r')) {
        match c {
            '.' | '-' | ' ' => empty = true,
            '+' | 'A'..='Z' | 'a'..='z' if !seen[c as usize] => seen[c as usize] = true,
            _ => return false,
        }
    }
    empty && (seen[RED as usize] != seen['+' as usize])
}

fn read(text: &str) -> Result<LunarLockout, BadText> {
    let mut lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let blank = |&(_, line): &(usize, &str)| line.trim().is_empty();

    // The goal line, if the first line that is not blank is one.
    let first = lines.iter().position(|line| !blank(line)).unwrap_or(0);
    let words = lines
        .get(first)
        .and_then(|&(line, text)| Some((line, goal_words(text)?)));
    if words.is_some() {
        lines.drain(..=first);
    }

    // Around a board with dots or dashes, blank lines are ignored. Where blanks are cells, only
    // empty lines below the board are.
    let dotted = lines.iter().any(|(_, line)| line.contains(['.', '-']));
    let beside = |line: &(usize, &str)| {
        if dotted {
            blank(line)
        } else {
            line.1.is_empty()
        }
    };
    while lines.last().is_some_and(beside) {
        lines.pop();
    }
    if dotted {
        let board = lines.iter().position(|line| !blank(line)).unwrap_or(0);
        lines.drain(..board);
    }
    if lines.is_empty() {
        return Err(BadText::new(1, 1, "the board is missing"));
    }

    let numbers: Vec<usize> = lines.iter().map(|&(line, _)| line).collect();
    let mut rows = document::rectangle(lines.into_iter(), '.')?;
    for cell in rows.iter_mut().flatten().filter(|cell| **cell == '-') {
        *cell = '.';
    }
    let board = Board::read(&rows, |row| numbers[row])?;
    let size = (rows.len(), rows[0].len());
    let goal = match (words, board.goal) {
        (Some((line, words)), drawn) => {
            let place = read_place(words.into_iter(), size);
            let place = place.map_err(|why| BadText::new(line, 1, why))?;
            if drawn.is_some_and(|drawn| drawn != place) {
                let message = "the board shows the goal on another cell";
                return Err(BadText::new(line, 1, message));
            }
            place
        }
        (None, Some(drawn)) => drawn,
        (None, None) if size.0 % 2 == 1 && size.1 % 2 == 1 => (size.0 / 2, size.1 / 2),
        (None, None) => {
            let message = "a board with an even side has no middle: write 'goal ROW COL' above it";
            return Err(BadText::new(numbers[0], 1, message));
        }
    };
    let walls = Grid::new(size.0, size.1, 0);
    Ok(level(size, goal, &board.craft, false, walls))
}

fn write(level: &LunarLockout, state: &State) -> Result<String, String> {
    if !level.variant().is_empty() {
        return Err(format!("a grid cannot express '{}'", level.variant()));
    }
    let (row, col) = level.place(level.goal);
    let mut text = format!("goal {} {}\n", row + 1, col + 1);
    for cells in draw(level, state, '.') {
        text.extend(cells);
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a text in the format, and compares the rows of the level.
    fn check(text: &str, rows: &[&str]) {
        assert!(recognise(text), "{text}");
        let level = read(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
        assert_eq!(level.write(&level.start()).rows, rows, "{text}");
    }

    #[test]
    fn empty_cells_are_dots_dashes_or_blanks() {
        let rows = ["a..b", ".X..", "R..."];
        check("goal 2 2\na..b\n....\nR...\n", &rows);
        check("goal 2 2\n\na--b\n----\nR---\n\n", &rows);
        check("goal 2 2\na  b\n\nR\n", &rows);
        check("goal 2 2\r\na  b\r\n    \r\nR   \r\n", &rows);
    }

    #[test]
    fn without_a_goal_line_the_middle_is_the_goal() {
        check("a.b\n...\nR..\n", &["a.b", ".X.", "R.."]);
        check("a b\n\nR\n", &["a.b", ".X.", "R.."]);
        check("a.bX\nR...\n", &["a.bX", "R..."]);
        let bad = read("a.b.\n....\nR...\n").unwrap_err();
        assert_eq!(bad.line, 1);
        assert!(bad.message.contains("has no middle"), "{bad}");
    }

    #[test]
    fn errors_report_their_line() {
        let check_bad = |text: &str, line: usize, message: &str| {
            let bad = read(text).map(|_| ()).unwrap_err();
            assert_eq!(bad.line, line, "{bad}");
            assert!(bad.message.contains(message), "{bad}");
        };
        check_bad("goal 3\nR..\n", 1, "'ROW COL'");
        check_bad("goal 3 4\nR..\n", 1, "from 1 1 to 1 3");
        check_bad("goal 1 1\n", 1, "the board is missing");
        check_bad("goal 1 1\n..\n.#\n", 3, "found '#'");
    }

    #[test]
    fn texts_of_other_games_are_not_recognised() {
        for text in [
            "#####\n#aRb#\n#####\n",
            "     #\n RRRG#\n######\ng 1\n",
            "RRRG,RGGG 1\n",
            "B1R1L2\n##L3B2\n",
            "#####\n#@$.#\n#####\n",
            "letting R be 1\n",
            "Rabc\ndefg\n",
        ] {
            assert!(!recognise(text), "{text}");
        }
    }
}
