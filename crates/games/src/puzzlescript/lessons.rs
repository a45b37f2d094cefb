//! Lessons: small boards of the example games, one rule each.

use crate::*;

pub(super) const LESSONS: &[Lesson] = &[
    Lesson {
        title: "Crates: a crate is pushed, never pulled",
        text: "Walk behind the crate and push it onto the target.",
        level: "game: puzzlescript\nuse: crates\n\nP..\n.*O\n...\n",
        plan: &["down", "right"],
        refused: &[],
    },
    Lesson {
        title: "Gems: what has no ground falls",
        text: "Push the ruby over the edge. It falls beside the other one, and both vanish.",
        level: "game: puzzlescript\nuse: gems\n\nPR..\n##.R\n####\n",
        plan: &["right"],
        refused: &[],
    },
    Lesson {
        title: "Ice: one slides until something stops one",
        text: "Slide to the wall, then down to the exit.",
        level: "game: puzzlescript\nuse: ice\n\nP..#\n...#\n#.X#\n",
        plan: &["right", "down"],
        refused: &[],
    },
    Lesson {
        title: "Dominoes: the action key knocks one over",
        text: "Stand beside the domino and press the action key. It falls onto the bomb.",
        level: "game: puzzlescript\nuse: dominoes\n\nP..\n.DB\n...\n",
        plan: &["down", "action"],
        refused: &[],
    },
    Lesson {
        title: "Lockout: a craft flies until another one stops it",
        text: "To the right nothing would stop the craft, so it stays. Fly down.",
        level: "game: puzzlescript\nuse: lockout\n\nC....\n.....\nX....\nB....\n",
        plan: &["down"],
        refused: &[],
    },
    Lesson {
        title: "Twins: the second one walks in the mirror",
        text: "Both must stand on a mat at the same time.",
        level: "game: puzzlescript\nuse: twins\n\nL.O.O.R\n",
        plan: &["right", "right"],
        refused: &[],
    },
];
