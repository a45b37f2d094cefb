//! Boards as SVG and JSON for the page: the ground as one drawing, and every piece as another, with
//! its place and its id, so that the page can move it.
//!
//! The film of a cascade shows the same few drawings hundreds of times. So an answer lists each
//! drawing once, and its views refer to drawings by number: a cascade on 12×12 cells shrank from
//! 3.5 MB to 0.35 MB that way.

use std::collections::HashMap;
use std::fmt::Write;

use ployglot_games::{Grid, Piece, Shape, View};
use serde_json::{Value, json};

use ployglot_pictures::{film, palette, svg};

/// The largest number of pieces in an answer, summed over all of its views.
pub const MAX_PIECES: usize = 200_000;
/// A cell's width in drawings.
const CELL: usize = 40;

/// The drawings of one answer, each listed once.
#[derive(Default)]
pub struct Drawings {
    list: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Drawings {
    /// The number of a drawing, which is added if it is new.
    fn number(&mut self, drawing: String) -> usize {
        let next = self.list.len();
        let number = *self.numbers.entry(drawing.clone()).or_insert(next);
        if number == next {
            self.list.push(drawing);
        }
        number
    }

    /// A view as JSON. Rows and columns are in cells from 1; a cell is 40 units wide in drawings.
    pub fn view(&mut self, view: &View) -> Value {
        let pieces = view.pieces.iter().map(|piece| {
            json!({
                "id": piece.id, "row": piece.row, "col": piece.col, "label": piece.label,
                "look": self.number(svg::piece(piece)),
            })
        });
        let pieces: Vec<Value> = pieces.collect();
        let status = view.status.iter().map(|item| {
            json!({
                "label": item.label, "value": item.value,
                "fill": item.colour.map(|colour| palette::piece(colour).hex()),
                "ink": item.colour.map(|colour| palette::piece(colour).ink().hex()),
            })
        });
        json!({
            "rows": view.cells.rows(), "cols": view.cells.cols(), "rim": view.rim,
            "ground": self.number(svg::ground(view)), "goals": self.number(svg::goals(view)),
            "pieces": pieces, "status": status.collect::<Vec<_>>(),
        })
    }

    /// The moments of a move as JSON. `cells` is the distance that the fastest piece moves, which
    /// determines how long the moment is shown. Of a film with more than [`MAX_PIECES`] pieces,
    /// only the end is returned.
    pub fn film(&mut self, before: &View, moments: &[View]) -> Vec<Value> {
        let pieces: usize = moments.iter().map(|moment| moment.pieces.len()).sum();
        let moments = match pieces > MAX_PIECES {
            true => &moments[moments.len() - 1..],
            false => moments,
        };
        let befores = std::iter::once(before).chain(moments);
        befores
            .zip(moments)
            .map(|(before, moment)| {
                let mut view = self.view(moment);
                let turned = turned(before, moment);
                let least = if turned.is_empty() { 1.0 } else { 2.0 };
                view["cells"] = film::distance(before, moment).ceil().max(least).into();
                view["turned"] = turned.into();
                view
            })
            .collect()
    }

    /// The list of drawings, in the order of their numbers.
    pub fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// The ids of the pieces that are turned clockwise by a quarter from one view to the next.
fn turned(before: &View, after: &View) -> Vec<u32> {
    let openings = |piece: &Piece| match piece.shape {
        Shape::Pipe { openings, .. } => openings,
        _ => 0,
    };
    let old_openings: HashMap<u32, u8> = before
        .pieces
        .iter()
        .map(|piece| (piece.id, openings(piece)))
        .collect();
    let turned = after.pieces.iter().filter(|piece| {
        // One bit for each side, clockwise.
        let old = old_openings.get(&piece.id).copied().unwrap_or(0);
        let new = openings(piece);
        old != 0 && old != new && new == ((old << 1) | (old >> 3)) & 15
    });
    turned.map(|piece| piece.id).collect()
}

/// The board as a small SVG, without numbers and words. A gallery has many of them, so each drawing
/// is defined once and then referred to.
pub fn thumbnail(view: &View) -> String {
    let rim = if view.rim { CELL } else { 0 };
    let (width, height) = (view.cells.cols() * CELL, view.cells.rows() * CELL);
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{0} {0} {1} {2}">"#,
        -(rim as i32) - 2,
        width + 2 * rim + 4,
        height + 2 * rim + 4,
    );
    let mut drawings = Drawings::default();
    let mut draw = |drawing: String, x: f32, y: f32| {
        let known = drawings.list.len();
        let number = drawings.number(drawing);
        if number == known {
            let _ = write!(
                svg,
                r#"<defs><g id="d{number}">{}</g></defs>"#,
                drawings.list[number]
            );
        }
        let _ = write!(svg, r##"<use href="#d{number}" x="{x}" y="{y}"/>"##);
    };
    for (row, col) in view.cells.places() {
        let drawing = svg::ground(&single_cell(view, row, col));
        draw(drawing, (col * CELL) as f32, (row * CELL) as f32);
    }
    for piece in &view.pieces {
        let middle = |at: f32| (at - 0.5) * CELL as f32;
        draw(svg::piece(piece), middle(piece.col), middle(piece.row));
    }
    svg + &svg::goals(view) + "</svg>"
}

/// A board of one cell: this cell of the view, without pieces.
fn single_cell(view: &View, row: usize, col: usize) -> View {
    let mut single = View::new(1, 1);
    single.cells = Grid::new(1, 1, view.cells[(row, col)]);
    single
}

/// One cell of a view with its pieces, as an SVG of its own. A page has many of them, so the SVG
/// defines no ids, which could clash.
pub fn tile(view: &View, row: usize, col: usize) -> String {
    let ground = single_cell(view, row, col);
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
        svg::ground(&ground),
        pieces.collect::<String>(),
        svg::goals(&ground),
    )
}
