//! SVG to pixels and PNG. Our drawings have no text elements, so no font is needed.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::TooLarge;

/// The largest picture in pixels; each takes four bytes while it is drawn.
pub const MOST_PIXELS: u64 = 40_000_000;

/// Draws an SVG that this crate made.
pub fn pixels(svg: &str) -> Result<Pixmap, TooLarge> {
    let tree = Tree::from_str(svg, &Options::default()).expect("our own SVG is well-formed");
    let size = tree.size().to_int_size();
    let (width, height) = (size.width(), size.height());
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(TooLarge(format!(
            "the picture would be {width} by {height} pixels, more than {MOST_PIXELS} in all; try a smaller --scale"
        )));
    }
    let mut pixmap = Pixmap::new(width, height).expect("a picture has a size");
    let fit = Transform::from_scale(
        width as f32 / tree.size().width(),
        height as f32 / tree.size().height(),
    );
    resvg::render(&tree, fit, &mut pixmap.as_mut());
    Ok(pixmap)
}

pub fn png(svg: &str) -> Result<Vec<u8>, TooLarge> {
    Ok(pixels(svg)?
        .encode_png()
        .expect("a picture in memory can be encoded"))
}
