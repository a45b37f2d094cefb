//! Levels and texts from the outside: files, standard input, and the levels that come with the program.

use std::io::Read;
use std::path::Path;

use ployglot_base::text::nearest;
use ployglot_games::document::LONGEST_TEXT;
use ployglot_games::{
    AnyLevel, BadText, Builtin, Document, Game, GameVisitor, Level, LevelVisitor, NAMES,
    visit_games,
};

use crate::failure::{Failure, warn};

/// Reads a level: a file, `-` for standard input, or a built-in level by its name (`plotting/first-shot`). A file wins over
/// a built-in level of the same name.
pub fn level(name: &str) -> Result<AnyLevel, Failure> {
    if name != "-"
        && !Path::new(name).exists()
        && let Some(builtin) = builtin(name)
    {
        return Ok(AnyLevel::read(builtin.text).expect("built-in levels are tested"));
    }
    let bytes = bytes(name).map_err(|failure| meant(name, failure))?;
    let level = AnyLevel::read_bytes(&bytes).map_err(|bad| bad_text(name, &bytes, bad))?;
    for warning in level.visit(Warnings) {
        warn(&origin(name), &String::from_utf8_lossy(&bytes), &warning);
    }
    Ok(level)
}

struct Warnings;

impl LevelVisitor for Warnings {
    type Out = Vec<BadText>;
    fn visit<G: Game>(self, level: &Level<G>) -> Vec<BadText> {
        level.game.warnings().to_vec()
    }
}

/// A name of neither a file nor a built-in level was perhaps meant to be one of the latter.
fn meant(name: &str, failure: Failure) -> Failure {
    let names: Vec<String> = builtins()
        .iter()
        .map(|(game, level)| format!("{game}/{}", level.name))
        .collect();
    match nearest(name, names.iter().map(String::as_str)) {
        Some(near) if failure.is_not_found() => Failure::CommandLine(format!(
            "{name}: there is no such file or built-in level; did you mean '{near}'?"
        )),
        _ => failure,
    }
}

/// Reads a text file, or standard input for `-`.
pub fn text(name: &str) -> Result<String, Failure> {
    let bytes = bytes(name)?;
    if bytes.len() > LONGEST_TEXT {
        let message = format!("a plan has at most {} MB", LONGEST_TEXT >> 20);
        return Err(bad_text(name, &bytes, BadText::new(1, 1, message)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .map_or(0, |rest| rest.chars().count())
            + 1;
        bad_text(
            name,
            error.as_bytes(),
            BadText::new(line, column, "this is not UTF-8 text"),
        )
    })
}

/// All built-in levels as (game, level).
pub fn builtins() -> Vec<(&'static str, Builtin)> {
    struct Collect(Vec<(&'static str, Builtin)>);
    impl GameVisitor for Collect {
        fn visit<G: Game>(&mut self) {
            self.0
                .extend(G::LEVELS.iter().map(|&builtin| (G::NAME, builtin)));
        }
    }
    let mut collect = Collect(Vec::new());
    visit_games(&mut collect);
    collect.0
}

/// A built-in level, read.
pub fn builtin_level<G: Game>(builtin: &Builtin) -> Level<G> {
    Document::parse(builtin.text)
        .and_then(|document| Level::parse(&document))
        .expect("built-in levels are tested")
}

/// The game of this name, or what it was probably meant to be.
pub fn game_name(name: &str) -> Result<&'static str, Failure> {
    let found = NAMES.iter().find(|known| **known == name);
    found.copied().ok_or_else(|| {
        let hint = match nearest(name, NAMES.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("known are {}", NAMES.join(", ")),
        };
        Failure::usage(format!("unknown game '{name}'; {hint}"))
    })
}

fn builtin(name: &str) -> Option<Builtin> {
    let (game, level) = name.split_once('/')?;
    builtins()
        .into_iter()
        .find(|(of, builtin)| *of == game && builtin.name == level)
        .map(|(_, builtin)| builtin)
}

/// Never more than a level may have, plus one byte that shows that there was more.
fn bytes(name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let most = LONGEST_TEXT as u64 + 1;
    let read = if name == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(name).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::io(origin(name), error))?;
    Ok(bytes)
}

/// A text that cannot be read, with its origin, so that the spot can be shown.
pub fn bad_text(name: &str, bytes: &[u8], bad: BadText) -> Failure {
    Failure::Text {
        origin: origin(name),
        text: String::from_utf8_lossy(bytes).into_owned(),
        bad,
    }
}

fn origin(name: &str) -> String {
    if name == "-" {
        "standard input".to_string()
    } else {
        name.to_string()
    }
}
