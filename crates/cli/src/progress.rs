//! Progress lines on a terminal: the phase of the search, its bound and best plan, states, states
//! per second, memory.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use ployglot_base::Progress;
use ployglot_base::text::printable;

/// One line for each level that is being solved; none if standard error is not a terminal.
pub struct Lines {
    lines: Option<MultiProgress>,
}

impl Lines {
    pub fn new() -> Self {
        let lines = std::io::stderr().is_terminal().then(|| {
            let lines = MultiProgress::new();
            lines.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            lines
        });
        Self { lines }
    }

    /// Adds a line for one level; `None` if there is no terminal.
    pub fn add(&self, name: &str) -> Option<Line> {
        let bar = self.lines.as_ref()?.add(ProgressBar::new_spinner());
        let style = ProgressStyle::with_template("{spinner} {prefix}: {wide_msg}")
            .expect("the template is a constant");
        bar.set_style(style);
        bar.set_prefix(shorten(name));
        bar.enable_steady_tick(Duration::from_millis(200));
        Some(Line { bar })
    }

    /// Hides the lines while something else is printed.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.lines {
            Some(lines) => lines.suspend(write),
            None => write(),
        }
    }
}

#[derive(Clone)]
pub struct Line {
    bar: ProgressBar,
}

impl Line {
    /// Replaces the text of the line.
    pub fn show(&self, progress: &Progress) {
        self.bar.set_message(describe(progress));
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn describe(progress: &Progress) -> String {
    let rate = progress.expanded as f64 / progress.seconds.max(0.001);
    let mut parts = vec![format!("{} {}", progress.phase, progress.depth)];
    if progress.at_least != progress.depth {
        parts.push(format!("at least {}", progress.at_least));
    }
    if let Some(best) = progress.best {
        parts.push(format!("best {best}"));
    }
    parts.push(format!("{} states", round(progress.expanded as f64)));
    parts.push(format!("{}/s", round(rate)));
    parts.push(format!("{} MB", progress.memory >> 20));
    parts.push(format!("{:.0} s", progress.seconds));
    parts.join(", ")
}

/// `950`, `12.3k`, `4.6M`.
fn round(number: f64) -> String {
    match number {
        n if n < 1e4 => format!("{n:.0}"),
        n if n < 1e6 => format!("{:.1}k", n / 1e3),
        n if n < 1e9 => format!("{:.1}M", n / 1e6),
        n => format!("{:.1}G", n / 1e9),
    }
}

/// The file's name without its folders; a long name is cut to its end, which distinguishes it best.
fn shorten(name: &str) -> String {
    const LONGEST: usize = 24;
    let name = printable(name.rsplit('/').next().unwrap_or(name));
    let length = name.chars().count();
    if length <= LONGEST {
        return name.to_string();
    }
    let end: String = name.chars().skip(length - LONGEST + 1).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_phase_bound_and_speed() {
        let progress = Progress {
            phase: "bound",
            depth: 12,
            expanded: 4_600_000,
            stored: 7,
            at_least: 12,
            best: Some(14),
            memory: 300 << 20,
            seconds: 2.0,
        };
        assert_eq!(
            describe(&progress),
            "bound 12, best 14, 4.6M states, 2.3M/s, 300 MB, 2 s"
        );
    }

    #[test]
    fn a_long_path_keeps_its_end() {
        assert_eq!(shorten("levels/plotting/end.level"), "end.level");
        let short = shorten(&format!("levels/{}-end.level", "x".repeat(100)));
        assert!(
            short.ends_with("x-end.level") && short.chars().count() == 24,
            "{short}"
        );
    }
}
