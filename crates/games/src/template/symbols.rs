//! The cells of a level's text, for level editors.

use crate::*;

pub(super) const SYMBOLS: &[Symbol] = &[
    Symbol {
        text: ".",
        about: "an empty cell",
    },
    Symbol {
        text: "T",
        about: "the token",
    },
    Symbol {
        text: "X",
        about: "the goal",
    },
];
