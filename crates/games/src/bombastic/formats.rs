//! External formats: the parameter files of the Essence Prime models, and Sokoban's XSB for levels
//! without ice.

use super::rules::{Bombastic, State, Tile};
use super::text::read_board;
use crate::document::{LONGEST_SIDE, rectangle};
use crate::param::Value;
use crate::*;

pub(super) const FORMATS: &[Format<Bombastic>] = &[
    Format {
        name: "param",
        about: "Essence Prime parameters: avatarInitRow, blocksInitRow, blocksGoalRow, gridInit and so on",
        recognise: |text| Params::gives(text, "gridInit") || Params::gives(text, "avatarInitRow"),
        read: read_param,
        write: |level, state| Ok(write_param(level, state)),
    },
    Format {
        name: "xsb",
        about: "Sokoban's letters, for levels without ice: # @ + $ * . and a blank or - for the floor",
        recognise: recognise_xsb,
        read: read_xsb,
        write: write_xsb,
    },
];

// Parameter files.

fn read_param(text: &str) -> Result<Bombastic, BadText> {
    let params = Params::parse(text)?;
    let grid_value = params.required("gridInit")?;
    let numbers = grid_value.grid("gridInit", 0..=2)?;
    if numbers.len() > LONGEST_SIDE || numbers[0].len() > LONGEST_SIDE {
        return Err(grid_value.bad(format!("a board has 1 to {LONGEST_SIDE} rows and columns")));
    }
    let tile = |number| match number {
        0 => Tile::Dead,
        1 => Tile::Ice,
        _ => Tile::Normal,
    };
    let rows = numbers.into_iter();
    let tiles = Grid::from_rows(
        rows.map(|row| row.into_iter().map(tile).collect())
            .collect(),
    );

    let row = |value: &Value| value.number("a row", 1..=tiles.rows() as i64);
    let col = |value: &Value| value.number("a column", 1..=tiles.cols() as i64);
    let place = |(a, b): (&Value, &Value)| Ok((row(a)? as usize - 1, col(b)? as usize - 1));
    // Two lists of the same length: the rows and the columns of some places.
    let places = |rows: &str, cols: &str| {
        let (rows, col_value) = (params.required(rows)?.list(rows)?, params.required(cols)?);
        let cols = col_value.list(cols)?;
        if rows.len() != cols.len() {
            let (rows, cols) = (rows.len(), cols.len());
            return Err(col_value.bad(format!("there are {rows} rows, but {cols} columns")));
        }
        rows.iter()
            .zip(cols)
            .map(place)
            .collect::<Result<Vec<_>, BadText>>()
    };

    let avatar_row = params.required("avatarInitRow")?;
    let avatar = place((avatar_row, params.required("avatarInitCol")?))?;
    let blocks = places("blocksInitRow", "blocksInitCol")?;
    let mut goals = Grid::new(tiles.rows(), tiles.cols(), false);
    let goal_places = places("blocksGoalRow", "blocksGoalCol")?;
    for &goal in &goal_places {
        goals[goal] = true;
    }
    for (name, list) in [("numBlocks", &blocks), ("numGoals", &goal_places)] {
        if let Some(value) = params.get(name) {
            let number = value.number(name, 0..=(LONGEST_SIDE * LONGEST_SIDE) as i64)?;
            if number as usize != list.len() {
                let found = list.len();
                return Err(value.bad(format!("{name} is {number}, but {found} are listed")));
            }
        }
    }
    // The model's horizon: it limits the plan, and is not part of the level.
    if let Some(steps) = params.get("steps") {
        steps.number("steps", 0..=i64::MAX)?;
    }

    let block_rows = params.required("blocksInitRow")?;
    if blocks.is_empty() {
        return Err(block_rows.bad("there is no block"));
    }
    Bombastic::new(tiles, goals, avatar, blocks).map_err(|(piece, message)| match piece {
        0 => avatar_row.bad(message),
        _ => {
            let rows = block_rows.list("blocksInitRow");
            rows.map_or(block_rows.spot, |rows| rows[piece - 1].spot)
                .bad(message)
        }
    })
}

fn write_param(level: &Bombastic, state: &State) -> String {
    let goals = level.goals.cells().iter().filter(|goal| **goal).count();
    let mut text = parameters(level, state);
    if goals != state.blocks.len() {
        text.push_str(&format!("letting numGoals be {goals}\n"));
    }
    text
}

