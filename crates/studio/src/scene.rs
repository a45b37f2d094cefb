//! Boards as the page draws them: the ground as one piece of SVG, and every piece of the game as another, with its place and
//! its id, so that the page can move it.
//!
//! A film of a cascade shows the same few drawings hundreds of times. So an answer carries an album of its drawings, each once,
//! and its views name them by number: a cascade on 12×12 cells shrank from 3.5 MB to 0.35 MB that way.

use std::collections::HashMap;
use std::fmt::Write;

use ployglot_games::{Grid, Piece, Shape, View};
use serde_json::{Value, json};

use ployglot_pictures::{film, palette, svg};

/// Pieces that an answer shows, over all of its views.
pub const MOST_PIECES: usize = 200_000;
/// A cell's width in drawings.
const CELL: usize = 40;

/// The drawings of one answer.
#[derive(Default)]
pub struct Album {
    drawings: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Album {
    fn number(&mut self, drawing: String) -> usize {
        let next = self.drawings.len();
        let number = *self.numbers.entry(drawing.clone()).or_insert(next);
        if number == next {
            self.drawings.push(drawing);
        }
        number
    }

    /// A view as JSON. Rows and columns are in cells from 1; drawings are 40 wide for a cell.
    pub fn view(&mut self, view: &View) -> Value {
        let pieces = view.pieces.iter().map(|piece| {
            json!({
                "id": piece.id, "row": piece.row, "col": piece.col, "label": piece.label,
                "look": self.number(svg::piece(piece)),
            })
        });
        let pieces: Vec<Value> = pieces.collect();
        let aside = view.status.iter().map(|aside| {
            json!({
                "label": aside.label, "value": aside.value,
                "fill": aside.colour.map(|colour| palette::piece(colour).hex()),
                "ink": aside.colour.map(|colour| palette::piece(colour).ink().hex()),
            })
        });
        json!({
            "rows": view.cells.rows(), "cols": view.cells.cols(), "rim": view.rim,
            "ground": self.number(svg::ground(view)), "goals": self.number(svg::goals(view)),
            "pieces": pieces, "aside": aside.collect::<Vec<_>>(),
        })
    }

    /// The moments of a move, each with how many cells the fastest piece goes: so long it is shown. Of a film of absurd length only
    /// the end is told.
    pub fn film(&mut self, before: &View, moments: &[View]) -> Vec<Value> {
        let pieces: usize = moments.iter().map(|moment| moment.pieces.len()).sum();
        let moments = match pieces > MOST_PIECES {
            true => &moments[moments.len() - 1..],
            false => moments,
        };
        let befores = std::iter::once(before).chain(moments);
        befores
            .zip(moments)
            .map(|(before, moment)| {
                let mut told = self.view(moment);
                let turned = turned(before, moment);
                let least = if turned.is_empty() { 1.0 } else { 2.0 };
                told["cells"] = film::distance(before, moment).ceil().max(least).into();
                told["turned"] = turned.into();
                told
            })
            .collect()
    }

    pub fn drawings(self) -> Vec<String> {
        self.drawings
    }
}

/// The pieces of pipe that are turned clockwise from one view to the next, by their ids.
fn turned(before: &View, after: &View) -> Vec<u32> {
    let openings = |piece: &Piece| match piece.shape {
        Shape::Pipe { openings, .. } => openings,
        _ => 0,
    };
    let was: HashMap<u32, u8> = before
        .pieces
        .iter()
        .map(|piece| (piece.id, openings(piece)))
        .collect();
    let turned = after.pieces.iter().filter(|piece| {
        // One bit for each side, clockwise.
        let [old, new] = [was.get(&piece.id).copied().unwrap_or(0), openings(piece)];
        old != 0 && old != new && new == ((old << 1) | (old >> 3)) & 15
    });
    turned.map(|piece| piece.id).collect()
}

/// The board alone as a small picture, without numbers and words. A gallery has many of them, so each drawing stands in it once and
/// is used again from there.
pub fn thumbnail(view: &View) -> String {
    let rim = if view.rim { CELL } else { 0 };
    let (wide, high) = (view.cells.cols() * CELL, view.cells.rows() * CELL);
    let mut drawn = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{0} {0} {1} {2}">"#,
        -(rim as i32) - 2,
        wide + 2 * rim + 4,
        high + 2 * rim + 4,
    );
    let mut album = Album::default();
    let mut draw = |drawing: String, x: f32, y: f32| {
        let known = album.drawings.len();
        let number = album.number(drawing);
        if number == known {
            let _ = write!(
                drawn,
                r#"<defs><g id="d{number}">{}</g></defs>"#,
                album.drawings[number]
            );
        }
        let _ = write!(drawn, r##"<use href="#d{number}" x="{x}" y="{y}"/>"##);
    };
    for (row, col) in view.cells.places() {
        let drawing = svg::ground(&alone(view, row, col));
        draw(drawing, (col * CELL) as f32, (row * CELL) as f32);
    }
    for piece in &view.pieces {
        let middle = |at: f32| (at - 0.5) * CELL as f32;
        draw(svg::piece(piece), middle(piece.col), middle(piece.row));
    }
    drawn + &svg::goals(view) + "</svg>"
}

/// One cell of the ground.
fn alone(view: &View, row: usize, col: usize) -> View {
    let mut alone = View::new(1, 1);
    alone.cells = Grid::new(1, 1, view.cells[(row, col)]);
    alone
}

/// One cell of a view with what stands in it, as if it was a board of its own. Many stand on one page, so there are no names in it
/// that could clash.
pub fn tile(view: &View, row: usize, col: usize) -> String {
    let alone = alone(view, row, col);
    let here = |at: f32, index: usize| (at - (index + 1) as f32).abs() < 0.01;
    let pieces = view
        .pieces
        .iter()
        .filter(|piece| here(piece.row, row) && here(piece.col, col));
    let pieces = pieces.map(|piece| {
        format!(
            r#"<g transform="translate(20 20)">{}</g>"#,
            svg::piece(piece)
        )
    });
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {CELL} {CELL}">{}{}{}</svg>"#,
        svg::ground(&alone),
        pieces.collect::<String>(),
        svg::goals(&alone),
    )
}
