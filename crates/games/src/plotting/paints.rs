//! What can stand in a level's text, for those who paint levels.

use crate::*;

pub(super) const PAINTS: &[Paint] = &[
    Paint {
        text: "R",
        about: "a block",
    },
    Paint {
        text: "G",
        about: "a block",
    },
    Paint {
        text: "B",
        about: "a block",
    },
    Paint {
        text: "Y",
        about: "a block",
    },
    Paint {
        text: "P",
        about: "a block",
    },
    Paint {
        text: "O",
        about: "a block",
    },
    Paint {
        text: "C",
        about: "a block",
    },
    Paint {
        text: "M",
        about: "a block",
    },
    Paint {
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
