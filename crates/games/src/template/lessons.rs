//! Lessons: small boards that teach the rules, one rule each.

use crate::*;

pub(super) const LESSONS: &[Lesson] = &[
    Lesson {
        title: "The token steps to a neighbouring cell",
        text: "Step to the right twice, onto the goal.",
        level: "game: template\n\nT.X\n",
        plan: &["right", "right"],
        refused: &[],
    },
    Lesson {
        title: "The token stays on the row",
        text: "To the left the row ends, so that step is refused. Step to the right.",
        level: "game: template\n\nTX\n",
        plan: &["right"],
        refused: &[("left", "the row ends")],
    },
];
