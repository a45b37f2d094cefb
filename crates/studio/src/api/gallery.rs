//! The lists of the page: levels with their pictures, and games with their rules, lessons, symbols,
//! options, formats and knobs.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use ployglot_certificate::certified;
use ployglot_games::{AnyLevel, Document, Game, GameVisitor, Level, LevelVisitor, visit_games};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{JsonResult, SharedStudio, bad_text, measure, par, parse_body};
use crate::Studio;
use crate::drawings;
use crate::guard::ApiError;
use crate::lessons::lessons_json;
use ployglot_io::load;

/// The list of levels and games, and a picture for each level; made at the first use.
#[derive(Default)]
pub struct Gallery(OnceLock<Contents>);

struct Contents {
    /// The answer to `/api/levels`: JSON.
    list: Bytes,
    /// An SVG for each level, in the order of the list.
    pictures: Vec<String>,
}

/// The user's levels, those that come with the program, and all games.
pub async fn levels(State(studio): SharedStudio) -> Result<Response, ApiError> {
    let list = from_gallery(studio, |contents| contents.list.clone()).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], list).into_response())
}

/// The picture of a level of the list, by its number there.
pub async fn thumbnail(
    State(studio): SharedStudio,
    Path(number): Path<usize>,
) -> Result<Response, ApiError> {
    let picture = from_gallery(studio, move |contents| {
        contents.pictures.get(number).cloned()
    });
    let picture = picture.await?;
    let none = || ApiError::new(StatusCode::NOT_FOUND, "there is no such level");
    let picture = picture.ok_or_else(none)?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], picture).into_response())
}

/// A part of the gallery. The first request may have to wait until the gallery is made.
async fn from_gallery<T: Send + 'static>(
    studio: Arc<Studio>,
    part: impl FnOnce(&Contents) -> T + Send + 'static,
) -> Result<T, ApiError> {
    if let Some(made) = studio.gallery.0.get() {
        return Ok(part(made));
    }
    let making = studio.clone();
    let job = move |_| part(making.gallery.contents(&making.given));
    studio.jobs.query(job).await
}

impl Gallery {
    /// Makes the contents, unless they are made already.
    pub fn prepare(&self, given: &[(String, String)]) {
        self.contents(given);
    }

    fn contents(&self, given: &[(String, String)]) -> &Contents {
        self.0.get_or_init(|| {
            let built_in = load::builtins().into_iter();
            let built_in = built_in.map(|(game, builtin)| {
                (
                    format!("{game}/{}", builtin.name),
                    builtin.text.to_string(),
                    false,
                )
            });
            let given = given.iter().cloned().map(|(name, text)| (name, text, true));
            let entries = given.chain(built_in).filter_map(|(name, text, given)| {
                let level = AnyLevel::read(&text).ok()?;
                Some(level.visit(DescribeLevel { name, text, given }))
            });
            let (levels, pictures): (Vec<Value>, Vec<String>) = entries.unzip();
            let mut games = DescribeGames::default();
            visit_games(&mut games);
            let list = json!({ "levels": levels, "games": games.0 });
            Contents {
                list: list.to_string().into(),
                pictures,
            }
        })
    }
}

/// The entry of a level in the list, and its picture.
struct DescribeLevel {
    name: String,
    text: String,
    given: bool,
}

impl LevelVisitor for DescribeLevel {
    type Out = (Value, String);

    fn visit<G: Game>(self, level: &Level<G>) -> (Value, String) {
        let view = level.game.view(&level.game.start());
        let certificate = certificate::<G>(&self.name, self.given);
        let entry = json!({
            "certificate": certificate, "name": self.name, "game": G::NAME, "title": level.title(), "text": self.text, "given": self.given,
            "par": par(level), "difficulty": level.common("difficulty"), "measure": measure::<G>(),
        });
        (entry, drawings::thumbnail(&view))
    }
}

