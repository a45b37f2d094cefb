//! Levels and moves as text. One character is one cell; signs stand on normal ground, letters on ice:
//!
//! ```text
//!              nothing   goal   block   block on goal   avatar   avatar on goal
//!   normal        -        .      $           *            @            +
//!   ice           ~        ,      b           B            a            A
//!   dead          #        x
//! ```
//! The first row is what Sokoban players write (XSB). `x` is a goal that melted: no block will ever come there, but a
//! state is written with everything it has. `_` and blanks are read as normal floor; what is printed is `-`.

use super::rules::{Bombastic, Move, Place, State, Tile};
use crate::*;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    Nobody,
    Block,
    Avatar,
}

/// The alphabet: a letter, the tile, whether there is a goal, and who stands there.
const ALPHABET: [(char, Tile, bool, Stands); 14] = [
    ('-', Tile::Normal, false, Stands::Nobody),
    ('.', Tile::Normal, true, Stands::Nobody),
    ('$', Tile::Normal, false, Stands::Block),
    ('*', Tile::Normal, true, Stands::Block),
    ('@', Tile::Normal, false, Stands::Avatar),
    ('+', Tile::Normal, true, Stands::Avatar),
    ('~', Tile::Ice, false, Stands::Nobody),
    (',', Tile::Ice, true, Stands::Nobody),
    ('b', Tile::Ice, false, Stands::Block),
    ('B', Tile::Ice, true, Stands::Block),
    ('a', Tile::Ice, false, Stands::Avatar),
    ('A', Tile::Ice, true, Stands::Avatar),
    ('#', Tile::Dead, false, Stands::Nobody),
    ('x', Tile::Dead, true, Stands::Nobody),
];

impl Text for Bombastic {
    const FORMATS: &'static [Format<Self>] = super::formats::FORMATS;
    const SYMBOLS: &'static [Symbol] = super::symbols::SYMBOLS;
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
            let stands = if self.cell(place) == state.avatar {
                Stands::Avatar
            } else if blocks.contains(&self.cell(place)) {
                Stands::Block
            } else {
                Stands::Nobody
            };
            let cell = (self.tile(state, place), self.goals[place], stands);
            let found = ALPHABET
                .iter()
                .find(|&&(_, tile, goal, stands)| (tile, goal, stands) == cell);
            found.expect("nobody stands on dead cells").0
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

    /// Moves with blanks or commas between them; a word of the letters l, u, r and d alone, in any case, is one move a
    /// letter. (Sokoban players write a push in upper case; here it makes no difference.)
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

/// Reads rows of letters; `spot` tells the line and column of a place.
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
        let Some(&(_, tile, goal, stands)) = ALPHABET.iter().find(|cell| cell.0 == known) else {
            let letters: Vec<String> = ALPHABET.iter().map(|cell| cell.0.to_string()).collect();
            let message = format!("a cell is one of {}, found '{letter}'", letters.join(" "));
            return Err(bad(place, message));
        };
        tiles[place] = tile;
        goals[place] = goal;
        match stands {
            Stands::Nobody => {}
            Stands::Block => blocks.push(place),
            Stands::Avatar if avatar.is_some() => {
                return Err(bad(place, "there is only one avatar".to_string()));
            }
            Stands::Avatar => avatar = Some(place),
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
    fn errors_say_where_and_what() {
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
