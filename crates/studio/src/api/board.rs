//! Play: the board after the moves, and the effect of one more move.

use axum::Json;
use axum::body::Bytes;
use ployglot_games::{Controls, Game, Level, Ruling, Side, gestures, judge, legal_moves};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    JsonResult, LevelAndMoves, Query, Replay, answer_query, bad_text, measure, par, parse_body,
    unprocessable,
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
pub async fn board(body: Bytes) -> JsonResult {
    let query: BoardQuery = parse_body(&body)?;
    answer_query(&query.played.level, &query).map(Json)
}

impl Query for BoardQuery {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, ApiError> {
        let game = &level.game;
        let mut drawings = Drawings::default();
        let mut replay = Replay::new(game, &self.played.moves)?;
        let state = replay.end().clone();
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
        replay.push(mv, next);
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
    let state = replay.end();
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
pub async fn plan(body: Bytes) -> JsonResult {
    let query: PlanQuery = parse_body(&body)?;
    answer_query(&query.level, &query).map(Json)
}

impl Query for PlanQuery {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, ApiError> {
        let game = &level.game;
        let moves = plan::parse(game, &self.plan).map_err(|bad| bad_text(&self.plan, &bad))?;
        let texts = plan::print(game, &moves);
        let ruling = judge(game, measure::<G>(), &moves);
        if let Ruling::Illegal { at, refusal, .. } = ruling {
            let text = &texts[at - 1];
            return Err(unprocessable(format!("move {at}, '{text}': {}", refusal.0)));
        }
        let replay = Replay::new(game, &texts)?;
        let pieces = game.view(&game.start()).pieces.len();
        if replay.states.len() * pieces > MAX_PIECES {
            return Err(unprocessable(
                "the plan is too long to be watched on this board",
            ));
        }
        let mut drawings = Drawings::default();
        let views: Vec<Value> = replay
            .states
            .iter()
            .map(|state| drawings.view(&game.view(state)))
            .collect();
        let cost = match moves.is_empty() {
            true => 0,
            false => game.plan_cost(measure::<G>(), &moves, replay.end()),
        };
        Ok(json!({
            "title": level.title(), "game": G::NAME, "measure": measure::<G>(), "par": par(level),
            "moves": texts, "cost": cost, "shortfall": game.shortfall(replay.end()),
            "views": views, "drawings": drawings.into_list(),
        }))
    }
}
