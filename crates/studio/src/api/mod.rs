//! What can be asked. Every request carries the level text and the moves so far; the slow rules replay them.
//!
//! Here is what all questions share: how a request is read, how what is wrong with it is told, and the replay. `gallery.rs`
//! tells what there is, `board.rs` plays, `texts.rs` writes levels, plans, models and pictures, `solve.rs` asks solvers, and
//! `design.rs` is for those who make levels.

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
use super::guard::Refused;

type Answered = Result<Json<Value>, Refused>;
type Shared = State<Arc<Studio>>;

/// The level and the moves: the whole state of the page.
#[derive(Clone, Deserialize)]
pub struct Position {
    level: String,
    #[serde(default)]
    moves: Vec<String>,
}

/// No list of moves from a page is longer.
const MOST_MOVES: usize = 20_000;
/// No board on the page is larger.
const MOST_CELLS: usize = 10_000;
/// Ways to solve are tried this long unless the page says otherwise.
const SOLVE: Duration = Duration::from_secs(20);

/// Reads a body; junk gets a sentence.
fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|bad| {
        let why = format!("the request makes no sense: {bad}");
        Refused(StatusCode::BAD_REQUEST, why)
    })
}

/// A text that cannot be read, as the page shows it: with its place.
fn unreadable(text: &str, bad: &BadText) -> Refused {
    let line = text.lines().nth(bad.line.saturating_sub(1)).unwrap_or("");
    let shown: String = line.chars().take(200).collect();
    unfit(format!(
        "line {}, column {}: {} in '{shown}'",
        bad.line, bad.column, bad.message
    ))
}

fn unfit(why: impl Into<String>) -> Refused {
    Refused(StatusCode::UNPROCESSABLE_ENTITY, why.into())
}

fn parse(text: &str) -> Result<AnyLevel, Refused> {
    AnyLevel::read(text).map_err(|bad| unreadable(text, &bad))
}

/// A question about one level, whatever its game.
trait Question {
    type Out;
    fn answer<G: Game>(&self, level: &Level<G>) -> Result<Self::Out, Refused>;
}

/// Reads the level and answers the question.
fn about<Q: Question>(text: &str, question: &Q) -> Result<Q::Out, Refused> {
    struct Visit<'a, Q>(&'a Q);
    impl<Q: Question> LevelVisitor for Visit<'_, Q> {
        type Out = Result<Q::Out, Refused>;
        fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
            let cells = level.game.view(&level.game.start()).cells;
            if cells.rows() * cells.cols() > MOST_CELLS {
                return Err(unfit(format!(
                    "the page shows boards of at most {MOST_CELLS} cells"
                )));
            }
            self.0.answer(level)
        }
    }
    parse(text)?.visit(Visit(question))
}

/// A question whose answer takes work.
trait Labour: Send + 'static {
    type Out: Send + 'static;
    fn text(&self) -> &str;
    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Self::Out, Refused>;
}

/// Answers on a thread of its own, within bounds; a level that cannot be read needs none.
async fn toil<L: Labour>(studio: &Studio, labour: L) -> Result<L::Out, Refused> {
    struct With<'a, L>(&'a L, Budget);
    impl<L: Labour> Question for With<'_, L> {
        type Out = L::Out;
        fn answer<G: Game>(&self, level: &Level<G>) -> Result<L::Out, Refused> {
            self.0.answer(level, &self.1)
        }
    }
    parse(labour.text())?;
    let work = move |budget: Budget| about(labour.text(), &With(&labour, budget));
    studio.works.ask(SOLVE, work).await?
}

/// Moves from the page, and the state after each.
struct Replayed<G: Game> {
    moves: Vec<G::Move>,
    states: Vec<G::State>,
}

impl<G: Game> Replayed<G> {
    fn of(game: &G, texts: &[String]) -> Result<Self, Refused> {
        if texts.len() > MOST_MOVES {
            return Err(unfit(format!("a page sends at most {MOST_MOVES} moves")));
        }
        let mut replayed = Self {
            moves: Vec::new(),
            states: vec![game.start()],
        };
        for (index, text) in texts.iter().enumerate() {
            let state = replayed.end();
            let wrong = |why: String| unfit(format!("move {}, '{text}': {why}", index + 1));
            let mv = game
                .parse_move(state, text)
                .map_err(|bad| wrong(bad.message))?;
            let next = game.play(state, mv).map_err(|refusal| wrong(refusal.0))?;
            replayed.push(mv, next);
        }
        Ok(replayed)
    }

    fn push(&mut self, mv: G::Move, next: G::State) {
        self.moves.push(mv);
        self.states.push(next);
    }

    fn end(&self) -> &G::State {
        self.states.last().expect("the start is there")
    }
}

/// The measure that the page counts by.
fn measure<G: Game>() -> &'static str {
    G::MEASURES[0].name
}

fn par<G: Game>(level: &Level<G>) -> Value {
    match level.par(measure::<G>()) {
        Some(Par::Cost(cost)) => json!(cost),
        Some(Par::Unsolvable) => json!("unsolvable"),
        None => Value::Null,
    }
}
