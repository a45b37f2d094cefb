//! Lessons: small boards that teach the rules, one rule each.

use crate::*;

pub(super) const LESSONS: &[Lesson] = &[
    Lesson {
        title: "A piece turns clockwise",
        text: "Turn the corner until it joins the two ends. Every click is a quarter turn.",
        level: "game: pipe-mania\n\nB1L1\n##B2\n",
        plan: &["rotate 1 2", "rotate 1 2", "rotate 1 2"],
        refused: &[("rotate 1 1", "never turned")],
    },
    Lesson {
        title: "The best path counts",
        text: "Two corners lead the water from one end to the other. The score is the number of pieces on the path, not of turns.",
        level: "game: pipe-mania\n\nB1L4##\n##L1B1\n",
        plan: &["rotate 2 2"],
        refused: &[],
    },
];
