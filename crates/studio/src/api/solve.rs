//! Solvers at work for the page: hints, and plans with live news.

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
    Answered, Labour, Position, Question, Replayed, SOLVE, Shared, about, parse, read, toil, unfit,
};
use crate::guard::Refused;
use crate::work::News;
use ployglot_io::row::Row;

#[derive(Deserialize)]
struct AskHint {
    #[serde(flatten)]
    position: Position,
    /// 1: can it still be done? 2: where to look? 3: which move?
    grade: u8,
}

pub async fn hint(State(studio): Shared, body: Bytes) -> Answered {
    let ask: AskHint = read(&body)?;
    toil(&studio, ask).await.map(Json)
}

impl Labour for AskHint {
    type Out = Value;

    fn text(&self) -> &str {
        &self.position.level
    }

    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Value, Refused> {
        let game = &level.game;
        let replayed = Replayed::of(game, &self.position.moves)?;
        let found = ployglot_solve::hint(game, replayed.end(), budget);
        let (left, proven, grip, mv) = match found.map_err(|bad| unfit(bad.0))? {
            Hint::Done => return Ok(json!({ "hint": "done" })),
            Hint::Lost => return Ok(json!({ "hint": "lost" })),
            Hint::Unknown(limit) => {
                return Ok(json!({ "hint": "unknown", "limit": limit.to_string() }));
            }
            Hint::Defect(why) => return Err(unfit(why)),
            Hint::Solvable {
                left,
                proven,
                grip,
                mv,
            } => (left, proven, grip, mv),
        };
        let mut told = json!({ "hint": "solvable", "left": left, "proven": proven });
        if self.grade >= 2 {
            told["row"] = grip.row.into();
            told["col"] = grip.col.into();
        }
        if self.grade >= 3 {
            told["move"] = game.print_move(replayed.end(), mv).into();
        }
        Ok(told)
    }
}

/// What a run tells at its end.
pub fn answer_json<G: Game>(level: &Level<G>, answer: &Answer<G>) -> Value {
    let row = Row::of("page", level, answer, false);
    serde_json::from_str(&row.json()).unwrap_or_default()
}

pub fn seconds(asked: Option<f64>) -> Duration {
    let asked = asked.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    asked.unwrap_or(SOLVE)
}

pub fn finish(news: &News, told: Result<Value, Refused>) {
    match told {
        Ok(value) => news.tell("answer", &value),
        Err(Refused(_, why)) => news.tell("failure", &json!({ "message": why })),
    }
}

#[derive(Deserialize)]
struct Ask {
    #[serde(flatten)]
    position: Position,
    route: Option<String>,
    seconds: Option<f64>,
}

/// Solves from the position by a route, and streams `progress`, `plan` and at last `answer`.
pub async fn solve(State(studio): Shared, body: Bytes) -> Result<Response, Refused> {
    let ask: Ask = read(&body)?;
    parse(&ask.position.level)?;
    let time = seconds(ask.seconds);
    studio.works.stream(time, move |budget, news| {
        let run = Run {
            ask: &ask,
            budget: &budget,
            news,
        };
        finish(news, about(&ask.position.level, &run));
    })
}

struct Run<'a> {
    ask: &'a Ask,
    budget: &'a Budget,
    news: &'a News,
}

impl Question for Run<'_> {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, Refused> {
        let replayed = Replayed::of(&level.game, &self.ask.position.moves)?;
        let from_here = Level::bare(start_at(&level.game, replayed.end()));
        let request = Request {
            route: self.ask.route.clone(),
            ..Request::default()
        };
        let answer = match &self.ask.route {
            Some(_) => ployglot_solve::solve(&from_here.game, &request, self.budget),
            None => solve_anytime(&from_here.game, &request, self.budget, |answer| {
                self.news.tell("plan", &answer_json(&from_here, answer));
            }),
        };
        let answer = answer.map_err(|bad| unfit(bad.0))?;
        Ok(answer_json(&from_here, &answer))
    }
}
