//! What can stand in a level's text, for those who paint levels.

use crate::*;

pub(super) const PAINTS: &[Paint] = &[
    Paint {
        text: ".",
        about: "an empty cell",
    },
    Paint {
        text: "T",
        about: "the token",
    },
    Paint {
        text: "X",
        about: "the goal",
    },
];
