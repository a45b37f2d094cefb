//! The lessons of a game as JSON, for the page.
//!
//! The lessons are in the folders of the games. The test here checks each: its plan reaches the
//! goal, no shorter plan does, and the moves that it calls refused are refused for the reason it
//! gives.

use ployglot_games::Game;
use serde_json::{Value, json};

/// The lessons of a game, each with its title, text, level and plan.
pub fn lessons_json<G: Game>() -> Vec<Value> {
    let lessons = G::LESSONS.iter().map(|lesson| {
        json!({
            "title": lesson.title, "text": lesson.text, "level": lesson.level, "plan": lesson.plan,
        })
    });
    lessons.collect()
}

#[cfg(test)]
mod tests {
    use ployglot_base::Budget;
    use ployglot_games::{Document, Game, GameVisitor, Lesson, Level, Ruling, judge, visit_games};
    use ployglot_solve::{Request, solve};

    struct CheckLessons;

    impl GameVisitor for CheckLessons {
        fn visit<G: Game>(&mut self) {
            G::LESSONS.iter().for_each(check::<G>);
        }
    }

    fn check<G: Game>(lesson: &Lesson) {
        let title = lesson.title;
        let document = Document::parse(lesson.level).expect(title);
        assert_eq!(document.required("game").expect(title).value, G::NAME);
        let game = Level::<G>::parse(&document).expect(title).game;
        let plan = lesson.plan.join("\n");
        let moves = ployglot_games::plan::parse(&game, &plan).expect(title);
        let Ruling::Accepted { cost, .. } = judge(&game, G::MEASURES[0].name, &moves) else {
            panic!("{title}: the plan does not reach the goal");
        };
        let best = solve(&game, &Request::default(), &Budget::unlimited()).expect(title);
        assert_eq!(best.cost, Some(cost), "{title}");
        for (text, part) in lesson.refused {
            let start = game.start();
            let mv = game.parse_move(&start, text).expect(title);
            let why = game.play(&start, mv).expect_err(title).0;
            assert!(why.contains(part), "{title}: {why}");
        }
    }

    #[test]
    fn every_lesson_has_a_best_plan_and_the_refusals_that_it_describes() {
        visit_games(&mut CheckLessons);
    }
}
