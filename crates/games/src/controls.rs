//! Which keys play a level: one of three kinds of controls, derived from the gestures of the moves.
//!
//! The game in the terminal and the studio contain no code for single games; both derive the
//! controls here.

use std::collections::BTreeMap;

use crate::picture::{Gesture, Pictures};

/// How a keyboard plays a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controls {
    /// All moves share one cell and have directions: an arrow key makes a move. One move may have no
    /// direction: Enter makes it.
    Direct,
    /// Every cell has at most one move: arrow keys choose a cell, and Enter makes its move.
    Cell,
    /// Moves share cells: arrow keys choose a piece, Enter takes hold of it, and an arrow key moves
    /// it.
    Piece,
}

impl Controls {
    /// The controls for these moves, given with their gestures. They should be all moves that can
    /// be written (see [`gestures`]), so that the controls do not change with the legal moves.
    pub fn of<M>(moves: &[(Gesture, M)]) -> Self {
        let mut moves_of_cell = BTreeMap::<(i32, i32), usize>::new();
        for (gesture, _) in moves {
            *moves_of_cell.entry(gesture.cell()).or_default() += 1;
        }
        let without = moves.iter().filter(|(gesture, _)| gesture.toward.is_none());
        let directed = moves.len() > 1 && without.count() <= 1;
        match moves_of_cell.values().max() {
            Some(_) if directed && moves_of_cell.len() == 1 => Controls::Direct,
            Some(2..) => Controls::Piece,
            _ => Controls::Cell,
        }
    }

    /// The name of this kind of controls.
    pub fn name(self) -> &'static str {
        match self {
            Controls::Direct => "direct",
            Controls::Cell => "cell",
            Controls::Piece => "piece",
        }
    }
}

/// Every move that can be written in this state, legal or not, with its gesture.
pub fn gestures<G: Pictures>(game: &G, state: &G::State) -> Vec<(Gesture, G::Move)> {
    let moves = game.writable_moves(state).into_iter();
    moves.map(|mv| (game.gesture(state, mv), mv)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Controls, gestures};
    use crate::picture::Gesture;
    use crate::{AnyLevel, Game, Level, LevelVisitor, Side};

    fn check(moves: &[(i32, i32, Option<Side>)], expected: Controls) {
        let gesture = |&(row, col, toward)| (Gesture { row, col, toward }, ());
        let moves: Vec<(Gesture, ())> = moves.iter().map(gesture).collect();
        assert_eq!(Controls::of(&moves), expected, "{moves:?}");
    }

    #[test]
    fn controls_follow_from_cells_and_directions() {
        let (left, right) = (Some(Side::Left), Some(Side::Right));
        check(&[(1, 1, left), (1, 1, right)], Controls::Direct);
        check(
            &[(1, 1, left), (1, 1, right), (2, 1, left)],
            Controls::Piece,
        );
        check(
            &[(1, 1, left), (1, 1, right), (1, 1, None)],
            Controls::Direct,
        );
        check(&[(1, 0, right), (2, 0, right)], Controls::Cell);
        check(&[(1, 1, None)], Controls::Cell);
        check(&[], Controls::Cell);
    }

    #[test]
    fn controls_of_the_games() {
        struct Find;
        impl LevelVisitor for Find {
            type Out = Controls;
            fn visit<G: Game>(self, level: &Level<G>) -> Controls {
                Controls::of(&gestures(&level.game, &level.game.start()))
            }
        }
        for (text, expected) in [
            ("game: bombastic\n\n@$.\n", Controls::Direct),
            ("game: lunar-lockout\n\n...\nRXa\n", Controls::Piece),
            ("game: pipe-mania\n\nB1B2\n", Controls::Cell),
            ("game: plotting\ngoal: 1\n\nRR\n", Controls::Cell),
            ("game: puzznic\n\n#####\n#A.A#\n#####\n", Controls::Piece),
        ] {
            let level = AnyLevel::read(text).expect(text);
            assert_eq!(level.visit(Find), expected, "{text}");
        }
    }
}
