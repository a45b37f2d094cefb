//! Files that reproduce a defect of the program: the level, and in comments above it the command
//! line and what was wrong. The file is itself a level, so the command can be run at once.

use std::io::{ErrorKind, Write};
use std::path::Path;

use ployglot_io::output;

/// A defect that was found while a level was solved.
pub struct Defect<'a> {
    pub game: &'a str,
    /// The route, or what else is broken.
    pub route: &'a str,
    /// What is wrong, in a sentence.
    pub why: &'a str,
    /// The text of the level.
    pub level: &'a str,
}

/// The most files for one route in one folder. A route that is broken on every level of a large
/// collection fills no folder.
const MOST_FILES: usize = 100;

impl Defect<'_> {
    /// Writes a new file into the folder, and says where. `command` makes the command line from the
    /// name of the file. If the file cannot be written, only that is said: the defect itself
    /// decides how the program ends.
    pub fn report(&self, folder: &str, command: impl Fn(&str) -> String) {
        let message = match self.write(folder, command) {
            Ok(Some(path)) => format!("the level and the command that reproduces it are in {path}"),
            Ok(None) => format!("{folder} has {MOST_FILES} files about this route already"),
            Err(error) => format!("no file about it was written to {folder}: {error}"),
        };
        let why = one_line(self.why);
        output::note(&format!(
            "the program has a defect ({}: {why}); {message}",
            self.route
        ));
        output::note("please report it");
    }

    /// The path of the new file; `None` if there are too many. No file is ever replaced.
    fn write(
        &self,
        folder: &str,
        command: impl Fn(&str) -> String,
    ) -> std::io::Result<Option<String>> {
        let stem = format!("defect-{}-{}", self.game, self.route);
        let stem: String = stem.chars().map(plain).collect();
        for number in 1..=MOST_FILES {
            let name = match number {
                1 => format!("{stem}.level"),
                number => format!("{stem}-{number}.level"),
            };
            let path = Path::new(folder).join(name).display().to_string();
            let new = std::fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&path);
            let mut file = match new {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                new => new?,
            };
            let written = file
                .write_all(self.text(&command(&path)).as_bytes())
                .and_then(|()| file.sync_all());
            if let Err(error) = written {
                let _ = std::fs::remove_file(&path);
                return Err(error);
            }
            return Ok(Some(path));
        }
        Ok(None)
    }

    fn text(&self, command: &str) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let comments = [
            format!("a defect of ploy {version}"),
            format!("route: {}", self.route),
            format!("reason: {}", self.why),
            format!("reproduce: {command}"),
        ];
        let comments = comments.map(|line| format!("; {}\n", one_line(&line)));
        comments.concat() + self.level
    }
}

/// The text without line breaks and other control characters.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The character in the name of a file.
fn plain(c: char) -> char {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' => c,
        _ => '-',
    }
}

/// An argument as a shell reads it.
pub fn quote(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:+,=".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_string();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_games::AnyLevel;

    const LEVEL: &str = "game: plotting\ntitle: T\ngoal: 1\nhand: R\n\nRRG\nRGG\n";

    fn defect() -> Defect<'static> {
        Defect {
            game: "plotting",
            route: "eprime:action+dead-end:sat",
            why: "two\nlines \u{1b}[31m",
            level: LEVEL,
        }
    }

    #[test]
    fn the_file_is_a_level_with_the_command_and_the_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().display().to_string();
        let command = |file: &str| format!("ploy solve {}", quote(file));
        let path = defect().write(&folder, command).expect("it can be written");
        let path = path.expect("there is room");
        let name = "defect-plotting-eprime-action-dead-end-sat.level";
        assert!(path.ends_with(name), "{path}");
        let text = std::fs::read_to_string(&path).expect("the file");
        AnyLevel::read(&text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
        assert!(text.ends_with(LEVEL), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].ends_with("route: eprime:action+dead-end:sat"));
        assert!(lines[2].starts_with("; reason: two"), "{text}");
        assert_eq!(lines[3], format!("; reproduce: ploy solve {path}"));
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn no_file_is_replaced_and_their_number_is_limited() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().display().to_string();
        let write = || defect().write(&folder, str::to_string);
        let mut paths = Vec::new();
        while let Some(path) = write().expect("it can be written") {
            assert!(!paths.contains(&path), "{path}");
            paths.push(path);
        }
        assert_eq!(paths.len(), MOST_FILES);
        let missing = defect().write(&format!("{folder}/missing"), str::to_string);
        assert!(missing.is_err());
    }

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        assert_eq!(quote("a/b-1.level"), "a/b-1.level");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
    }
}
