//! The cells and options of a level text, for the level editor.

use crate::*;

pub(super) const SYMBOLS: &[Symbol] = &[
    Symbol {
        text: ".",
        about: "empty",
    },
    Symbol {
        text: "R",
        about: "the red craft",
    },
    Symbol {
        text: "X",
        about: "the goal",
    },
    Symbol {
        text: "+",
        about: "the red craft on the goal",
    },
    Symbol {
        text: "a",
        about: "a helper",
    },
    Symbol {
        text: "b",
        about: "a helper",
    },
    Symbol {
        text: "c",
        about: "a helper",
    },
    Symbol {
        text: "d",
        about: "a helper",
    },
    Symbol {
        text: "e",
        about: "a helper",
    },
    Symbol {
        text: "f",
        about: "a helper",
    },
    Symbol {
        text: "g",
        about: "a helper",
    },
    Symbol {
        text: "h",
        about: "a helper",
    },
];

pub(super) const OPTIONS: &[LevelOption] = &[
    LevelOption {
        name: "goal",
        about: "the goal's row and column, if a helper is on it: 3 3",
    },
    LevelOption {
        name: "edge",
        about: "stop: the edge of the board stops craft",
    },
    LevelOption {
        name: "wall",
        about: "a wall on a side of a cell: 2 3 left",
    },
];
