//! The command line of `ploy`. `commands/` has a file for each command, `play/` is the game in the terminal, `screen` and
//! `progress` are what the commands share of the terminal.

mod commands;
mod play;
mod progress;
mod screen;

use std::process::ExitCode;

/// Runs the program with its command line and returns its exit code.
pub fn main() -> ExitCode {
    // Runs of an experiment are guarded by this program itself.
    #[cfg(target_os = "linux")]
    if let Some(exit) = ployglot_experiments::run_as_part_of_experiment() {
        return exit;
    }
    ployglot_io::output::quiet_broken_pipes();
    commands::main()
}
