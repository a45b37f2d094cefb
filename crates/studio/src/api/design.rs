//! For those who make levels: what a level is like, whether the intended plan is still best, and random levels as wished.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use ployglot_base::{Budget, Random};
use ployglot_games::{Game, GameVisitor, Level, Spec, visit_games};
use ployglot_solve::{
    LevelSearch, LevelSearchEnd, PlanComparison, RatingLimits, Requirements, StateCount,
    compare_plans, find_levels, start_at,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::solve::{answer_json, finish, seconds};
use super::{
    Answered, Labour, Position, Question, Replayed, SOLVE, Shared, about, parse, read, toil, unfit,
};
use crate::guard::Refused;
use crate::scene::Album;
use ployglot_games::plan;

#[derive(Deserialize)]
struct AskRating {
    level: String,
    seconds: Option<f64>,
}

/// What the level is like.
pub async fn rate(State(studio): Shared, body: Bytes) -> Result<Response, Refused> {
    struct Rate(Budget);
    impl Question for Rate {
        type Out = Value;
        fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, Refused> {
            let scope = RatingLimits {
                states: 50_000,
                plans: 1_000,
            };
            let rating = ployglot_solve::rate(&level.game, scope, &self.0);
            let rating = rating.map_err(|bad| unfit(bad.0))?;
            let (states, exact) = match rating.reachable {
                StateCount::Exactly(count) => (count, true),
                StateCount::AtLeast(count) => (count, false),
            };
            Ok(json!({
                "answer": answer_json(level, &rating.answer), "difficulty": rating.assessment.difficulty.to_string(),
                "reasons": rating.assessment.reasons, "best_plans": rating.best_plans.map(|count| count.to_string()),
                "states": states, "states_exact": exact,
            }))
        }
    }
    let ask: AskRating = read(&body)?;
    parse(&ask.level)?;
    let time = seconds(ask.seconds);
    studio.works.stream(time, move |budget, news| {
        finish(news, about(&ask.level, &Rate(budget)));
    })
}

/// Whether the designer's plan is still best, and where a shorter one leaves it.
pub async fn intended(State(studio): Shared, body: Bytes) -> Answered {
    let ask: Position = read(&body)?;
    toil(&studio, Intended(ask)).await.map(Json)
}

struct Intended(Position);

impl Labour for Intended {
    type Out = Value;

    fn text(&self) -> &str {
        &self.0.level
    }

    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Value, Refused> {
        let game = &level.game;
        let moves = &self.0.moves;
        // After an edit a move may have become illegal: that is news, not an error.
        let replayed = match Replayed::of(game, moves) {
            Ok(replayed) => replayed,
            Err(Refused(_, why)) => return Ok(json!({ "verdict": "rejected", "message": why })),
        };
        let found = compare_plans(game, &replayed.moves, budget);
        Ok(match found.map_err(|bad| unfit(bad.0))? {
            PlanComparison::Rejected(why) => json!({ "verdict": "rejected", "message": why }),
            PlanComparison::Best { cost } => json!({ "verdict": "best", "cost": cost }),
            PlanComparison::Unknown { cost, at_least } => {
                json!({ "verdict": "open", "cost": cost, "at_least": at_least })
            }
            PlanComparison::Shortcut {
                cost,
                best,
                common,
                state,
                better,
            } => {
                let mut album = Album::default();
                let view = album.view(&game.view(&state));
                json!({
                    "verdict": "shortcut", "cost": cost, "best": best, "common": common,
                    "better": plan::print(&start_at(game, &state), &better),
                    "intended": &moves[common.min(moves.len())..], "view": view, "drawings": album.drawings(),
                })
            }
        })
    }
}

#[derive(Deserialize)]
struct AskLevel {
    game: String,
    rows: usize,
    cols: usize,
    #[serde(default)]
    knobs: Vec<(String, u32)>,
    seed: u64,
    par: Option<(u32, u32)>,
}

/// The page makes no larger levels.
const LONGEST_SIDE: usize = 60;

/// A random level, perhaps with a wanted par.
pub async fn new(State(studio): Shared, body: Bytes) -> Result<Response, Refused> {
    struct Make<'a> {
        ask: &'a AskLevel,
        budget: &'a Budget,
        made: Option<Result<Value, Refused>>,
    }
    impl GameVisitor for Make<'_> {
        fn visit<G: Game>(&mut self) {
            if G::NAME == self.ask.game {
                self.made = Some(make::<G>(self.ask, self.budget));
            }
        }
    }
    let ask: AskLevel = read(&body)?;
    studio.works.stream(SOLVE, move |budget, news| {
        let mut make = Make {
            ask: &ask,
            budget: &budget,
            made: None,
        };
        visit_games(&mut make);
        let unknown = || Err(unfit(format!("there is no game '{}'", ask.game)));
        finish(news, make.made.unwrap_or_else(unknown));
    })
}

fn make<G: Game>(ask: &AskLevel, budget: &Budget) -> Result<Value, Refused> {
    if ask.rows.max(ask.cols) > LONGEST_SIDE {
        let why = format!("the page makes levels of at most {LONGEST_SIDE} rows and columns");
        return Err(unfit(why));
    }
    let mut spec = Spec::size(ask.rows, ask.cols);
    for (name, value) in &ask.knobs {
        let Some(knob) = G::KNOBS.iter().find(|knob| knob.name == name) else {
            return Err(unfit(format!("{} has no knob '{name}'", G::NAME)));
        };
        // The page sends them all, touched or not.
        if knob.default != *value {
            spec = spec.with(name, *value);
        }
    }
    let Some((low, high)) = ask.par else {
        let level = G::generate(&spec, &mut Random::new(ask.seed)).map_err(unfit)?;
        return Ok(json!({ "level": Level::bare(level).print(), "seed": ask.seed }));
    };
    let requirements = Requirements {
        par: Some(low..=high),
        ..Requirements::default()
    };
    let search = LevelSearch {
        seed: ask.seed,
        count: 1,
        tries: 100_000,
        uniform: false,
    };
    let mut found = None;
    let each = || budget.part(Duration::from_secs(2));
    let end = find_levels::<G>(&spec, &requirements, search, budget, each, |made| {
        let source = made.recipe.command::<G>(&made.spec);
        let level = Level::bare(made.level).print();
        found = Some(json!({ "level": level, "seed": made.recipe.seed, "source": source }));
        false
    });
    found.ok_or_else(|| match end {
        LevelSearchEnd::Impossible(why) => unfit(why),
        LevelSearchEnd::Limit(limit) => {
            unfit(format!("no such level was found before the end: {limit}"))
        }
        LevelSearchEnd::TriesUsedUp { .. } | LevelSearchEnd::Complete => {
            unfit("no such level was found")
        }
    })
}
