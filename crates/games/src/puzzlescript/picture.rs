//! The board as sprites, and the gesture of a move.
//!
//! A sprite has no identity in the rules. So that things are seen to move, an object that left a
//! cell and one of the same kind that came to a neighbouring cell count as one.

use std::collections::HashMap;

use ployglot_puzzlescript::{Input, PuzzleState, Set, Status};

use super::PuzzleScript;
use crate::view::Sprite;
use crate::*;

/// The pieces on the board: object and cell, with the id of each.
type Ids = HashMap<(usize, usize), u32>;

impl Pictures for PuzzleScript {
    fn view(&self, state: &PuzzleState) -> View {
        let cells = self.space.cells(state);
        self.picture(&cells, &self.first_ids(&cells), state.status())
    }

    /// One moment for each turn: `again` makes several.
    fn film(&self, state: &PuzzleState, mv: Input) -> Vec<View> {
        let next = self.play(state, mv).expect("only legal moves are filmed");
        let mut before = self.space.cells(state);
        let mut ids = self.first_ids(&before);
        let mut unused = ids.values().copied().max().unwrap_or(0);
        let turns = self.space.turns(state, mv);
        let last = turns.len().saturating_sub(1);
        let mut film = Vec::new();
        for (index, after) in turns.into_iter().enumerate() {
            ids = self.follow(&before, &after, &ids, &mut unused);
            let status = match index == last {
                true => next.status(),
                false => Status::Playing,
            };
            film.push(self.picture(&after, &ids, status));
            before = after;
        }
        film
    }

    /// The cell of the player. Without a player, the middle of the board.
    fn gesture(&self, state: &PuzzleState, mv: Input) -> Gesture {
        let player = &self.space.game().player;
        let cells = self.space.cells(state);
        let (rows, cols) = (self.glyphs.rows(), self.glyphs.cols());
        let at = cells.iter().position(|cell| player.are_in(cell));
        let (row, col) = match at {
            Some(index) => (index % rows, index / rows),
            None => (rows / 2, cols / 2),
        };
        Gesture {
            row: row as i32 + 1,
            col: col as i32 + 1,
            toward: match mv {
                Input::Up => Some(Side::Up),
                Input::Left => Some(Side::Left),
                Input::Down => Some(Side::Down),
                Input::Right => Some(Side::Right),
                Input::Action => None,
            },
        }
    }
}

impl PuzzleScript {
    fn objects(&self) -> usize {
        self.space.game().objects.len()
    }

    /// The ids of the pieces of a board on which nothing has moved yet.
    fn first_ids(&self, cells: &[Set]) -> Ids {
        let objects = self.objects();
        let pieces = cells.iter().enumerate().flat_map(|(at, cell)| {
            cell.iter().map(move |object| {
                let id = (at * objects + object) as u32;
                ((object, at), id)
            })
        });
        pieces.collect()
    }

    /// The ids after a turn.
    fn follow(&self, before: &[Set], after: &[Set], ids: &Ids, unused: &mut u32) -> Ids {
        let rows = self.glyphs.rows();
        let mut next = Ids::new();
        let mut taken: Vec<(usize, usize)> = Vec::new();
        let mut new: Vec<(usize, usize)> = Vec::new();
        for (at, cell) in after.iter().enumerate() {
            for object in cell.iter() {
                match before[at].contains(object) {
                    true => drop(next.insert((object, at), ids[&(object, at)])),
                    false => new.push((object, at)),
                }
            }
        }
        for (object, at) in new {
            let neighbours = [
                (at % rows > 0).then(|| at - 1),
                (at % rows + 1 < rows).then(|| at + 1),
                at.checked_sub(rows),
                Some(at + rows).filter(|&at| at < after.len()),
            ];
            let from = neighbours.into_iter().flatten().find(|&from| {
                let left = before[from].contains(object) && !after[from].contains(object);
                left && !taken.contains(&(object, from))
            });
            let id = match from {
                Some(from) => {
                    taken.push((object, from));
                    ids[&(object, from)]
                }
                None => {
                    *unused = unused.wrapping_add(1);
                    *unused
                }
            };
            next.insert((object, at), id);
        }
        next
    }

    fn picture(&self, cells: &[Set], ids: &Ids, status: Status) -> View {
        let game = self.space.game();
        let (rows, cols) = (self.glyphs.rows(), self.glyphs.cols());
        let mut view = View::new(rows, cols);
        for place in view.cells.clone().places() {
            view.cells[place].ground = Ground::Void;
        }
        // The lowest layer is drawn first, on the whole board.
        for layer in &game.layers {
            for object in layer.iter() {
                let look = &game.objects[object];
                let sprite = Sprite::new(|row, col| look.pixel(row, col));
                let label = self.label(object);
                for (at, _) in cells.iter().enumerate().filter(|(_, c)| c.contains(object)) {
                    view.pieces.push(Piece {
                        id: ids[&(object, at)],
                        row: (at % rows) as f32 + 1.0,
                        col: (at / rows) as f32 + 1.0,
                        shape: Shape::Sprite(sprite),
                        colour: 0,
                        label: label.clone(),
                        lit: false,
                    });
                }
            }
        }
        if status == Status::Stuck {
            view.add_status("level", "restarts");
        }
        view
    }

    /// What stands for an object where its sprite is not shown: its symbol, or its first letter.
    /// Nothing for the background.
    fn label(&self, object: usize) -> String {
        let game = self.space.game();
        let background = game.background.layer.as_ref();
        if background.is_some_and(|layer| layer.contains(object)) {
            return String::new();
        }
        let alone: Set = [object].into_iter().collect();
        let symbol = game.symbols.iter().find(|(_, cell)| *cell == alone);
        let letter = || game.objects[object].name.chars().next();
        let label = symbol.map(|(symbol, _)| *symbol).or_else(letter);
        label.map_or(String::new(), String::from)
    }
}
