//! Runs the program `ploy` and checks what it printed. For the tests of the crate `app`, which is
//! the only crate whose tests find a freshly built program.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A run of the program that has ended.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("output is UTF-8"),
        }
    }
}

impl Ran {
    /// Asserts the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Asserts that standard output contains this text.
    #[track_caller]
    pub fn says(self, part: &str) -> Ran {
        assert!(self.out.contains(part), "no '{part}' in {self:#?}");
        self
    }

    /// Asserts that standard output is exactly this text.
    #[track_caller]
    pub fn prints(self, all: &str) -> Ran {
        assert_eq!(self.out, all, "{self:#?}");
        self
    }

    /// Asserts that standard error contains this text.
    #[track_caller]
    pub fn complains(self, part: &str) -> Ran {
        assert!(self.err.contains(part), "no '{part}' in {self:#?}");
        self
    }

    /// Standard output as JSON, one value a line.
    #[track_caller]
    pub fn rows(&self) -> Vec<Value> {
        let read =
            |line: &str| serde_json::from_str(line).unwrap_or_else(|bad| panic!("{bad}: {line}"));
        self.out.lines().map(read).collect()
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub fn row(&self) -> Value {
        let rows = self.rows();
        assert_eq!(rows.len(), 1, "{self:#?}");
        rows[0].clone()
    }
}

/// The path of the program: `target/PROFILE/ploy`, for a test in `target/PROFILE/deps`.
pub fn path() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the running test");
    let profile = test.ancestors().nth(2).expect("a test is in PROFILE/deps");
    let program = profile
        .join("ploy")
        .with_extension(std::env::consts::EXE_EXTENSION);
    assert!(program.is_file(), "{} is not built", program.display());
    program
}

/// The program without arguments, in an environment that leaves the choice of colours to it.
pub fn command() -> Command {
    let mut command = Command::new(path());
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// Runs `ploy` with these arguments, separated by blanks.
#[track_caller]
pub fn ploy(arguments: &str) -> Ran {
    args(&arguments.split_whitespace().collect::<Vec<_>>(), b"")
}

/// Runs `ploy` with these arguments and this standard input.
#[track_caller]
pub fn args(arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // The write fails where the program ends without reading all of its input.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    output.into()
}

/// A temporary folder, removed when dropped.
pub struct Folder(tempfile::TempDir);

impl Default for Folder {
    fn default() -> Folder {
        Folder::new()
    }
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.to_str().expect("a path in UTF-8").to_string()
    }

    /// The path of the folder.
    pub fn path(&self) -> PathBuf {
        self.0.path().to_path_buf()
    }

    /// The names of all files in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }
}

/// The folder of the whole project.
pub fn root() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the project has a root")
}
