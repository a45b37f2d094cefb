//! Lessons: small boards that teach the rules, one rule each.

use crate::*;

pub(super) const LESSONS: &[Lesson] = &[
    Lesson {
        title: "A craft slides until another stops it",
        text: "Red must come to rest on the goal. To the right it would stop there, just before its helper.",
        level: "game: lunar-lockout\n\n.....\nR..Xa\n.....\n",
        plan: &["R right"],
        refused: &[("R up", "leave the board")],
    },
    Lesson {
        title: "Helpers make way and stop you",
        text: "b is in the way. Send it to the right first: then it is what stops red on the goal.",
        level: "game: lunar-lockout\n\n......\nRb.X.a\n......\n",
        plan: &["b right", "R right"],
        refused: &[("R right", "touches b")],
    },
    Lesson {
        title: "Passing over the goal is not enough",
        text: "To the left red slides over the goal and stops before c: passing does not count. Bring b down first.",
        level: "game: lunar-lockout\n\n.b...\n.....\nc.X.R\n.a...\n",
        plan: &["b down", "R left"],
        refused: &[],
    },
];
