//! The cells of a level's text, for the level editor.

use crate::*;

pub(super) const SYMBOLS: &[Symbol] = &[
    Symbol {
        text: "#",
        about: "wall",
    },
    Symbol {
        text: ".",
        about: "empty",
    },
    Symbol {
        text: "A",
        about: "a block",
    },
    Symbol {
        text: "B",
        about: "a block",
    },
    Symbol {
        text: "C",
        about: "a block",
    },
    Symbol {
        text: "D",
        about: "a block",
    },
    Symbol {
        text: "E",
        about: "a block",
    },
    Symbol {
        text: "F",
        about: "a block",
    },
    Symbol {
        text: "G",
        about: "a block",
    },
    Symbol {
        text: "H",
        about: "a block",
    },
];
