//! `ploy`: the program. Everything it does is in the libraries; `ployglot-cli` is the first to
//! read.

use std::process::ExitCode;

fn main() -> ExitCode {
    ployglot_cli::main()
}
