//! Level design: a rating of the level, whether the intended plan is still best, and random levels
//! with a required par.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use ployglot_base::text::unknown;
use ployglot_base::{Budget, Random};
use ployglot_games::{Game, GameVisitor, Level, NAMES, NotGenerated, Spec, visit_games};
use ployglot_solve::{
    LevelSearch, LevelSearchEnd, PlanComparison, RatingLimits, Requirements, StateCount,
    compare_plans, find_levels, start_at,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::solve::{answer_json, finish, time_limit};
use super::{
    AboutLevel, DEFAULT_TIME, JsonResult, LevelAndMoves, Question, Replay, SharedStudio, answer,
    parse_body, read, run, unprocessable,
};
use crate::drawings::Drawings;
use crate::guard::ApiError;
use ployglot_games::plan;

#[derive(Deserialize)]
struct RatingQuery {
    level: String,
    seconds: Option<f64>,
}

impl AboutLevel for RatingQuery {
    fn level(&self) -> &str {
        &self.level
    }
}

/// Rates the level: its answer, its difficulty with reasons, and counts of best plans and states.
pub async fn rate(State(studio): SharedStudio, body: Bytes) -> Result<Response, ApiError> {
    let query: RatingQuery = read(&studio, body).await?;
    let time = time_limit(query.seconds);
    studio.jobs.stream(time, move |budget, events| {
        finish(events, answer(query.level(), &query, &budget));
    })
}

impl Question for RatingQuery {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Value, ApiError> {
        let limits = RatingLimits {
            states: 50_000,
            plans: 1_000,
        };
        let rating = ployglot_solve::rate(&level.game, limits, budget);
        let rating = rating.map_err(|bad| unprocessable(bad.0))?;
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

/// Whether the designer's plan is still best, and where a shorter one differs from it.
pub async fn intended(State(studio): SharedStudio, body: Bytes) -> JsonResult {
    let verdict = run::<Intended>(&studio, body, DEFAULT_TIME).await;
    verdict.map(Json)
}

#[derive(Deserialize)]
struct Intended(LevelAndMoves);

impl AboutLevel for Intended {
    fn level(&self) -> &str {
        self.0.level()
    }
}

impl Question for Intended {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Value, ApiError> {
        let game = &level.game;
        let moves = &self.0.moves;
        // An edit of the level may have made a move illegal; that is an answer, not an error.
        let replay = match Replay::new(game, moves, budget) {
            Ok(replay) => replay,
            Err(ApiError { status, message }) if status == StatusCode::UNPROCESSABLE_ENTITY => {
                return Ok(json!({ "verdict": "rejected", "message": message }));
            }
            Err(error) => return Err(error),
        };
        let found = compare_plans(game, &replay.moves, budget);
        Ok(match found.map_err(|bad| unprocessable(bad.0))? {
            PlanComparison::Rejected(message) => {
                json!({ "verdict": "rejected", "message": message })
            }
            PlanComparison::Defect(why) => {
                return Err(unprocessable(format!("a defect of the program: {why}")));
            }
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
                let mut drawings = Drawings::default();
                let view = drawings.view(&game.view(&state));
                json!({
                    "verdict": "shortcut", "cost": cost, "best": best, "common": common,
                    "better": plan::print(&start_at(game, &state), &better),
                    "intended": &moves[common.min(moves.len())..], "view": view, "drawings": drawings.into_list(),
                })
            }
        })
    }
}

#[derive(Deserialize)]
struct GenerateQuery {
    game: String,
    rows: usize,
    cols: usize,
    #[serde(default)]
    knobs: Vec<(String, u32)>,
    seed: u64,
    par: Option<(u32, u32)>,
    /// The level to change, for games whose generator does that.
    from: Option<String>,
}

/// The largest number of rows, and of columns, of a generated level.
const MAX_SIDE: usize = 60;

/// A random level, with a par in the required range if the request has one.
pub async fn generate(State(studio): SharedStudio, body: Bytes) -> Result<Response, ApiError> {
    struct GenerateFor<'a> {
        query: &'a GenerateQuery,
        budget: &'a Budget,
        level: Option<Result<Value, ApiError>>,
    }
    impl GameVisitor for GenerateFor<'_> {
        fn visit<G: Game>(&mut self) {
            if G::NAME == self.query.game {
                self.level = Some(generate_level::<G>(self.query, self.budget));
            }
        }
    }
    let query: GenerateQuery = parse_body(&body)?;
    studio.jobs.stream(DEFAULT_TIME, move |budget, events| {
        let mut visitor = GenerateFor {
            query: &query,
            budget: &budget,
            level: None,
        };
        visit_games(&mut visitor);
        let unknown_game = || {
            Err(unprocessable(unknown(
                "game",
                &query.game,
                NAMES.iter().copied(),
            )))
        };
        finish(events, visitor.level.unwrap_or_else(unknown_game));
    })
}

fn generate_level<G: Game>(query: &GenerateQuery, budget: &Budget) -> Result<Value, ApiError> {
    if query.rows.max(query.cols) > MAX_SIDE {
        let message = format!("the page makes levels of at most {MAX_SIDE} rows and columns");
        return Err(unprocessable(message));
    }
    let mut spec = Spec::size(query.rows, query.cols);
    for (name, value) in &query.knobs {
        let Some(knob) = G::KNOBS.iter().find(|knob| knob.name == name) else {
            let known = G::KNOBS.iter().map(|knob| knob.name);
            return Err(unprocessable(unknown("knob", name, known)));
        };
        // The page sends the values of all knobs, also those that are at their default.
        if knob.default != *value {
            spec = spec.with(name, *value);
        }
    }
    if let Some(text) = query.from.as_ref().filter(|_| G::FROM) {
        spec.from = Some(("LEVEL".to_string(), text.clone()));
    }
    let Some((low, high)) = query.par else {
        let made = G::generate_within(&spec, &mut Random::new(query.seed), budget);
        let level = made.map_err(|not| match not {
            NotGenerated::Impossible(why) => unprocessable(why),
            NotGenerated::Limit(limit) => {
                unprocessable(format!("no level was made before the limit: {limit}"))
            }
        })?;
        return Ok(json!({ "level": Level::bare(level).print(), "seed": query.seed }));
    };
    let requirements = Requirements {
        par: Some(low..=high),
        ..Requirements::default()
    };
    let search = LevelSearch {
        seed: query.seed,
        count: 1,
        tries: 100_000,
        uniform: false,
    };
    let mut found = None;
    let level_budget = || budget.part(Duration::from_secs(2));
    let end = find_levels::<G>(&spec, &requirements, search, budget, level_budget, |made| {
        let source = made.recipe.command::<G>(&made.spec);
        let level = Level::bare(made.level).print();
        found = Some(json!({ "level": level, "seed": made.recipe.seed, "source": source }));
        false
    });
    found.ok_or_else(|| match end {
        LevelSearchEnd::Impossible(why) => unprocessable(why),
        LevelSearchEnd::Limit(limit) => {
            unprocessable(format!("no such level was found before the limit: {limit}"))
        }
        LevelSearchEnd::Defect { route, why, .. } => {
            unprocessable(format!("a defect of the route {route}: {why}"))
        }
        LevelSearchEnd::TriesUsedUp { .. } | LevelSearchEnd::Complete => {
            unprocessable("no such level was found")
        }
    })
}
