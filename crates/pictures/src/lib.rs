//! Pictures of boards: characters for the terminal (`terminal`), SVG (`svg`), PNG (`raster`) and
//! animated GIF (`gif`). Every picture is a function of `View`s; this crate knows no game. A plan
//! is drawn as a film (`film`): the views of each move, between which a GIF moves the pieces.
//!
//! The size of every picture is bounded, because levels come from outside. A larger one is refused
//! with a message (`TooLarge`).

mod canvas;
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

use ployglot_base::Limit;

/// The picture would be too large; the message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge(pub String);

/// Why a film was not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFilm {
    /// It would be too large; the message for the user.
    TooLarge(String),
    /// The budget ended first.
    Limit(Limit),
}

impl From<TooLarge> for NoFilm {
    fn from(TooLarge(why): TooLarge) -> NoFilm {
        NoFilm::TooLarge(why)
    }
}

impl From<Limit> for NoFilm {
    fn from(limit: Limit) -> NoFilm {
        NoFilm::Limit(limit)
    }
}

#[cfg(test)]
mod tests;
