//! What a machine can check of ARCHITECTURE.md: who may use whom, who touches the outside world, who reads the clock, and
//! that nothing is left unfinished.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Crates from elsewhere that the inner rooms may use; a room that is not listed may use what it needs.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("games", &[]),
    ("solve", &[]),
    ("search", &["hashbrown", "rustc-hash", "rayon", "crossbeam"]),
];

/// The one file that reads the clock and the memory.
const GAUGE: &str = "crates/base/src/budget.rs";

fn root() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the project has a root")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file of the project with this ending, without what is built or hidden, as paths from the root.
fn files(ending: &str) -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if name.starts_with('.') || name == "target" || path.is_symlink() {
                continue;
            } else if path.is_dir() {
                walk(&path, found);
            } else {
                found.push(path);
            }
        }
    }
    let root = root();
    let mut found = Vec::new();
    walk(&root, &mut found);
    let inside = |path: &PathBuf| {
        path.strip_prefix(&root)
            .expect("inside")
            .to_string_lossy()
            .into_owned()
    };
    let mut names: Vec<String> = found
        .iter()
        .map(inside)
        .filter(|name| name.ends_with(ending))
        .collect();
    names.sort();
    names
}

/// The crates in the table "Who may use whom", each with those that it may use.
fn table() -> BTreeMap<String, Vec<String>> {
    let text = read(root().join("ARCHITECTURE.md"));
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| crate | may use |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut table = BTreeMap::new();
    let mut above = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (name, may) = (cells[1].to_string(), cells[2]);
        let words = may.split([',', ' ']).map(str::to_string);
        let used = if may.starts_with("all above") {
            above.clone()
        } else {
            words.collect()
        };
        above.push(name.clone());
        table.insert(name, used);
    }
    assert!(table.len() >= 5, "the table is there: {table:?}");
    table
}

/// The names under `[dependencies]`, not those that only tests or builds use.
fn dependencies(manifest: &str) -> Vec<String> {
    let section = manifest
        .lines()
        .skip_while(|line| line.trim() != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['));
    section
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.split(['=', '.', ' ']).next().unwrap_or("").to_string())
        .collect()
}

#[test]
fn crates_use_only_what_the_table_allows() {
    let table = table();
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates") {
        let folder = entry.expect("an entry").path();
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let may = table
            .get(&name)
            .unwrap_or_else(|| panic!("{name} is not in the table of ARCHITECTURE.md"));
        let outside = OUTSIDE.iter().find(|(of, _)| *of == name);
        for used in dependencies(&read(folder.join("Cargo.toml"))) {
            match used.strip_prefix("ployglot-") {
                Some(inner) => assert!(
                    may.iter().any(|may| may == inner),
                    "{name} may not use {inner}"
                ),
                None => {
                    let allowed =
                        outside.is_none_or(|(_, allowed)| allowed.contains(&used.as_str()));
                    assert!(allowed, "{name} may not use {used}");
                }
            }
        }
    }
}

/// The program text of a file: without comments, and without its tests, which stand last.
fn program(text: &str) -> String {
    let body = text.split("#[cfg(test)]").next().unwrap_or("");
    let code = body
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| format!("{line}\n")).collect()
}

#[track_caller]
fn absent(words: &[&str], within: impl Fn(&str) -> bool) {
    let mut seen = 0;
    for file in files(".rs")
        .iter()
        .filter(|file| file.contains("/src/") && !file.contains("tests") && within(file))
    {
        seen += 1;
        let code = program(&read(root().join(file)));
        for word in words {
            assert!(!code.contains(word), "{file} uses {word}");
        }
    }
    assert!(seen > 0, "there are files to look at");
}

#[test]
fn only_the_outer_crates_touch_the_outside_world() {
    let words = [
        "std::fs",
        "std::net",
        "std::process",
        "std::env::",
        "std::io::std",
        "println!",
        "print!(",
        "dbg!(",
    ];
    let outer = ["app", "cli", "experiments", "io", "studio", "testing"];
    absent(&words, |file| {
        file != GAUGE
            && !outer
                .iter()
                .any(|name| file.starts_with(&format!("crates/{name}/")))
    });
}

#[test]
fn only_the_budget_reads_the_clock_and_the_memory() {
    // The game in the terminal moves its pieces in time, and the runner of experiments measures other programs.
    let plays = |file: &str| {
        file.starts_with("crates/cli/src/play/") || file.starts_with("crates/experiments/src/")
    };
    absent(&["Instant", "SystemTime", "\"/proc", "\"/sys"], |file| {
        file != GAUGE && !plays(file)
    });
}

#[test]
fn nothing_is_left_unfinished() {
    // Written in two parts, so that this file does not find itself.
    let words = [
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("FIX", "ME"),
        concat!("TO", "DO:"),
        concat!("XX", "X:"),
    ];
    for file in [files(".rs"), files(".md"), files(".toml"), files(".level")].concat() {
        let text = read(root().join(&file));
        for word in words {
            assert!(!text.contains(word), "{file} says {word}");
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for file in files(".rs") {
        assert!(
            read(root().join(&file)).starts_with("//!"),
            "{file} has no head comment"
        );
    }
}
