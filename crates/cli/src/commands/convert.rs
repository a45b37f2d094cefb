//! `ploy convert`: a level in another format. The text is complete before anything is written, and
//! a file is replaced only when the new one is complete.

use ployglot_base::text::unknown;
use ployglot_games::{CANONICAL, Game, Level, LevelVisitor};

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{load, output};

#[derive(clap::Args)]
pub struct Args {
    /// A file, '-' for standard input, or a built-in level such as plotting/04-staircase
    level: String,
    /// 'level' for the format of this program, or another format of the game; `ploy routes` lists
    /// them
    #[arg(long, value_name = "FORMAT")]
    to: String,
    /// Write to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    output::refuse_inputs(&[("--out", args.out.as_ref())], &[Some(&args.level)])?;
    let text = load::level(&args.level)?.visit(Convert { args: &args })?;
    match &args.out {
        None => output::text(&text)?,
        Some(file) => output::file(file, text.as_bytes())?,
    }
    Ok(Exit::Solved)
}

struct Convert<'a> {
    args: &'a Args,
}

impl LevelVisitor for Convert<'_> {
    type Out = Result<String, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let Args {
            level: name, to, ..
        } = self.args;
        if to == CANONICAL {
            return Ok(level.print());
        }
        let Some(format) = G::FORMATS.iter().find(|format| format.name == to) else {
            let known =
                std::iter::once(CANONICAL).chain(G::FORMATS.iter().map(|format| format.name));
            let what = format!("format of {}", G::NAME);
            return Err(Failure::usage(unknown(&what, to, known)));
        };
        let mut text = (format.write)(&level.game, &level.game.start()).map_err(|why| {
            Failure::Unsupported(format!(
                "{name}: the format '{to}' cannot hold this level: {why}"
            ))
        })?;
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }
}
