//! Levels and moves as text. One character is one cell; on normal ground it is a sign, on ice a
//! letter:
//!
//! ```text
//!              nothing   goal   block   block on goal   avatar   avatar on goal
//!   normal        -        .      $           *            @            +
//!   ice           ~        ,      b           B            a            A
//!   dead          #        x
//! ```
//! The first row is the Sokoban notation (XSB). `x` is a goal that melted: no block can ever be
//! there, but the goal is kept, so that reading a written state gives the same goals. `_` and
//! blanks are read as normal floor, which is printed as `-`.

use super::rules::{Bombastic, Move, Place, State, Tile};
use crate::*;

/// The piece on a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Occupant {
    None,
    Block,
    Avatar,
}

/// The alphabet: a character, the tile, whether there is a goal, and the piece on it.
const ALPHABET: [(char, Tile, bool, Occupant); 14] = [
    ('-', Tile::Normal, false, Occupant::None),
    ('.', Tile::Normal, true, Occupant::None),
    ('$', Tile::Normal, false, Occupant::Block),
    ('*', Tile::Normal, true, Occupant::Block),
    ('@', Tile::Normal, false, Occupant::Avatar),
    ('+', Tile::Normal, true, Occupant::Avatar),
    ('~', Tile::Ice, false, Occupant::None),
    (',', Tile::Ice, true, Occupant::None),
    ('b', Tile::Ice, false, Occupant::Block),
    ('B', Tile::Ice, true, Occupant::Block),
    ('a', Tile::Ice, false, Occupant::Avatar),
    ('A', Tile::Ice, true, Occupant::Avatar),
    ('#', Tile::Dead, false, Occupant::None),
    ('x', Tile::Dead, true, Occupant::None),
];

impl Text for Bombastic {
    const FORMATS: &'static [Format<Self>] = super::formats::FORMATS;
    const SYMBOLS: &'static [Symbol] = super::symbols::SYMBOLS;
    const EMPTY_CELL: &'static str = "-";
    const SYMMETRIES: Symmetries = Symmetries {
        mirror_columns: true,
        mirror_rows: true,
        transpose: true,
        is_name: |_| false,
    };

    fn parse(document: &Document) -> Result<Self, BadText> {
        document.only(&[])?;
        let rows = document.cells('-')?;
        read_board(&rows, |(row, col)| (document.board[row].line, col + 1))
    }

    fn write(&self, state: &State) -> LevelText {
        let blocks: std::collections::HashSet<u32> = state.blocks.iter().copied().collect();
        let letter = |place| {
            let occupant = if self.cell(place) == state.avatar {
                Occupant::Avatar
            } else if blocks.contains(&self.cell(place)) {
                Occupant::Block
            } else {
                Occupant::None
            };
            let cell = (self.tile(state, place), self.goals[place], occupant);
            let found = ALPHABET
                .iter()
                .find(|&&(_, tile, goal, occupant)| (tile, goal, occupant) == cell);
            found.expect("no piece is on a dead cell").0
        };
        let rows = (0..self.tiles.rows())
            .map(|row| {
                (0..self.tiles.cols())
                    .map(|col| letter((row, col)))
                    .collect()
            })
            .collect();
        LevelText {
            options: Vec::new(),
            rows,
        }
    }

    fn print_move(&self, _state: &State, mv: Move) -> String {
        mv.0.name().to_string()
    }

    fn parse_move(&self, _state: &State, text: &str) -> Result<Move, BadText> {
        let word = text.trim();
        Side::parse(word).map(Move).ok_or_else(|| {
            let indent = text.chars().take_while(|c| c.is_whitespace()).count();
            let message = format!("a move is 'up', 'right', 'down' or 'left', found '{word}'");
            BadText::new(1, indent + 1, message).wide(word.chars().count())
        })
    }

