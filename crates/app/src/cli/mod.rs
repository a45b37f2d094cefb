//! The commands. Each has a file of its own with its arguments and its `run`; this list is the only one.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::{BAD_USAGE, Exit, Failure};

/// Declares the subcommands: the module, its variant, and what it does.
macro_rules! commands {
    ($($(#[doc = $about:literal])+ $module:ident :: $variant:ident),* $(,)?) => {
        $(mod $module;)*

        #[derive(Subcommand)]
        enum Command {
            $($(#[doc = $about])+ $variant($module::Args)),*
        }

        impl Command {
            fn run(self) -> Result<Exit, Failure> {
                match self {
                    $(Command::$variant(args) => $module::run(args)),*
                }
            }
        }
    };
}

commands! {
    /// List the levels that come with the program
    levels::Levels,
}

/// A workbench for puzzle games whose moves have complex consequences: finds plans that are proven shortest, or proves that
/// there are none.
#[derive(Parser)]
#[command(name = "ploy", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::from(BAD_USAGE)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    match cli.command.run() {
        Ok(exit) => exit.into(),
        Err(failure) => {
            let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            anstream::eprintln!("{}", failure.render(colours));
            ExitCode::from(failure.exit_code())
        }
    }
}
