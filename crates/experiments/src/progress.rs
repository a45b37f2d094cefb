//! How far an experiment is, and when it will be done.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::runner::Run;
use super::store::Done;

/// Is seen on a terminal only.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    pub fn new(runs: usize) -> Bar {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(
                Some(runs as u64),
                ProgressDrawTarget::stderr_with_hz(5),
            );
            let style = ProgressStyle::with_template(
                "{bar:30} {pos}/{len} runs, {elapsed} gone, {eta} to go: {wide_msg}",
            );
            bar.set_style(style.expect("the template is a constant"));
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        Bar(bar)
    }

    /// A run has ended.
    pub fn tell(&self, run: &Run<'_>, done: &Done) {
        if let Some(bar) = &self.0 {
            let outcome = if done.ended == "exit" {
                done.answer.status.as_str()
            } else {
                done.ended.as_str()
            };
            bar.set_message(format!(
                "{} by {}: {outcome}, {:.1} s",
                run.entry.name, run.key.solver, done.cpu
            ));
            bar.inc(1);
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }

    /// Something that is worth a line; on a terminal it stands where the last run did.
    pub fn say(&self, what: &str) {
        match &self.0 {
            Some(bar) => bar.set_message(what.to_string()),
            None => anstream::eprintln!("{what}"),
        }
    }
}
