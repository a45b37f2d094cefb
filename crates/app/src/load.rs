//! Levels and texts from the outside: files, standard input, and the levels that come with the program.

use std::io::Read;
use std::path::Path;

use ployglot_games::document::LONGEST_TEXT;
use ployglot_games::{AnyLevel, BadText, Builtin, Game, GameVisitor, visit_games};

use crate::failure::Failure;

/// Reads a level: a file, `-` for standard input, or a built-in level by its name (`plotting/first-shot`). A file wins over
/// a built-in level of the same name.
pub fn level(name: &str) -> Result<AnyLevel, Failure> {
    if name != "-"
        && !Path::new(name).exists()
        && let Some(builtin) = builtin(name)
    {
        return Ok(AnyLevel::read(builtin.text).expect("built-in levels are tested"));
    }
    let bytes = bytes(name)?;
    AnyLevel::read_bytes(&bytes).map_err(|bad| bad_text(name, &bytes, bad))
}

/// Reads a text file, or standard input for `-`.
pub fn text(name: &str) -> Result<String, Failure> {
    let bytes = bytes(name)?;
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

fn bad_text(name: &str, bytes: &[u8], bad: BadText) -> Failure {
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
