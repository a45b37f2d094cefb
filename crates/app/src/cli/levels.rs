//! `ploy levels`: what comes with the program.

use crate::failure::{Exit, Failure};
use crate::load;

#[derive(clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> Result<Exit, Failure> {
    for (game, level) in load::builtins() {
        anstream::println!("{game}/{}", level.name);
    }
    Ok(Exit::Solved)
}
