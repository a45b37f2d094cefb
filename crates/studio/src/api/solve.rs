//! Hints, and plans by a route, with the solver's progress.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use ployglot_base::Budget;
use ployglot_games::{Game, Level};
use ployglot_solve::{Answer, Hint, Request, solve_anytime, start_at};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    AboutLevel, DEFAULT_TIME, JsonResult, LevelAndMoves, Question, Replay, SharedStudio, answer,
    read, run, unprocessable,
};
use crate::guard::ApiError;
use crate::jobs::Events;
use ployglot_io::row::Row;

#[derive(Deserialize)]
struct HintQuery {
    #[serde(flatten)]
    played: LevelAndMoves,
    /// 1: is the goal still reachable? 2: and which cell is next? 3: and which move?
    grade: u8,
}

/// A hint for the state after the moves.
pub async fn hint(State(studio): SharedStudio, body: Bytes) -> JsonResult {
    let hint = run::<HintQuery>(&studio, body, DEFAULT_TIME).await;
    hint.map(Json)
}

impl AboutLevel for HintQuery {
    fn level(&self) -> &str {
        &self.played.level
    }
}

impl Question for HintQuery {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Value, ApiError> {
        let game = &level.game;
        let replay = Replay::new(game, &self.played.moves, budget)?;
        let found = ployglot_solve::hint(game, &replay.end, budget);
        let (left, proven, grip, mv) = match found.map_err(|bad| unprocessable(bad.0))? {
            Hint::Done => return Ok(json!({ "hint": "done" })),
            Hint::Lost => return Ok(json!({ "hint": "lost" })),
            Hint::Unknown(limit) => {
                return Ok(json!({ "hint": "unknown", "limit": limit.to_string() }));
            }
            Hint::Defect(why) => return Err(unprocessable(why)),
            Hint::Solvable {
                left,
                proven,
                grip,
                mv,
            } => (left, proven, grip, mv),
        };
        let mut answer = json!({ "hint": "solvable", "left": left, "proven": proven });
        if self.grade >= 2 {
            answer["row"] = grip.row.into();
            answer["col"] = grip.col.into();
            let cells = game.view(&replay.end).cells;
            answer["place"] = grip.place(cells.rows(), cells.cols()).into();
        }
        if self.grade >= 3 {
            answer["move"] = game.print_move(&replay.end, mv).into();
        }
        Ok(answer)
    }
}

/// A solver's answer as JSON, like the rows of `ploy solve --json`.
pub fn answer_json<G: Game>(level: &Level<G>, answer: &Answer<G>) -> Value {
    let row = Row::of("page", level, answer, false);
    serde_json::from_str(&row.json()).unwrap_or_default()
}

/// The time limit of a request, in seconds; the default if it names none or an impossible one.
pub fn time_limit(seconds: Option<f64>) -> Duration {
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.unwrap_or(DEFAULT_TIME)
}

/// Sends the last event of a job: `answer` or `failure`.
pub fn finish(events: &Events, result: Result<Value, ApiError>) {
    match result {
        Ok(answer) => events.send("answer", &answer),
        Err(ApiError { message, .. }) => events.send("failure", &json!({ "message": message })),
    }
}

#[derive(Deserialize)]
struct SolveQuery {
    #[serde(flatten)]
    played: LevelAndMoves,
    route: Option<String>,
    seconds: Option<f64>,
}

/// Solves from the state after the moves, and streams the events `progress`, `plan` (a better plan
/// was found) and at last `answer` or `failure`.
pub async fn solve(State(studio): SharedStudio, body: Bytes) -> Result<Response, ApiError> {
    let query: SolveQuery = read(&studio, body).await?;
    let time = time_limit(query.seconds);
    studio.jobs.stream(time, move |budget, events| {
        let solve = Solve {
            query: &query,
            events,
        };
        finish(events, answer(query.level(), &solve, &budget));
    })
}

impl AboutLevel for SolveQuery {
    fn level(&self) -> &str {
        &self.played.level
    }
}

struct Solve<'a> {
    query: &'a SolveQuery,
    events: &'a Events,
}

impl Question for Solve<'_> {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Value, ApiError> {
        let replay = Replay::new(&level.game, &self.query.played.moves, budget)?;
        let level = Level::bare(start_at(&level.game, &replay.end));
        let request = Request {
            route: self.query.route.clone(),
            ..Request::default()
        };
        let answer = match &self.query.route {
            Some(_) => ployglot_solve::solve(&level.game, &request, budget),
            None => solve_anytime(&level.game, &request, budget, |answer| {
                self.events.send("plan", &answer_json(&level, answer));
            }),
        };
        let answer = answer.map_err(|refused| unprocessable(refused.to_string()))?;
        Ok(answer_json(&level, &answer))
    }
}
