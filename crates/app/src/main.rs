//! `ploy`: the command line. Only this crate touches files, sockets and the terminal.

mod bench;
mod cli;
mod failure;
mod interrupt;
mod limits;
mod load;
mod output;
mod picture;
mod plan;
mod play;
mod progress;
mod row;
mod screen;
mod studio;
mod task;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Runs of an experiment are guarded by this program itself.
    #[cfg(target_os = "linux")]
    if let Some(exit) = bench::called() {
        return exit;
    }
    output::quiet_broken_pipes();
    cli::main()
}