/// The parameters of the models. The number of goals is not one of them: it follows from the list
/// of goals.
pub(super) fn parameters(level: &Bombastic, state: &State) -> String {
    let list = |places: &[(usize, usize)], part: fn(&(usize, usize)) -> usize| {
        let numbers: Vec<String> = places
            .iter()
            .map(|place| (part(place) + 1).to_string())
            .collect();
        format!("[{}]", numbers.join(", "))
    };
    let mut blocks: Vec<_> = state
        .blocks
        .iter()
        .map(|&block| level.place(block))
        .collect();
    blocks.sort_unstable();
    let goals: Vec<_> = level
        .goals
        .places()
        .filter(|&place| level.goals[place])
        .collect();
    let avatar = level.place(state.avatar);
    let number = |place| match level.tile(state, place) {
        Tile::Dead => "0",
        Tile::Ice => "1",
        Tile::Normal => "2",
    };
    let grid: Vec<String> = (0..level.tiles.rows())
        .map(|row| {
            let cells: Vec<_> = (0..level.tiles.cols())
                .map(|col| number((row, col)))
                .collect();
            format!("[{}]", cells.join(", "))
        })
        .collect();

    let mut lines = vec!["language ESSENCE' 1.0".to_string()];
    let mut letting = |name: &str, value: String| lines.push(format!("letting {name} be {value}"));
    letting("avatarInitRow", (avatar.0 + 1).to_string());
    letting("avatarInitCol", (avatar.1 + 1).to_string());
    letting("numBlocks", blocks.len().to_string());
    letting("blocksInitRow", list(&blocks, |place| place.0));
    letting("blocksInitCol", list(&blocks, |place| place.1));
    letting("blocksGoalRow", list(&goals, |place| place.0));
    letting("blocksGoalCol", list(&goals, |place| place.1));
    letting(
        "gridInit",
        format!("[{}]", grid.join(",\n                     ")),
    );
    lines.join("\n") + "\n"
}

// XSB. Sokoban's boards are enclosed by walls; ours need not be. So the writer adds a wall around
// the board, and the reader removes a frame of walls, and turns blanks outside the walls into
// walls.

/// The lines of the board with their numbers, without comments and `Title: …` lines.
fn xsb_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim_end()))
        .filter(|(_, line)| !line.starts_with(';') && !line.contains(": "))
}

fn recognise_xsb(text: &str) -> bool {
    let mut seen = [false; 2];
    for c in xsb_lines(text).flat_map(|(_, line)| line.chars()) {
        match c {
            '@' | '+' => seen[0] = true,
            '$' | '*' => seen[1] = true,
            '#' | '.' | '-' | '_' | ' ' => {}
            _ => return false,
        }
    }
    seen == [true, true]
}

fn read_xsb(text: &str) -> Result<Bombastic, BadText> {
    let mut lines: Vec<(usize, &str)> = Vec::new();
    let mut ended = false;
    for (number, line) in xsb_lines(text) {
        match (line.is_empty(), lines.is_empty()) {
            (true, board_is_missing) => ended = !board_is_missing,
            (false, _) if ended => {
                return Err(BadText::new(
                    number,
                    1,
                    "the board ended above: a file holds one level",
                ));
            }
            (false, _) => lines.push((number, line)),
        }
    }
    if lines.is_empty() {
        return Err(BadText::new(1, 1, "the board is missing"));
    }
    let mut rows = rectangle(lines.iter().copied(), ' ')?;
    wall_the_outside(&mut rows);
    let framed = rows.len() > 2 && rows[0].len() > 2 && frame(&rows).all(|cell| cell == '#');
    let margin = usize::from(framed);
    if framed {
        rows = rows[1..rows.len() - 1]
            .iter()
            .map(|row| row[1..row.len() - 1].to_vec())
            .collect();
    }
    for cell in rows.iter_mut().flatten() {
        if *cell == ' ' {
            *cell = '-';
        }
    }
    read_board(&rows, |(row, col)| {
        (lines[row + margin].0, col + margin + 1)
    })
}

/// The cells of the outermost rows and columns.
fn frame(rows: &[Vec<char>]) -> impl Iterator<Item = char> {
    let (last_row, last_col) = (rows.len() - 1, rows[0].len() - 1);
    let cells = rows.iter().enumerate().flat_map(move |(at, row)| {
        row.iter()
            .enumerate()
            .map(move |(col, &cell)| (at, col, cell))
    });
    cells
        .filter(move |&(row, col, _)| row == 0 || col == 0 || row == last_row || col == last_col)
        .map(|(_, _, cell)| cell)
}

/// If walls enclose everything but blanks, the blanks outside become walls: those that can be
/// reached from the edge without crossing a wall. If anything but a blank can be reached, nothing
/// changes.
fn wall_the_outside(rows: &mut [Vec<char>]) {
    let grid = Grid::from_rows(rows.to_vec());
    let mut outside = Grid::new(grid.rows(), grid.cols(), false);
    let on_edge = |(row, col): (usize, usize)| {
        row == 0 || col == 0 || row + 1 == grid.rows() || col + 1 == grid.cols()
    };
    let mut open: Vec<_> = grid
        .places()
        .filter(|&place| on_edge(place) && grid[place] != '#')
        .collect();
    while let Some(place) = open.pop() {
        if grid[place] == '#' || std::mem::replace(&mut outside[place], true) {
            continue;
        }
        if grid[place] != ' ' {
            return;
        }
        open.extend(
            Side::ALL
                .iter()
                .filter_map(|&side| grid.beside(place, side)),
        );
    }
    for (row, col) in grid.places().filter(|&place| outside[place]) {
        rows[row][col] = '#';
    }
}

