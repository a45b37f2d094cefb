//! Reads levels and texts: files, standard input, and the built-in levels.

use std::io::Read;
use std::path::Path;

use ployglot_base::text::{amount, did_you_mean, unknown, utf8};
use ployglot_games::document::LONGEST_TEXT;
use ployglot_games::{
    AnyLevel, BadText, BuiltinLevel, Document, Game, GameVisitor, Level, LevelVisitor, NAMES,
    visit_games,
};

use ployglot_games::puzzlescript::{GAMES, PuzzleFile, is_puzzlescript};

use crate::failure::{Failure, warn};

/// Reads a level: a file, `-` for standard input, or a built-in level by its name
/// (`plotting/01-first-shot`) or by a beginning of its name that no other has (`plotting/01`). A file
/// has precedence over a built-in level of the same name. A level of a PuzzleScript file is named after
/// the file: `game.txt#3`, or by a part of the message before it.
pub fn level(name: &str) -> Result<AnyLevel, Failure> {
    if name != "-"
        && !Path::new(name).exists()
        && let Some(builtin) = builtin(name)
    {
        return Ok(AnyLevel::read(builtin.text).expect("built-in levels are tested"));
    }
    if let Some((file, path, source)) = puzzle_file(name)? {
        if path == name {
            warn_of(&file, path, &source);
        }
        let text = puzzle_text(&file, path, name, &source)?;
        return AnyLevel::read(&text).map_err(|bad| bad_text(name, text.as_bytes(), bad));
    }
    if let Some(full) = begun(name)? {
        return level(&full);
    }
    let bytes = bytes(name, LONGEST_TEXT).map_err(|failure| suggest(name, failure))?;
    let level = AnyLevel::read_bytes(&bytes).map_err(|bad| bad_text(name, &bytes, bad))?;
    for warning in level.visit(Warnings) {
        warn(&origin(name), &String::from_utf8_lossy(&bytes), &warning);
    }
    Ok(level)
}

/// The text of a level, as [`level`] reads it. For a level of a PuzzleScript file it is a text of its
/// own, which contains the rules of the game.
pub fn level_text(name: &str) -> Result<String, Failure> {
    if let Some((file, path, source)) = puzzle_file(name)? {
        return puzzle_text(&file, path, name, &source);
    }
    if let Some(full) = begun(name)? {
        return level_text(&full);
    }
    level(name)?;
    match builtin(name).filter(|_| !Path::new(name).exists()) {
        Some(builtin) => Ok(builtin.text.to_string()),
        None => text(name),
    }
}

/// The levels that a name stands for: a PuzzleScript file stands for all of its levels, as
/// `game.txt#1`, `game.txt#2`, …; anything else for one. The beginning of a built-in level's name
/// becomes the whole name.
pub fn expand(name: String) -> Vec<String> {
    match puzzle_file(&name) {
        Ok(Some((file, path, source))) if path == name => {
            warn_of(&file, path, &source);
            let numbers = 1..=file.levels.len();
            numbers.map(|number| format!("{path}#{number}")).collect()
        }
        // What is wrong is said when the level is read.
        _ => match begun(&name) {
            Ok(Some(full)) => vec![full],
            _ => vec![name],
        },
    }
}

/// The levels of a text: one in any format, or all levels of a PuzzleScript game, with names for
/// people.
pub fn levels_of_text(text: &str) -> Result<Vec<(String, String)>, BadText> {
    if !is_puzzlescript(text) || AnyLevel::read(text).is_err() {
        AnyLevel::read(text)?;
        return Ok(vec![("level".to_string(), text.to_string())]);
    }
    let file = PuzzleFile::read(text)?;
    let levels = (0..file.levels.len()).filter_map(|index| {
        let text = file.text(index, false)?;
        Some((format!("level {}", index + 1), text))
    });
    Ok(levels.collect())
}

/// What follows the name of a level of which checkpoints are goals: `game.txt#3+checkpoints`.
const CHECKPOINTS: &str = "+checkpoints";

/// A PuzzleScript file, its path, and its text.
type NamedFile<'n> = (PuzzleFile, &'n str, String);

/// The PuzzleScript file of a name: a file, or an example game such as
/// `puzzlescript/crates`. `None` for any other name.
fn puzzle_file(name: &str) -> Result<Option<NamedFile<'_>>, Failure> {
    let (path, _) = split_name(name);
    let source = if Path::new(path).is_file() {
        match bytes(path, LONGEST_TEXT).map(String::from_utf8) {
            Ok(Ok(text)) if is_puzzlescript(&text) => text,
            _ => return Ok(None),
        }
    } else {
        let example = path.strip_prefix("puzzlescript/");
        let example = example.and_then(|name| GAMES.iter().find(|(known, _)| *known == name));
        // The levels of the examples are built-in levels; the game alone stands for all of them.
        match example.filter(|_| builtin(name).is_none()) {
            Some((_, text)) => text.to_string(),
            None => return Ok(None),
        }
    };
    match PuzzleFile::read(&source) {
        Ok(file) => Ok(Some((file, path, source))),
        Err(bad) => Err(bad_text(path, source.as_bytes(), bad)),
    }
}

