//! Runs solvers that are programs of their own: finds them, gives them files, holds them to a
//! budget, and ends them.
//!
//! `find.rs` finds and builds programs, `run.rs` runs them. Nothing here knows what a program
//! computes: the callers write its files and read its results.

#![warn(missing_docs)]

mod find;
mod run;

use std::path::PathBuf;
use std::sync::Arc;

use ployglot_base::programs::OnLine;
use ployglot_base::{Budget, Call, Programs, RunOutput, Tool};

/// The programs of this machine.
pub fn local() -> Arc<dyn Programs> {
    Arc::new(Local)
}

struct Local;

impl Programs for Local {
    fn find(&self, tool: &Tool) -> Option<PathBuf> {
        find::find(tool)
    }

    fn obtain(&self, tool: &Tool, budget: &Budget) -> Result<PathBuf, String> {
        find::obtain(tool, budget)
    }

    fn run(
        &self,
        call: &Call,
        budget: &Budget,
        phase: &'static str,
        on_line: &mut OnLine,
    ) -> Result<RunOutput, String> {
        run::run(call, budget, phase, on_line)
    }

    fn note(&self, message: &str) {
        anstream::eprintln!("note: {message}");
    }
}

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
