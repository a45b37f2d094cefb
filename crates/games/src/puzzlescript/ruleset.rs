//! The rules of a game without its levels: where they are from, and the compiled game.
//!
//! Levels are read again and again with the same rules, when they are edited, hinted and generated.
//! So each thread keeps the game that it compiled last.

use std::cell::RefCell;
use std::sync::Arc;

use ployglot_base::text::unknown;
use ployglot_puzzlescript::{Fault, GAMES, Game, Severity, compile};

use super::source::lines_before_levels;
use crate::*;

/// The rules of a game.
pub(super) struct Ruleset {
    pub(super) origin: Origin,
    /// The game without levels.
    pub(super) game: Game,
    /// The warnings of the compiler.
    warnings: Vec<Fault>,
}

/// Where rules are from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The game of this name that comes with the program.
    Example(&'static str),
    /// The lines of a file before its levels.
    Lines(Vec<String>),
}

impl Origin {
    /// Where these lines are from: they may be those of an example game.
    pub(super) fn of_lines(lines: Vec<String>) -> Self {
        let example = GAMES.iter().find(|(_, text)| {
            let text: Vec<&str> = text.lines().collect();
            lines_before_levels(&text) == lines
        });
        example.map_or(Origin::Lines(lines), |(name, _)| Origin::Example(name))
    }

    /// The text of the rules.
    pub(super) fn text(&self) -> String {
        match self {
            Origin::Lines(lines) => lines.join("\n"),
            Origin::Example(name) => {
                let (_, text) = GAMES
                    .iter()
                    .find(|(known, _)| known == name)
                    .expect("the name was looked up");
                let lines: Vec<&str> = text.lines().collect();
                let lines = lines_before_levels(&lines);
                lines.join("\n")
            }
        }
    }
}

thread_local! {
    /// The rules that this thread compiled last.
    static LAST: RefCell<Option<Arc<Ruleset>>> = const { RefCell::new(None) };
}

impl Ruleset {
    /// The rules that the header of a level's text names or contains, and the warnings about them.
    pub(super) fn read(document: &Document) -> Result<(Arc<Ruleset>, Vec<BadText>), BadText> {
        let lines: Vec<_> = document.all("rules").collect();
        let origin = match (document.option("use")?, lines.first()) {
            (Some(entry), None) => {
                let names = GAMES.iter().map(|(name, _)| *name);
                let known = names.clone().find(|name| *name == entry.value);
                Origin::Example(
                    known.ok_or_else(|| entry.bad(unknown("example game", &entry.value, names)))?,
                )
            }
            (None, Some(_)) => {
                Origin::Lines(lines.iter().map(|entry| entry.value.clone()).collect())
            }
            (Some(entry), Some(_)) => {
                let why = "the rules are either those of an example ('use') or given ('rules')";
                return Err(entry.bad(why));
            }
            (None, None) => {
                let line = document.board_line();
                return Err(BadText::new(
                    line,
                    1,
                    "'use: NAME' or the lines 'rules: …' of a game are missing above the board",
                ));
            }
        };
        let place = |fault: &Fault| {
            let entry = fault.line.and_then(|line| lines.get(line.max(1) - 1));
            let entry = entry.or(lines.first());
            match entry {
                Some(entry) => {
                    let column = entry.value_column + fault.column.unwrap_or(1).max(1) - 1;
                    BadText::new(entry.line, column, fault.message.clone())
                }
                None => BadText::new(document.board_line(), 1, fault.message.clone()),
            }
        };
        let rules = Self::of(origin).map_err(|faults| first_error(&faults, place))?;
        let warnings = rules.warnings.iter().map(place).collect();
        Ok((rules, warnings))
    }

    /// Compiles rules; `Err`: what is wrong with them.
    pub(super) fn of(origin: Origin) -> Result<Arc<Ruleset>, Vec<Fault>> {
        let last = LAST.with_borrow(Clone::clone);
        if let Some(last) = last.filter(|last| last.origin == origin) {
            return Ok(last);
        }
        let compiled = compile(&origin.text());
        let faults = compiled.faults.into_iter();
        // The levels are not there yet.
        let faults: Vec<Fault> = faults.filter(|fault| fault.code != "no-levels").collect();
        let is_error = |fault: &Fault| fault.severity == Severity::Error;
        let Some(game) = compiled.game.filter(|_| !faults.iter().any(is_error)) else {
            return Err(faults);
        };
        let rules = Arc::new(Ruleset {
            origin,
            game: Game {
                entries: Vec::new(),
                faulty: false,
                ..game
            },
            warnings: faults,
        });
        LAST.set(Some(rules.clone()));
        Ok(rules)
    }
}

/// The first error of a file, with the number of the others.
pub(super) fn first_error(faults: &[Fault], place: impl Fn(&Fault) -> BadText) -> BadText {
    let is_error = |fault: &&Fault| fault.severity == Severity::Error;
    let mut errors = faults.iter().filter(is_error);
    let Some(first) = errors.next() else {
        return BadText::new(1, 1, "the game has no rules that can be played");
    };
    let mut bad = place(first);
    match errors.count() {
        0 => {}
        1 => bad.message += " (and 1 more error)",
        more => bad.message += &format!(" (and {more} more errors)"),
    }
    bad
}
