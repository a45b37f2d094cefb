//! Lessons: small boards that teach the rules, one rule each.

use crate::*;

pub(super) const LESSONS: &[Lesson] = &[
    Lesson {
        title: "Blocks are pushed, never pulled",
        text: "A step down would push the block off the board, so it is refused. Walk round the block and push it onto the goal.",
        level: "game: bombastic\n\n-@-\n-$.\n",
        plan: &["left", "down", "right"],
        refused: &[("down", "board ends")],
    },
    Lesson {
        title: "Ice melts behind you",
        text: "A cell of ice is gone when you leave it. Cross it once, and do not count on coming back.",
        level: "game: bombastic\n\n@~~$.\n",
        plan: &["right", "right", "right"],
        refused: &[],
    },
    Lesson {
        title: "Two in a row are too heavy",
        text: "You cannot push both to the right. Push one of them down from above first.",
        level: "game: bombastic\n\n----\n@$$.\n--.-\n",
        plan: &[
            "up", "right", "down", "left", "down", "right", "up", "right",
        ],
        refused: &[("right", "only one can be pushed")],
    },
];