/// The SHA-256 of the certificate of a built-in level's par.
fn certificate<G: Game>(name: &str, given: bool) -> Option<&'static str> {
    let measure = measure::<G>();
    let mut listed = certified().filter(|_| !given);
    let found = listed.find(|it| it.level == name && it.measure == measure);
    found.map(|it| it.sha256)
}

/// The entries of the games in the list.
#[derive(Default)]
struct DescribeGames(Vec<Value>);

impl GameVisitor for DescribeGames {
    fn visit<G: Game>(&mut self) {
        let looks = looks_of_symbols::<G>();
        let tiles = G::SYMBOLS
            .iter()
            .map(|symbol| json!({ "text": symbol.text, "about": symbol.about, "look": looks.get(symbol.text) }));
        let formats = G::FORMATS
            .iter()
            .map(|format| json!({ "name": format.name, "about": format.about }));
        let options = G::OPTIONS.iter().map(|option| {
            json!({
                "key": option.name, "about": option.about, "lines": G::LINES.contains(&option.name),
            })
        });
        let knobs = G::KNOBS
            .iter()
            .map(|knob| json!({ "name": knob.name, "about": knob.about, "default": knob.default }));
        self.0.push(json!({
            "name": G::NAME, "rules": G::README, "measure": measure::<G>(),
            "tiles": tiles.collect::<Vec<_>>(), "options": options.collect::<Vec<_>>(),
            "formats": formats.collect::<Vec<_>>(), "knobs": knobs.collect::<Vec<_>>(),
            "lessons": lessons_json::<G>(), "frame": G::FRAME, "empty_cell": G::EMPTY_CELL,
            "changes": G::FROM,
        }));
    }
}

/// The symbols of a level that has symbols of its own, each with its meaning and a drawing; `None` if
/// they are those of the game.
pub fn own_tiles<G: Game>(level: &Level<G>) -> Option<Vec<Value>> {
    let symbols = level.game.symbols();
    let of_game = G::SYMBOLS.iter().map(|symbol| symbol.text);
    if symbols.iter().map(|(text, _)| text.as_str()).eq(of_game) {
        return None;
    }
    let looks = looks(&level.game);
    let tile = |(text, about): (String, String)| {
        let look = looks.get(&text).cloned();
        let look = look.or_else(|| look_in_level(level, &text));
        json!({ "text": text, "about": about, "look": look })
    };
    Some(symbols.into_iter().map(tile).collect())
}

#[derive(Deserialize)]
struct OpenQuery {
    text: String,
}

/// The levels of a text: one in any format, or all levels of a PuzzleScript game.
pub async fn open(State(studio): SharedStudio, body: Bytes) -> JsonResult {
    let query: OpenQuery = parse_body(&body)?;
    let levels = studio.jobs.query(move |_| levels_of_text(&query.text));
    Ok(Json(levels.await??))
}

fn levels_of_text(text: &str) -> Result<Value, ApiError> {
    let levels = load::levels_of_text(text).map_err(|bad| bad_text(text, &bad))?;
    let mut entries = Vec::new();
    for (name, text) in levels {
        let level = AnyLevel::read(&text).map_err(|bad| bad_text(&text, &bad))?;
        let (mut entry, picture) = level.visit(DescribeLevel {
            name,
            text,
            given: true,
        });
        entry["picture"] = picture.into();
        entries.push(entry);
    }
    Ok(json!({ "levels": entries }))
}

/// A drawing of each kind of cell of a level, by the cell's text.
pub fn looks<G: Game>(game: &G) -> BTreeMap<String, String> {
    let mut looks = Looks::default();
    looks.add_level(game);
    looks
        .0
        .into_iter()
        .map(|(text, (_, look))| (text, look))
        .collect()
}

/// By the text of a cell: whether the drawn cell is a goal, and the drawing. An option may make a
/// cell a goal without changing its text, so a drawing without a goal is preferred.
#[derive(Default)]
struct Looks(BTreeMap<String, (bool, String)>);

