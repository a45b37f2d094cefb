//! The board as a picture, and the gesture of a move.

use super::rules::{Move, State, Template};
use crate::*;

impl Pictures for Template {
    fn view(&self, state: &State) -> View {
        let mut view = View::new(1, usize::from(self.cells));
        if let Some(goal) = self.goal {
            view.cells[(0, usize::from(goal))].goal = true;
        }
        view.pieces.push(Piece {
            id: 0,
            row: 1.0,
            col: f32::from(state.0) + 1.0,
            shape: Shape::Avatar,
            colour: 1,
            label: "T".to_string(),
            lit: false,
        });
        view
    }

    fn gesture(&self, state: &State, mv: Move) -> Gesture {
        Gesture {
            row: 1,
            col: i32::from(state.0) + 1,
            toward: Some(mv.0),
        }
    }
}
