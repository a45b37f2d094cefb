//! What there is: levels with their pictures, and the games with their rules, lessons, tiles and knobs.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use ployglot_games::{AnyLevel, Document, Game, GameVisitor, Level, LevelVisitor, visit_games};
use serde_json::{Value, json};

use super::{Shared, measure, par};
use crate::guard::Refused;
use crate::{lessons, scene};
use ployglot_io::load;

/// The gallery, made once: its list, and a picture for each level.
#[derive(Default)]
pub struct Gallery(OnceLock<Hung>);

struct Hung {
    list: Value,
    pictures: Vec<String>,
}

/// The levels that were given, and those that come with the program; and all games.
pub async fn levels(State(studio): Shared) -> Json<Value> {
    Json(studio.gallery.hung(&studio.given).list.clone())
}

/// The picture of a level of the list, by its number there.
pub async fn thumbnail(
    State(studio): Shared,
    Path(number): Path<usize>,
) -> Result<Response, Refused> {
    let pictures = &studio.gallery.hung(&studio.given).pictures;
    let picture = pictures.get(number).cloned();
    let none = || Refused(StatusCode::NOT_FOUND, "there is no such level".to_string());
    let picture = picture.ok_or_else(none)?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], picture).into_response())
}

impl Gallery {
    /// Makes it, if it is not there yet.
    pub fn hang(&self, given: &[(String, String)]) {
        self.hung(given);
    }

    fn hung(&self, given: &[(String, String)]) -> &Hung {
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
            let hung = given.chain(built_in).filter_map(|(name, text, given)| {
                let level = AnyLevel::read(&text).ok()?;
                Some(level.visit(Hang { name, text, given }))
            });
            let (levels, pictures): (Vec<Value>, Vec<String>) = hung.unzip();
            let mut games = Games::default();
            visit_games(&mut games);
            let list = json!({ "levels": levels, "games": games.0 });
            Hung { list, pictures }
        })
    }
}

struct Hang {
    name: String,
    text: String,
    given: bool,
}

impl LevelVisitor for Hang {
    type Out = (Value, String);

    fn visit<G: Game>(self, level: &Level<G>) -> (Value, String) {
        let view = level.game.view(&level.game.start());
        let entry = json!({
            "name": self.name, "game": G::NAME, "title": level.title(), "text": self.text, "given": self.given,
            "par": par(level), "difficulty": level.common("difficulty"), "measure": measure::<G>(),
        });
        (entry, scene::thumbnail(&view))
    }
}

#[derive(Default)]
struct Games(Vec<Value>);

impl GameVisitor for Games {
    fn visit<G: Game>(&mut self) {
        let looks = looks_of_paints::<G>();
        let tiles = G::SYMBOLS
            .iter()
            .map(|paint| json!({ "text": paint.text, "about": paint.about, "look": looks.get(paint.text) }));
        let options = G::OPTIONS
            .iter()
            .map(|option| json!({ "key": option.name, "about": option.about }));
        let knobs = G::KNOBS
            .iter()
            .map(|knob| json!({ "name": knob.name, "about": knob.about, "default": knob.default }));
        self.0.push(json!({
            "name": G::NAME, "rules": G::README, "measure": measure::<G>(),
            "tiles": tiles.collect::<Vec<_>>(), "options": options.collect::<Vec<_>>(),
            "knobs": knobs.collect::<Vec<_>>(), "lessons": lessons::of::<G>(), "frame": G::FRAME,
        }));
    }
}

/// What each kind of cell of a level looks like, by its text.
pub fn looks<G: Game>(game: &G) -> BTreeMap<String, String> {
    let mut looks = Looks::default();
    looks.gather(game);
    looks
        .0
        .into_iter()
        .map(|(text, (_, look))| (text, look))
        .collect()
}

/// By the text of the cell; with whether it is a goal there. A goal may be marked by an option, so a plain look is better.
#[derive(Default)]
struct Looks(BTreeMap<String, (bool, String)>);

impl Looks {
    fn gather<G: Game>(&mut self, game: &G) {
        let view = game.view(&game.start());
        for (row, cells) in cells(game).into_iter().enumerate() {
            for (col, text) in cells.into_iter().enumerate() {
                let Some(goal) = view.cells.get(row, col).map(|cell| cell.goal) else {
                    continue;
                };
                let known = self.0.get(&text);
                if known.is_none_or(|&(was_goal, _)| was_goal && !goal) {
                    self.0.insert(text, (goal, scene::tile(&view, row, col)));
                }
            }
        }
    }
}

/// The texts of a level's cells. All cells of a level are equally wide, but the last of a row may lack its blanks.
pub fn cells<G: Game>(game: &G) -> Vec<Vec<String>> {
    let rows = game.write(&game.start()).rows;
    let cols = game.view(&game.start()).cells.cols().max(1);
    let longest = rows.iter().map(|row| row.chars().count()).max();
    let wide = longest.unwrap_or(1).div_ceil(cols).max(1);
    let split = |row: String| {
        let signs: Vec<char> = row.chars().collect();
        let cells = signs.chunks(wide);
        cells
            .map(|cell| cell.iter().collect::<String>().trim_end().to_string())
            .collect()
    };
    rows.into_iter().map(split).collect()
}

/// Paints as they look in the levels that come with the program. One that is nowhere is painted over each cell of the smaller
/// levels, until a level comes out.
fn looks_of_paints<G: Game>() -> BTreeMap<String, String> {
    let levels: Vec<Level<G>> = G::LEVELS.iter().map(load::builtin_level).collect();
    let mut looks = Looks::default();
    for level in &levels {
        looks.gather(&level.game);
    }
    let known = looks.0.into_iter();
    let mut known: BTreeMap<String, String> = known.map(|(text, (_, look))| (text, look)).collect();
    for paint in G::SYMBOLS {
        if !known.contains_key(paint.text) {
            let painted = levels
                .iter()
                .take(4)
                .find_map(|level| painted(level, paint.text));
            known.extend(painted.map(|look| (paint.text.to_string(), look)));
        }
    }
    known
}

fn painted<G: Game>(level: &Level<G>, paint: &str) -> Option<String> {
    let cells = cells(&level.game);
    let places = cells.iter().enumerate();
    let mut places = places.flat_map(|(row, line)| (0..line.len()).map(move |col| (row, col)));
    places.find_map(|(row, col)| {
        let mut cells = cells.clone();
        cells[row][col] = paint.to_string();
        let wide = cells.iter().flatten().map(String::len).max()?;
        let mut text = format!("game: {}\n", G::NAME);
        for (key, value) in level.game.write(&level.game.start()).options {
            text += &format!("{key}: {value}\n");
        }
        for line in &cells {
            text += "\n";
            text.extend(line.iter().map(|cell| format!("{cell:wide$}")));
        }
        let level: Level<G> = Document::parse(&text)
            .and_then(|document| Level::parse(&document))
            .ok()?;
        Some(scene::tile(&level.game.view(&level.game.start()), row, col))
    })
}
