//! Pictures of boards. Everything here is a function of `View`s, and knows no game: the terminal (`terminal`), SVG (`svg`),
//! PNG (`raster`), and GIF (`gif`), which moves the pieces of a plan's films (`film`) from moment to moment.
//!
//! A picture of a stranger's level may not take the machine down, so each has a bound; what is larger is refused in a
//! sentence, never drawn wrong.

pub mod film;
pub mod gif;
mod ground;
pub mod letters;
pub mod palette;
mod pieces;
pub mod raster;
mod scene;
pub mod svg;
pub mod terminal;

/// The picture would be too large: a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge(pub String);

#[cfg(test)]
mod tests;
