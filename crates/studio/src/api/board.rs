//! Play: the position after the moves, and what one more move does.

use std::collections::BTreeMap;

use axum::Json;
use axum::body::Bytes;
use ployglot_games::{Game, Level, Ruling, Side, judge, legal_moves};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answered, Position, Question, Replayed, about, measure, par, read, unfit, unreadable};
use crate::guard::Refused;
use crate::scene::{Album, MOST_PIECES};
use ployglot_games::plan;

#[derive(Deserialize)]
struct Ask {
    #[serde(flatten)]
    position: Position,
    /// A move to try from there, as text.
    #[serde(rename = "try")]
    attempt: Option<String>,
    /// A move to try, by where it is taken hold of: also one that is not legal, to learn why.
    grip: Option<Grip>,
}

#[derive(Deserialize)]
struct Grip {
    row: i32,
    col: i32,
    toward: Option<String>,
}

/// The position after the moves; and after one more, with its film, or why it is refused.
pub async fn board(body: Bytes) -> Answered {
    let ask: Ask = read(&body)?;
    about(&ask.position.level, &ask).map(Json)
}

impl Question for Ask {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, Refused> {
        let game = &level.game;
        let mut album = Album::default();
        let mut replayed = Replayed::of(game, &self.position.moves)?;
        let state = replayed.end().clone();
        let mv = match (&self.attempt, &self.grip) {
            (Some(text), _) => game
                .parse_move(&state, text)
                .map_err(|bad| unfit(bad.message))?,
            (None, Some(grip)) => match held(game, &state, grip) {
                Some(mv) => mv,
                None => return Ok(json!({ "refused": "there is nothing to do there" })),
            },
            (None, None) => return Ok(describe(level, &replayed, album)),
        };
        let next = match game.play(&state, mv) {
            Ok(next) => next,
            Err(refusal) => return Ok(json!({ "refused": refusal.0 })),
        };
        let film = album.film(&game.view(&state), &game.film(&state, mv));
        replayed.push(mv, next);
        let mut told = describe(level, &replayed, album);
        told["film"] = film.into();
        told["move"] = game.print_move(&state, mv).into();
        Ok(told)
    }
}

/// The move with this grip, legal or not.
fn held<G: Game>(game: &G, state: &G::State, asked: &Grip) -> Option<G::Move> {
    game.writable_moves(state).into_iter().find(|&mv| {
        let grip = game.gesture(state, mv);
        let toward = grip.toward.map(Side::name);
        let same_way = asked.toward.is_none() || toward == asked.toward.as_deref();
        (grip.row, grip.col) == (asked.row, asked.col) && same_way
    })
}

/// How a keyboard plays this: one thing moves (`walk`), each place does one thing (`act`), or a piece is taken hold of first
/// (`hold`). All moves that can be written count, so that it does not change with what is legal.
fn way<G: Game>(game: &G, state: &G::State) -> &'static str {
    let mut places = BTreeMap::<(i32, i32), usize>::new();
    for mv in game.writable_moves(state) {
        let grip = game.gesture(state, mv);
        *places.entry((grip.row, grip.col)).or_default() += 1;
    }
    match places.values().max() {
        Some(2..) if places.len() == 1 => "walk",
        Some(2..) => "hold",
        _ => "act",
    }
}

/// What the page shows of a position.
fn describe<G: Game>(level: &Level<G>, replayed: &Replayed<G>, mut album: Album) -> Value {
    let game = &level.game;
    let state = replayed.end();
    let shortfall = game.shortfall(state);
    let legal = match shortfall {
        Some(_) => legal_moves(game, state),
        None => Vec::new(),
    };
    let legal = legal.into_iter().map(|mv| {
        let grip = game.gesture(state, mv);
        json!({
            "text": game.print_move(state, mv), "row": grip.row, "col": grip.col,
            "toward": grip.toward.map(Side::name),
        })
    });
    let cost = match replayed.moves.is_empty() {
        true => 0,
        false => game.plan_cost(measure::<G>(), &replayed.moves, state),
    };
    json!({
        "game": G::NAME, "title": level.title(), "measure": measure::<G>(), "variant": game.variant(),
        "par": par(level), "difficulty": level.common("difficulty"), "cost": cost,
        "over": shortfall.is_none(), "shortfall": shortfall, "legal": legal.collect::<Vec<_>>(), "way": way(game, state),
        "view": album.view(&game.view(state)), "drawings": album.drawings(),
    })
}

#[derive(Deserialize)]
struct Watch {
    level: String,
    plan: String,
}

/// Every position of a plan; one that is pasted may hold several moves a line, and comments.
pub async fn plan(body: Bytes) -> Answered {
    let ask: Watch = read(&body)?;
    about(&ask.level, &ask).map(Json)
}

impl Question for Watch {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, Refused> {
        let game = &level.game;
        let moves = plan::parse(game, &self.plan).map_err(|bad| unreadable(&self.plan, &bad))?;
        let texts = plan::print(game, &moves);
        let ruling = judge(game, measure::<G>(), &moves);
        if let Ruling::Illegal { at, refusal, .. } = ruling {
            let text = &texts[at - 1];
            return Err(unfit(format!("move {at}, '{text}': {}", refusal.0)));
        }
        let replayed = Replayed::of(game, &texts)?;
        let pieces = game.view(&game.start()).pieces.len();
        if replayed.states.len() * pieces > MOST_PIECES {
            return Err(unfit("the plan is too long to be watched on this board"));
        }
        let mut album = Album::default();
        let views: Vec<Value> = replayed
            .states
            .iter()
            .map(|state| album.view(&game.view(state)))
            .collect();
        let cost = match moves.is_empty() {
            true => 0,
            false => game.plan_cost(measure::<G>(), &moves, replayed.end()),
        };
        Ok(json!({
            "title": level.title(), "game": G::NAME, "measure": measure::<G>(), "par": par(level),
            "moves": texts, "cost": cost, "shortfall": game.shortfall(replayed.end()),
            "views": views, "drawings": album.drawings(),
        }))
    }
}
