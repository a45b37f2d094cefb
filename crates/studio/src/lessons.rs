//! Small boards that teach the rules, one rule each. The page shows them beside the rules; here the referee goes through each:
//! its plan must reach the goal, no shorter plan may do, and what it says is refused must be refused for that reason.

use serde_json::{Value, json};

struct Lesson {
    game: &'static str,
    title: &'static str,
    say: &'static str,
    level: &'static str,
    /// Reaches the goal with as few as possible.
    plan: &'static [&'static str],
    /// Moves that the start forbids, and a part of the sentence that says why.
    refused: &'static [(&'static str, &'static str)],
}

/// The lessons of a game, for the page.
pub fn of(game: &str) -> Vec<Value> {
    let lessons = LESSONS.iter().filter(|lesson| lesson.game == game);
    let told = lessons.map(|lesson| {
        let refused: Vec<&str> = lesson.refused.iter().map(|(mv, _)| *mv).collect();
        json!({
            "title": lesson.title, "say": lesson.say, "text": lesson.level, "plan": lesson.plan, "refused": refused,
        })
    });
    told.collect()
}

const LESSONS: &[Lesson] = &[
    Lesson {
        game: "plotting",
        title: "A shot consumes its own colour",
        say: "Shoot along the row. The wildcard becomes an R, consumes both R, meets the G, and changes places with it.",
        level: "game: plotting\ngoal: 1\n\nRRG\n",
        plan: &["row 1"],
        refused: &[],
    },
    Lesson {
        game: "plotting",
        title: "A shot that consumes nothing is no move",
        say: "You hold a G. Row 1 begins with an R, so a shot there would only bounce: it is refused. Try it, then shoot along row 2: \
              the G consumes, turns at the wall, and comes back into the hand.",
        level: "game: plotting\ngoal: 2\nhand: G\n\nRR.\nGGG\n",
        plan: &["row 2"],
        refused: &[("row 1", "own colour")],
    },
    Lesson {
        game: "plotting",
        title: "Round the corner",
        say: "Behind the last column is a wall. A shot that reaches it falls down the last column and goes on consuming.",
        level: "game: plotting\ngoal: 2\nhand: R\n\nRRR\nGGR\n",
        plan: &["row 1"],
        refused: &[],
    },
    Lesson {
        game: "puzznic",
        title: "Equal neighbours vanish",
        say: "Move either block one cell towards the other.",
        level: "game: puzznic\n\n#####\n#A.A#\n#####\n",
        plan: &["2 2 right"],
        refused: &[("2 2 left", "is wall")],
    },
    Lesson {
        game: "puzznic",
        title: "First everything falls, then it matches",
        say: "Push the A over the edge. It falls all the way before anything vanishes.",
        level: "game: puzznic\n\n######\n#A...#\n##...#\n##.A.#\n######\n",
        plan: &["2 2 right"],
        refused: &[],
    },
    Lesson {
        game: "puzznic",
        title: "A cascade",
        say: "One move: pull the A out from under B and C, and count what happens by itself.",
        level: "game: puzznic\n\n#####\n#C..#\n#B..#\n#A.A#\n#BC##\n#####\n",
        plan: &["4 2 right"],
        refused: &[],
    },
    Lesson {
        game: "pipe-mania",
        title: "A piece turns clockwise",
        say: "Turn the corner until it joins the two ends. Every click is a quarter turn.",
        level: "game: pipe-mania\n\nB1L1\n##B2\n",
        plan: &["rotate 1 2", "rotate 1 2", "rotate 1 2"],
        refused: &[("rotate 1 1", "never turned")],
    },
    Lesson {
        game: "pipe-mania",
        title: "The best path counts",
        say: "Two corners lead the water from one end to the other. The score is the number of pieces on the path, not of turns.",
        level: "game: pipe-mania\n\nB1L4##\n##L1B1\n",
        plan: &["rotate 2 2"],
        refused: &[],
    },
    Lesson {
        game: "lunar-lockout",
        title: "A craft slides until another stops it",
        say: "Red must come to rest on the goal. To the right it would stop there, just before its helper.",
        level: "game: lunar-lockout\n\n.....\nR..Xa\n.....\n",
        plan: &["R right"],
        refused: &[("R up", "leave the board")],
    },
    Lesson {
        game: "lunar-lockout",
        title: "Helpers make way and stop you",
        say: "b stands in the way. Send it to the right first: then it is what stops red on the goal.",
        level: "game: lunar-lockout\n\n......\nRb.X.a\n......\n",
        plan: &["b right", "R right"],
        refused: &[("R right", "touches b")],
    },
    Lesson {
        game: "lunar-lockout",
        title: "Passing over the goal is not enough",
        say: "To the left red slides over the goal and stops before c: passing does not count. Bring b down first.",
        level: "game: lunar-lockout\n\n.b...\n.....\nc.X.R\n.a...\n",
        plan: &["b down", "R left"],
        refused: &[],
    },
    Lesson {
        game: "bombastic",
        title: "Blocks are pushed, never pulled",
        say: "Down, the block would leave the board, so it is refused. Walk round it and push it onto the goal.",
        level: "game: bombastic\n\n-@-\n-$.\n",
        plan: &["left", "down", "right"],
        refused: &[("down", "board ends")],
    },
    Lesson {
        game: "bombastic",
        title: "Ice melts behind you",
        say: "A cell of ice is gone when you leave it. Cross it once, and do not count on coming back.",
        level: "game: bombastic\n\n@~~$.\n",
        plan: &["right", "right", "right"],
        refused: &[],
    },
    Lesson {
        game: "bombastic",
        title: "Two in a row are too heavy",
        say: "You cannot push both to the right. Push one of them down from above first.",
        level: "game: bombastic\n\n----\n@$$.\n--.-\n",
        plan: &[
            "up", "right", "down", "left", "down", "right", "up", "right",
        ],
        refused: &[("right", "only one can be pushed")],
    },
];

#[cfg(test)]
mod tests {
    use super::{LESSONS, Lesson};
    use ployglot_base::Budget;
    use ployglot_games::{AnyLevel, Game, Level, LevelVisitor, Ruling, judge};
    use ployglot_solve::{Request, solve};

    struct Teach<'a>(&'a Lesson);

    impl LevelVisitor for Teach<'_> {
        type Out = ();

        fn visit<G: Game>(self, level: &Level<G>) {
            let Lesson {
                game: name,
                title,
                plan,
                refused,
                ..
            } = self.0;
            let game = &level.game;
            assert_eq!(&G::NAME, name, "{title}");
            let moves = ployglot_games::plan::parse(game, &plan.join("\n")).expect(title);
            let Ruling::Accepted { cost, .. } = judge(game, G::MEASURES[0].name, &moves) else {
                panic!("{title}: the plan does not reach the goal");
            };
            let best = solve(game, &Request::default(), &Budget::unlimited()).expect(title);
            assert_eq!(best.cost, Some(cost), "{title}");
            for (text, part) in *refused {
                let start = game.start();
                let mv = game.parse_move(&start, text).expect(title);
                let why = game.play(&start, mv).expect_err(title).0;
                assert!(why.contains(part), "{title}: {why}");
            }
        }
    }

    #[test]
    fn every_lesson_is_true() {
        for lesson in LESSONS {
            AnyLevel::read(lesson.level)
                .expect(lesson.title)
                .visit(Teach(lesson));
        }
    }
}
