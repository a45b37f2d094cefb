//! Every command line that the documentation shows is run, and does what is shown.
//!
//! In blocks marked `sh` or `console`, a line that starts with `ploy`, `./ploy` or `$ ploy`, or pipes into it, is a command. After a `$` line
//! comes what it prints, up to the next command: `[..]` stands for any text in a line, `...` for any lines, and `? 11` for
//! the exit code. A line like `ploy solve LEVEL…` describes: then the command must exist. Commands run
//! one after the other in one folder for each page, so that one may use what another wrote.

use std::path::{Path, PathBuf};
use std::process::Command;

use ployglot_testing::program::{self, Folder, command, root};

#[derive(Debug)]
struct Example {
    line: usize,
    command: String,
    code: i32,
    /// `None`: nothing is said about what it prints.
    shown: Option<Vec<String>>,
}

fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    let mut folders = vec![root.join("docs")];
    let games = std::fs::read_dir(root.join("crates/games/src")).expect("the games");
    folders.extend(
        games
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.is_dir()),
    );
    for folder in folders {
        let entries = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path());
        pages.extend(entries.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    pages.sort();
    pages
}

/// What the lines in a block are.
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
        let ours = text == "ploy" || text.starts_with("ploy ") || text.contains("| ploy ");
        if ours && (prompt.is_some() || lines == Lines::Commands) {
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

/// Words that stand for something in a line that only describes.
const PLACES: [&str; 9] = [
    "LEVEL", "PLAN", "GAME", "FORMAT", "FILE", "DIR", "SHELL", "ROUTE", "NAME",
];

fn describes(command: &str) -> bool {
    let mut words = command.split(|c: char| !c.is_alphanumeric());
    command.contains('…') || words.any(|word| PLACES.contains(&word))
}

#[test]
fn every_command_that_is_shown_works() {
    let (mut count, mut wrong) = (0, Vec::new());
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        let folder = Folder::new();
        // Experiments are shown as they are run from the project's root.
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
    if describes(&example.command) || name == "play" {
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
            let good = lines_match(&shown, &lines);
            good.then_some(())
                .ok_or_else(|| format!("shown:\n{}\nprinted:\n{printed}", shown.join("\n")))
        }
        _ => Ok(()),
    }
}

/// `...` stands for any lines.
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

/// `[..]` stands for any text.
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
fn the_reader_of_pages_reads() {
    let page = "```sh\nploy a   # why\n./ploy b LEVEL\n```\nploy no\n```console\n$ ploy c\nx[..]z\n...\nend\n? 11\n$ ls\nploy\n```\n";
    let found = examples(page);
    let commands: Vec<&str> = found
        .iter()
        .map(|example| example.command.as_str())
        .collect();
    assert_eq!(commands, ["ploy a", "ploy b LEVEL", "ploy c"]);
    assert_eq!((found[0].code, found[2].code), (0, 11));
    assert!(describes(commands[1]) && !describes(commands[0]));
    let shown = ["x[..]z", "...", "end"];
    assert!(lines_match(&shown, &["xyz", "1", "2", "end"]));
    assert!(lines_match(&shown, &["xz", "end"]));
    assert!(!lines_match(&shown, &["xyz", "1"]));
    assert!(
        !line_matches("a[..]b", "abc") && line_matches("a[..]", "abc") && !line_matches("a", "ab")
    );
}
