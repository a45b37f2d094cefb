//! The levels of a suite: files by glob, built-in levels, and what generators make of seeds.

use ployglot_base::Random;
use ployglot_games::{AnyLevel, Game, GameVisitor, Level, Spec, visit_games};

use super::suite::{Source, Suite};
use ployglot_io::failure::Failure;
use ployglot_io::load;

/// A level with everything that is recorded about it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    pub family: String,
    pub game: &'static str,
    pub seed: Option<u64>,
    pub text: String,
}

/// All levels, in the order of the file; those of one glob by name. `first`: so many of each source.
pub fn levels(suite: &Suite, first: Option<usize>) -> Result<Vec<Entry>, Failure> {
    let mut all: Vec<Entry> = Vec::new();
    for source in &suite.levels {
        let made = match &source.game {
            Some(game) => generated(source, game)?,
            None => found(suite, source)?,
        };
        // Two globs may find the same file.
        for entry in made.into_iter().take(first.unwrap_or(usize::MAX)) {
            if !all
                .iter()
                .any(|old| old.name == entry.name && old.text == entry.text)
            {
                all.push(entry);
            }
        }
    }
    Ok(all)
}

fn found(suite: &Suite, source: &Source) -> Result<Vec<Entry>, Failure> {
    let mut entries = Vec::new();
    for pattern in &source.files {
        let bad = |why: &str| Failure::Usage(format!("the suite's levels '{pattern}': {why}"));
        let path = glob::Pattern::escape(&suite.folder.display().to_string()) + "/" + pattern;
        let path = if pattern.starts_with('/') {
            pattern.clone()
        } else {
            path
        };
        let files = glob::glob(&path).map_err(|error| bad(error.msg))?;
        let before = entries.len();
        for file in files.flatten().filter(|file| file.is_file()) {
            let name = file
                .strip_prefix(&suite.folder)
                .unwrap_or(&file)
                .display()
                .to_string();
            let text = load::text(&file.display().to_string())?;
            let level =
                AnyLevel::read(&text).map_err(|bad| load::bad_text(&name, text.as_bytes(), bad))?;
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let family = source.family.clone().unwrap_or_else(|| folder.to_string());
            entries.push(Entry {
                game: level.game_name(),
                seed: None,
                family,
                name,
                text,
            });
        }
        if entries.len() == before {
            let wanted = glob::Pattern::new(pattern).map_err(|error| bad(error.msg))?;
            for (game, builtin) in load::builtins() {
                let name = format!("{game}/{}", builtin.name);
                if wanted.matches(&name) {
                    let family = source.family.clone().unwrap_or_else(|| game.to_string());
                    entries.push(Entry {
                        game,
                        seed: None,
                        family,
                        name,
                        text: builtin.text.to_string(),
                    });
                }
            }
        }
        if entries.len() == before {
            return Err(bad("there is no such file or built-in level"));
        }
    }
    Ok(entries)
}

fn generated(source: &Source, game: &str) -> Result<Vec<Entry>, Failure> {
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

struct Make<'a> {
    game: &'static str,
    source: &'a Source,
    made: Result<Vec<Entry>, String>,
}

impl GameVisitor for Make<'_> {
    fn visit<G: Game>(&mut self) {
        if self.game == G::NAME {
            self.made = make::<G>(self.source);
        }
    }
}

fn make<G: Game>(source: &Source) -> Result<Vec<Entry>, String> {
    let (rows, cols) = source.size.unwrap_or((6, 6));
    let mut spec = Spec::size(rows, cols);
    let mut family = format!("{} {rows}x{cols}", G::NAME);
    let mut stem = format!("{}-{rows}x{cols}", G::NAME);
    for (name, &value) in &source.knobs {
        if !G::KNOBS.iter().any(|knob| knob.name == name) {
            let known: Vec<&str> = G::KNOBS.iter().map(|knob| knob.name).collect();
            return Err(format!(
                "there is no knob '{name}'; known are {}",
                known.join(", ")
            ));
        }
        spec = spec.with(name, value);
        family += &format!(" {name} {value}");
        stem += &format!("-{name}{value}");
    }
    let family = source.family.clone().unwrap_or(family);
    let one = |&seed: &u64| {
        let level = G::generate(&spec, &mut Random::new(seed))?;
        let text = Level::bare(level).print();
        Ok(Entry {
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

    fn suite(levels: &str) -> Suite {
        let text = format!("name='a'\nroutes=['best']\n[limits]\ncpu='1s'\nmemory='1G'\n{levels}");
        let mut suite = Suite::parse(&text).expect("a suite");
        suite.folder = std::env::temp_dir();
        suite
    }

    #[test]
    fn generators_make_the_same_levels_each_time() {
        let suite = suite(
            "[[levels]]\ngame='plotting'\nsize='2x4'\nseeds='1..3'\nknobs={colours=2,goal=3}\n",
        );
        let (first, second) = (
            levels(&suite, None).expect("levels"),
            levels(&suite, None).expect("levels"),
        );
        let text = |entries: &[Entry]| {
            entries
                .iter()
                .map(|entry| entry.text.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(text(&first), text(&second));
        assert_eq!(first[2].name, "plotting-2x4-colours2-goal3-seed3");
        assert_eq!((first.len(), first[0].seed), (3, Some(1)));
    }

    #[test]
    fn built_in_levels_are_found_by_glob_and_counted_once() {
        let found = levels(
            &suite("[[levels]]\nfiles=['plotting/0[12]*', 'plotting/01-*']\n"),
            None,
        )
        .expect("levels");
        assert_eq!(found.len(), 2);
        let none = levels(&suite("[[levels]]\nfiles=['plotting/nothing*']\n"), None).unwrap_err();
        assert!(none.line().contains("plotting/nothing*"));
        let knob = levels(
            &suite("[[levels]]\ngame='plotting'\nsize='4x4'\nseeds=[1]\nknobs={colour=2}\n"),
            None,
        );
        assert!(knob.unwrap_err().line().contains("known are colours"));
    }
}
