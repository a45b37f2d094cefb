//! A level in other forms: its cells for the editor, its models for other tools, its pictures.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use ployglot_base::Budget;
use ployglot_games::{Game, Level};
use serde::Deserialize;
use serde_json::{Value, json};

use super::gallery::{cells, looks};
use super::{
    JsonResult, LevelAndMoves, Query, Replay, SharedStudio, SolverQuery, answer_query, measure,
    par, parse_body, run_query, unprocessable,
};
use crate::guard::ApiError;
use ployglot_pictures::{gif, svg};

/// A level in any format as canonical text, and its options and cells for the editor. With moves,
/// the text is that of the level that starts after them.
pub async fn level(body: Bytes) -> JsonResult {
    let query: LevelAndMoves = parse_body(&body)?;
    answer_query(&query.level, &query).map(Json)
}

impl Query for LevelAndMoves {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, ApiError> {
        let replay = Replay::new(&level.game, &self.moves)?;
        let text = match self.moves.is_empty() {
            true => level.print(),
            false => level.print_at(replay.end()),
        };
        let written = level.game.write(&level.game.start());
        let warnings = level.game.warnings().iter().map(|bad| bad.message.clone());
        Ok(json!({
            "game": G::NAME, "title": level.title(), "author": level.common("author"), "par": par(level),
            "measure": measure::<G>(), "text": text,
            "options": written.options, "cells": cells(&level.game), "looks": looks(&level.game),
            "warnings": warnings.collect::<Vec<_>>(),
        }))
    }
}

/// The routes that can solve this level.
pub async fn routes(body: Bytes) -> JsonResult {
    struct Routes;
    impl Query for Routes {
        type Out = Value;
        fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, ApiError> {
            let best = level.game.best_route(measure::<G>());
            let routes = ployglot_solve::routes::<G>().into_iter();
            let routes = routes
                .filter(|route| route.measures.contains(&measure::<G>()))
                .map(|route| json!({ "name": route.name, "about": route.about, "best": route.name == best }));
            Ok(
                json!({ "title": level.title(), "game": G::NAME, "routes": routes.collect::<Vec<_>>() }),
            )
        }
    }
    let query: LevelAndMoves = parse_body(&body)?;
    answer_query(&query.level, &Routes).map(Json)
}

/// The level in the languages of its models.
pub async fn models(body: Bytes) -> JsonResult {
    struct Models;
    impl Query for Models {
        type Out = Value;
        fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, ApiError> {
            let models = ployglot_io::model_files::all(level).into_iter();
            let models = models.map(|(name, files)| match files {
                Err(why) => json!({ "name": name, "error": why }),
                Ok(files) => {
                    let files = files.into_iter();
                    let files = files.map(|(file, text)| json!({ "name": file, "text": text }));
                    json!({ "name": name, "files": files.collect::<Vec<_>>() })
                }
            });
            Ok(
                json!({ "title": level.title(), "game": G::NAME, "models": models.collect::<Vec<_>>() }),
            )
        }
    }
    let query: LevelAndMoves = parse_body(&body)?;
    answer_query(&query.level, &Models).map(Json)
}

#[derive(Deserialize)]
struct PictureQuery {
    #[serde(flatten)]
    played: LevelAndMoves,
    kind: String,
}

/// A GIF of the moves, or an SVG of the board after them.
pub async fn picture(State(studio): SharedStudio, body: Bytes) -> Result<Response, ApiError> {
    let query: PictureQuery = parse_body(&body)?;
    let kind = match query.kind.as_str() {
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        other => {
            let message = format!("a picture is 'gif' or 'svg', not '{other}'");
            return Err(ApiError::new(StatusCode::BAD_REQUEST, message));
        }
    };
    let bytes = run_query(&studio, query).await?;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

impl SolverQuery for PictureQuery {
    type Out = Vec<u8>;

    fn text(&self) -> &str {
        &self.played.level
    }

    fn answer<G: Game>(&self, level: &Level<G>, _: &Budget) -> Result<Vec<u8>, ApiError> {
        let game = &level.game;
        let replay = Replay::new(game, &self.played.moves)?;
        let picture = if self.kind == "svg" {
            let title = level.title().unwrap_or(G::NAME);
            let picture = svg::board(&game.view(replay.end()), title, svg::SCALE);
            picture.map(String::into_bytes)
        } else {
            gif::of_plan(game, &replay.moves)
        };
        picture.map_err(|large| unprocessable(large.0))
    }
}