/// The path of a name, and what follows it after `#`.
fn split_name(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('#') {
        Some((path, level)) if !Path::new(name).exists() => (path, Some(level)),
        _ => (name, None),
    }
}

/// The text of the level of a PuzzleScript file that a name asks for; without `#` the first one.
fn puzzle_text(file: &PuzzleFile, path: &str, name: &str, source: &str) -> Result<String, Failure> {
    let (_, level) = split_name(name);
    let level = level.unwrap_or("1");
    let (level, checkpoints) = match level.strip_suffix(CHECKPOINTS) {
        Some(level) => (level, true),
        None => (level, false),
    };
    let found = file.find(level);
    let text = found.and_then(|index| file.text(index, checkpoints));
    if text.is_none() && file.levels.is_empty() {
        let bad = BadText::new(1, 1, "the game has no levels");
        return Err(bad_text(path, source.as_bytes(), bad));
    }
    text.ok_or_else(|| {
        let levels = amount(file.levels.len(), "levels");
        let message = format!("{name}: there is no such level; {path} has {levels}");
        Failure::usage(message)
    })
}

/// Prints the warnings about a PuzzleScript file.
fn warn_of(file: &PuzzleFile, path: &str, source: &str) {
    for warning in &file.warnings {
        warn(path, source, warning);
    }
}

struct Warnings;

impl LevelVisitor for Warnings {
    type Out = Vec<BadText>;
    fn visit<G: Game>(self, level: &Level<G>) -> Vec<BadText> {
        level.game.warnings().to_vec()
    }
}

/// The built-in level whose name begins like this; an error if several do. `None` for the whole name of
/// a level, for a file, and for a name without a game.
fn begun(name: &str) -> Result<Option<String>, Failure> {
    let begins_a_level = name
        .split_once('/')
        .is_some_and(|(_, level)| !level.is_empty());
    if !begins_a_level || Path::new(name).exists() || builtin(name).is_some() {
        return Ok(None);
    }
    let mut names = builtin_names();
    names.retain(|full| full.starts_with(name));
    match names.len() {
        0 | 1 => Ok(names.pop()),
        _ => {
            let all = names.join(", ");
            let message = format!("{name}: several built-in levels begin like this: {all}");
            Err(Failure::CommandLine(message))
        }
    }
}

fn builtin_names() -> Vec<String> {
    let all = builtins().into_iter();
    all.map(|(game, level)| format!("{game}/{}", level.name))
        .collect()
}

/// Adds the nearest built-in level to the error for a file that does not exist.
fn suggest(name: &str, failure: Failure) -> Failure {
    let names = builtin_names();
    match did_you_mean(name, names.iter().map(String::as_str)) {
        Some(hint) if failure.is_not_found() => Failure::CommandLine(format!(
            "{name}: there is no such file or built-in level; {hint}"
        )),
        _ => failure,
    }
}

/// Reads a text file, or standard input for `-`.
pub fn text(name: &str) -> Result<String, Failure> {
    text_up_to(name, LONGEST_TEXT)
}

/// Reads a text file of at most this many bytes, or standard input for `-`.
pub fn text_up_to(name: &str, most: usize) -> Result<String, Failure> {
    let bytes = bytes(name, most)?;
    if bytes.len() > most {
        let message = format!("a file may have at most {} MB", most >> 20);
        return Err(bad_text(name, &[], BadText::new(1, 1, message)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        match utf8(bytes, "a text file") {
            Err(bad) => bad_text(name, bytes, bad),
            Ok(_) => unreachable!("the text is not UTF-8"),
        }
    })
}

/// All built-in levels as (game, level).
pub fn builtins() -> Vec<(&'static str, BuiltinLevel)> {
    struct Collect(Vec<(&'static str, BuiltinLevel)>);
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

/// Parses a built-in level.
pub fn builtin_level<G: Game>(builtin: &BuiltinLevel) -> Level<G> {
    Document::parse(builtin.text)
        .and_then(|document| Level::parse(&document))
        .expect("built-in levels are tested")
}

/// The game of this name; for an unknown name, the error suggests the nearest known one.
pub fn game_name(name: &str) -> Result<&'static str, Failure> {
    let found = NAMES.iter().find(|known| **known == name);
    found
        .copied()
        .ok_or_else(|| Failure::usage(unknown("game", name, NAMES.iter().copied())))
}

fn builtin(name: &str) -> Option<BuiltinLevel> {
    let (game, level) = name.split_once('/')?;
    builtins()
        .into_iter()
        .find(|(of, builtin)| *of == game && builtin.name == level)
        .map(|(_, builtin)| builtin)
}

/// The bytes of a file or of standard input, up to one byte more than `most`: that byte shows that
/// the file is too long.
fn bytes(name: &str, most: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let most = most as u64 + 1;
    let read = if name == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(name).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::io(origin(name), error))?;
    Ok(bytes)
}

/// The failure for an error in a text. It keeps the text, so that the message can show the place.
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
