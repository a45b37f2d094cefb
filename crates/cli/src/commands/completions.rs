//! `ploy completions`: a completion script for a shell, from the parser's own list of commands.

use clap_complete::{Shell, generate};

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::output;

#[derive(clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut super::command(), "ploy", &mut script);
    output::text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Solved)
}