impl Looks {
    fn add_level<G: Game>(&mut self, game: &G) {
        let view = game.view(&game.start());
        for (row, cells) in cells(game).into_iter().enumerate() {
            for (col, text) in cells.into_iter().enumerate() {
                let Some(goal) = view.cells.get(row, col).map(|cell| cell.goal) else {
                    continue;
                };
                let known = self.0.get(&text);
                if known.is_none_or(|&(was_goal, _)| was_goal && !goal) {
                    self.0.insert(text, (goal, drawings::tile(&view, row, col)));
                }
            }
        }
    }
}

/// The texts of a level's cells. All cells of a level are equally wide, but the blanks at the end
/// of a row may be missing.
pub fn cells<G: Game>(game: &G) -> Vec<Vec<String>> {
    let rows = game.write(&game.start()).rows;
    let cols = game.view(&game.start()).cells.cols().max(1);
    let longest = rows.iter().map(|row| row.chars().count()).max();
    let width = longest.unwrap_or(1).div_ceil(cols).max(1);
    let split = |row: String| {
        let letters: Vec<char> = row.chars().collect();
        let cells = letters.chunks(width);
        cells
            .map(|cell| cell.iter().collect::<String>().trim_end().to_string())
            .collect()
    };
    rows.into_iter().map(split).collect()
}

/// A drawing of each symbol, from the levels that come with the program. A symbol that is in none
/// of them is put into each cell of the first levels in turn, until the result is a level.
fn looks_of_symbols<G: Game>() -> BTreeMap<String, String> {
    let levels: Vec<Level<G>> = G::LEVELS.iter().map(load::builtin_level).collect();
    let mut looks = Looks::default();
    for level in &levels {
        looks.add_level(&level.game);
    }
    let known = looks.0.into_iter();
    let mut known: BTreeMap<String, String> = known.map(|(text, (_, look))| (text, look)).collect();
    for symbol in G::SYMBOLS {
        if !known.contains_key(symbol.text) {
            let look = levels
                .iter()
                .take(4)
                .find_map(|level| look_in_level(level, symbol.text));
            known.extend(look.map(|look| (symbol.text.to_string(), look)));
        }
    }
    known
}

fn look_in_level<G: Game>(level: &Level<G>, symbol: &str) -> Option<String> {
    let cells = cells(&level.game);
    let places = cells.iter().enumerate();
    let mut places = places.flat_map(|(row, line)| (0..line.len()).map(move |col| (row, col)));
    places.find_map(|(row, col)| {
        let mut cells = cells.clone();
        cells[row][col] = symbol.to_string();
        let width = cells.iter().flatten().map(String::len).max()?;
        let mut text = format!("game: {}\n", G::NAME);
        for (key, value) in level.game.write(&level.game.start()).options {
            text += &format!("{key}: {value}\n");
        }
        for line in &cells {
            text += "\n";
            text.extend(line.iter().map(|cell| format!("{cell:width$}")));
        }
        let level: Level<G> = Document::parse(&text)
            .and_then(|document| Level::parse(&document))
            .ok()?;
        Some(drawings::tile(
            &level.game.view(&level.game.start()),
            row,
            col,
        ))
    })
}

#[cfg(test)]
mod tests {
    use ployglot_games::{Game, GameVisitor, visit_games};

    use super::looks_of_symbols;

    /// The editor fills new rows with the empty cell, and looks up its drawing.
    #[test]
    fn the_empty_cell_of_every_game_has_a_drawing() {
        struct Check;
        impl GameVisitor for Check {
            fn visit<G: Game>(&mut self) {
                let mut symbols = G::SYMBOLS.iter();
                assert!(
                    symbols.any(|symbol| symbol.text == G::EMPTY_CELL),
                    "{}",
                    G::NAME
                );
                let looks = looks_of_symbols::<G>();
                assert!(looks.contains_key(G::EMPTY_CELL), "{}", G::NAME);
            }
        }
        visit_games(&mut Check);
    }
}
