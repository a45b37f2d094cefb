//! What a level is in other words: its cells for the editor, its models for other tools, its pictures.

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
    Answered, Labour, Position, Question, Replayed, Shared, about, measure, par, read, toil, unfit,
};
use crate::guard::Refused;
use ployglot_pictures::{gif, svg};

/// A level in any format as canonical text; its options and cells apart, as the editor wants them.
pub async fn level(body: Bytes) -> Answered {
    let ask: Position = read(&body)?;
    about(&ask.level, &ask).map(Json)
}

impl Question for Position {
    type Out = Value;

    fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, Refused> {
        let replayed = Replayed::of(&level.game, &self.moves)?;
        let text = match self.moves.is_empty() {
            true => level.print(),
            false => level.print_at(replayed.end()),
        };
        let sheet = level.game.write(&level.game.start());
        let warnings = level.game.warnings().iter().map(|bad| bad.message.clone());
        Ok(json!({
            "game": G::NAME, "title": level.title(), "author": level.common("author"), "par": par(level),
            "measure": measure::<G>(), "text": text,
            "options": sheet.options, "cells": cells(&level.game), "looks": looks(&level.game),
            "warnings": warnings.collect::<Vec<_>>(),
        }))
    }
}

/// The ways to solve this level.
pub async fn routes(body: Bytes) -> Answered {
    struct Routes;
    impl Question for Routes {
        type Out = Value;
        fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, Refused> {
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
    let ask: Position = read(&body)?;
    about(&ask.level, &Routes).map(Json)
}

/// The level in the other languages.
pub async fn models(body: Bytes) -> Answered {
    struct Models;
    impl Question for Models {
        type Out = Value;
        fn answer<G: Game>(&self, level: &Level<G>) -> Result<Value, Refused> {
            let models = ployglot_io::model_files::all(level).into_iter();
            let models = models.map(|(name, files)| match files {
                Err(why) => json!({ "name": name, "unfit": why }),
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
    let ask: Position = read(&body)?;
    about(&ask.level, &Models).map(Json)
}

#[derive(Deserialize)]
struct Draw {
    #[serde(flatten)]
    position: Position,
    kind: String,
}

/// A plan as a GIF, a position as an SVG.
pub async fn picture(State(studio): Shared, body: Bytes) -> Result<Response, Refused> {
    let ask: Draw = read(&body)?;
    let kind = match ask.kind.as_str() {
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        other => {
            let why = format!("a picture is 'gif' or 'svg', not '{other}'");
            return Err(Refused(StatusCode::BAD_REQUEST, why));
        }
    };
    let bytes = toil(&studio, ask).await?;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

impl Labour for Draw {
    type Out = Vec<u8>;

    fn text(&self) -> &str {
        &self.position.level
    }

    fn answer<G: Game>(&self, level: &Level<G>, _: &Budget) -> Result<Vec<u8>, Refused> {
        let game = &level.game;
        let replayed = Replayed::of(game, &self.position.moves)?;
        let drawn = if self.kind == "svg" {
            let title = level.title().unwrap_or(G::NAME);
            let drawn = svg::board(&game.view(replayed.end()), title, svg::SCALE);
            drawn.map(String::into_bytes)
        } else {
            gif::of_plan(game, &replayed.moves)
        };
        drawn.map_err(|large| unfit(large.0))
    }
}
