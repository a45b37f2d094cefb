//! The command line of `ploy`. `commands/` has a file for each command, `play/` is the game in the
//! terminal. Several commands use `screen` (boards that fit the terminal) and `progress` (progress
//! lines).

mod commands;
mod play;
mod progress;
mod screen;

use std::process::ExitCode;

/// Runs the program with its command line and returns its exit code.
pub fn main() -> ExitCode {
    // Experiments start this program again, as the guard of each run.
    #[cfg(target_os = "linux")]
    if let Some(exit) = ployglot_experiments::run_as_part_of_experiment() {
        return exit;
    }
    ployglot_io::output::quiet_broken_pipes();
    commands::main()
}
