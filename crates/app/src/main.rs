//! `ploy`: the command line. Only this crate touches files, sockets and the terminal.

mod cli;
mod failure;
mod load;
mod plan;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
