//! The board as tiles, and a slide as a film, cell by cell.

use super::rules::{LunarLockout, Move, State};
use crate::*;

/// Red's colour in the palette.
const RED: u8 = 1;
/// The colours of the helpers, in rotation: blue, green, yellow, violet, cyan and pink, but not
/// orange, which is too similar to red.
const HELPERS: [u8; 6] = [3, 2, 4, 6, 8, 7];

impl Pictures for LunarLockout {
    fn view(&self, state: &State) -> View {
        let mut view = View::new(self.rows, self.cols);
        for place in self.walls.places() {
            view.cells[place].walls = self.walls[place];
        }
        view.cells[self.place(self.goal)].goal = true;
        if self.edge_stops {
            for place in self.walls.places() {
                for side in Side::ALL {
                    if self.walls.beside(place, side).is_none() {
                        view.cells[place].walls |= 1 << side as u8;
                    }
                }
            }
        }
        for (index, (&cell, name)) in self.craft(state).iter().zip(&self.names).enumerate() {
            let (row, col) = self.place(cell);
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

    fn film(&self, state: &State, mv: Move) -> Vec<View> {
        let after = self.play(state, mv).expect("only legal moves are filmed");
        let mover = self
            .craft_at(state, mv.cell)
            .expect("a legal move has its craft");
        let (mut here, end) = (self.place(mv.cell), self.place(after.cells[mover]));
        let mut film = Vec::new();
        while here != end {
            here = self
                .walls
                .beside(here, mv.side)
                .expect("a slide stays on the board");
            let mut moment = *state;
            moment.cells[mover] = self.cell(here);
            let mut view = self.view(&moment);
            view.pieces[mover].lit = here != end;
            film.push(view);
        }
        film
    }

    fn gesture(&self, _state: &State, mv: Move) -> Gesture {
        let (row, col) = self.place(mv.cell);
        Gesture {
            row: row as i32 + 1,
            col: col as i32 + 1,
            toward: Some(mv.side),
        }
    }
}
