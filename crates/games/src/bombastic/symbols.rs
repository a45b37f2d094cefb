//! The cells of a level text, for the level editor.

use crate::*;

pub(super) const SYMBOLS: &[Symbol] = &[
    Symbol {
        text: "-",
        about: "ground",
    },
    Symbol {
        text: ".",
        about: "goal",
    },
    Symbol {
        text: "$",
        about: "block",
    },
    Symbol {
        text: "*",
        about: "block on a goal",
    },
    Symbol {
        text: "@",
        about: "avatar",
    },
    Symbol {
        text: "+",
        about: "avatar on a goal",
    },
    Symbol {
        text: "~",
        about: "ice",
    },
    Symbol {
        text: ",",
        about: "goal on ice",
    },
    Symbol {
        text: "b",
        about: "block on ice",
    },
    Symbol {
        text: "B",
        about: "block on a goal on ice",
    },
    Symbol {
        text: "a",
        about: "avatar on ice",
    },
    Symbol {
        text: "A",
        about: "avatar on a goal on ice",
    },
    Symbol {
        text: "#",
        about: "dead cell",
    },
    Symbol {
        text: "x",
        about: "a melted goal",
    },
];
