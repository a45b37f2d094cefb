//! Sprites as characters.
//!
//! In a large cell the pixels are drawn as half blocks, two above each other in a character. In a
//! small one, and in ASCII, a sprite is its letter in its most frequent colour; one that covers most
//! of the cell fills it. What is drawn below shows where a sprite is transparent.

use ployglot_games::{Piece, Sprite};

use super::{Glyph, painter::Painter};
use crate::palette::Rgb;

/// A sprite with at least so many pixels covers its cell.
const COVERS: usize = 15;

impl Painter<'_> {
    pub(super) fn sprite(&mut self, piece: &Piece, sprite: &Sprite, corner: (usize, usize)) {
        match self.metrics.high >= Sprite::SIZE.div_ceil(2) && self.look.unicode {
            true => self.pixels(sprite, corner),
            false => self.letter(piece, sprite, corner),
        }
    }

    /// Half blocks: the ink is the upper pixel, the fill the lower one.
    fn pixels(&mut self, sprite: &Sprite, (x, y): (usize, usize)) {
        let left = (self.metrics.wide - Sprite::SIZE) / 2;
        for down in 0..Sprite::SIZE.div_ceil(2) {
            for right in 0..self.metrics.wide {
                // The outermost pixels are drawn wider, so that sprites fill their cells.
                let col = right.saturating_sub(left).min(Sprite::SIZE - 1);
                let row = 2 * down;
                let upper = sprite.pixel(row, col);
                let lower = sprite.pixel((row + 1).min(Sprite::SIZE - 1), col);
                let (x, y) = (x + right, y + down);
                let below = self.drawn(x, y);
                let half = |pixel: Option<[u8; 3]>, below: Option<Rgb>| {
                    pixel.map(|[r, g, b]| Rgb(r, g, b)).or(below)
                };
                let (was_upper, was_lower) = match below {
                    Some(Glyph {
                        sign: '▀',
                        ink,
                        fill,
                        ..
                    }) => (ink, fill),
                    Some(Glyph { fill, .. }) => (fill, fill),
                    None => (None, None),
                };
                let (upper, lower) = (half(upper, was_upper), half(lower, was_lower));
                let glyph = match (upper, lower) {
                    (None, None) => continue,
                    (None, lower) => Glyph {
                        sign: '▄',
                        ink: lower,
                        fill: None,
                        bold: false,
                    },
                    (upper, lower) => Glyph {
                        sign: '▀',
                        ink: upper,
                        fill: lower,
                        bold: false,
                    },
                };
                self.put(x, y, glyph);
            }
        }
    }

    fn letter(&mut self, piece: &Piece, sprite: &Sprite, (x, y): (usize, usize)) {
        let colours = sprite.colours();
        let Some(&([r, g, b], _)) = colours.first() else {
            return;
        };
        let colour = Rgb(r, g, b);
        let covers = colours.iter().map(|(_, count)| count).sum::<usize>() >= COVERS;
        let letter = piece.label.chars().next();
        let letter = letter.map_or(' ', |letter| self.spell(letter));
        let (middle_x, middle_y) = self.middle((x, y));
        if covers {
            for down in 0..self.metrics.high {
                for right in 0..self.metrics.wide {
                    let glyph = Glyph {
                        sign: ' ',
                        ink: Some(colour.ink()),
                        fill: Some(colour),
                        bold: false,
                    };
                    self.put(x + right, y + down, glyph);
                }
            }
        }
        let below = self.drawn(middle_x, middle_y).and_then(|glyph| glyph.fill);
        let (ink, fill) = match covers {
            true => (colour.ink(), Some(colour)),
            // A letter of nearly the colour below it could not be read.
            false => match below {
                Some(below) if near(below, colour) => (below.ink(), Some(below)),
                below => (colour, below),
            },
        };
        let glyph = Glyph {
            sign: letter,
            ink: Some(ink),
            fill,
            bold: true,
        };
        self.sign(middle_x, middle_y, glyph);
    }

    /// What is drawn at a place; `None` outside the drawing.
    fn drawn(&self, x: usize, y: usize) -> Option<Glyph> {
        self.drawing.lines.get(y)?.get(x).copied()
    }
}

/// Whether two colours are hard to tell apart.
fn near(one: Rgb, other: Rgb) -> bool {
    (one.luminance() - other.luminance()).abs() < 0.15
}
