//! How a game is shown and played: its board as a `View`, the film of a move, and the gesture that
//! makes a move.

use crate::grid::Side;
use crate::rules::Rules;
use crate::view::View;

/// A game as pictures, and as something to click on.
///
/// In a game's folder: `picture.rs`.
pub trait Pictures: Rules {
    /// The board in this state.
    fn view(&self, state: &Self::State) -> View;

    /// What happens on the board during a legal move, moment by moment: from just after `state` up
    /// to and including the view of the next state. Pieces keep their ids from one moment to the
    /// next.
    fn film(&self, state: &Self::State, mv: Self::Move) -> Vec<View> {
        vec![self.view(&self.play(state, mv).expect("only legal moves are filmed"))]
    }

    /// Where the player takes hold of the board to make this move. Different moves of a state have
    /// different gestures.
    fn gesture(&self, state: &Self::State, mv: Self::Move) -> Gesture;
}

/// A cell of the board, and the direction of the move if it has one. Keyboard and pointer input is
/// turned into moves by comparing it with the gestures of the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gesture {
    /// The row, counted from 1; 0 and one past the end are the rim, from which Plotting shoots.
    pub row: i32,
    /// The column, counted likewise.
    pub col: i32,
    /// The direction of the move.
    pub toward: Option<Side>,
}

impl Gesture {
    /// The row and the column.
    pub fn cell(self) -> (i32, i32) {
        (self.row, self.col)
    }

    /// The place in words, on a board of this many rows and columns: `row 2, column 3`; on the rim,
    /// the row or the column that is shot at: `column 1`.
    pub fn place(self, rows: usize, cols: usize) -> String {
        let inside = |at: i32, count: usize| at >= 1 && at as usize <= count;
        match (inside(self.row, rows), inside(self.col, cols)) {
            (false, true) => format!("column {}", self.col),
            (true, false) => format!("row {}", self.row),
            _ => format!("row {}, column {}", self.row, self.col),
        }
    }
}
