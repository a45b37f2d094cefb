//! `ploy`: the program. Everything it does is in the libraries; start reading in `ployglot-cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ployglot_cli::main()
}
