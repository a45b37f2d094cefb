//! The ground of a cell, as SVG. A cell is `CELL` units wide; each ground has a drawing of its own
//! beside its colour.

use std::fmt::Write;

use ployglot_games::{Cell, Ground, Side};

use super::letters::round;
use super::palette::{self, Rgb};

/// The width of a cell in the units of the drawing.
pub const CELL: f32 = 40.0;

/// Draws a cell with its top left corner at (x, y).
pub fn draw(svg: &mut String, cell: &Cell, x: f32, y: f32, opacity: f32) {
    let (x, y) = (round(x), round(y));
    if opacity < 1.0 {
        let _ = write!(svg, r#"<g opacity="{}">"#, round(opacity));
    }
    match cell.ground {
        Ground::Void => {}
        Ground::Floor => tile(svg, x, y, palette::FLOOR),
        Ground::Wall => wall(svg, x, y),
        Ground::Ice => ice(svg, x, y),
        Ground::Hole => hole(svg, x, y),
    }
    if cell.goal {
        ring(svg, x, y);
    }
    if opacity < 1.0 {
        svg.push_str("</g>");
    }
}

/// Draws the walls on a cell's own sides.
pub fn draw_walls(svg: &mut String, cell: &Cell, x: f32, y: f32) {
    for side in Side::ALL {
        if cell.walls & (1 << side as u8) == 0 {
            continue;
        }
        let (x1, y1, x2, y2) = match side {
            Side::Up => (x, y, x + CELL, y),
            Side::Right => (x + CELL, y, x + CELL, y + CELL),
            Side::Down => (x, y + CELL, x + CELL, y + CELL),
            Side::Left => (x, y, x, y + CELL),
        };
        let _ = write!(
            svg,
            r#"<path d="M{} {}L{} {}" stroke="{}" stroke-width="5" stroke-linecap="round"/>"#,
            round(x1),
            round(y1),
            round(x2),
            round(y2),
            palette::WALL.hex()
        );
    }
}

fn tile(svg: &mut String, x: f32, y: f32, fill: Rgb) {
    let _ = write!(
        svg,
        r#"<rect x="{}" y="{}" width="{}" height="{}" rx="3" fill="{}"/>"#,
        x + 0.75,
        y + 0.75,
        CELL - 1.5,
        CELL - 1.5,
        fill.hex()
    );
}

/// Two courses of bricks, which continue in the next cell.
fn wall(svg: &mut String, x: f32, y: f32) {
    let _ = write!(
        svg,
        r#"<path d="M{x} {y}h40v40h-40z" fill="{}"/><path d="M{x} {}h40M{x} {}h40M{} {}v19M{} {}v20" stroke="{}" stroke-width="1.5" fill="none"/>"#,
        palette::WALL.hex(),
        y + 0.75,
        y + 20.0,
        x + 20.0,
        y + 1.0,
        x + 0.75,
        y + 20.0,
        palette::WALL.mix(Rgb(255, 255, 255), 0.28).hex()
    );
}

/// A pale sheet with gleams.
fn ice(svg: &mut String, x: f32, y: f32) {
    tile(svg, x, y, palette::ICE);
    let _ = write!(
        svg,
        r##"<path d="M{} {}l9 -9M{} {}l16 -16M{} {}l8 -8" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/><path d="M{} {}l6 -4l2 5l6 -3" stroke="#7fb8d4" stroke-width="1.2" fill="none"/>"##,
        x + 4.0,
        y + 14.0,
        x + 5.0,
        y + 23.0,
        x + 27.0,
        y + 35.0,
        x + 10.0,
        y + 34.0
    );
}

/// Dark water, with a shore above it and a wave on it.
fn hole(svg: &mut String, x: f32, y: f32) {
    tile(svg, x, y, palette::HOLE);
    let wave = palette::HOLE.mix(Rgb(255, 255, 255), 0.25).hex();
    let _ = write!(
        svg,
        r#"<path d="M{} {}h36" stroke="{}" stroke-width="3"/><path d="M{} {}q3.5 -4 7 0t7 0M{} {}q3.5 -4 7 0t7 0" stroke="{wave}" stroke-width="1.6" fill="none" stroke-linecap="round"/>"#,
        x + 2.0,
        y + 2.5,
        palette::HOLE.mix(Rgb(0, 0, 0), 0.5).hex(),
        x + 7.0,
        y + 18.0,
        x + 18.0,
        y + 29.0
    );
}

/// The ring of a goal, visible while no piece is on it.
fn ring(svg: &mut String, x: f32, y: f32) {
    let ink = palette::GOAL.hex();
    let (x, y) = (x + 20.0, y + 20.0);
    let _ = write!(
        svg,
        r#"<circle cx="{x}" cy="{y}" r="8.5" fill="none" stroke="{ink}" stroke-width="2.5"/><circle cx="{x}" cy="{y}" r="2.5" fill="{ink}"/>"#
    );
}

/// The corner marks of a goal, drawn over the piece on it.
pub fn draw_goal(svg: &mut String, x: f32, y: f32) {
    let _ = write!(
        svg,
        r#"<path transform="translate({} {})" d="M2.5 12V2.5H12M28 2.5H37.5V12M37.5 28V37.5H28M12 37.5H2.5V28" fill="none" stroke="{}" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>"#,
        round(x),
        round(y),
        palette::GOAL.hex()
    );
}
