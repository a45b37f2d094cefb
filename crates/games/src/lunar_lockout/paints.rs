//! What can stand in a level's text, for those who paint levels.

use crate::*;

pub(super) const PAINTS: &[Paint] = &[
    Paint {
        text: ".",
        about: "empty",
    },
    Paint {
        text: "R",
        about: "the red craft",
    },
    Paint {
        text: "X",
        about: "the goal",
    },
    Paint {
        text: "+",
        about: "the red craft on the goal",
    },
    Paint {
        text: "a",
        about: "a helper",
    },
    Paint {
        text: "b",
        about: "a helper",
    },
    Paint {
        text: "c",
        about: "a helper",
    },
    Paint {
        text: "d",
        about: "a helper",
    },
    Paint {
        text: "e",
        about: "a helper",
    },
    Paint {
        text: "f",
        about: "a helper",
    },
    Paint {
        text: "g",
        about: "a helper",
    },
    Paint {
        text: "h",
        about: "a helper",
    },
];

pub(super) const OPTIONS: &[LevelOption] = &[
    LevelOption {
        name: "goal",
        about: "the goal's row and column, where a craft stands on it: 3 3",
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
