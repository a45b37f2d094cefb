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
use ployglot_base::Budget;
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

/// A query about one level of any game.
trait Query {
    type Out;
    fn answer<G: Game>(&self, level: &Level<G>) -> Result<Self::Out, ApiError>;
}

/// Reads the level and answers the query.
fn answer_query<Q: Query>(text: &str, query: &Q) -> Result<Q::Out, ApiError> {
    struct Visit<'a, Q>(&'a Q);
    impl<Q: Query> LevelVisitor for Visit<'_, Q> {
        type Out = Result<Q::Out, ApiError>;
        fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
            let cells = level.game.view(&level.game.start()).cells;
            if cells.rows() * cells.cols() > MAX_CELLS {
                return Err(unprocessable(format!(
                    "the page shows boards of at most {MAX_CELLS} cells"
                )));
            }
            self.0.answer(level)
        }
    }
    parse_level(text)?.visit(Visit(query))
}

/// A query that needs a solver.
trait SolverQuery: Send + 'static {
    type Out: Send + 'static;
    /// The level's text.
    fn text(&self) -> &str;
    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Self::Out, ApiError>;
}

/// Answers the query on a thread of its own, within the limits of a job. The level is parsed before
/// a job is started, so that a bad level needs no job.
async fn run_query<Q: SolverQuery>(studio: &Studio, query: Q) -> Result<Q::Out, ApiError> {
    struct WithBudget<'a, Q>(&'a Q, Budget);
    impl<Q: SolverQuery> Query for WithBudget<'_, Q> {
        type Out = Q::Out;
        fn answer<G: Game>(&self, level: &Level<G>) -> Result<Q::Out, ApiError> {
            self.0.answer(level, &self.1)
        }
    }
    parse_level(query.text())?;
    let job = move |budget: Budget| answer_query(query.text(), &WithBudget(&query, budget));
    studio.jobs.run(DEFAULT_TIME, job).await?
}

/// The moves of a request, and the states from the start to the end.
struct Replay<G: Game> {
    moves: Vec<G::Move>,
    states: Vec<G::State>,
}

impl<G: Game> Replay<G> {
    /// Replays the moves by the slow rules.
    fn new(game: &G, texts: &[String]) -> Result<Self, ApiError> {
        if texts.len() > MAX_MOVES {
            return Err(unprocessable(format!(
                "a request may carry at most {MAX_MOVES} moves"
            )));
        }
        let mut replay = Self {
            moves: Vec::new(),
            states: vec![game.start()],
        };
        for (index, text) in texts.iter().enumerate() {
            let state = replay.end();
            let bad_move =
                |why: String| unprocessable(format!("move {}, '{text}': {why}", index + 1));
            let mv = game
                .parse_move(state, text)
                .map_err(|bad| bad_move(bad.message))?;
            let next = game
                .play(state, mv)
                .map_err(|refusal| bad_move(refusal.0))?;
            replay.push(mv, next);
        }
        Ok(replay)
    }

    fn push(&mut self, mv: G::Move, next: G::State) {
        self.moves.push(mv);
        self.states.push(next);
    }

    fn end(&self) -> &G::State {
        self.states.last().expect("the start is there")
    }
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
