//! Faults of a PuzzleScript file: errors and warnings, each with its place.
//!
//! The reference compiler ignores a message that it has printed before, gives up while it reads
//! once it has counted more than [`MOST_ERRORS`], and stops for good at [`MOST_FAULTS`] messages.
//! Which faults are reported depends on this, so the collector does the same.

use std::fmt;

/// More errors than this end the compilation of a file, and a game with more is not played.
pub const MOST_ERRORS: usize = 5;
/// The collector keeps at most this many faults.
pub const MOST_FAULTS: usize = 100;

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The game may not work as written.
    Error,
    /// The text is accepted, but it is probably not what was meant.
    Warning,
}

/// One fault of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Error or warning.
    pub severity: Severity,
    /// The line, from 1; `None` where the fault belongs to the whole file.
    pub line: Option<usize>,
    /// The column in characters, from 1, where it is known.
    pub column: Option<usize>,
    /// A short name of the kind of fault, such as `unknown-name`.
    pub code: &'static str,
    /// What is wrong, in one sentence without its full stop.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: ")?,
            (Some(line), None) => write!(f, "line {line}: ")?,
            (None, _) => {}
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.message)
    }
}

/// Where a fault is: nowhere in particular, in a line, or at a column of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    line: Option<usize>,
    column: Option<usize>,
}

impl Place {
    /// The whole file.
    pub(crate) const FILE: Place = Place {
        line: None,
        column: None,
    };

    /// A line, from 1.
    pub(crate) fn line(line: usize) -> Self {
        Place {
            line: Some(line),
            column: None,
        }
    }

    /// A column of a line, both from 1.
    pub(crate) fn at(line: usize, column: usize) -> Self {
        Place {
            line: Some(line),
            column: Some(column),
        }
    }
}

/// Collects the faults of one file.
#[derive(Default)]
pub(crate) struct Faults {
    list: Vec<Fault>,
    errors: usize,
}

impl Faults {
    /// Reports an error.
    pub(crate) fn error(&mut self, place: Place, code: &'static str, message: impl Into<String>) {
        self.report(Severity::Error, place, code, message.into());
    }

    /// Reports a warning.
    pub(crate) fn warning(&mut self, place: Place, code: &'static str, message: impl Into<String>) {
        self.report(Severity::Warning, place, code, message.into());
    }

    fn report(&mut self, severity: Severity, place: Place, code: &'static str, message: String) {
        let known = |fault: &Fault| {
            fault.severity == severity
                && fault.line == place.line
                && fault.code == code
                && fault.message == message
        };
        if self.list.len() >= MOST_FAULTS || self.list.iter().any(known) {
            return;
        }
        // A warning about the whole file counts as an error in the reference compiler.
        if severity == Severity::Error || place.line.is_none() {
            self.errors += 1;
        }
        self.list.push(Fault {
            severity,
            line: place.line,
            column: place.column,
            code,
            message,
        });
    }

    /// Whether there are so many errors that the file is given up.
    pub(crate) fn too_many(&self) -> bool {
        self.errors > MOST_ERRORS
    }

    /// The faults in the order in which they were found, and how many count as errors.
    pub(crate) fn finish(self) -> (Vec<Fault>, usize) {
        (self.list, self.errors)
    }
}
