//! Checks of the source text: the rules of ARCHITECTURE.md about dependencies, files and the clock;
//! head comments; package metadata; unfinished code; words that comments should not use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Crates of others that these crates may use; a crate that is not listed may use any.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("engines", &[]),
    ("games", &[]),
    ("solve", &[]),
    ("search", &["hashbrown", "rustc-hash", "rayon", "crossbeam"]),
];

/// The only file that reads the clock and the memory.
const BUDGET: &str = "crates/base/src/budget.rs";

fn root() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the project has a root")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file of the project whose name ends like this, as a path from the root. Hidden and built
/// files are skipped.
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

/// The names and folders of all crates.
fn crates() -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(root().join("crates")).expect("the crates");
    let folders = entries.map(|entry| entry.expect("an entry").path());
    let name = |folder: &Path| {
        folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    folders.map(|folder| (name(&folder), folder)).collect()
}

/// The table "Dependencies" of ARCHITECTURE.md: for each crate, the crates that it may use.
fn allowed_dependencies() -> BTreeMap<String, Vec<String>> {
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
    assert!(table.len() >= 5, "the table was found: {table:?}");
    table
}

/// The names under `[dependencies]`; those of tests and builds are not included.
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
    let table = allowed_dependencies();
    for (name, folder) in crates() {
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

/// The program text of a file: without lines of comments, and without items under `#[cfg(test)]`.
///
/// An item ends at the first line that closes a brace at its own indentation, which holds for code
/// that `cargo fmt` has formatted.
fn program(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        if line.trim() != "#[cfg(test)]" {
            code += line;
            code.push('\n');
            continue;
        }
        let indentation = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indentation}}}");
        for item in lines.by_ref() {
            let starts_here = item.starts_with(indentation)
                && !item[indentation.len()..].starts_with(char::is_whitespace);
            let one_line = starts_here && (item.ends_with(';') || item.ends_with("{}"));
            if one_line || item.starts_with(&end) {
                break;
            }
        }
    }
    code
}

#[test]
fn test_code_is_removed_and_the_rest_is_kept() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests;\nfn b() {\n    // why\n    #[cfg(test)]\n    if true {\n        \
                x();\n    }\n    y();\n}\n#[cfg(test)]\n#[path = \"t.rs\"]\nmod tests {\n    fn t() {\n    }\n}\nfn c() {}\n";
    assert_eq!(
        program(text),
        "fn a() {}\nfn b() {\n    y();\n}\nfn c() {}\n"
    );
}

/// The crates that may touch files, sockets, processes and the terminal, as ARCHITECTURE.md lists
/// them, and the helpers of tests.
fn outer_crates() -> Vec<String> {
    let text = read(root().join("ARCHITECTURE.md"));
    let sentence = text
        .lines()
        .find_map(|line| line.strip_prefix("- Only ")?.split_once(" touch files"))
        .expect("a line '- Only ... touch files'");
    let quoted = sentence.0.split('`').skip(1).step_by(2);
    quoted.chain(["testing"]).map(str::to_string).collect()
}

/// Asserts that these texts are not in the program text of the selected files.
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
    assert!(seen > 0, "files were found");
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
    let outer = outer_crates();
    // The programs of tools/ and the Python module are not part of the libraries.
    absent(&words, |file| {
        file.starts_with("crates/")
            && file != BUDGET
            && !outer
                .iter()
                .any(|name| file.starts_with(&format!("crates/{name}/")))
    });
}

#[test]
fn only_the_budget_reads_the_clock_and_the_memory() {
    // The game in the terminal animates moves, experiments and tests measure other programs, and
    // files are written to what links in /proc stand for.
    let exempt = |file: &str| {
        file.starts_with("crates/cli/src/play/")
            || file.starts_with("crates/experiments/src/")
            || file.starts_with("crates/testing/src/")
            || file == "crates/io/src/draft.rs"
    };
    absent(&["Instant", "SystemTime", "\"/proc", "\"/sys"], |file| {
        file != BUDGET && !exempt(file)
    });
}

/// A test that cannot run here returns early, and is then counted as passed. `skip` reports it, so
/// that `./test` can list it; a notice of its own would be hidden.
#[test]
fn skipped_tests_report_it_by_skip() {
    let notice = concat!("println!(\"", "skipped");
    for file in files(".rs") {
        let text: String = read(root().join(&file)).split_whitespace().collect();
        assert!(!text.contains(notice), "{file}: use ployglot_testing::skip");
    }
}

#[test]
fn nothing_is_left_unfinished() {
    // The words are in two parts, so that this file does not contain them.
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
            assert!(!text.contains(word), "{file} has {word}");
        }
    }
}

/// Words that make comments and messages hard to read, in two parts, so that this file does not
/// contain them.
const OBSCURE: [&str; 10] = [
    concat!("who", "ever"),
    concat!("no", "body"),
    concat!("some", "body"),
    concat!("wh", "om"),
    concat!("whi", "ther"),
    concat!("de", "ar"),
    concat!("de", "arer"),
    concat!("to", "ld"),
    concat!("goes", " on"),
    concat!("those", " who"),
];

#[test]
fn texts_use_plain_words() {
    let scripts = std::fs::read_dir(root().join("scripts")).expect("the scripts");
    let scripts = scripts.map(|entry| entry.expect("an entry").file_name());
    let scripts: Vec<String> = scripts
        .map(|name| format!("scripts/{}", name.to_string_lossy()))
        .filter(|path| root().join(path).is_file())
        .collect();
    let named = ["ploy", "test"].map(str::to_string).to_vec();
    let texts = [".rs", ".js", ".md", ".toml", ".pddl", ".eprime"]
        .map(files)
        .concat();
    for file in [texts, scripts, named].concat() {
        for (index, line) in read(root().join(&file)).lines().enumerate() {
            let line = line.to_lowercase();
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
            let line = format!(" {} ", words.join(" "));
            for word in OBSCURE {
                let found = line.contains(&format!(" {word} "));
                assert!(!found, "{file}:{}: '{word}'; use a plainer word", index + 1);
            }
        }
    }
}

#[test]
fn every_crate_has_its_metadata() {
    for (name, folder) in crates() {
        let manifest = read(folder.join("Cargo.toml"));
        let has = |key: &str| manifest.lines().any(|line| line.starts_with(key));
        for key in ["description = \"", "license"] {
            assert!(has(key), "{name}: no {key} in Cargo.toml");
        }
        // The helpers of tests are not published.
        if name != "testing" {
            assert!(
                has("readme = \"README.md\""),
                "{name}: no readme in Cargo.toml"
            );
            assert!(folder.join("README.md").exists(), "{name}: no README.md");
        }
    }
}

#[test]
fn every_file_has_a_head_comment() {
    for file in files(".rs") {
        assert!(
            read(root().join(&file)).starts_with("//!"),
            "{file} has no head comment"
        );
    }
}
