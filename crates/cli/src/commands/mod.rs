//! The commands. Each has a file with its arguments and its function `run`. A new command needs a
//! `mod` line and a line in the list `commands!`.

mod bench;
mod check;
mod compare;
mod completions;
mod convert;
mod demo;
mod doctor;
mod export;
mod ground;
mod hint;
mod levels;
mod man;
mod model;
mod new;
mod plan;
mod play;
mod rate;
mod report;
mod routes;
mod serve;
mod show;
mod solve;
mod states;
mod validate;
mod verify;

use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand};

use ployglot_base::text::printable_lines;
use ployglot_io::exit::{BAD_USAGE, Exit};
use ployglot_io::failure::Failure;
use ployglot_io::output;
use ployglot_solve::Refused;

use crate::{Build, config};

/// The one list of commands: module, variant and help text. The parser, the help, the manual and
/// the shell completions read it.
macro_rules! commands {
    ($($(#[doc = $about:literal])+ $module:ident :: $variant:ident),* $(,)?) => {
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
    /// Solve and show a small level of each game
    demo::Demo,
    /// Find plans that are proven best, or prove that there are none
    solve::Solve,
    /// Replay a plan: its cost, or the first illegal move and why
    check::Check,
    /// Check a certificate: a folder that proves the cost of a level's best plans
    verify::Verify,
    /// Show a board or a plan, in the terminal or as a picture
    show::Show,
    /// Play a level in the terminal, with undo and hints
    play::Play,
    /// Rate a level: par, best plans, dead ends, difficulty
    rate::Rate,
    /// Give a hint: whether the goal can still be reached, which piece to move, which move
    hint::Hint,
    /// Make random levels, or levels that meet requirements
    new::New,
    /// Solve a level by many routes and compare the answers
    compare::Compare,
    /// Play, watch, edit and compare levels in the browser
    serve::Serve,
    /// Run an experiment: every solver on every level, each run limited and measured
    bench::Bench,
    /// Write tables and plots of an experiment's results
    report::Report,
    /// Write a level in another format
    convert::Convert,
    /// Plan for PDDL files
    plan::Plan,
    /// Check a plan for PDDL files
    validate::Validate,
    /// Ground a PDDL problem and print its size
    ground::Ground,
    /// Count the states of a level's PDDL models
    states::States,
    /// Solve Essence and Essence Prime models by SAT, CP or MIP
    model::Model,
    /// Write a level as PDDL or Essence Prime files
    export::Export,
    /// List the levels that come with the program
    levels::Levels,
    /// List the routes, measures, formats and rules of each game
    routes::Routes,
    /// Report what this machine has: solvers, memory, processor, configuration
    doctor::Doctor,
    /// Print a completion script for a shell
    completions::Completions,
    /// Print the manual, or write it to a folder
    man::Man,
}

/// A workbench for puzzle games whose moves have complex consequences: finds plans that are proven
/// optimal, or proves that there are none. Without a command it runs the demo.
#[derive(Parser)]
#[command(name = "ploy", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// The definition of the whole command line, for the manual and the completions.
fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// The failure of a level that was not solved at all.
fn refusal(level: &str, refused: &Refused) -> Failure {
    let message = format!("{level}: {refused}");
    match refused {
        Refused::BadRequest(_) => Failure::Usage(message),
        Refused::Unfit(_) => Failure::Unsupported(message),
    }
}

/// The lines of `ploy --version`.
fn version(build: Build) -> String {
    let inside = "CaDiCaL, Kissat, Pumpkin";
    let Build {
        version,
        commit,
        target,
        profile,
    } = build;
    format!(
        "{version} ({commit})\nbuilt for {target}, profile {profile}\nsolvers inside: {inside}; others: ploy doctor"
    )
}

pub fn main(build: Build) -> ExitCode {
    // The parser keeps texts for as long as the program runs.
    let line: &'static str = format!("{} ({})", build.version, build.commit).leak();
    let lines: &'static str = version(build).leak();
    let parser = command().version(line).long_version(lines);
    let parser = match config::with_defaults(parser.clone()) {
        Ok(parser) => parser,
        // `ploy doctor` reports what is wrong with the file.
        Err(_)
            if std::env::args_os()
                .nth(1)
                .is_some_and(|word| word == "doctor") =>
        {
            parser
        }
        Err(failure) => {
            failure.print();
            return ExitCode::from(failure.exit_code());
        }
    };
    let parsed = parser.try_get_matches();
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            // The message quotes the command line, in colours. Names of files with escape sequences
            // are shown without them, and without colours.
            let message = error.render().to_string();
            match printable_lines(&message) == message {
                true => drop(error.print()),
                false => output::note(message.trim_end()),
            }
            return if error.use_stderr() {
                ExitCode::from(BAD_USAGE)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    let run = match cli.command {
        Some(command) => command.run(),
        None => demo::run(demo::Args::default()),
    };
    match run {
        Ok(exit) => exit.into(),
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.exit_code())
        }
    }
}
