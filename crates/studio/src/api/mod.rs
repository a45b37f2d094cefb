//! The requests of the page. Most carry a level text and the moves so far, which the slow rules
//! replay.
//!
//! This file has what all requests share: parsing, errors, and the replay. `gallery.rs` lists
//! levels and games, `board.rs` plays, `texts.rs` writes levels, models and pictures, `solve.rs`
//! runs solvers, and `design.rs` helps to design levels.

pub mod board;
pub mod design;
pub mod gallery;
pub mod solve;
pub mod texts;

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use ployglot_base::{Budget, Limit, Progress};
use ployglot_games::{AnyLevel, BadText, Game, Level, LevelVisitor, Par};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Studio;
use super::guard::ApiError;

type JsonResult = Result<Json<Value>, ApiError>;
type SharedStudio = State<Arc<Studio>>;

/// A level, and the moves from its start: the whole state of the page.
#[derive(Clone, Deserialize)]
pub struct LevelAndMoves {
    level: String,
    #[serde(default)]
    moves: Vec<String>,
}

impl AboutLevel for LevelAndMoves {
    fn level(&self) -> &str {
        &self.level
    }
}

/// The largest number of moves in a request.
const MAX_MOVES: usize = 20_000;
/// The largest number of cells of a board on the page.
const MAX_CELLS: usize = 10_000;
/// The time limit of a solver if the request names none.
const DEFAULT_TIME: Duration = Duration::from_secs(20);

/// The body of a request, or an error that describes what is wrong with it.
fn parse_body<T: DeserializeOwned>(body: &Bytes) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|bad| {
        let message = format!("the request is not valid: {bad}");
        ApiError::new(StatusCode::BAD_REQUEST, message)
    })
}

/// The error for a text that cannot be read: where, why, and the line.
fn bad_text(text: &str, bad: &BadText) -> ApiError {
    let line = text.lines().nth(bad.line.saturating_sub(1)).unwrap_or("");
    let shown: String = line.chars().take(200).collect();
    unprocessable(format!(
        "line {}, column {}: {} in '{shown}'",
        bad.line, bad.column, bad.message
    ))
}

/// The error for a request that is well formed but cannot be answered.
fn unprocessable(message: impl Into<String>) -> ApiError {
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, message)
}

fn parse_level(text: &str) -> Result<AnyLevel, ApiError> {
    AnyLevel::read(text).map_err(|bad| bad_text(text, &bad))
}

/// The body of a request that has the text of a level.
trait AboutLevel: DeserializeOwned + Send + 'static {
    /// The level's text.
    fn level(&self) -> &str;
}

/// A question about one level of any game.
trait Question {
    type Out;
    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Self::Out, ApiError>;
}

/// Reads the level and answers the question.
fn answer<Q: Question>(text: &str, question: &Q, budget: &Budget) -> Result<Q::Out, ApiError> {
    struct Visit<'a, Q>(&'a Q, &'a Budget);
    impl<Q: Question> LevelVisitor for Visit<'_, Q> {
        type Out = Result<Q::Out, ApiError>;
        fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
            let cells = level.game.view(&level.game.start()).cells;
            if cells.rows() * cells.cols() > MAX_CELLS {
                return Err(unprocessable(format!(
                    "the page shows boards of at most {MAX_CELLS} cells"
                )));
            }
            self.0.answer(level, self.1)
        }
    }
    parse_level(text)?.visit(Visit(question, budget))
}

/// Reads the body of a request and answers its question, as a query.
async fn query<Q>(studio: &Studio, body: Bytes) -> Result<Q::Out, ApiError>
where
    Q: AboutLevel + Question<Out: Send + 'static>,
{
    let job = move |budget: Budget| {
        let question: Q = parse_body(&body)?;
        answer(question.level(), &question, &budget)
    };
    studio.jobs.query(job).await?
}

/// Reads the body of a request and its level. A request with an error then needs no run.
async fn read<Q: AboutLevel>(studio: &Studio, body: Bytes) -> Result<Q, ApiError> {
    let job = move |_| {
        let question: Q = parse_body(&body)?;
        parse_level(question.level())?;
        Ok(question)
    };
    studio.jobs.query(job).await?
}

/// Reads the body of a request and answers its question, as a run.
async fn run<Q>(studio: &Studio, body: Bytes, time: Duration) -> Result<Q::Out, ApiError>
where
    Q: AboutLevel + Question<Out: Send + 'static>,
{
    let question: Q = read(studio, body).await?;
    let job = move |budget: Budget| answer(question.level(), &question, &budget);
    studio.jobs.run(time, job).await?
}

/// The error for a request whose budget ended.
fn limited(limit: Limit) -> ApiError {
    let message = format!("the request was not finished ({limit})");
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, message)
}

/// The moves of a request, and the state after them.
struct Replay<G: Game> {
    moves: Vec<G::Move>,
    end: G::State,
}

impl<G: Game> Replay<G> {
    /// Replays the moves by the slow rules.
    fn new(game: &G, texts: &[String], budget: &Budget) -> Result<Self, ApiError> {
        check_length(texts.len())?;
        let mut replay = Self {
            moves: Vec::new(),
            end: game.start(),
        };
        for (index, text) in texts.iter().enumerate() {
            check_replay(budget, index)?;
            let bad_move =
                |why: String| unprocessable(format!("move {}, '{text}': {why}", index + 1));
            let mv = game
                .parse_move(&replay.end, text)
                .map_err(|bad| bad_move(bad.message))?;
            replay.end = game
                .play(&replay.end, mv)
                .map_err(|refusal| bad_move(refusal.0))?;
            replay.moves.push(mv);
        }
        Ok(replay)
    }
}

fn check_length(moves: usize) -> Result<(), ApiError> {
    if moves <= MAX_MOVES {
        return Ok(());
    }
    Err(unprocessable(format!(
        "a request may carry at most {MAX_MOVES} moves"
    )))
}

/// Whether the replay may go on after this many moves.
fn check_replay(budget: &Budget, moves: usize) -> Result<(), ApiError> {
    let progress = || Progress {
        phase: "replay",
        depth: moves as u32,
        ..Progress::default()
    };
    budget.check(progress).map_err(limited)
}

/// The measure that the page uses.
fn measure<G: Game>() -> &'static str {
    G::MEASURES[0].name
}

/// The level's par: a cost, `"unsolvable"` or null.
fn par<G: Game>(level: &Level<G>) -> Value {
    match level.par(measure::<G>()) {
        Some(Par::Cost(cost)) => json!(cost),
        Some(Par::Unsolvable) => json!("unsolvable"),
        None => Value::Null,
    }
}
