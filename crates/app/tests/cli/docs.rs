//! Runs every command line in the documentation and compares its output with what is shown.
//!
//! In blocks marked `sh` or `console`, a line that starts with `ploy`, `./ploy` or `$ ploy`, or
//! pipes into it, is a command. After a `$` line comes what it prints, up to the next command:
//! `[..]` stands for any text in a line, `...` for any lines, and `? 11` for the exit code. A line
//! with a placeholder, like `ploy solve LEVEL…`, is not run, but the command must exist. The
//! commands of a page run one after the other in one folder, so that one may use what another
//! wrote. Examples of a crate and links to other files must exist.

use std::path::{Path, PathBuf};
use std::process::Command;

use ployglot_testing::program::{self, Folder, command, root};

#[derive(Debug)]
struct Example {
    line: usize,
    command: String,
    code: i32,
    /// The lines that it prints; `None` if the page does not show them.
    shown: Option<Vec<String>>,
}

fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    let mut folders = vec![root.join("docs"), root.join("crates/games/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// The kind of the lines in a block.
#[derive(PartialEq)]
enum Lines {
    Commands,
    Output,
    OutputOfOthers,
}

fn examples(page: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut lines = Lines::Commands;
    for (index, line) in page.lines().enumerate() {
        if let Some(mark) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() {
                None
            } else {
                Some(mark.trim())
            };
            lines = Lines::Commands;
            continue;
        }
        if !matches!(fence, Some("sh" | "console")) {
            continue;
        }
        let prompt = line.strip_prefix("$ ");
        let text = prompt.unwrap_or(line);
        let text = text.strip_prefix("./").unwrap_or(text);
        let is_ploy = text == "ploy" || text.starts_with("ploy ") || text.contains("| ploy ");
        if is_ploy && (prompt.is_some() || lines == Lines::Commands) {
            lines = if prompt.is_some() {
                Lines::Output
            } else {
                Lines::Commands
            };
            found.push(Example {
                line: index + 1,
                command: text.split(" #").next().unwrap_or("").trim().to_string(),
                code: 0,
                shown: prompt.map(|_| Vec::new()),
            });
        } else if prompt.is_some() {
            lines = Lines::OutputOfOthers;
        } else if lines == Lines::Output
            && let Some(example) = found.last_mut()
        {
            match line.strip_prefix("? ").and_then(|code| code.parse().ok()) {
                Some(code) => example.code = code,
                None => example.shown.get_or_insert_default().push(line.to_string()),
            }
        }
    }
    found
}

/// Placeholders. A command with one of them is not run.
const PLACEHOLDERS: [&str; 9] = [
    "LEVEL", "PLAN", "GAME", "FORMAT", "FILE", "DIR", "SHELL", "ROUTE", "NAME",
];

fn has_placeholder(command: &str) -> bool {
    let mut words = command.split(|c: char| !c.is_alphanumeric());
    command.contains('…') || words.any(|word| PLACEHOLDERS.contains(&word))
}

#[test]
fn the_commands_in_the_documentation_work() {
    let (mut count, mut wrong) = (0, Vec::new());
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        let folder = Folder::new();
        // The commands for experiments are written for the project's root.
        #[cfg(unix)]
        std::os::unix::fs::symlink(root().join("suites"), folder.path().join("suites"))
            .expect("a link");
        for example in examples(&text) {
            count += 1;
            if let Err(why) = run(&example, &folder.path()) {
                wrong.push(format!(
                    "{}:{}: {}\n{why}",
                    page.display(),
                    example.line,
                    example.command
                ));
            }
        }
    }
    assert!(count > 0, "the documentation shows commands");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn run(example: &Example, folder: &Path) -> Result<(), String> {
    let mut words = example
        .command
        .split_whitespace()
        .skip_while(|word| *word != "ploy");
    let name = words.nth(1).unwrap_or("");
    // A game in the terminal needs a terminal.
    if has_placeholder(&example.command) || name == "play" {
        let help = command()
            .args([name, "--help"])
            .output()
            .expect("the program starts");
        return help
            .status
            .success()
            .then_some(())
            .ok_or_else(|| "there is no such command".to_string());
    }
    let program = program::path();
    let binaries = program.parent().expect("a program is in a folder");
    let path = format!(
        "{}:{}",
        binaries.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("sh")
        .args(["-c", &example.command])
        .env("PATH", path)
        .current_dir(folder)
        .output()
        .expect("a shell");
    let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    if output.status.code() != Some(example.code) {
        return Err(format!("exits with {}\n{printed}", output.status));
    }
    let lines: Vec<&str> = printed.lines().collect();
    match &example.shown {
        Some(shown) if !shown.is_empty() => {
            let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
            let matches = lines_match(&shown, &lines);
            matches
                .then_some(())
                .ok_or_else(|| format!("shown:\n{}\nprinted:\n{printed}", shown.join("\n")))
        }
        _ => Ok(()),
    }
}

/// Compares lines; `...` matches any lines.
fn lines_match(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|skip| lines_match(rest, &printed[skip..])),
        Some((line, rest)) => {
            let first = printed
                .first()
                .is_some_and(|printed| line_matches(line, printed));
            first && lines_match(rest, &printed[1..])
        }
    }
}

/// Compares one line; `[..]` matches any text.
fn line_matches(shown: &str, printed: &str) -> bool {
    let mut parts = shown.trim_end().split("[..]");
    let Some(mut rest) = parts
        .next()
        .and_then(|first| printed.trim_end().strip_prefix(first))
    else {
        return false;
    };
    let mut open = false;
    for part in parts {
        open = true;
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty() || (open && shown.trim_end().ends_with("[..]"))
}

#[test]
fn every_example_that_is_shown_exists() {
    let mut count = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        for line in text.lines() {
            let Some((_, rest)) = line.split_once("cargo run -p ployglot-") else {
                continue;
            };
            let mut words = rest.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
            let (krate, option) = (words.next(), words.next());
            let (Some(krate), Some("--example"), Some(name)) = (krate, option, words.next()) else {
                continue;
            };
            count += 1;
            let file = format!("crates/{krate}/examples/{name}.rs");
            let exists = root().join(&file).is_file();
            assert!(exists, "{}: there is no {file}", page.display());
        }
    }
    assert!(count > 0, "the documentation shows examples");
}

#[test]
fn links_to_files_lead_somewhere() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        let folder = page.parent().expect("a folder");
        for part in text.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or("");
            let file = target.split('#').next().unwrap_or("");
            let is_address = target.contains("://");
            if !file.is_empty() && !is_address && !folder.join(file).exists() {
                wrong.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_and_outputs_are_found_in_a_page() {
    let page = "```sh\nploy a   # why\n./ploy b LEVEL\n```\nploy no\n```console\n$ ploy c\nx[..]z\n...\nend\n? 11\n$ ls\nploy\n```\n";
    let found = examples(page);
    let commands: Vec<&str> = found
        .iter()
        .map(|example| example.command.as_str())
        .collect();
    assert_eq!(commands, ["ploy a", "ploy b LEVEL", "ploy c"]);
    assert_eq!((found[0].code, found[2].code), (0, 11));
    assert!(has_placeholder(commands[1]) && !has_placeholder(commands[0]));
    let shown = ["x[..]z", "...", "end"];
    assert!(lines_match(&shown, &["xyz", "1", "2", "end"]));
    assert!(lines_match(&shown, &["xz", "end"]));
    assert!(!lines_match(&shown, &["xyz", "1"]));
    assert!(
        !line_matches("a[..]b", "abc") && line_matches("a[..]", "abc") && !line_matches("a", "ab")
    );
}
