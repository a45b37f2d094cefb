//! Cells of a level's text. Every game has a legend of its own: these are the symbols that most
//! games share, and `Text::symbols` has those of a level.

use crate::*;

pub(super) const SYMBOLS: &[Symbol] = &[Symbol {
    text: ".",
    about: "the background",
}];
