//! Lessons: small boards that teach the rules, one rule each.

use crate::*;

pub(super) const LESSONS: &[Lesson] = &[
    Lesson {
        title: "A shot consumes its own colour",
        text: "Shoot along the row. The wildcard becomes an R, consumes both R, meets the G, and changes places with it.",
        level: "game: plotting\ngoal: 1\n\nRRG\n",
        plan: &["row 1"],
        refused: &[],
    },
    Lesson {
        title: "A shot that consumes nothing is no move",
        text: "You hold a G. Row 1 begins with an R, so a shot there would only bounce: it is refused. Try it, then shoot along row 2: \
              the G consumes, turns at the wall, and comes back into the hand.",
        level: "game: plotting\ngoal: 2\nhand: G\n\nRR.\nGGG\n",
        plan: &["row 2"],
        refused: &[("row 1", "own colour")],
    },
    Lesson {
        title: "Round the corner",
        text: "Behind the last column is a wall. A shot that reaches it falls down the last column and continues to consume.",
        level: "game: plotting\ngoal: 2\nhand: R\n\nRRR\nGGR\n",
        plan: &["row 1"],
        refused: &[],
    },
];
