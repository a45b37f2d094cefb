//! The cells and options of a level's text, for the level editor.

use crate::*;

pub(super) const SYMBOLS: &[Symbol] = &[
    Symbol {
        text: "R",
        about: "a block",
    },
    Symbol {
        text: "G",
        about: "a block",
    },
    Symbol {
        text: "B",
        about: "a block",
    },
    Symbol {
        text: "Y",
        about: "a block",
    },
    Symbol {
        text: "P",
        about: "a block",
    },
    Symbol {
        text: "O",
        about: "a block",
    },
    Symbol {
        text: "C",
        about: "a block",
    },
    Symbol {
        text: "M",
        about: "a block",
    },
    Symbol {
        text: ".",
        about: "empty",
    },
];

pub(super) const OPTIONS: &[LevelOption] = &[
    LevelOption {
        name: "goal",
        about: "how many blocks may remain: 3",
    },
    LevelOption {
        name: "hand",
        about: "the block in hand at the start, a colour; without it a wildcard",
    },
    LevelOption {
        name: "blocked",
        about: "a row or column that cannot be shot along: row 2",
    },
    LevelOption {
        name: "wildcards",
        about: "how often the hand may turn into a wildcard by itself: 2",
    },
];
