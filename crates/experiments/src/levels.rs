//! The levels of a suite: files by glob, built-in levels, and levels generated from seeds; then its
//! planning tasks (`tasks.rs`).

use std::path::PathBuf;

use ployglot_base::{Random, text};
use ployglot_games::{AnyLevel, Game, GameVisitor, Level, Spec, visit_games};

use super::suite::{LevelSource, Suite};
use ployglot_io::failure::Failure;
use ployglot_io::load;

/// A level of a suite, with what the database records about it.
#[derive(Clone, Debug)]
pub struct SuiteLevel {
    /// The path of the file, relative to the suite's folder; the name of a built-in level; or the
    /// settings of the generator.
    pub name: String,
    /// The family in reports.
    pub family: String,
    /// The name of the game; `pddl` for a planning task.
    pub game: &'static str,
    /// The seed of a generated level.
    pub seed: Option<u64>,
    /// The level's text, or the texts of a task as one.
    pub text: String,
}

/// All levels in the order of the suite, those of one glob by name. `first`: at most this
/// many of each `[[levels]]` and `[[tasks]]`.
pub fn suite_levels(suite: &Suite, first: Option<usize>) -> Result<Vec<SuiteLevel>, Failure> {
    let mut all: Vec<SuiteLevel> = Vec::new();
    for source in &suite.levels {
        let made = match &source.game {
            Some(game) if source.files.is_empty() || !any_file(suite, source) => {
                generated(source, game)?
            }
            _ => from_files(suite, source)?,
        };
        add(&mut all, made, first);
    }
    for source in &suite.tasks {
        add(&mut all, source.tasks(suite)?, first);
    }
    Ok(all)
}

/// Adds the first levels of a source.
fn add(all: &mut Vec<SuiteLevel>, made: Vec<SuiteLevel>, first: Option<usize>) {
    for level in made.into_iter().take(first.unwrap_or(usize::MAX)) {
        // Two globs may find the same file.
        let same = |other: &SuiteLevel| other.name == level.name && other.text == level.text;
        if !all.iter().any(same) {
            all.push(level);
        }
    }
}

/// Whether some file matches the globs of the source.
fn any_file(suite: &Suite, source: &LevelSource) -> bool {
    let found = |pattern: &String| {
        let files = glob::glob(&path_pattern(suite, pattern));
        files.is_ok_and(|files| files.flatten().any(|file| file.is_file()))
    };
    source.files.iter().any(found)
}

/// A glob of the suite, relative to its folder, as a glob for the system.
fn path_pattern(suite: &Suite, pattern: &str) -> String {
    if pattern.starts_with('/') {
        return pattern.to_string();
    }
    glob::Pattern::escape(&suite.folder.display().to_string()) + "/" + pattern
}

/// Files that match the globs, or built-in levels where there are no such files.
fn from_files(suite: &Suite, source: &LevelSource) -> Result<Vec<SuiteLevel>, Failure> {
    let mut levels = Vec::new();
    for pattern in &source.files {
        let bad = |why: &str| Failure::Usage(format!("the suite's levels '{pattern}': {why}"));
        let find = |pattern: &str| match glob::glob(&path_pattern(suite, pattern)) {
            Ok(paths) => Ok(paths.flatten().filter(|path| path.is_file()).collect()),
            Err(error) => Err(bad(error.msg)),
        };
        let mut files: Vec<PathBuf> = find(pattern)?;
        // One level of a PuzzleScript file: `game.txt#3`.
        let mut number = None;
        if let (true, Some((file, level))) = (files.is_empty(), pattern.rsplit_once('#')) {
            (files, number) = (find(file)?, Some(level));
        }
        let before = levels.len();
        for file in files {
            let name = file
                .strip_prefix(&suite.folder)
                .unwrap_or(&file)
                .display()
                .to_string();
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let family = source.family.clone().unwrap_or_else(|| folder.to_string());
            let path = file.display().to_string();
            let named = match number {
                Some(number) => vec![format!("{path}#{number}")],
                None => load::expand(path.clone()),
            };
            for level in named {
                let text = load::level_text(&level)?;
                let name = format!("{name}{}", level.strip_prefix(&path).unwrap_or(""));
                let game = AnyLevel::read(&text)
                    .map_err(|bad| load::bad_text(&name, text.as_bytes(), bad))?
                    .game_name();
                levels.push(SuiteLevel {
                    game,
                    seed: None,
                    family: family.clone(),
                    name,
                    text,
                });
            }
        }
        if levels.len() == before {
            let glob = glob::Pattern::new(pattern).map_err(|error| bad(error.msg))?;
            for (game, builtin) in load::builtins() {
                let name = format!("{game}/{}", builtin.name);
                if glob.matches(&name) {
                    let family = source.family.clone().unwrap_or_else(|| game.to_string());
                    levels.push(SuiteLevel {
                        game,
                        seed: None,
                        family,
                        name,
                        text: builtin.text.to_string(),
                    });
                }
            }
        }
        if levels.len() == before {
            return Err(bad("there is no such file or built-in level"));
        }
    }
    Ok(levels)
}

