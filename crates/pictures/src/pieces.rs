//! The pieces as SVG, each drawn around its centre. The shape shows the kind of a piece; its colour
//! and letters show which one it is.

use std::fmt::Write;

use ployglot_games::{Piece, Shape, Side, Sprite as Pixels};

use super::ground::CELL;
use super::letters::{self, Anchor, round};
use super::palette::{self, Rgb};
use super::scene::Sprite;

/// Draws a sprite with its centre at (x, y).
pub fn draw(svg: &mut String, sprite: &Sprite, x: f32, y: f32) {
    let mut transform = format!("translate({} {})", round(x), round(y));
    if sprite.turn != 0.0 {
        let _ = write!(transform, "rotate({})", round(sprite.turn));
    }
    if sprite.size != 1.0 {
        let _ = write!(transform, "scale({})", round(sprite.size));
    }
    let _ = write!(svg, r#"<g transform="{transform}""#);
    if sprite.opacity < 1.0 {
        let _ = write!(svg, r#" opacity="{}""#, round(sprite.opacity));
    }
    svg.push('>');
    shape(svg, &sprite.piece);
    svg.push_str("</g>");
}

/// A piece around its centre.
pub fn shape(svg: &mut String, piece: &Piece) {
    let fill = palette::piece(piece.colour);
    match piece.shape {
        Shape::Block => block(svg, piece, fill),
        Shape::Round => round_craft(svg, piece, fill),
        Shape::Avatar => avatar(svg, piece, fill),
        Shape::Crate => crate_(svg, piece, fill),
        Shape::Shot => shot(svg, piece, fill),
        Shape::Pipe {
            openings,
            cross,
            arrow,
            fixed,
            end,
        } => {
            let channels = Channels::of(openings, cross);
            pipe(svg, piece, &channels, arrow, fixed, end);
        }
        Shape::Barred => barred(svg),
        Shape::Sprite(picture) => sprite(svg, &picture),
    }
}

/// Pixels as one path for each colour; equal neighbours in a row are one rectangle.
fn sprite(svg: &mut String, picture: &Pixels) {
    let pixel = CELL / Pixels::SIZE as f32;
    let corner = |index: usize| index as f32 * pixel - CELL / 2.0;
    for (colour, _) in picture.colours() {
        let mut path = String::new();
        for row in 0..Pixels::SIZE {
            let has = |col: usize| picture.pixel(row, col) == Some(colour);
            let mut col = 0;
            while col < Pixels::SIZE {
                let end = (col..Pixels::SIZE).find(|&at| !has(at));
                let end = end.unwrap_or(Pixels::SIZE);
                if end > col {
                    let (x, y) = (corner(col), corner(row));
                    let width = (end - col) as f32 * pixel;
                    let _ = write!(path, "M{x} {y}h{width}v{pixel}h-{width}z");
                }
                col = end + 1;
            }
        }
        let fill = Rgb(colour[0], colour[1], colour[2]).hex();
        let _ = write!(
            svg,
            r#"<path d="{path}" fill="{fill}" shape-rendering="crispEdges"/>"#
        );
    }
}

fn block(svg: &mut String, piece: &Piece, fill: Rgb) {
    let half = CELL / 2.0 - 2.5;
    halo(svg, piece.lit, half + 1.5, 7.0);
    square(svg, half, 6.0, fill, 1.8);
    let shine = fill.mix(Rgb(255, 255, 255), 0.45).hex();
    let _ = write!(
        svg,
        r#"<path d="M-12 -13.5H12" stroke="{shine}" stroke-width="2" stroke-linecap="round"/>"#
    );
    label(svg, &piece.label, 15.0, fill.ink());
}

/// A saucer seen from above: a rim, and a dome with the letter.
fn round_craft(svg: &mut String, piece: &Piece, fill: Rgb) {
    if piece.lit {
        let _ = write!(svg, r#"<circle r="19.5" fill="{}"/>"#, palette::LIGHT.hex());
    }
    let edge = edge(fill);
    let _ = write!(
        svg,
        r#"<circle r="17" fill="{}" stroke="{edge}" stroke-width="1.8"/><circle r="12.5" fill="{}" stroke="{edge}" stroke-width="1"/>"#,
        fill.mix(Rgb(255, 255, 255), 0.35).hex(),
        fill.hex()
    );
    label(svg, &piece.label, 12.5, fill.ink());
}

/// A face on shoulders; nothing else on the boards has eyes.
fn avatar(svg: &mut String, piece: &Piece, fill: Rgb) {
    if piece.lit {
        let _ = write!(svg, r#"<circle r="19.5" fill="{}"/>"#, palette::LIGHT.hex());
    }
    let edge = edge(fill);
    let ink = fill.ink().hex();
    let _ = write!(
        svg,
        r##"<path d="M-15 17Q-15 6 0 6T15 17Z" fill="{0}" stroke="{edge}" stroke-width="1.8" stroke-linejoin="round"/><circle cy="-4" r="12.5" fill="{0}" stroke="{edge}" stroke-width="1.8"/><circle cx="-4.5" cy="-6" r="3.2" fill="#fff"/><circle cx="4.5" cy="-6" r="3.2" fill="#fff"/><circle cx="-4" cy="-5.6" r="1.5" fill="{1}"/><circle cx="5" cy="-5.6" r="1.5" fill="{1}"/><path d="M-5 1.5Q0 5.5 5 1.5" fill="none" stroke="{ink}" stroke-width="2" stroke-linecap="round"/>"##,
        fill.hex(),
        palette::INK.hex()
    );
}

/// A box with a frame of planks; crossed where it has no letter.
fn crate_(svg: &mut String, piece: &Piece, fill: Rgb) {
    let half = CELL / 2.0 - 5.0;
    halo(svg, piece.lit, half + 2.5, 5.0);
    square(svg, half, 2.5, fill.mix(Rgb(0, 0, 0), 0.18), 1.8);
    square(svg, half - 4.5, 1.0, fill, 1.2);
    if piece.label.trim().is_empty() {
        let _ = write!(
            svg,
            r#"<path d="M-8 -8L8 8M8 -8L-8 8" stroke="{}" stroke-width="3" stroke-linecap="round"/>"#,
            edge(fill)
        );
    }
    label(svg, &piece.label, 12.5, fill.ink());
}

/// A block in flight: smaller, with a bright edge.
fn shot(svg: &mut String, piece: &Piece, fill: Rgb) {
    halo(svg, true, 15.0, 8.0);
    square(svg, 12.5, 6.0, fill, 1.8);
    label(svg, &piece.label, 12.0, fill.ink());
}

/// A no-entry sign.
fn barred(svg: &mut String) {
    let ink = palette::piece(1).hex();
    let _ = write!(
        svg,
        r##"<circle r="11" fill="#fff" stroke="{ink}" stroke-width="3.5"/><path d="M-7.5 7.5L7.5 -7.5" stroke="{ink}" stroke-width="3.5"/>"##
    );
}

/// The colour of a pipe that is not on the path: pale, so that the path stands out.
const EMPTY: Rgb = Rgb(0xee, 0xee, 0xea);

/// The channels of a pipe, as paths from side to side.
struct Channels(Vec<String>);

impl Channels {
    fn of(openings: u8, cross: bool) -> Channels {
        let sides: Vec<Side> = Side::ALL
            .into_iter()
            .filter(|&side| openings & (1 << side as u8) != 0)
            .collect();
        if cross {
            return Channels(vec![
                "M-20 0H20".to_string(),
                "M0 -20V-9.5M0 9.5V20".to_string(),
            ]);
        }
        let to = |side: Side| {
            let (down, right) = side.step();
            format!("{} {}", 20 * right, 20 * down)
        };
        Channels(match sides[..] {
            [a, b] if a.opposite() != b => vec![format!("M{}Q0 0 {}", to(a), to(b))],
            _ => sides
                .iter()
                .map(|&side| format!("M0 0L{}", to(side)))
                .collect(),
        })
    }
}

fn pipe(
    svg: &mut String,
    piece: &Piece,
    channels: &Channels,
    arrow: Option<Side>,
    fixed: bool,
    end: bool,
) {
    let tile = if fixed {
        palette::JOINT.mix(palette::INK, 0.12)
    } else {
        palette::PAPER
    };
    square(svg, 18.5, 3.0, tile, 0.8);
    // A wide dark stroke, then a narrow bright one: all walls first, so that channels join without
    // a seam.
    let inside = if piece.lit {
        palette::FLOW
    } else {
        palette::piece(piece.colour).mix(EMPTY, 0.75)
    };
    let all = channels.0.concat();
    let wall = palette::INK.mix(Rgb(255, 255, 255), 0.12).hex();
    let _ = write!(
        svg,
        r#"<path d="{all}" fill="none" stroke="{wall}" stroke-width="17"/><path d="{all}" fill="none" stroke="{}" stroke-width="12"/>"#,
        inside.hex()
    );
    if piece.lit {
        let _ = write!(
            svg,
            r##"<path d="{all}" fill="none" stroke="#fff" stroke-opacity=".75" stroke-width="2" stroke-dasharray="5 5"/>"##
        );
    }
    if let Some(side) = arrow {
        let turn = 90 * side as u32;
        let _ = write!(
            svg,
            r##"<path transform="rotate({turn})" d="M0 -13L8.5 3H3V13H-3V3H-8.5Z" fill="#fff" stroke="{wall}" stroke-width="1.5" stroke-linejoin="round"/>"##
        );
    }
    if end {
        let fill = palette::piece(if piece.colour == 0 { 1 } else { piece.colour });
        let _ = write!(
            svg,
            r#"<circle r="12.5" fill="{}" stroke="{wall}" stroke-width="2.5"/>"#,
            fill.hex()
        );
        label(svg, "B", 12.0, fill.ink());
    } else if fixed {
        let bolt = palette::INK.hex();
        for (x, y) in [(-14.5, -14.5), (14.5, -14.5), (-14.5, 14.5), (14.5, 14.5)] {
            let _ = write!(svg, r#"<circle cx="{x}" cy="{y}" r="2.1" fill="{bolt}"/>"#);
        }
    }
}

fn square(svg: &mut String, half: f32, corner: f32, fill: Rgb, border: f32) {
    let wide = 2.0 * half;
    let _ = write!(
        svg,
        r#"<rect x="-{half}" y="-{half}" width="{wide}" height="{wide}" rx="{corner}" fill="{}" stroke="{}" stroke-width="{border}"/>"#,
        fill.hex(),
        edge(fill)
    );
}

fn halo(svg: &mut String, lit: bool, half: f32, corner: f32) {
    if lit {
        let wide = 2.0 * half;
        let _ = write!(
            svg,
            r#"<rect x="-{half}" y="-{half}" width="{wide}" height="{wide}" rx="{corner}" fill="{0}" stroke="{0}" stroke-width="3"/>"#,
            palette::LIGHT.hex()
        );
    }
}

fn label(svg: &mut String, text: &str, height: f32, ink: Rgb) {
    let shown: String = text.chars().take(2).collect();
    let height = if shown.chars().count() > 1 {
        height * 0.75
    } else {
        height
    };
    // The centre of small letters is lower than that of capitals.
    let small = shown.chars().all(|c| "acegmnopqrsuvwxyz".contains(c));
    let lift = if small { 0.36 } else { 0.5 };
    letters::draw(svg, &shown, 0.0, height * lift, height, Anchor::Middle, ink);
}

fn edge(fill: Rgb) -> String {
    fill.mix(Rgb(0, 0, 0), 0.45).hex()
}
