//! PuzzleScript files: all levels of a game, each as the text of a level.
//!
//! The lines before the section of levels become the `rules:` of each level, its map the board. A
//! symbol that would be misread there (`;` and `:`) is replaced by one of the level's own.

use ployglot_puzzlescript::{
    Compiled, Entry as LevelEntry, Fault, Game as CompiledGame, Level as Map, Opening, Set,
    Severity, compile, is_puzzlescript,
};

use super::PuzzleScript;
use super::ruleset::{Origin, Ruleset, first_error};
use crate::*;

pub(super) const FORMATS: &[Format<PuzzleScript>] = &[Format {
    name: "puzzlescript",
    about: "the game's own file, with this level as its only one",
    recognise: is_puzzlescript,
    read: |text| {
        let file = PuzzleFile::read(text)?;
        let first = file.levels.into_iter().next();
        first
            .map(|level| level.level)
            .ok_or_else(|| BadText::new(1, 1, "the game has no levels"))
    },
    write,
}];

/// A PuzzleScript file.
pub struct PuzzleFile {
    /// The title of the game, if it has one.
    pub title: Option<String>,
    /// Its levels, in the order of the file.
    pub levels: Vec<LevelOfFile>,
    /// The warnings of the compiler, with their places in the file.
    pub warnings: Vec<BadText>,
}

/// A level of a PuzzleScript file.
pub struct LevelOfFile {
    /// The messages between the level before and this one.
    pub messages: Vec<String>,
    /// The level.
    pub level: PuzzleScript,
}

impl PuzzleFile {
    /// Reads a game; `Err`: the first error.
    pub fn read(text: &str) -> Result<PuzzleFile, BadText> {
        let lines: Vec<&str> = text.lines().collect();
        let place = |fault: &Fault| {
            let line = fault.line.unwrap_or(1).clamp(1, lines.len().max(1));
            BadText::new(
                line,
                fault.column.unwrap_or(1).max(1),
                fault.message.clone(),
            )
        };
        let Compiled { game, faults, .. } = compile(text);
        let Some(game) = game.filter(|game| !game.faulty) else {
            return Err(first_error(&faults, place));
        };
        let warnings = faults.iter();
        let warnings = warnings.filter(|fault| fault.severity == Severity::Warning);
        let mut file = PuzzleFile {
            title: game.title.clone(),
            levels: Vec::new(),
            warnings: warnings.map(place).collect(),
        };
        let rules = Ruleset::of(Origin::of_lines(rule_lines(&game, &lines)));
        let rules = rules.map_err(|faults| first_error(&faults, place))?;
        let mut messages = Vec::new();
        for entry in &game.entries {
            match entry {
                LevelEntry::Message(text) => messages.push(text.clone()),
                LevelEntry::Level(map) => file.levels.push(LevelOfFile {
                    messages: std::mem::take(&mut messages),
                    level: of_map(&rules, map, &lines),
                }),
            }
        }
        Ok(file)
    }

    /// The index of a level by its name: its number, from 1, or a part of a message before it.
    pub fn find(&self, name: &str) -> Option<usize> {
        if let Ok(number) = name.parse::<usize>() {
            let index = number.checked_sub(1)?;
            return (index < self.levels.len()).then_some(index);
        }
        let name = name.to_lowercase();
        let is_named = |level: &LevelOfFile| {
            let mut messages = level.messages.iter();
            messages.any(|text| text.to_lowercase().contains(&name))
        };
        self.levels.iter().position(is_named)
    }
}

impl PuzzleFile {
    /// The level of this index as the text of a level. `checkpoints`: a rule that sets a checkpoint
    /// wins the level.
    pub fn text(&self, index: usize, checkpoints: bool) -> Option<String> {
        let level = &self.levels.get(index)?.level;
        let level = PuzzleScript {
            opening: Opening {
                checkpoint_wins: checkpoints,
                ..level.opening
            },
            ..level.clone()
        };
        let title = self.title.as_deref().unwrap_or("PuzzleScript");
        let LevelText { options, rows } = level.write(&level.start());
        let mut text = format!("game: {}\n", PuzzleScript::NAME);
        text += &format!("title: {title} {}\n", index + 1);
        for (key, value) in options {
            text += format!("{key}: {value}").trim_end();
            text.push('\n');
        }
        text.push('\n');
        for row in rows {
            text += &row;
            text.push('\n');
        }
        Some(text)
    }
}

