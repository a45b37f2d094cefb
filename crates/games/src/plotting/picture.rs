//! The board as a picture, and a shot as a film: the shot flies cell by cell and consumes blocks,
//! is exchanged with the block that stops it, and then the blocks above the gaps fall, one cell per
//! frame.

use super::rules::{self, Cells, Colour, Hand, Move, Plotting, State};
use super::text::LETTERS;
use crate::*;

impl Pictures for Plotting {
    /// Blocked rows and columns are marked on the rim, where their shots would start.
    fn view(&self, state: &State) -> View {
        let cells = self.cells(state);
        let blocks = numbered(&cells);
        scene(self, state, state.hand, &blocks)
    }

    fn film(&self, state: &State, mv: Move) -> Vec<View> {
        const LEGAL: &str = "only legal moves are filmed";
        let cells = self.cells(state);
        let flight = rules::trace(self, &cells, state.hand, mv).expect(LEGAL);
        let after = self.play(state, mv).expect(LEGAL);
        let mut blocks = numbered(&cells);
        let shot = (self.rows * self.cols) as u32;
        let mut film = Vec::new();
        let mut add_frame = |blocks: &Blocks, place: RimPlace, colour: Colour| {
            let mut view = scene(self, state, None, blocks);
            view.status[0].value = "in flight".to_string();
            view.pieces
                .push(piece(self, shot, place, Shape::Shot, colour));
            film.push(view);
        };

        // From the rim through the cells.
        add_frame(&blocks, origin(mv), flight.colour);
        for &((row, col), consumed) in &flight.passed {
            if consumed {
                blocks[(row, col)] = None;
            }
            add_frame(&blocks, (row + 1, col + 1), flight.colour);
        }

        // The shot takes the place of the block that stopped it.
        let mut hand = flight.colour;
        if let Some((place, colour)) = flight.stopped {
            blocks[place] = Some((shot, flight.colour));
            hand = colour;
        }
        while fall(&mut blocks) {
            film.push(scene(self, state, Some(hand), &blocks));
        }
        film.push(scene(self, &after, after.hand, &blocks));
        film
    }

    fn gesture(&self, _state: &State, mv: Move) -> Gesture {
        let (row, col) = origin(mv);
        let toward = match mv {
            Move::Row(_) => Side::Right,
            Move::Col(_) => Side::Down,
        };
        Gesture {
            row: row as i32,
            col: col as i32,
            toward: Some(toward),
        }
    }
}

/// Blocks with ids that stay the same through the film.
type Blocks = Grid<Option<(u32, Colour)>>;

fn numbered(cells: &Cells) -> Blocks {
    let mut blocks = Grid::new(cells.rows(), cells.cols(), None);
    for (id, place) in cells.places().enumerate() {
        blocks[place] = cells[place].map(|colour| (id as u32, colour));
    }
    blocks
}

fn scene(level: &Plotting, state: &State, hand: Hand, blocks: &Blocks) -> View {
    let mut view = View::new(level.rows, level.cols);
    view.rim = true;
    for (row, col) in blocks.places() {
        if let Some((id, colour)) = blocks[(row, col)] {
            let piece = piece(level, id, (row + 1, col + 1), Shape::Block, colour);
            view.pieces.push(piece);
        }
    }
    let first_mark = (level.rows * level.cols + 1) as u32;
    for (index, mv) in level.all_shots().into_iter().enumerate() {
        if !level.is_open(mv) {
            let (row, col) = origin(mv);
            view.pieces.push(Piece {
                id: first_mark + index as u32,
                row: row as f32,
                col: col as f32,
                shape: Shape::Barred,
                colour: 0,
                label: "x".to_string(),
                lit: false,
            });
        }
    }
    view.status.push(StatusItem {
        label: "hand".to_string(),
        value: hand.map_or("wildcard".to_string(), |hand| {
            level.letter(hand).to_string()
        }),
        colour: hand.map(|hand| palette(level, hand)),
    });
    let count = blocks.cells().iter().flatten().count();
    view.add_status("blocks", format!("{count}, goal {}", level.goal));
    if state.wildcards > 0 {
        view.add_status("wildcards left", state.wildcards.to_string());
    }
    view
}

/// A place counted from 1, where 0 is the rim.
type RimPlace = (usize, usize);

fn piece(level: &Plotting, id: u32, place: RimPlace, shape: Shape, colour: Colour) -> Piece {
    Piece {
        id,
        row: place.0 as f32,
        col: place.1 as f32,
        shape,
        colour: palette(level, colour),
        label: level.letter(colour).to_string(),
        lit: shape == Shape::Shot,
    }
}

/// A letter has the same colour in every level.
fn palette(level: &Plotting, colour: Colour) -> u8 {
    let letter = level.letter(colour);
    let index = LETTERS.chars().position(|other| other == letter);
    index.map_or(0, |index| index as u8 + 1)
}

/// Where on the rim a shot starts.
fn origin(mv: Move) -> RimPlace {
    match mv {
        Move::Row(row) => (usize::from(row) + 1, 0),
        Move::Col(col) => (0, usize::from(col) + 1),
    }
}

/// Every block above a gap falls by one cell. Returns whether any did.
fn fall(blocks: &mut Blocks) -> bool {
    let mut fell = false;
    for col in 0..blocks.cols() {
        let gaps = (1..blocks.rows()).filter(|&row| blocks[(row, col)].is_none());
        let Some(lowest) = gaps.max() else { continue };
        for row in (1..=lowest).rev() {
            fell |= blocks[(row - 1, col)].is_some();
            blocks[(row, col)] = blocks[(row - 1, col)].take();
        }
    }
    fell
}
