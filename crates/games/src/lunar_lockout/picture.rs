//! The board as tiles.

use super::rules::{State, LunarLockout};
use crate::*;

pub(super) fn view(level: &LunarLockout, state: &State) -> View {
    let mut view = View::new(1, usize::from(level.cells));
    if let Some(goal) = level.goal {
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
