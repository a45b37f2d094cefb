//! Level collections beside the project, where they exist: every file loads, and what is proven is what is known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ployglot_games::AnyLevel;

use ployglot_testing::program::{args, root};

fn collection() -> Option<PathBuf> {
    let folder = root().join("../shared/data");
    if !folder.join("optima.csv").exists() {
        eprintln!("skipped: there are no level collections beside the project");
        return None;
    }
    Some(folder)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn every_file_loads() {
    let Some(folder) = collection() else { return };
    for game in ployglot_games::NAMES {
        let mut found = Vec::new();
        files(&folder.join(game), &mut found);
        assert!(!found.is_empty(), "{game}");
        for path in found {
            let bytes = std::fs::read(&path).expect("a file");
            match AnyLevel::read_bytes(&bytes) {
                Ok(level) => assert_eq!(level.game_name(), *game, "{}", path.display()),
                Err(bad) => panic!("{}: {bad}", path.display()),
            }
        }
    }
}

/// A sample of every game, a short time for each level: what is proven must be what is known.
#[test]
fn known_optima_are_found() {
    const SAMPLE: usize = 12;
    let Some(folder) = collection() else { return };
    let table = std::fs::read_to_string(folder.join("optima.csv")).expect("a table");
    let mut known: BTreeMap<(&str, &str), Vec<(String, &str)>> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [game, level, measure, optimum] = fields[..] else {
            panic!("four fields, found {line}");
        };
        let path = folder.join(level).to_str().expect("UTF-8").to_string();
        known
            .entry((game, measure))
            .or_default()
            .push((path, optimum));
    }
    for ((game, measure), levels) in known {
        let step = levels.len().div_ceil(SAMPLE);
        let sample: Vec<_> = levels.iter().step_by(step).collect();
        let mut arguments = vec![
            "solve",
            "--json",
            "--time",
            "250ms",
            "--jobs",
            "2",
            "--measure",
            measure,
        ];
        arguments.extend(sample.iter().map(|(path, _)| path.as_str()));
        let ran = args(&arguments, b"").exits(0);
        let mut proven = 0;
        for (row, (path, optimum)) in ran.rows().iter().zip(&sample) {
            assert_eq!(row["level"], path.as_str());
            let said = match row["status"].as_str() {
                Some("optimal") => row["cost"].to_string(),
                Some("unsolvable") => "unsolvable".to_string(),
                _ => continue,
            };
            proven += 1;
            assert!(
                said == *optimum || *optimum == "unknown",
                "{path}: says {said}, known {optimum}"
            );
        }
        assert!(proven > 0, "{game}: nothing proven");
        eprintln!("{game}, {measure}: {proven} of {} proven", sample.len());
    }
}
