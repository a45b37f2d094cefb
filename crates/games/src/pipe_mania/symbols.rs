//! The cells and options of a level text, for the level editor.

use crate::*;

pub(super) const SYMBOLS: &[Symbol] = &[
    Symbol {
        text: "B1",
        about: "an end",
    },
    Symbol {
        text: "B2",
        about: "an end",
    },
    Symbol {
        text: "B3",
        about: "an end",
    },
    Symbol {
        text: "B4",
        about: "an end",
    },
    Symbol {
        text: "R1",
        about: "a straight piece",
    },
    Symbol {
        text: "R2",
        about: "a straight piece",
    },
    Symbol {
        text: "R3",
        about: "a straight piece",
    },
    Symbol {
        text: "R4",
        about: "a straight piece",
    },
    Symbol {
        text: "L1",
        about: "a corner",
    },
    Symbol {
        text: "L2",
        about: "a corner",
    },
    Symbol {
        text: "L3",
        about: "a corner",
    },
    Symbol {
        text: "L4",
        about: "a corner",
    },
    Symbol {
        text: "X1",
        about: "a cross",
    },
    Symbol {
        text: "X2",
        about: "a cross",
    },
    Symbol {
        text: "X3",
        about: "a cross",
    },
    Symbol {
        text: "X4",
        about: "a cross",
    },
    Symbol {
        text: "O1",
        about: "a one-way piece",
    },
    Symbol {
        text: "O2",
        about: "a one-way piece",
    },
    Symbol {
        text: "O3",
        about: "a one-way piece",
    },
    Symbol {
        text: "O4",
        about: "a one-way piece",
    },
    Symbol {
        text: "##",
        about: "no piece",
    },
    Symbol {
        text: "_!",
        about: "marks a piece as fixed, or unmarks it",
    },
];

pub(super) const OPTIONS: &[LevelOption] = &[
    LevelOption {
        name: "from",
        about: "where the path begins: 3 1",
    },
    LevelOption {
        name: "to",
        about: "where the path ends: 1 5",
    },
    LevelOption {
        name: "through",
        about: "a piece that must be on the path: 2 4",
    },
    LevelOption {
        name: "join",
        about: "yes: the path passes every end",
    },
];
