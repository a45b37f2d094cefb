//! The characters for pieces, grounds and pipes.

use ployglot_games::{Piece, Shape};

/// The characters on both sides of a piece's letter.
pub fn sides(piece: &Piece) -> [char; 2] {
    if piece.lit {
        return ['!', '!'];
    }
    match piece.shape {
        Shape::Round => ['(', ')'],
        Shape::Avatar => ['<', '>'],
        Shape::Crate => ['[', ']'],
        Shape::Shot => ['*', '*'],
        Shape::Block | Shape::Pipe { .. } | Shape::Barred | Shape::Sprite(_) => [' ', ' '],
    }
}

/// The character of a piece that has no letter.
pub fn nameless(shape: Shape) -> char {
    match shape {
        Shape::Avatar => '@',
        Shape::Block | Shape::Crate => '#',
        _ => 'o',
    }
}

/// Seven by three characters around a piece; `\0` shows the ground.
pub fn outline(piece: &Piece, unicode: bool) -> [&'static str; 3] {
    match (piece.shape, unicode) {
        (Shape::Round | Shape::Avatar, true) => ["\0╭───╮\0", "│     │", "\0╰───╯\0"],
        (Shape::Round | Shape::Avatar, false) => ["\0.---.\0", "|     |", "\0'---'\0"],
        (Shape::Crate, true) => ["╔═════╗", "║     ║", "╚═════╝"],
        (_, true) => ["┌─────┐", "│     │", "└─────┘"],
        (_, false) => ["+-----+", "|     |", "+-----+"],
    }
}

/// The characters of pipes; pipes on the path are drawn with heavier lines.
pub struct Lines {
    pub flat: char,
    pub upright: char,
    /// Indexed by the sum of the openings: up 1, right 2, down 4, left 8.
    joints: [char; 16],
    pub arrows: [char; 4],
}

impl Lines {
    pub fn of(unicode: bool, lit: bool) -> Lines {
        let signs = |text: &str| {
            let mut joints = ['o'; 16];
            for (joint, sign) in joints.iter_mut().zip(text.chars()) {
                *joint = sign;
            }
            joints
        };
        // One for each set of openings: up, right, down, left count 1, 2, 4, 8.
        let (flat, upright, joints) = match (unicode, lit) {
            (true, false) => ('─', '│', signs("·╵╶└╷│┌├╴┘─┴┐┤┬┼")),
            (true, true) => ('━', '┃', signs("·╹╺┗╻┃┏┣╸┛━┻┓┫┳╋")),
            (false, false) => ('-', '|', signs("o'-'.|.+-'-+.+++")),
            (false, true) => ('=', 'H', signs("o'='.H.#='=#.###")),
        };
        Lines {
            flat,
            upright,
            joints,
            arrows: if unicode {
                ['▲', '▶', '▼', '◀']
            } else {
                ['^', '>', 'v', '<']
            },
        }
    }

    pub fn joint(&self, openings: u8) -> char {
        self.joints[usize::from(openings & 0b1111)]
    }
}
