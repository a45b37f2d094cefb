//! Runs the program `ploy` and checks what it printed. For the tests of the crate `app`, which is
//! the only crate whose tests find a freshly built program.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

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
    // The defaults of the user do not count in tests.
    command.env("PLOY_CONFIG", "");
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

/// Polls until there is a value; panics after five minutes.
#[track_caller]
pub fn wait_for<T>(mut poll: impl FnMut() -> Option<T>) -> T {
    for _ in 0..6000 {
        if let Some(value) = poll() {
            return value;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("no value after five minutes");
}

/// Waits until the program has set up how Ctrl-C is handled, and has used this much processor time.
/// A busy machine makes this wait longer, where a test that sleeps would fail.
#[track_caller]
pub fn wait_until_used(child: &Child, time: Duration) {
    let proc = PathBuf::from(format!("/proc/{}", child.id()));
    let read = |name: &str| std::fs::read_to_string(proc.join(name)).unwrap_or_default();
    wait_for(|| {
        let status = read("status");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        // The fields after the name, which may contain blanks: user and system time in 1/100 s.
        let stat = read("stat");
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<u64>().ok());
        let used = Duration::from_millis(10 * (ticks(11)? + ticks(12)?));
        (caught? & (1 << 1) != 0 && used >= time).then_some(())
    });
}

/// Sends SIGINT to a running program, as Ctrl-C does.
#[track_caller]
pub fn interrupt(child: &Child) {
    let mut kill = Command::new("kill");
    let status = kill.args(["-INT", &child.id().to_string()]).status();
    let sent = status.is_ok_and(|status| status.success());
    assert!(sent, "the program still runs");
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
