//! The board as a picture, and the film of a move: the block moves, blocks fall cell by cell,
//! matching blocks are lit and then vanish, and so on through the cascade.
//!
//! A wall that touches only walls is not drawn, so that a board that is not a rectangle does not
//! look like one.

use super::fast::State;
use super::rules::{self, Board, Move, Puzznic, SettleEvent, Tile};
use crate::*;

impl Pictures for Puzznic {
    fn view(&self, state: &State) -> View {
        picture(self, &rules::board(self, state), &[])
    }

    fn film(&self, state: &State, mv: Move) -> Vec<View> {
        let mut board = rules::board(self, state);
        rules::move_block(self, &mut board, mv).expect("only legal moves are filmed");
        let mut film = vec![picture(self, &board, &[])];
        rules::settle(&mut board, |board, event| {
            let lit = match event {
                SettleEvent::Matching(places) => places,
                SettleEvent::Fallen | SettleEvent::Removed => &[],
            };
            film.push(picture(self, board, lit));
        });
        film
    }

    fn gesture(&self, _state: &State, mv: Move) -> Gesture {
        Gesture {
            row: i32::from(mv.row) + 1,
            col: i32::from(mv.col) + 1,
            toward: Some(mv.side),
        }
    }
}

fn picture(level: &Puzznic, board: &Board, lit: &[(usize, usize)]) -> View {
    let mut view = View::new(board.rows(), board.cols());
    for place in board.places() {
        view.cells[place].ground = match board[place] {
            Tile::Wall if is_enclosed(board, place) => Ground::Void,
            Tile::Wall => Ground::Wall,
            Tile::Empty | Tile::Block { .. } => Ground::Floor,
        };
        if let Tile::Block { pattern, id } = board[place] {
            view.pieces.push(Piece {
                id,
                row: place.0 as f32 + 1.0,
                col: place.1 as f32 + 1.0,
                shape: Shape::Block,
                colour: pattern + 1,
                label: level.letters[usize::from(pattern)].to_string(),
                lit: lit.contains(&place),
            });
        }
    }
    view.add_status("blocks left", view.pieces.len().to_string());
    view
}

/// Whether all eight neighbours are walls too.
fn is_enclosed(board: &Board, (row, col): (usize, usize)) -> bool {
    let rows = row.saturating_sub(1)..=row + 1;
    rows.flat_map(|row| (col.saturating_sub(1)..=col + 1).map(move |col| (row, col)))
        .all(|(row, col)| matches!(board.get(row, col), None | Some(Tile::Wall)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each frame of the film as rows of text, lit blocks in lower case.
    fn frames(rows: &str, mv: &str) -> Vec<String> {
        let document = Document::parse(&format!("game: puzznic\n\n{rows}\n")).unwrap();
        let level = Puzznic::parse(&document).unwrap();
        let mv = level.parse_move(&level.start, mv).unwrap();
        let draw = |view: View| {
            let mut rows = vec![vec!['.'; view.cells.cols()]; view.cells.rows()];
            for place in view.cells.places() {
                if view.cells[place].ground != Ground::Floor {
                    rows[place.0][place.1] = '#';
                }
            }
            for piece in &view.pieces {
                let letter = piece.label.chars().next().unwrap();
                rows[piece.row as usize - 1][piece.col as usize - 1] = if piece.lit {
                    letter.to_ascii_lowercase()
                } else {
                    letter
                };
            }
            let rows: Vec<String> = rows
                .into_iter()
                .map(|row| row.into_iter().collect())
                .collect();
            rows.join("/")
        };
        level.film(&level.start, mv).into_iter().map(draw).collect()
    }

    #[test]
    fn a_film_shows_move_fall_match_and_cascade() {
        assert_eq!(
            frames("C..\nB..\nA.A\nB.#\nDC#", "3 1 right"),
            [
                "C../B../.AA/B.#/DC#",
                ".../C../B.A/BA#/DC#",
                ".../C../b.A/bA#/DC#",
                ".../C../..A/.A#/DC#",
                ".../.../C.A/.A#/DC#",
                ".../.../..A/CA#/DC#",
            ]
        );
    }

    #[test]
    fn matching_blocks_are_lit_and_vanish_together() {
        assert_eq!(
            frames(".A.\nAB.\nBC.", "3 2 right"),
            [".A./AB./B.C", ".../AA./BBC", ".../aa./bbC", ".../.../..C"]
        );
    }

    #[test]
    fn blocks_keep_their_ids() {
        let document = Document::parse("game: puzznic\n\nAB.\n#..\n").unwrap();
        let level = Puzznic::parse(&document).unwrap();
        let mv = level.parse_move(&level.start, "2 2 right").unwrap();
        let ids = |view: &View| -> Vec<(String, u32)> {
            let mut ids: Vec<_> = view
                .pieces
                .iter()
                .map(|p| (p.label.clone(), p.id))
                .collect();
            ids.sort();
            ids
        };
        let before = ids(&level.view(&level.start));
        for view in level.film(&level.start, mv) {
            assert_eq!(ids(&view), before);
        }
    }
}
