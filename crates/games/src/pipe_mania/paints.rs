//! What can stand in a level's text, for those who paint levels.

use crate::*;

pub(super) const PAINTS: &[Paint] = &[
    Paint {
        text: "B1",
        about: "an end",
    },
    Paint {
        text: "B2",
        about: "an end",
    },
    Paint {
        text: "B3",
        about: "an end",
    },
    Paint {
        text: "B4",
        about: "an end",
    },
    Paint {
        text: "R1",
        about: "a straight piece",
    },
    Paint {
        text: "R2",
        about: "a straight piece",
    },
    Paint {
        text: "R3",
        about: "a straight piece",
    },
    Paint {
        text: "R4",
        about: "a straight piece",
    },
    Paint {
        text: "L1",
        about: "a corner",
    },
    Paint {
        text: "L2",
        about: "a corner",
    },
    Paint {
        text: "L3",
        about: "a corner",
    },
    Paint {
        text: "L4",
        about: "a corner",
    },
    Paint {
        text: "X1",
        about: "a cross",
    },
    Paint {
        text: "X2",
        about: "a cross",
    },
    Paint {
        text: "X3",
        about: "a cross",
    },
    Paint {
        text: "X4",
        about: "a cross",
    },
    Paint {
        text: "O1",
        about: "a one-way piece",
    },
    Paint {
        text: "O2",
        about: "a one-way piece",
    },
    Paint {
        text: "O3",
        about: "a one-way piece",
    },
    Paint {
        text: "O4",
        about: "a one-way piece",
    },
    Paint {
        text: "##",
        about: "no piece",
    },
    Paint {
        text: "_!",
        about: "nails a piece down, or frees it",
    },
];

pub(super) const OPTIONS: &[LevelOption] = &[
    LevelOption {
        name: "from",
        about: "where the path begins: 3 1",
    },
    LevelOption {
        name: "to",
        about: "where it ends: 1 5",
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
