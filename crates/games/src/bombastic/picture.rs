//! The board as tiles: ice, holes where the ground is dead, goals, crates and the avatar.

use super::rules::{Bombastic, Move, State, Tile};
use crate::*;

impl Pictures for Bombastic {
    fn view(&self, state: &State) -> View {
        let mut view = View::new(self.tiles.rows(), self.tiles.cols());
        for place in self.tiles.places() {
            view.cells[place] = Cell {
                ground: match self.tile(state, place) {
                    Tile::Dead => Ground::Hole,
                    Tile::Ice => Ground::Ice,
                    Tile::Normal => Ground::Floor,
                },
                goal: self.goals[place],
                walls: 0,
            };
        }
        let piece = |id, cell, shape, colour, label: &str| {
            let (row, col) = self.place(cell);
            Piece {
                id,
                row: row as f32 + 1.0,
                col: col as f32 + 1.0,
                shape,
                colour,
                label: label.to_string(),
                lit: false,
            }
        };
        for (index, &block) in state.blocks.iter().enumerate() {
            let on_goal = self.goals[self.place(block)];
            let (colour, label) = if on_goal { (3, "*") } else { (2, "$") };
            view.pieces
                .push(piece(index as u32 + 1, block, Shape::Crate, colour, label));
        }
        view.pieces
            .push(piece(0, state.avatar, Shape::Avatar, 1, "@"));
        let on_goal = |&&block: &&u32| self.goals[self.place(block)];
        let (on_goal, all) = (
            state.blocks.iter().filter(on_goal).count(),
            state.blocks.len(),
        );
        view.add_status("on goals", format!("{on_goal} of {all}"));
        view
    }

    /// Three pictures: halfway through the step, after the step, and after the ice has melted.
    fn film(&self, state: &State, mv: Move) -> Vec<View> {
        let before = self.view(state);
        let next = self.play(state, mv).expect("only legal moves are filmed");
        let after = self.view(&next);

        let mut halfway = before.clone();
        for piece in &mut halfway.pieces {
            let target = after.pieces.iter().find(|other| other.id == piece.id);
            let target = target.expect("a step removes no piece");
            piece.lit = (piece.row, piece.col) != (target.row, target.col);
            piece.row = (piece.row + target.row) / 2.0;
            piece.col = (piece.col + target.col) / 2.0;
        }
        let mut frames = vec![halfway];
        if before.cells != after.cells {
            frames.push(View {
                cells: before.cells,
                ..after.clone()
            });
        }
        frames.push(after);
        frames
    }

    fn gesture(&self, state: &State, mv: Move) -> Gesture {
        let (row, col) = self.place(state.avatar);
        Gesture {
            row: row as i32 + 1,
            col: col as i32 + 1,
            toward: Some(mv.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_from_ice_is_three_pictures() {
        let document = Document::parse("game: bombastic\na$-.\n").unwrap();
        let level = Bombastic::parse(&document).unwrap();
        let film = level.film(&level.start(), Move(Side::Right));
        let sketch: Vec<_> = film
            .iter()
            .map(|view| {
                let cols: Vec<_> = view.pieces.iter().map(|piece| piece.col).collect();
                (cols, view.cells[(0, 0)].ground)
            })
            .collect();
        assert_eq!(
            sketch,
            [
                (vec![2.5, 1.5], Ground::Ice),
                (vec![3.0, 2.0], Ground::Ice),
                (vec![3.0, 2.0], Ground::Hole)
            ]
        );
        assert!(film[0].pieces.iter().all(|piece| piece.lit));
    }
}
