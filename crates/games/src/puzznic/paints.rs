//! What can stand in a level's text, for those who paint levels.

use crate::*;

pub(super) const PAINTS: &[Paint] = &[
    Paint {
        text: "#",
        about: "wall",
    },
    Paint {
        text: ".",
        about: "empty",
    },
    Paint {
        text: "A",
        about: "a block",
    },
    Paint {
        text: "B",
        about: "a block",
    },
    Paint {
        text: "C",
        about: "a block",
    },
    Paint {
        text: "D",
        about: "a block",
    },
    Paint {
        text: "E",
        about: "a block",
    },
    Paint {
        text: "F",
        about: "a block",
    },
    Paint {
        text: "G",
        about: "a block",
    },
    Paint {
        text: "H",
        about: "a block",
    },
];
