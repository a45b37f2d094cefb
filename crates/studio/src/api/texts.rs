//! A level in other forms: its cells for the editor, its models for other tools, its pictures.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use ployglot_base::Budget;
use ployglot_games::{Game, Level};
use serde::Deserialize;
use serde_json::{Value, json};

use super::gallery::{cells, looks, own_tiles};
use super::{
    AboutLevel, JsonResult, LevelAndMoves, Question, Replay, SharedStudio, limited, measure, par,
    query, run, unprocessable,
};
use crate::guard::ApiError;
use ployglot_pictures::{NoFilm, gif, svg};

/// The time limit of a picture: a film of hundreds of moves on a large board takes a while.
const PICTURE_TIME: Duration = Duration::from_secs(180);

/// A level in any format as canonical text, and its options and cells for the editor. With moves,
/// the text is that of the level that starts after them.
pub async fn level(State(studio): SharedStudio, body: Bytes) -> JsonResult {
    query::<LevelAndMoves>(&studio, body).await.map(Json)
}

impl Question for LevelAndMoves {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Value, ApiError> {
        let replay = Replay::new(&level.game, &self.moves, budget)?;
        let text = match self.moves.is_empty() {
            true => level.print(),
            false => level.print_at(&replay.end),
        };
        let written = level.game.write(&level.game.start());
        let warnings = level.game.warnings().iter().map(|bad| bad.message.clone());
        Ok(json!({
            "game": G::NAME, "title": level.title(), "author": level.common("author"), "par": par(level),
            "measure": measure::<G>(), "text": text,
            "options": written.options, "cells": cells(&level.game), "looks": looks(&level.game),
            "tiles": own_tiles(level), "empty_cell": level.game.empty_cell(),
            "warnings": warnings.collect::<Vec<_>>(),
        }))
    }
}

/// The routes that can solve this level.
pub async fn routes(State(studio): SharedStudio, body: Bytes) -> JsonResult {
    #[derive(Deserialize)]
    struct Routes {
        level: String,
    }
    impl AboutLevel for Routes {
        fn level(&self) -> &str {
            &self.level
        }
    }
    impl Question for Routes {
        type Out = Value;
        fn answer<G: Game>(&self, level: &Level<G>, _: &Budget) -> Result<Value, ApiError> {
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
    query::<Routes>(&studio, body).await.map(Json)
}

/// The level in the languages of its models.
pub async fn models(State(studio): SharedStudio, body: Bytes) -> JsonResult {
    #[derive(Deserialize)]
    struct Models {
        level: String,
    }
    impl AboutLevel for Models {
        fn level(&self) -> &str {
            &self.level
        }
    }
    impl Question for Models {
        type Out = Value;
        fn answer<G: Game>(&self, level: &Level<G>, _: &Budget) -> Result<Value, ApiError> {
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
    query::<Models>(&studio, body).await.map(Json)
}

#[derive(Deserialize)]
struct PictureQuery {
    #[serde(flatten)]
    played: LevelAndMoves,
    kind: String,
}

/// A GIF of the moves, or an SVG of the board after them.
pub async fn picture(State(studio): SharedStudio, body: Bytes) -> Result<Response, ApiError> {
    let (kind, bytes) = run::<PictureQuery>(&studio, body, PICTURE_TIME).await?;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

impl AboutLevel for PictureQuery {
    fn level(&self) -> &str {
        &self.played.level
    }
}

impl Question for PictureQuery {
    /// The media type and the picture.
    type Out = (&'static str, Vec<u8>);

    fn answer<G: Game>(&self, level: &Level<G>, budget: &Budget) -> Result<Self::Out, ApiError> {
        let game = &level.game;
        let replay = || Replay::new(game, &self.played.moves, budget);
        match self.kind.as_str() {
            "svg" => {
                let title = level.title().unwrap_or(G::NAME);
                let picture = svg::board(&game.view(&replay()?.end), title, svg::SCALE);
                let picture = picture.map_err(|large| unprocessable(large.0))?;
                Ok(("image/svg+xml", picture.into_bytes()))
            }
            "gif" => match gif::of_plan(game, &replay()?.moves, budget) {
                Ok(picture) => Ok(("image/gif", picture)),
                Err(NoFilm::TooLarge(why)) => Err(unprocessable(why)),
                Err(NoFilm::Limit(limit)) => Err(limited(limit)),
            },
            other => {
                let message = format!("a picture is 'gif' or 'svg', not '{other}'");
                Err(ApiError::new(StatusCode::BAD_REQUEST, message))
            }
        }
    }
}
