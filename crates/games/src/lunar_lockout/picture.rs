//! The board as tiles, and a slide as a film, cell by cell.

use super::rules::{LunarLockout, Move, State};
use crate::*;

/// Red's colour in the palette, and those that the helpers take in turn: blue, green, yellow, violet, cyan and pink, and
/// not orange, which is too much like red.
const RED: u8 = 1;
const HELPERS: [u8; 6] = [3, 2, 4, 6, 8, 7];

pub(super) fn view(level: &LunarLockout, state: &State) -> View {
    let mut view = View::new(level.rows, level.cols);
    for place in level.walls.places() {
        view.cells[place].walls = level.walls[place];
    }
    view.cells[level.place(level.goal)].goal = true;
    if level.edge_stops {
        for place in level.walls.places() {
            for side in Side::ALL {
                if level.walls.beside(place, side).is_none() {
                    view.cells[place].walls |= 1 << side as u8;
                }
            }
        }
    }
    for (index, (&cell, name)) in level.craft(state).iter().zip(&level.names).enumerate() {
        let (row, col) = level.place(cell);
        view.pieces.push(Piece {
            id: index as u32,
            row: row as f32 + 1.0,
            col: col as f32 + 1.0,
            shape: Shape::Round,
            colour: match index {
                0 => RED,
                helper => HELPERS[(helper - 1) % HELPERS.len()],
            },
            label: name.to_string(),
            lit: false,
        });
    }
    view
}

pub(super) fn film(level: &LunarLockout, state: &State, mv: Move) -> Vec<View> {
    let after = level.play(state, mv).expect("only legal moves are filmed");
    let mover = level
        .craft_at(state, mv.cell)
        .expect("a legal move has its craft");
    let (mut here, end) = (level.place(mv.cell), level.place(after.cells[mover]));
    let mut film = Vec::new();
    while here != end {
        here = level
            .walls
            .beside(here, mv.side)
            .expect("the way is on the board");
        let mut moment = *state;
        moment.cells[mover] = level.cell(here);
        let mut view = view(level, &moment);
        view.pieces[mover].lit = here != end;
        film.push(view);
    }
    film
}

pub(super) fn grip(level: &LunarLockout, mv: Move) -> Grip {
    let (row, col) = level.place(mv.cell);
    Grip {
        row: row as i32 + 1,
        col: col as i32 + 1,
        toward: Some(mv.side),
    }
}
