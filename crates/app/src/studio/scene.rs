//! Boards as the page draws them: the ground as one piece of SVG, and every piece of the game as another, with its place and
//! its id, so that the page can move it.

use ployglot_games::View;
use serde_json::{Value, json};

use crate::picture::{palette, svg};

/// A view as JSON. Lengths are in cells; the drawing of a cell is 40 wide.
pub fn view(view: &View) -> Value {
    let pieces = view.pieces.iter().map(|piece| {
        json!({
            "id": piece.id, "row": piece.row, "col": piece.col, "svg": svg::piece(piece), "label": piece.label,
            "lit": piece.lit,
        })
    });
    let aside = view.aside.iter().map(|aside| {
        json!({
            "label": aside.label, "value": aside.value,
            "fill": aside.colour.map(|colour| palette::piece(colour).hex()),
            "ink": aside.colour.map(|colour| palette::piece(colour).ink().hex()),
        })
    });
    json!({
        "rows": view.cells.rows(), "cols": view.cells.cols(), "rim": view.rim,
        "ground": svg::ground(view), "goals": svg::goals(view),
        "pieces": pieces.collect::<Vec<_>>(), "aside": aside.collect::<Vec<_>>(),
    })
}
