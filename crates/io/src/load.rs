//! Reads levels and texts: files, standard input, and the built-in levels.

use std::io::Read;
use std::path::Path;

use ployglot_base::text::{did_you_mean, unknown, utf8};
use ployglot_games::document::LONGEST_TEXT;
use ployglot_games::{
    AnyLevel, BadText, BuiltinLevel, Document, Game, GameVisitor, Level, LevelVisitor, NAMES,
    visit_games,
};

use ployglot_puzzlescript::{Fault, GAMES, Severity, is_puzzlescript};

use crate::failure::{Failure, warn};

/// Reads a level: a file, `-` for standard input, or a built-in level by its name
/// (`plotting/01-first-shot`). A file has precedence over a built-in level of the same name.
pub fn level(name: &str) -> Result<AnyLevel, Failure> {
    if name != "-"
        && !Path::new(name).exists()
        && let Some(builtin) = builtin(name)
    {
        return Ok(AnyLevel::read(builtin.text).expect("built-in levels are tested"));
    }
    let bytes = bytes(name, LONGEST_TEXT).map_err(|failure| suggest(name, failure))?;
    let level = AnyLevel::read_bytes(&bytes).map_err(|bad| bad_text(name, &bytes, bad))?;
    for warning in level.visit(Warnings) {
        warn(&origin(name), &String::from_utf8_lossy(&bytes), &warning);
    }
    Ok(level)
}

/// A level of a PuzzleScript game.
pub struct Puzzle {
    pub game: ployglot_puzzlescript::Game,
    /// The index of the level among the levels and messages of the game.
    pub entry: usize,
}

/// The levels of a PuzzleScript file as `game.txt#1`, `game.txt#2`, …; `None` for anything else.
/// Warnings about the file are printed.
pub fn puzzles(name: &str) -> Option<Vec<String>> {
    let (path, text, None) = puzzle_file(name)? else {
        return None;
    };
    let compiled = ployglot_puzzlescript::compile(&text);
    for fault in &compiled.faults {
        if fault.severity == Severity::Warning {
            warn(path, &text, &place(fault));
        }
    }
    let levels = compiled.game.filter(|game| !game.faulty)?.levels().count();
    Some(
        (1..=levels)
            .map(|number| format!("{path}#{number}"))
            .collect(),
    )
}

/// Reads a level of a PuzzleScript file, named by its number or a message: `game.txt#3`. Without a
/// name it is the first one. `None` where the file is no PuzzleScript game.
pub fn puzzle(name: &str) -> Result<Option<Puzzle>, Failure> {
    let Some((path, text, level)) = puzzle_file(name) else {
        return Ok(None);
    };
    let compiled = ployglot_puzzlescript::compile(&text);
    let is_error = |fault: &&Fault| fault.severity == Severity::Error;
    let mut errors = compiled.faults.iter().filter(is_error);
    if let Some(fault) = errors.next() {
        let mut bad = place(fault);
        let more = errors.count();
        bad.message += &match more {
            0 => String::new(),
            1 => " (and 1 more error)".to_string(),
            _ => format!(" (and {more} more errors)"),
        };
        return Err(bad_text(path, text.as_bytes(), bad));
    }
    let game = compiled.game.ok_or_else(|| {
        let bad = BadText::new(1, 1, "the file has too many errors");
        bad_text(path, text.as_bytes(), bad)
    })?;
    let entry = game.find_level(level.unwrap_or("1")).ok_or_else(|| {
        let levels = game.levels().count();
        let message = format!("{name}: there is no such level; {path} has {levels} levels");
        Failure::usage(message)
    })?;
    Ok(Some(Puzzle { game, entry }))
}

/// The path and the text of a PuzzleScript file, or of a game that comes with the program, and the
/// name of a level after `#`.
fn puzzle_file(name: &str) -> Option<(&str, String, Option<&str>)> {
    let (path, level) = match name.rsplit_once('#') {
        Some((path, level)) if !Path::new(name).exists() => (path, Some(level)),
        _ => (name, None),
    };
    if !Path::new(path).is_file() {
        let game = path.strip_prefix("puzzlescript/")?;
        let (_, text) = GAMES.iter().find(|(name, _)| *name == game)?;
        return Some((path, text.to_string(), level));
    }
    let text = String::from_utf8(bytes(path, LONGEST_TEXT).ok()?).ok()?;
    is_puzzlescript(&text).then_some((path, text, level))
}

/// A fault with its place in the file; one of the whole file is shown at its start.
fn place(fault: &Fault) -> BadText {
    let (line, column) = (fault.line.unwrap_or(1), fault.column.unwrap_or(1));
    BadText::new(line.max(1), column, fault.message.clone())
}

struct Warnings;

impl LevelVisitor for Warnings {
    type Out = Vec<BadText>;
    fn visit<G: Game>(self, level: &Level<G>) -> Vec<BadText> {
        level.game.warnings().to_vec()
    }
}

/// Adds the nearest built-in level to the error for a file that does not exist.
fn suggest(name: &str, failure: Failure) -> Failure {
    let names: Vec<String> = builtins()
        .iter()
        .map(|(game, level)| format!("{game}/{}", level.name))
        .collect();
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
