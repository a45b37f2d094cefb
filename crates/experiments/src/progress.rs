//! The progress bar of an experiment: runs made, time passed, estimated time left.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use ployglot_base::text::printable;

use super::runner::Run;
use super::store::FinishedRun;
use ployglot_io::output;

/// A progress bar on standard error. `None` where standard error is not a terminal.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// A bar for this number of runs.
    pub fn new(runs: usize) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(
                Some(runs as u64),
                ProgressDrawTarget::stderr_with_hz(5),
            );
            let style = ProgressStyle::with_template(
                "{bar:30} {pos}/{len} runs, {elapsed} passed, {eta} left: {wide_msg}",
            );
            bar.set_style(style.expect("the template is a constant"));
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        Progress(bar)
    }

    /// Counts a run that has ended and shows its outcome.
    pub fn run_ended(&self, run: &Run<'_>, done: &FinishedRun) {
        if let Some(bar) = &self.0 {
            let outcome = if done.ended == "exit" {
                done.answer.status.as_str()
            } else {
                done.ended.as_str()
            };
            let (level, solver) = (printable(&run.level.name), printable(&run.key.solver));
            bar.set_message(format!("{level} by {solver}: {outcome}, {:.1} s", done.cpu));
            bar.inc(1);
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }

    /// Shows a message: in place of the last run on a terminal, else as a line on standard error.
    pub fn message(&self, text: &str) {
        match &self.0 {
            Some(bar) => bar.set_message(printable(text).into_owned()),
            None => output::note(text),
        }
    }
}
