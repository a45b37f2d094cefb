//! `ploy play`: the game in the terminal.

use std::io::IsTerminal;
use std::time::Duration;

use ployglot_games::{Game, Level, LevelVisitor};
use ployglot_solve::measure;

use crate::play::{Capabilities, Options, play};
use crate::screen;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{limits, load, output};

/// The longest side of a board that can be played in a terminal.
const LONGEST_SIDE: usize = 250;

#[derive(clap::Args)]
pub struct Args {
    /// A file, '-' for standard input, or a built-in level such as plotting/01-first-shot
    level: String,
    /// The measure of a plan's cost, such as shots or pieces+rotations [default: the game's first]
    #[arg(long)]
    measure: Option<String>,
    /// Give up looking for a hint after this time
    #[arg(long, value_parser = limits::time, default_value = "10s")]
    time: Duration,
    /// Do not animate moves
    #[arg(long)]
    still: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let level = load::level(&args.level)?;
    level.visit(Play { args: &args })
}

struct Play<'a> {
    args: &'a Args,
}

impl LevelVisitor for Play<'_> {
    type Out = Result<Exit, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let name = &self.args.level;
        let measure = measure::<G>(self.args.measure.as_deref())
            .map_err(|bad| Failure::usage(format!("{name}: {}", bad.0)))?;
        let cells = level.game.view(&level.game.start()).cells;
        if cells.rows().max(cells.cols()) > LONGEST_SIDE {
            return Err(Failure::Unsupported(format!(
                "{name}: a board of {} by {} cells is too large to play in a terminal",
                cells.rows(),
                cells.cols()
            )));
        }
        if !std::io::stderr().is_terminal() {
            let message = "playing needs a terminal; `ploy show` draws the board without one";
            return Err(Failure::CommandLine(message.to_string()));
        }
        let options = Options {
            terminal: Capabilities {
                unicode: screen::locale_is_unicode(),
                colours: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
            },
            time: self.args.time,
            animated: !self.args.still,
        };
        let plan =
            play(level, measure, options).map_err(|error| Failure::io("the terminal", error))?;
        output::text(&plan)?;
        Ok(Exit::Solved)
    }
}
