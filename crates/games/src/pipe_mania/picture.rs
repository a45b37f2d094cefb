//! The board as pipes, with the best path lit if there is one.

use super::piece::{Kind, corner, heading, openings};
use super::rules::{self, Move, PipeMania, State};
use crate::*;

impl Pictures for PipeMania {
    fn view(&self, state: &State) -> View {
        let (rows, cols) = (self.board.rows(), self.board.cols());
        let mut view = View::new(rows, cols);
        let path = rules::best_path(self, state);
        let mut lit = vec![false; rows * cols];
        for &(row, col) in path.iter().flatten() {
            lit[row * cols + col] = true;
        }
        for place in self.board.places() {
            let tile = self.board[place];
            if tile.kind == Kind::Empty {
                view.cells[place].ground = Ground::Void;
                continue;
            }
            let rotation = self.rotation(state, place);
            let cell = place.0 * cols + place.1;
            view.pieces.push(Piece {
                id: cell as u32,
                row: place.0 as f32 + 1.0,
                col: place.1 as f32 + 1.0,
                shape: Shape::Pipe {
                    openings: openings(tile.kind, rotation),
                    cross: tile.kind == Kind::Cross,
                    arrow: (tile.kind == Kind::OneWay).then(|| heading(rotation)),
                    fixed: tile.fixed,
                    end: tile.kind == Kind::End,
                },
                colour: colour(tile.kind),
                label: label(tile.kind, rotation, tile.fixed),
                lit: lit[cell],
            });
        }
        for &place in &self.through {
            view.cells[place].goal = true;
        }
        let name = |(row, col): (usize, usize)| format!("{} {}", row + 1, col + 1);
        if let Some(from) = self.from {
            view.add_status("from", name(from));
        }
        if let Some(to) = self.to {
            view.add_status("to", name(to));
        }
        if self.join {
            view.add_status("join", "every B");
        }
        view.add_status(
            "path",
            path.map_or("none yet".to_string(), |path| {
                format!("{} pieces", path.len() - 1)
            }),
        );
        view
    }

    /// The piece lights up, and then is turned.
    fn film(&self, state: &State, mv: Move) -> Vec<View> {
        let mut before = self.view(state);
        let id = u32::from(mv.row) * self.board.cols() as u32 + u32::from(mv.col);
        for piece in &mut before.pieces {
            piece.lit = piece.id == id;
        }
        let after = self.play(state, mv).expect("only legal moves are filmed");
        vec![before, self.view(&after)]
    }

    fn gesture(&self, _state: &State, mv: Move) -> Gesture {
        Gesture {
            row: i32::from(mv.row) + 1,
            col: i32::from(mv.col) + 1,
            toward: None,
        }
    }
}

fn colour(kind: Kind) -> u8 {
    match kind {
        Kind::Empty => 0,
        Kind::End => 1,
        Kind::Straight => 2,
        Kind::Corner => 3,
        Kind::Cross => 4,
        Kind::OneWay => 5,
    }
}

/// The piece as one character, plus `!` if it is fixed.
fn label(kind: Kind, rotation: u8, fixed: bool) -> String {
    let horizontal = rotation.is_multiple_of(2);
    let sign = match kind {
        Kind::Empty => ' ',
        Kind::End if horizontal => '═',
        Kind::End => '║',
        Kind::Straight if horizontal => '─',
        Kind::Straight => '│',
        Kind::Cross => '┼',
        Kind::Corner => match corner(rotation).1 {
            Side::Up => '┘',
            Side::Right => '└',
            Side::Down => '┌',
            Side::Left => '┐',
        },
        Kind::OneWay => match heading(rotation) {
            Side::Up => '↑',
            Side::Right => '→',
            Side::Down => '↓',
            Side::Left => '←',
        },
    };
    if fixed {
        format!("{sign}!")
    } else {
        sign.to_string()
    }
}
