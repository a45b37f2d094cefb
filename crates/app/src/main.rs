//! `ploy`: the program. Everything it does is in the libraries; start reading in `ployglot-cli`.

use std::process::ExitCode;

/// The version, and what `build.rs` recorded.
const BUILD: ployglot_cli::Build = ployglot_cli::Build {
    version: env!("CARGO_PKG_VERSION"),
    commit: env!("PLOY_COMMIT_SHOWN"),
    target: env!("PLOY_TARGET"),
    profile: env!("PLOY_PROFILE_SHOWN"),
};

fn main() -> ExitCode {
    ployglot_cli::main(BUILD)
}
