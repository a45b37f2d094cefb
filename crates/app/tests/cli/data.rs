//! Level collections beside the project (`../shared/data`), if there are any: every file loads, and
//! proven costs are the known optima.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ployglot_games::AnyLevel;

use ployglot_testing::program::{args, root};
use ployglot_testing::skip::{has_program, shared_data};

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
    let Some(folder) = shared_data() else { return };
    // The data of PuzzleScript are recordings, which the tests of its crate read.
    let games = ployglot_games::NAMES.iter();
    for game in games.filter(|game| **game != "puzzlescript") {
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

/// A sample of the levels of every game, each with a short time limit: whatever is proven must be
/// the known optimum.
#[test]
fn proven_costs_are_the_known_optima() {
    const SAMPLE: usize = 12;
    let Some(folder) = shared_data() else { return };
    let table = std::fs::read_to_string(folder.join("optima.csv")).expect("a table");
    let mut known: BTreeMap<(&str, &str), Vec<(String, &str)>> = BTreeMap::new();
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let column = |name: &str| {
        let found = header.iter().position(|known| *known == name);
        found.unwrap_or_else(|| panic!("no column '{name}' in {header:?}"))
    };
    let columns = ["game", "level", "measure", "optimum"].map(column);
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), header.len(), "{line}");
        let [game, level, measure, optimum] = columns.map(|column| fields[column]);
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
            let proven_cost = match row["status"].as_str() {
                Some("optimal") => row["cost"].to_string(),
                Some("unsolvable") => "unsolvable".to_string(),
                _ => continue,
            };
            proven += 1;
            assert!(
                proven_cost == *optimum || *optimum == "unknown",
                "{path}: proven {proven_cost}, known {optimum}"
            );
        }
        assert!(proven > 0, "{game}: nothing proven");
        eprintln!("{game}, {measure}: {proven} of {} proven", sample.len());
    }
}

/// `scripts/score` on a collection of two built-in levels: it accepts right optima and reports a
/// wrong one.
#[test]
fn the_score_script_reports_wrong_optima() {
    if !has_program("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["plotting/01-first-shot", "plotting/04-staircase"] {
        let text = args(&["convert", name, "--to", "level"], b"").exits(0).out;
        let file = name.replace("plotting/", "") + ".level";
        std::fs::write(folder.path().join(file), text).expect("a file");
    }
    let score = |optimum: &str| {
        let table = format!(
            "level,game,measure,optimum\n01-first-shot.level,plotting,shots,1\n\
             04-staircase.level,plotting,shots,{optimum}\n"
        );
        std::fs::write(folder.path().join("optima.csv"), table).expect("a table");
        std::process::Command::new("python3")
            .arg(root().join("scripts/score"))
            .arg("--data")
            .arg(folder.path())
            .env("PLOY", env!("CARGO_BIN_EXE_ploy"))
            .output()
    };
    let right = score("4").expect("python3 is installed");
    let text = String::from_utf8_lossy(&right.stdout);
    assert!(right.status.success(), "{right:?}");
    assert!(
        text.contains("2/2 proven (0 of them new), 0 disagreements"),
        "{text}"
    );
    let wrong = score("5").expect("python3 is installed");
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    let message = String::from_utf8_lossy(&wrong.stderr);
    assert!(
        message.contains("04-staircase.level: optimal, cost 4"),
        "{message}"
    );
    assert!(message.contains("known 5"), "{message}");
}
