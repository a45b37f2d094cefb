//! `ploy`: the command line. Only this crate touches files, sockets and the terminal.

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
    output::quiet_broken_pipes();
    cli::main()
}
