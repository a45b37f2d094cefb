//! The command line of `ploy`. `commands/` has a file for each command, `play/` is the game in the
//! terminal. Several commands use `screen` (boards that fit the terminal), `progress` (progress
//! lines), `config` (the file `ploy.toml`) and `defect` (files that reproduce a defect).

mod commands;
mod config;
mod defect;
mod play;
mod progress;
mod screen;

use std::io::Write;
use std::panic::{UnwindSafe, catch_unwind};
use std::process::ExitCode;

use ployglot_io::exit::Exit;

/// What the program was built from.
#[derive(Clone, Copy)]
pub struct Build {
    /// The version of the project.
    pub version: &'static str,
    /// The commit and its date.
    pub commit: &'static str,
    /// The machine and system that it runs on.
    pub target: &'static str,
    /// The profile of cargo that it was built with: `quick` by `./ploy`, `release` by `cargo install`.
    pub profile: &'static str,
}

/// Runs the program with its command line and returns its exit code.
pub fn main(build: Build) -> ExitCode {
    report_panics();
    ployglot_io::output::quiet_broken_pipes();
    defect_on_panic(|| {
        // Experiments start this program again, as the guard of each run.
        #[cfg(target_os = "linux")]
        if let Some(exit) = ployglot_experiments::run_as_part_of_experiment() {
            return exit;
        }
        commands::main(build)
    })
}

/// Runs the program; a panic that nothing caught is a defect of the program.
fn defect_on_panic(run: impl FnOnce() -> ExitCode + UnwindSafe) -> ExitCode {
    catch_unwind(run).unwrap_or_else(|_| Exit::Defect.into())
}

/// Prints a panic as a defect of the program, with the place. With `RUST_BACKTRACE`, the usual
/// message follows.
fn report_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let message = info.payload_as_str().unwrap_or("no message");
        let place = info.location().map(|place| format!(" ({place})"));
        // If standard error is closed, there is no reader.
        let _ = writeln!(
            std::io::stderr(),
            "error: the program has a defect: {message}{}\n\
             please report it, with the command line and its input",
            place.unwrap_or_default()
        );
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            usual(info);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_exits_as_a_defect() {
        let text = |exit: ExitCode| format!("{exit:?}");
        let exit = defect_on_panic(|| panic!("on purpose"));
        assert_eq!(text(exit), text(ExitCode::from(32)));
        let exit = defect_on_panic(|| ExitCode::from(7));
        assert_eq!(text(exit), text(ExitCode::from(7)));
    }
}
