//! `ploy hint`: as much help as is asked for.

use std::time::Duration;

use ployglot_games::{Game, Level, LevelVisitor, Ruling, judge};
use ployglot_solve::{Hint, hint};
use serde_json::json;

use ployglot_games::plan;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::{VERSION, amount};
use ployglot_io::{interrupt, limits, load, output};

#[derive(clap::Args)]
pub struct Args {
    /// A file, '-' for standard input, or a built-in level such as plotting/04-staircase
    level: String,
    /// The moves so far: a file with one move a line, or '-' for standard input
    plan: Option<String>,
    /// 1: can it still be done? 2: where to look; 3: the move
    #[arg(long = "level", default_value_t = 1, value_name = "GRADE", value_parser = clap::value_parser!(u8).range(1..=3))]
    grade: u8,
    /// Give up after this time: 60s, 1.5m [default: never]
    #[arg(long, value_parser = limits::time)]
    time: Option<Duration>,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    if args.level == "-" && args.plan.as_deref() == Some("-") {
        let message = "standard input ('-') can be read only once";
        return Err(Failure::CommandLine(message.to_string()));
    }
    let level = load::level(&args.level)?;
    level.visit(Help { args: &args })
}

struct Help<'a> {
    args: &'a Args,
}

impl LevelVisitor for Help<'_> {
    type Out = Result<Exit, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let args = self.args;
        let game = &level.game;
        let state = match &args.plan {
            None => game.start(),
            Some(file) => state_after(game, file)?,
        };
        let budget = limits::budget(args.time, None).with_interrupt(interrupt::flag());
        let found = hint(game, &state, &budget)
            .map_err(|bad| Failure::Usage(format!("{}: {}", args.level, bad.0)))?;
        let measure = G::MEASURES[0].name;
        let (mut text, mut row, exit) = match &found {
            Hint::Done => (
                "nothing is left to do: this is the goal".to_string(),
                json!({ "hint": "done" }),
                Exit::Solved,
            ),
            Hint::Lost => {
                let text = "no plan leads on from here: take a move back".to_string();
                (text, json!({ "hint": "lost" }), Exit::Unsolvable)
            }
            Hint::Unknown => {
                let text =
                    "the time ran out before it was clear whether a plan leads on".to_string();
                (text, json!({ "hint": "unknown" }), Exit::OutOfTime)
            }
            Hint::Solvable { left, proven, .. } => {
                let enough = if *proven { "are needed" } else { "are enough" };
                let text = format!("it can still be done: {} {enough}", amount(*left, measure));
                (
                    text,
                    json!({ "hint": "solvable", "left": left, "proven": proven }),
                    Exit::Solved,
                )
            }
        };
        if let Hint::Solvable { grip, mv, .. } = &found {
            if args.grade >= 2 {
                text.push_str(&format!("; look at row {}, column {}", grip.row, grip.col));
                row["row"] = grip.row.into();
                row["column"] = grip.col.into();
            }
            if args.grade >= 3 {
                let mv = game.print_move(&state, *mv);
                text.push_str(&format!(": {mv}"));
                row["move"] = mv.into();
            }
        }
        if args.json {
            row["version"] = VERSION.into();
            row["level"] = args.level.clone().into();
            text = row.to_string();
        }
        output::line(&text)?;
        Ok(exit)
    }
}

/// The state after the moves so far, which must be legal.
fn state_after<G: Game>(game: &G, file: &str) -> Result<G::State, Failure> {
    let text = load::text(file)?;
    let moves =
        plan::parse(game, &text).map_err(|bad| load::bad_text(file, text.as_bytes(), bad))?;
    match judge(game, G::MEASURES[0].name, &moves) {
        Ruling::Accepted { end, .. } | Ruling::Missed { end, .. } => Ok(end),
        Ruling::Illegal { at, refusal, .. } => Err(Failure::Unsupported(format!(
            "{file}: move {at} is illegal: {}",
            refusal.0
        ))),
    }
}
