//! Play: the board after the moves, and the effect of one more move.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use ployglot_base::Budget;
use ployglot_games::{Controls, Game, Level, Side, gestures, legal_moves};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    AboutLevel, JsonResult, LevelAndMoves, Question, Replay, SharedStudio, bad_text, check_length,
    check_replay, measure, par, query, unprocessable,
};
use crate::drawings::{Drawings, MAX_PIECES};
use crate::guard::ApiError;
use ployglot_games::plan;

#[derive(Deserialize)]
struct BoardQuery {
    #[serde(flatten)]
    played: LevelAndMoves,
    /// A further move to try, as text.
    #[serde(rename = "try")]
    attempt: Option<String>,
    /// A further move to try, by its gesture. An illegal one is answered with the reason.
    grip: Option<GestureQuery>,
}

#[derive(Deserialize)]
struct GestureQuery {
    row: i32,
    col: i32,
    toward: Option<String>,
}

/// The board after the moves; if the request has one more move, the board after that and the film
/// of the move, or why it is refused.
pub async fn board(State(studio): SharedStudio, body: Bytes) -> JsonResult {
    query::<BoardQuery>(&studio, body).await.map(Json)
}

impl AboutLevel for BoardQuery {
    fn level(&self) -> &str {
        &self.played.level
    }
}

impl Question for BoardQuery {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Value, ApiError> {
        let game = &level.game;
        let mut drawings = Drawings::default();
        let mut replay = Replay::new(game, &self.played.moves, budget)?;
        let state = replay.end.clone();
        let mv = match (&self.attempt, &self.grip) {
            (Some(text), _) => game
                .parse_move(&state, text)
                .map_err(|bad| unprocessable(bad.message))?,
            (None, Some(grip)) => match move_with_gesture(game, &state, grip) {
                Some(mv) => mv,
                None => return Ok(json!({ "refused": "there is nothing to do there" })),
            },
            (None, None) => return Ok(describe(level, &replay, drawings)),
        };
        let next = match game.play(&state, mv) {
            Ok(next) => next,
            Err(refusal) => return Ok(json!({ "refused": refusal.0 })),
        };
        let film = drawings.film(&game.view(&state), &game.film(&state, mv));
        replay.moves.push(mv);
        replay.end = next;
        let mut answer = describe(level, &replay, drawings);
        answer["film"] = film.into();
        answer["move"] = game.print_move(&state, mv).into();
        Ok(answer)
    }
}

/// The move with this gesture, legal or not. A gesture without a direction matches any direction.
fn move_with_gesture<G: Game>(game: &G, state: &G::State, query: &GestureQuery) -> Option<G::Move> {
    let mut moves = gestures(game, state).into_iter();
    let found = moves.find(|(gesture, _)| {
        let toward = gesture.toward.map(Side::name);
        gesture.cell() == (query.row, query.col)
            && (query.toward.is_none() || toward == query.toward.as_deref())
    });
    found.map(|(_, mv)| mv)
}

/// The board and the legal moves after a replay, as JSON.
fn describe<G: Game>(level: &Level<G>, replay: &Replay<G>, mut drawings: Drawings) -> Value {
    let game = &level.game;
    let state = &replay.end;
    let shortfall = game.shortfall(state);
    let legal = match shortfall {
        Some(_) => legal_moves(game, state),
        None => Vec::new(),
    };
    let legal = legal.into_iter().map(|mv| {
        let gesture = game.gesture(state, mv);
        json!({
            "text": game.print_move(state, mv), "row": gesture.row, "col": gesture.col,
            "toward": gesture.toward.map(Side::name),
        })
    });
    let cost = match replay.moves.is_empty() {
        true => 0,
        false => game.plan_cost(measure::<G>(), &replay.moves, state),
    };
    json!({
        "game": G::NAME, "title": level.title(), "measure": measure::<G>(), "variant": game.variant(),
        "par": par(level), "difficulty": level.common("difficulty"), "cost": cost,
        "over": shortfall.is_none(), "shortfall": shortfall, "legal": legal.collect::<Vec<_>>(),
        "controls": Controls::of(&gestures(game, state)).name(),
        "view": drawings.view(&game.view(state)), "drawings": drawings.into_list(),
    })
}

#[derive(Deserialize)]
struct PlanQuery {
    level: String,
    plan: String,
}

/// The board after each move of a plan. The plan's text may have several moves on a line, and
/// comments.
pub async fn plan(State(studio): SharedStudio, body: Bytes) -> JsonResult {
    query::<PlanQuery>(&studio, body).await.map(Json)
}

impl AboutLevel for PlanQuery {
    fn level(&self) -> &str {
        &self.level
    }
}

impl Question for PlanQuery {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Value, ApiError> {
        let game = &level.game;
        let mut state = game.start();
        let pieces = game.view(&state).pieces.len();
        let mut drawings = Drawings::default();
        let mut views = vec![drawings.view(&game.view(&state))];
        let (mut moves, mut texts) = (Vec::new(), Vec::new());
        for step in plan::replay(game, &self.plan) {
            check_replay(budget, moves.len())?;
            let (placed, next) = step.map_err(|bad| bad_text(&self.plan, &bad))?;
            let text = game.print_move(&state, placed.mv);
            moves.push(placed.mv);
            let refused = |why: String| format!("move {}, '{text}': {why}", moves.len());
            state = next.map_err(|refusal| unprocessable(refused(refusal.0)))?;
            texts.push(text);
            check_length(moves.len())?;
            if (moves.len() + 1) * pieces > MAX_PIECES {
                let message = "the plan is too long to be watched on this board";
                return Err(unprocessable(message));
            }
            views.push(drawings.view(&game.view(&state)));
        }
        let cost = match moves.is_empty() {
            true => 0,
            false => game.plan_cost(measure::<G>(), &moves, &state),
        };
        Ok(json!({
            "title": level.title(), "game": G::NAME, "measure": measure::<G>(), "par": par(level),
            "moves": texts, "cost": cost, "shortfall": game.shortfall(&state),
            "views": views, "drawings": drawings.into_list(),
        }))
    }
}
