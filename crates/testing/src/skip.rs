//! Tests that cannot run everywhere: each reports that it was skipped, and why, so that the number
//! of tests that passed hides nothing. `./test` prints the list at the end.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The environment variable with the file to which skipped tests are appended, one in a line.
pub const SKIPPED: &str = "PLOY_SKIPPED";

/// Reports that the current test is skipped.
pub fn skip(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Not by eprintln!, whose output is hidden when a test passes.
    let _ = writeln!(std::io::stderr(), "{test} is skipped: {why}");
    if let Some(path) = std::env::var_os(SKIPPED) {
        append(Path::new(&path), test, why);
    }
}

fn append(path: &Path, test: &str, why: &str) {
    let file = OpenOptions::new().append(true).create(true).open(path);
    // One write, so that the lines of two tests do not mix.
    let written = file.and_then(|mut file| file.write_all(format!("{test}: {why}\n").as_bytes()));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// The level collections beside the project, `../shared/data`; `None`: they are not there, and the
/// current test is skipped.
pub fn shared_data() -> Option<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = data.join("optima.csv").exists();
    if !found {
        skip("there are no level collections beside the project (../shared/data)");
    }
    found.then_some(data)
}

/// Whether a program can be started; if not, the current test is skipped.
pub fn has_program(name: &str) -> bool {
    let mut version = std::process::Command::new(name);
    let found = version.arg("--version").output().is_ok();
    if !found {
        skip(&format!("there is no {name}"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_tests_are_listed_one_in_a_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("skipped");
        append(&path, "one", "no browser");
        append(&path, "two", "no data");
        let text = std::fs::read_to_string(&path).expect("the list");
        assert_eq!(text, "one: no browser\ntwo: no data\n");
    }
}
