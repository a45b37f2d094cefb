//! What can stand in a level's text, for those who paint levels.

use crate::*;

pub(super) const PAINTS: &[Paint] = &[
    Paint {
        text: "-",
        about: "ground",
    },
    Paint {
        text: ".",
        about: "goal",
    },
    Paint {
        text: "$",
        about: "block",
    },
    Paint {
        text: "*",
        about: "block on a goal",
    },
    Paint {
        text: "@",
        about: "avatar",
    },
    Paint {
        text: "+",
        about: "avatar on a goal",
    },
    Paint {
        text: "~",
        about: "ice",
    },
    Paint {
        text: ",",
        about: "goal on ice",
    },
    Paint {
        text: "b",
        about: "block on ice",
    },
    Paint {
        text: "B",
        about: "block on a goal on ice",
    },
    Paint {
        text: "a",
        about: "avatar on ice",
    },
    Paint {
        text: "A",
        about: "avatar on a goal on ice",
    },
    Paint {
        text: "#",
        about: "dead cell",
    },
    Paint {
        text: "x",
        about: "a melted goal",
    },
];
