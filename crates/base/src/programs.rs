//! Other programs as solvers: what a solver may ask for, and the interface of what runs them.
//!
//! The crates with algorithms start no processes. A [`Budget`] may come with [`Programs`], which
//! does; a solver that needs another program asks its budget for it. So the permission to start
//! programs is given with the time and the memory, by the crates that may touch processes, and a
//! test or a sandbox that gives none gets a message instead of a process.

use std::path::PathBuf;

use crate::budget::{Budget, Progress};
use crate::outcome::Limit;

/// A program of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tool {
    /// Its name for people: `CBC`.
    pub name: &'static str,
    /// The names of its program, best first: `cbc`.
    pub programs: &'static [&'static str],
    /// The package of this project that builds it, if there is one.
    pub package: Option<&'static str>,
    /// How it is installed, in a few words: `Debian: apt install coinor-cbc`.
    pub install: &'static str,
}

/// One run of a program. It runs in an empty folder of its own, so file names are plain.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Files that it reads: name and content.
    pub files: Vec<(&'static str, Vec<u8>)>,
    /// Files that it may write, and that the caller wants to read.
    pub results: Vec<&'static str>,
    /// Whether the program was given the time limit: then it has a moment at the end to write what
    /// it has found. Otherwise it is killed at the limit.
    pub minds_time: bool,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// By itself, with this exit status.
    Exit(i32),
    /// By a signal that was not sent from here.
    Signal(i32),
    /// A limit of the budget ended it.
    Limit(Limit),
}

/// What a program did.
#[derive(Clone, Debug)]
pub struct RunOutput {
    /// How it ended.
    pub end: RunEnd,
    /// What it printed.
    pub output: String,
    /// The end of what it printed to standard error.
    pub errors: String,
    /// The files that it wrote, in the order of [`Call::results`]; `None` where there is none.
    pub results: Vec<Option<String>>,
}

impl RunOutput {
    /// The last line of the error messages or of the output, for a message to the user.
    pub fn last_words(&self) -> &str {
        let last = |text: &'_ str| {
            text.lines()
                .rev()
                .find(|line| !line.trim().is_empty())
                .map(str::len)
        };
        let text = if last(&self.errors).is_some() {
            &self.errors
        } else {
            &self.output
        };
        text.lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .unwrap_or("")
    }
}

/// Called with each line that a program prints; may update the progress that the budget reports.
pub type OnLine<'a> = dyn FnMut(&str, &mut Progress) + 'a;

/// Runs other programs.
pub trait Programs: Send + Sync {
    /// Where the program of a tool is, if it is installed.
    fn find(&self, tool: &Tool) -> Option<PathBuf>;

    /// Like [`find`](Self::find), and builds what this project can build. The error is a message:
    /// what is missing, and how to get it.
    fn obtain(&self, tool: &Tool, budget: &Budget) -> Result<PathBuf, String>;

    /// Runs a program until it or the budget ends. No process of it is left behind. The error means
    /// that it could not be started.
    fn run(
        &self,
        call: &Call,
        budget: &Budget,
        phase: &'static str,
        on_line: &mut OnLine,
    ) -> Result<RunOutput, String>;

    /// Shows a message to the user, such as why a program failed.
    fn note(&self, message: &str);
}
