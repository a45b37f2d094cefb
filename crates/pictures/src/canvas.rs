//! A picture that changes from frame to frame. Only the parts that changed are drawn again: a board of
//! 100×100 cells takes a tenth of a second to draw, and in most frames one piece moves.
//!
//! What must stay true: after each frame the pixels are those of the whole frame drawn at once
//! ([`svg::frame`]); a test compares them. So a part is drawn at its own place in a picture of full
//! size, with everything that reaches into it, and only its pixels are taken.

use std::collections::HashMap;

use resvg::tiny_skia::Pixmap;

use super::scene::{Scene, Sprite};
use super::svg::{self, Layout, Window};
use super::{TooLarge, raster};

/// The pixels of the frame that was shown last.
pub struct Canvas<'a> {
    layout: &'a Layout,
    scale: u32,
    shown: Option<Frame>,
}

struct Frame {
    pixels: Pixmap,
    scene: Scene,
    caption: String,
}

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    pub left: usize,
    pub top: usize,
    pub right: usize,
    pub bottom: usize,
}

impl<'a> Canvas<'a> {
    pub fn new(layout: &'a Layout, scale: u32) -> Canvas<'a> {
        Canvas {
            layout,
            scale,
            shown: None,
        }
    }

    /// Shows a frame: all its pixels, and the rectangles outside which nothing changed.
    pub fn show(
        &mut self,
        scene: Scene,
        caption: &str,
    ) -> Result<(&Pixmap, Vec<Rectangle>), TooLarge> {
        let (pixels, changed) = match self.shown.take() {
            None => {
                let whole = svg::frame(self.layout, &scene, caption, self.scale, Window::ALL);
                let pixels = raster::pixels(&whole)?;
                let changed = vec![rectangle(Window::ALL, self.scale, &pixels)];
                (pixels, changed)
            }
            Some(before) => self.redraw(before, &scene, caption)?,
        };
        let shown = self.shown.insert(Frame {
            pixels,
            scene,
            caption: caption.to_string(),
        });
        Ok((&shown.pixels, changed))
    }

    /// The pixels of the frame before, with the parts drawn again that changed.
    fn redraw(
        &self,
        before: Frame,
        scene: &Scene,
        caption: &str,
    ) -> Result<(Pixmap, Vec<Rectangle>), TooLarge> {
        let mut windows: Vec<Window> = changed_board(&before.scene, scene, self.layout)
            .into_iter()
            .collect();
        if before.scene.aside != scene.aside || before.caption != caption {
            windows.push(self.layout.words());
        }
        let mut pixels = before.pixels;
        let mut changed = Vec::new();
        for window in windows {
            let part = svg::frame(self.layout, scene, caption, self.scale, window);
            let part = raster::pixels(&part)?;
            let rectangle = rectangle(window, self.scale, &pixels);
            let width = pixels.width() as usize;
            for row in rectangle.top..rectangle.bottom {
                let line = row * width + rectangle.left..row * width + rectangle.right;
                pixels.pixels_mut()[line.clone()].copy_from_slice(&part.pixels()[line]);
            }
            changed.push(rectangle);
        }
        Ok((pixels, changed))
    }
}

/// The pixels that a window touches.
fn rectangle(window: Window, scale: u32, picture: &Pixmap) -> Rectangle {
    let pixel = |units: f32| units * scale as f32 / super::ground::CELL;
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    Rectangle {
        left: pixel(window.left).floor().clamp(0.0, width) as usize,
        top: pixel(window.top).floor().clamp(0.0, height) as usize,
        right: pixel(window.right).ceil().clamp(0.0, width) as usize,
        bottom: pixel(window.bottom).ceil().clamp(0.0, height) as usize,
    }
}

/// The smallest window that holds all changes on the board; `None` if there are none.
fn changed_board(before: &Scene, after: &Scene, layout: &Layout) -> Option<Window> {
    if (before.cells.rows(), before.cells.cols()) != (after.cells.rows(), after.cells.cols()) {
        return Some(Window::ALL);
    }
    let mut changes = Changes(None);
    let cells = after.cells.places();
    for (row, col) in cells.filter(|&place| before.cells[place] != after.cells[place]) {
        changes.add(row as f32 + 1.0, col as f32 + 1.0);
    }
    if before.melting != after.melting {
        for &((row, col), ..) in before.melting.iter().chain(&after.melting) {
            changes.add(row as f32 + 1.0, col as f32 + 1.0);
        }
    }
    let was: HashMap<u32, &Sprite> = before.sprites.iter().map(|s| (s.piece.id, s)).collect();
    let is: HashMap<u32, &Sprite> = after.sprites.iter().map(|s| (s.piece.id, s)).collect();
    let stays = |sprite: &Sprite| was.get(&sprite.piece.id) == is.get(&sprite.piece.id);
    let (stay_before, go) = partition(&before.sprites, stays);
    let (stay_after, come) = partition(&after.sprites, stays);
    // The order decides which of two pieces lies above the other. Ids that occur twice say nothing.
    let twice = was.len() != before.sprites.len() || is.len() != after.sprites.len();
    if twice || stay_before != stay_after {
        return Some(Window::ALL);
    }
    for sprite in go.into_iter().chain(come) {
        changes.add(sprite.piece.row, sprite.piece.col);
    }
    changes
        .0
        .map(|[top, left, bottom, right]| layout.window(top, left, bottom, right))
}

/// The ids of the sprites that stay, and the other sprites.
fn partition(sprites: &[Sprite], stays: impl Fn(&Sprite) -> bool) -> (Vec<u32>, Vec<&Sprite>) {
    let (stay, other): (Vec<&Sprite>, Vec<&Sprite>) = sprites.iter().partition(|s| stays(s));
    (stay.iter().map(|sprite| sprite.piece.id).collect(), other)
}

/// The rows and columns that changed: top, left, bottom, right.
struct Changes(Option<[f32; 4]>);

impl Changes {
    fn add(&mut self, row: f32, col: f32) {
        let [top, left, bottom, right] = self.0.unwrap_or([row, col, row, col]);
        self.0 = Some([top.min(row), left.min(col), bottom.max(row), right.max(col)]);
    }
}
