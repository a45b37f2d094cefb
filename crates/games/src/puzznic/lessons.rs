//! Lessons: small boards that teach the rules, one rule each.

use crate::*;

pub(super) const LESSONS: &[Lesson] = &[
    Lesson {
        title: "Equal neighbours vanish",
        text: "Move either block one cell towards the other.",
        level: "game: puzznic\n\n#####\n#A.A#\n#####\n",
        plan: &["2 2 right"],
        refused: &[("2 2 left", "is wall")],
    },
    Lesson {
        title: "First everything falls, then it matches",
        text: "Push the A over the edge. It falls all the way before anything vanishes.",
        level: "game: puzznic\n\n######\n#A...#\n##...#\n##.A.#\n######\n",
        plan: &["2 2 right"],
        refused: &[],
    },
    Lesson {
        title: "A cascade",
        text: "One move: pull the A out from under B and C, and count what happens by itself.",
        level: "game: puzznic\n\n#####\n#C..#\n#B..#\n#A.A#\n#BC##\n#####\n",
        plan: &["4 2 right"],
        refused: &[],
    },
];
