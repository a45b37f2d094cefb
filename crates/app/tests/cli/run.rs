//! One helper does the calling.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run of the program came to.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    #[track_caller]
    pub fn says(self, part: &str) -> Ran {
        assert!(self.out.contains(part), "no '{part}' in {self:#?}");
        self
    }

    /// Exactly this.
    #[track_caller]
    pub fn prints(self, all: &str) -> Ran {
        assert_eq!(self.out, all, "{self:#?}");
        self
    }

    #[track_caller]
    pub fn complains(self, part: &str) -> Ran {
        assert!(self.err.contains(part), "no '{part}' in {self:#?}");
        self
    }

    /// Standard output as one JSON value a line.
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

/// The program, ready to be given arguments.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ploy"));
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// Runs `ploy` with these arguments, split at blanks.
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
    // The program need not read all of it.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("output is UTF-8"),
    }
}

/// A folder that goes away with the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    /// Writes a file and gives its path.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.to_str().expect("a path in UTF-8").to_string()
    }

    pub fn path(&self) -> PathBuf {
        self.0.path().to_path_buf()
    }

    /// The names of all files in it.
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

/// The root of the project.
pub fn root() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the project has a root")
}
