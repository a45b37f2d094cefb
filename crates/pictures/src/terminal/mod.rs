//! A board in the terminal: characters, coloured. Nothing is shown by colour alone.
//!
//! A cell is three characters wide and one high, or seven by three where there is room. The middle
//! has the piece's letter; the characters beside it show the rest: `{ }` a goal, `~` ice, `[B]` a
//! crate, `(R)` a spacecraft, `<@>` the avatar, `!R!` a highlighted piece. Without `unicode`, only
//! ASCII is used.

mod painter;
mod signs;
mod sprites;

use ployglot_base::text::printable;
use ployglot_games::View;

use super::palette::{self, Rgb};
use painter::{Metrics, Painter};

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub unicode: bool,
    pub size: Size,
    /// The part of the board to draw; the rest is cut off.
    pub window: Window,
    /// The cell, counted from 1, that the player's cursor is on.
    pub cursor: Option<(i32, i32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Small,
    Large,
}

/// A rectangle of cells: its first row and column, and the number of rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub row: usize,
    pub col: usize,
    pub rows: usize,
    pub cols: usize,
}

impl Window {
    pub const ALL: Window = Window {
        row: 0,
        col: 0,
        rows: usize::MAX,
        cols: usize::MAX,
    };
}

impl Look {
    /// ASCII, in three characters for each cell.
    pub const PLAIN: Look = Look {
        unicode: false,
        size: Size::Small,
        window: Window::ALL,
        cursor: None,
    };
}

/// One character with its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph {
    pub sign: char,
    pub ink: Option<Rgb>,
    pub fill: Option<Rgb>,
    pub bold: bool,
}

const BLANK: Glyph = Glyph {
    sign: ' ',
    ink: None,
    fill: None,
    bold: false,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    pub lines: Vec<Vec<Glyph>>,
}

/// Draws a view.
pub fn draw(view: &View, look: Look) -> Drawing {
    let mut painter = Painter::new(view, look);
    painter.numbers();
    painter.grounds();
    painter.walls();
    for piece in &view.pieces {
        painter.piece(piece);
    }
    if let Some(cursor) = look.cursor {
        painter.cursor(cursor);
    }
    let mut drawing = painter.drawing;
    drawing.lines.extend(status_line(view));
    drawing
}

/// Width and height in characters of the whole board with its row and column numbers.
pub fn size_of(view: &View, size: Size) -> (usize, usize) {
    let metrics = Metrics::of(view, size);
    let rim = if view.rim { 2 } else { 0 };
    (
        metrics.left + (view.cells.cols() + rim) * metrics.pitch.0 + metrics.gap,
        1 + (view.cells.rows() + rim) * metrics.pitch.1 + metrics.gap,
    )
}

/// The number of rows and columns that fit into this many characters.
pub fn cells_within(view: &View, size: Size, width: usize, height: usize) -> (usize, usize) {
    let metrics = Metrics::of(view, size);
    let rim = if view.rim { 2 } else { 0 };
    let fit =
        |room: usize, pitch: usize| (room.saturating_sub(metrics.gap) / pitch).saturating_sub(rim);
    (
        fit(height.saturating_sub(1), metrics.pitch.1),
        fit(width.saturating_sub(metrics.left), metrics.pitch.0),
    )
}

impl Drawing {
    /// The drawing as text with colour codes; `anstream` removes them where they are not wanted.
    pub fn ansi(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let end = line
                .iter()
                .rposition(|glyph| glyph.sign != ' ' || glyph.fill.is_some())
                .map_or(0, |last| last + 1);
            let mut style = anstyle::Style::new();
            for glyph in &line[..end] {
                let wanted = glyph.style();
                if wanted != style {
                    text.push_str(&format!("{style:#}{wanted}"));
                    style = wanted;
                }
                text.push(glyph.sign);
            }
            text.push_str(&format!("{style:#}\n"));
        }
        text
    }
}

impl Glyph {
    fn style(&self) -> anstyle::Style {
        let colour = |rgb: Rgb| anstyle::Color::Ansi256(anstyle::Ansi256Color(rgb.indexed()));
        let style = anstyle::Style::new()
            .fg_color(self.ink.map(colour))
            .bg_color(self.fill.map(colour));
        if self.bold { style.bold() } else { style }
    }
}

/// The status items below the board, on one line; `None` if there are none.
fn status_line(view: &View) -> Option<Vec<Glyph>> {
    let mut line: Vec<Glyph> = Vec::new();
    for (index, item) in view.status.iter().enumerate() {
        let plain = |text: &str| {
            text.chars()
                .map(|sign| Glyph { sign, ..BLANK })
                .collect::<Vec<_>>()
        };
        if index > 0 {
            line.extend(plain("   "));
        }
        line.extend(plain(&format!("{}: ", item.label)));
        let value = printable(&item.value);
        match item.colour {
            None => line.extend(plain(&value)),
            Some(colour) => {
                let fill = palette::piece(colour);
                line.extend(format!(" {value} ").chars().map(|sign| Glyph {
                    sign,
                    ink: Some(fill.ink()),
                    fill: Some(fill),
                    bold: true,
                }));
            }
        }
    }
    (!line.is_empty()).then_some(line)
}