/// The lines of a file before its levels.
fn rule_lines(game: &CompiledGame, lines: &[&str]) -> Vec<String> {
    let first = game.entries.iter().find_map(|entry| match entry {
        LevelEntry::Level(level) => Some(level.line),
        LevelEntry::Message(_) => None,
    });
    let before = &lines[..first.map_or(lines.len(), |line| (line - 1).min(lines.len()))];
    lines_before_levels(before)
}

/// Trimmed lines up to the last heading of levels among these.
pub(super) fn lines_before_levels(before: &[&str]) -> Vec<String> {
    let heading = |line: &&str| line.trim().eq_ignore_ascii_case("levels");
    let end = before.iter().rposition(heading).unwrap_or(before.len());
    let end = match before[..end].last() {
        // The line above the heading.
        Some(line) if !line.trim().is_empty() && line.trim().chars().all(|c| c == '=') => end - 1,
        _ => end,
    };
    let mut lines: Vec<String> = before[..end]
        .iter()
        .map(|line| line.trim().to_string())
        .collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// A level from its map. Its symbols are those of the file where they can be.
fn of_map(rules: &std::sync::Arc<Ruleset>, map: &Map, lines: &[&str]) -> PuzzleScript {
    let background = rules.game.background.of_cells(&map.cells);
    let blank = Grid::new(map.height, map.width, '\0');
    let plain = PuzzleScript::new(
        rules.clone(),
        blank,
        map.cells.clone(),
        Vec::new(),
        background.clone(),
        Opening::default(),
        Vec::new(),
    );
    let mut glyphs = Grid::new(map.height, map.width, '\0');
    let mut own: Vec<(usize, usize)> = Vec::new();
    for (row, col) in glyphs.clone().places() {
        let line = lines.get(map.line - 1 + row).map_or("", |line| line.trim());
        let symbol = line.chars().nth(col).or(line.chars().last());
        let cell = &map.cells[col * map.height + row];
        let fits = |symbol: &char| {
            let found = rules.cell(*symbol, &[]);
            let filled = found.map(|mut found| {
                if rules.game.background.fills(&found) {
                    found.add(&background);
                }
                found
            });
            *symbol != ';' && *symbol != ':' && filled.as_ref() == Some(cell)
        };
        match symbol.filter(fits) {
            Some(symbol) => glyphs[(row, col)] = symbol,
            None => own.push((row, col)),
        }
    }
    let mut legend: Vec<(char, Set)> = Vec::new();
    if !own.is_empty() {
        let (by_objects, meanings) = plain.symbols_for(&map.cells);
        legend = meanings;
        own.into_iter()
            .for_each(|place| glyphs[place] = by_objects[place]);
        legend.retain(|(symbol, _)| glyphs.cells().contains(symbol));
    }
    PuzzleScript::new(
        rules.clone(),
        glyphs,
        map.cells.clone(),
        legend,
        background,
        Opening::default(),
        Vec::new(),
    )
}

/// The file of a game with this level as its only one.
fn write(
    level: &PuzzleScript,
    state: &ployglot_puzzlescript::PuzzleState,
) -> Result<String, String> {
    let text = level.write(state);
    let value = |key: &str| {
        let mut options = text.options.iter();
        options
            .find(|(known, _)| *known == key)
            .map(|(_, value)| value)
    };
    if let Some(state) = value("state").or(value("goals")) {
        return Err(format!(
            "a PuzzleScript file cannot say '{state}' of a level"
        ));
    }
    if value("background").is_some() || value("moves").is_some() {
        return Err("a PuzzleScript file cannot say how this level starts".to_string());
    }
    let mut lines: Vec<String> = level
        .rules
        .origin
        .text()
        .lines()
        .map(str::to_string)
        .collect();
    let legend: Vec<&String> = text
        .options
        .iter()
        .filter(|(key, _)| *key == "legend")
        .map(|(_, value)| value)
        .collect();
    if !legend.is_empty() {
        let heading = |line: &String| line.trim().eq_ignore_ascii_case("legend");
        let at = lines.iter().position(heading);
        let at = at.ok_or("the game has no legend")? + 1;
        // Below the line under the heading.
        let under = lines
            .get(at)
            .is_some_and(|line| line.trim().starts_with('='));
        let at = at + usize::from(under);
        if legend.iter().any(|meaning| meaning.ends_with("= nothing")) {
            return Err("a PuzzleScript file cannot have a cell without a background".to_string());
        }
        lines.splice(at..at, legend.into_iter().cloned());
    }
    let mut file = lines.join("\n").trim_end().to_string();
    file += "\n\n=======\nLEVELS\n=======\n\n";
    for row in &text.rows {
        file += row;
        file.push('\n');
    }
    Ok(file)
}