fn generated(source: &LevelSource, game: &str) -> Result<Vec<SuiteLevel>, Failure> {
    let game = load::game_name(game)?;
    let mut make = Make {
        game,
        source,
        made: Ok(Vec::new()),
    };
    visit_games(&mut make);
    make.made
        .map_err(|why| Failure::Usage(format!("the suite's levels of {game}: {why}")))
}

/// Visits the games for the levels of one of them.
struct Make<'a> {
    game: &'static str,
    source: &'a LevelSource,
    made: Result<Vec<SuiteLevel>, String>,
}

impl GameVisitor for Make<'_> {
    fn visit<G: Game>(&mut self) {
        if self.game == G::NAME {
            self.made = make::<G>(self.source);
        }
    }
}

/// Generates a level for each seed of the source.
fn make<G: Game>(source: &LevelSource) -> Result<Vec<SuiteLevel>, String> {
    let (rows, cols) = source.size.unwrap_or((6, 6));
    let mut spec = Spec::size(rows, cols);
    let mut family = format!("{} {rows}x{cols}", G::NAME);
    let mut stem = format!("{}-{rows}x{cols}", G::NAME);
    for (name, &value) in &source.knobs {
        if !G::KNOBS.iter().any(|knob| knob.name == name) {
            let known = G::KNOBS.iter().map(|knob| knob.name);
            return Err(text::unknown("knob", name, known));
        }
        spec = spec.with(name, value);
        family += &format!(" {name} {value}");
        stem += &format!("-{name}{value}");
    }
    let family = source.family.clone().unwrap_or(family);
    let one = |&seed: &u64| {
        let level = G::generate(&spec, &mut Random::new(seed))?;
        let text = Level::bare(level).print();
        Ok(SuiteLevel {
            name: format!("{stem}-seed{seed}"),
            family: family.clone(),
            game: G::NAME,
            seed: Some(seed),
            text,
        })
    };
    source.seeds.0.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_games::puzzlescript::GAMES;

    fn suite(levels: &str) -> Suite {
        let text = format!("name='a'\nroutes=['best']\n[limits]\ncpu='1s'\nmemory='1G'\n{levels}");
        let mut suite = Suite::parse(&text).expect("a suite");
        suite.folder = std::env::temp_dir();
        suite
    }

    #[test]
    fn generated_levels_are_the_same_each_time() {
        let suite = suite(
            "[[levels]]\ngame='plotting'\nsize='2x4'\nseeds='1..3'\nknobs={colours=2,goal=3}\n",
        );
        let (first, second) = (
            suite_levels(&suite, None).expect("levels"),
            suite_levels(&suite, None).expect("levels"),
        );
        let texts = |levels: &[SuiteLevel]| {
            let texts = levels.iter().map(|level| level.text.clone());
            texts.collect::<Vec<_>>()
        };
        assert_eq!(texts(&first), texts(&second));
        assert_eq!(first[2].name, "plotting-2x4-colours2-goal3-seed3");
        assert_eq!((first.len(), first[0].seed), (3, Some(1)));
    }

    #[test]
    fn a_puzzlescript_file_stands_for_its_levels_or_for_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, crates) = GAMES[0];
        std::fs::write(folder.path().join("game.txt"), crates).expect("written");
        let names = |files: &str| {
            let mut suite = suite(&format!("[[levels]]\nfiles=['{files}']\n"));
            suite.folder = folder.path().to_path_buf();
            let levels = suite_levels(&suite, None)?;
            Ok(levels.into_iter().map(|level| level.name).collect())
        };
        let all: Vec<String> = names("game.txt")
            .map_err(|bad: Failure| bad.line())
            .expect("levels");
        assert!(all.len() > 1 && all[1] == "game.txt#2", "{all:?}");
        let one: Vec<String> = names("game.txt#2")
            .map_err(|bad: Failure| bad.line())
            .expect("a level");
        assert_eq!(one, ["game.txt#2"]);
        let none: Result<Vec<String>, Failure> = names("game.txt#99");
        assert!(none.unwrap_err().line().contains("there is no such level"));
    }

    #[test]
    fn built_in_levels_are_found_by_glob_without_duplicates() {
        let found = suite_levels(
            &suite("[[levels]]\nfiles=['plotting/0[12]*', 'plotting/01-*']\n"),
            None,
        )
        .expect("levels");
        assert_eq!(found.len(), 2);
        let none =
            suite_levels(&suite("[[levels]]\nfiles=['plotting/nothing*']\n"), None).unwrap_err();
        assert!(none.line().contains("plotting/nothing*"));
        let knob = suite_levels(
            &suite("[[levels]]\ngame='plotting'\nsize='4x4'\nseeds=[1]\nknobs={colour=2}\n"),
            None,
        );
        assert!(knob.unwrap_err().line().contains("did you mean 'colours'?"));
    }
}