    /// Moves are separated by blanks or commas. A word of the letters l, u, r and d alone, in any
    /// case, is one move a letter. (Sokoban players write a push in upper case; here it makes no
    /// difference.)
    fn split_moves(line: &str) -> Vec<(usize, &str)> {
        let mut moves = Vec::new();
        let mut column = 1;
        for word in line.split_inclusive([' ', '\t', ',']) {
            let text = word.trim_end_matches([' ', '\t', ',']);
            if !text.is_empty() && text.chars().all(|c| "lurdLURD".contains(c)) {
                moves.extend((0..text.len()).map(|at| (column + at, &text[at..at + 1])));
            } else if !text.is_empty() {
                moves.push((column, text));
            }
            column += word.chars().count();
        }
        moves
    }
}

/// Reads rows of characters; `spot` gives the line and column of a place.
pub(super) fn read_board(
    rows: &[Vec<char>],
    spot: impl Fn(Place) -> (usize, usize),
) -> Result<Bombastic, BadText> {
    let bad = |place, message: String| {
        let (line, column) = spot(place);
        BadText::new(line, column, message)
    };
    let mut tiles = Grid::new(rows.len(), rows[0].len(), Tile::Normal);
    let mut goals = Grid::new(rows.len(), rows[0].len(), false);
    let (mut avatar, mut blocks) = (None, Vec::new());
    for place in tiles.places() {
        let letter = rows[place.0][place.1];
        let known = if letter == '_' { '-' } else { letter };
        let Some(&(_, tile, goal, occupant)) = ALPHABET.iter().find(|cell| cell.0 == known) else {
            let letters: Vec<String> = ALPHABET.iter().map(|cell| cell.0.to_string()).collect();
            let message = format!("a cell is one of {}, found '{letter}'", letters.join(" "));
            return Err(bad(place, message));
        };
        tiles[place] = tile;
        goals[place] = goal;
        match occupant {
            Occupant::None => {}
            Occupant::Block => blocks.push(place),
            Occupant::Avatar if avatar.is_some() => {
                return Err(bad(place, "there is only one avatar".to_string()));
            }
            Occupant::Avatar => avatar = Some(place),
        }
    }
    let Some(avatar) = avatar else {
        let message = "the avatar is missing: '@', '+' on a goal, 'a' on ice, 'A' on an icy goal";
        return Err(bad((0, 0), message.to_string()));
    };
    if blocks.is_empty() {
        let message = "there is no block: '$', '*' on a goal, 'b' on ice, 'B' on an icy goal";
        return Err(bad((0, 0), message.to_string()));
    }
    let places = [&[avatar], blocks.as_slice()].concat();
    Bombastic::new(tiles, goals, avatar, blocks)
        .map_err(|(piece, message)| bad(places[piece], message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(board: &str) -> Result<Bombastic, BadText> {
        Bombastic::parse(&Document::parse(&format!("game: bombastic\n\n{board}\n"))?)
    }

    #[test]
    fn every_letter_is_read_and_written() {
        for board in ["-.$*@~,", "bB#x+-~", "~bB#x,a", "$A"] {
            let level = read(board).unwrap();
            assert_eq!(level.write(&level.start()).rows, [board]);
        }
    }

    #[test]
    fn blanks_and_short_rows_are_floor() {
        let level = read("#@ $_.#\n#").unwrap();
        assert_eq!(level.write(&level.start()).rows, ["#@-$-.#", "#------"]);
    }

    #[test]
    fn errors_report_line_and_column() {
        for (board, line, column, part) in [
            ("@$.\n.?.", 4, 2, "a cell is one of - . $ *"),
            ("@$.\n.a.", 4, 2, "there is only one avatar"),
            ("-$.", 3, 1, "the avatar is missing"),
            ("-@.", 3, 1, "there is no block"),
        ] {
            let bad = read(board).unwrap_err();
            assert_eq!((bad.line, bad.column), (line, column), "{bad}");
            assert!(bad.message.contains(part), "{bad}");
        }
    }

    #[test]
    fn lurd_is_one_move_a_letter() {
        let texts = |line| -> Vec<(usize, &str)> { Bombastic::split_moves(line) };
        assert_eq!(texts("lUr"), [(1, "l"), (2, "U"), (3, "r")]);
        assert_eq!(texts(" left, Up"), [(2, "left"), (8, "Up")]);
        assert_eq!(texts("dd  é dx"), [(1, "d"), (2, "d"), (5, "é"), (7, "dx")]);
        assert_eq!(texts("  "), []);
    }
}