fn write_xsb(level: &Bombastic, state: &State) -> Result<String, String> {
    let icy = |&place: &(usize, usize)| level.tile(state, place) == Tile::Ice;
    if let Some(place) = level.tiles.places().find(icy) {
        let place = super::rules::describe(place);
        return Err(format!("XSB has no letter for ice, as on {place}"));
    }
    let lost =
        |&place: &(usize, usize)| level.goals[place] && level.tile(state, place) == Tile::Dead;
    if let Some(place) = level.tiles.places().find(lost) {
        let place = super::rules::describe(place);
        return Err(format!(
            "XSB has no letter for a goal on a dead cell, as on {place}"
        ));
    }
    let wall = "#".repeat(level.tiles.cols() + 2);
    let mut text = format!("{wall}\n");
    for row in level.write(state).rows {
        text.push_str(&format!("#{row}#\n"));
    }
    Ok(text + &wall + "\n")
}

#[cfg(test)]
mod tests {
    use ployglot_testing::skip::shared_data;

    use super::*;

    fn rows(text: &str) -> Vec<String> {
        let AnyLevel::Bombastic(level) = AnyLevel::read(text).unwrap_or_else(|bad| panic!("{bad}"))
        else {
            panic!("taken for another game:\n{text}");
        };
        level.game.write(&level.game.start()).rows
    }

    #[test]
    fn param_files_are_read() {
        let text = "language ESSENCE' 1.0
            letting avatarInitRow be 1
            letting avatarInitCol be 3
            letting numBlocks be 2
            letting blocksInitRow be [1, 2]
            letting blocksInitCol be [2, 2]
            letting blocksGoalRow be [2, 1]
            letting blocksGoalCol be [2, 1]
            letting steps be 7
            letting gridInit be [[2, 1, 1], [0, 2, 1]]";
        assert_eq!(rows(text), [".ba", "#*~"]);
    }

    #[test]
    fn errors_in_param_files_report_their_line() {
        let file = |change: &str, to: &str| {
            "letting avatarInitRow be 1\nletting avatarInitCol be 3\nletting numBlocks be 1\n\
             letting blocksInitRow be [1]\nletting blocksInitCol be [2]\nletting blocksGoalRow be [2]\n\
             letting blocksGoalCol be [2]\nletting gridInit be [[2, 1, 1], [0, 2, 1]]\n"
                .replace(change, to)
        };
        for (change, to, line, part) in [
            (
                "avatarInitRow be 1",
                "avatarInitRow be 3",
                1,
                "a row is a number from 1 to 2",
            ),
            (
                "avatarInitCol be 3",
                "avatarInitCol be 2",
                4,
                "cannot stand on one cell",
            ),
            (
                "numBlocks be 1",
                "numBlocks be 2",
                3,
                "numBlocks is 2, but 1 are listed",
            ),
            (
                "InitCol be [2]",
                "InitCol be [2, 1]",
                5,
                "there are 1 rows, but 2 columns",
            ),
            (
                "blocksInitRow be [1]\nletting blocksInitCol be [2]",
                "blocksInitRow be [2]\nletting blocksInitCol be [1]",
                4,
                "dead cell",
            ),
            ("[0, 2, 1]", "[0, 3, 1]", 8, "from 0 to 2"),
        ] {
            let bad = AnyLevel::read(&file(change, to)).unwrap_err();
            assert_eq!(bad.line, line, "{bad}");
            assert!(bad.message.contains(part), "{bad}");
        }
    }

    #[test]
    fn sokoban_levels_are_read() {
        let walled = "; a comment\nTitle: Hook\n\n  ####\n###  #\n#@ $.#\n######\n\n";
        assert_eq!(rows(walled), ["##--", "@-$."]);
        assert_eq!(rows("@ $.\n"), ["@-$."], "an open edge has no outside");
        assert_eq!(
            rows("####\n#@##\n# $.\n####\n"),
            ["####", "#@##", "#-$.", "####"]
        );
    }

    #[test]
    fn a_second_sokoban_level_is_an_error() {
        let bad = AnyLevel::read("@$.\n\n@$.\n").unwrap_err();
        assert_eq!(bad.line, 3);
    }

    /// External levels, if they are beside the project.
    #[test]
    fn external_levels_load() {
        let Some(data) = shared_data() else {
            return;
        };
        let files = std::fs::read_dir(data.join("bombastic")).expect("a folder");
        let mut count = 0;
        for file in files {
            let path = file.expect("a readable folder").path();
            let text = std::fs::read_to_string(&path).expect("a readable file");
            let AnyLevel::Bombastic(level) = AnyLevel::read(&text).expect("a level") else {
                panic!("{} is taken for another game", path.display());
            };
            let level = level.game;
            let again = read_param(&write_param(&level, &level.start())).expect("a level");
            assert_eq!(again.write(&again.start()), level.write(&level.start()));
            count += 1;
        }
        assert!(count > 0, "no level in {}", data.display());
    }
}
