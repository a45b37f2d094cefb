//! `ploy hint`: whether the goal can still be reached, which piece to move, or the next move.

use std::time::Duration;

use ployglot_base::Limit;
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
    /// The moves so far: a file with one move per line, or '-' for standard input
    plan: Option<String>,
    /// 1: whether the goal can still be reached; 2: also which piece to move; 3: also the move
    #[arg(long = "level", default_value_t = 1, value_name = "GRADE", value_parser = clap::value_parser!(u8).range(1..=3))]
    grade: u8,
    /// Give up after this time: 60s, 1.5m [default: never]
    #[arg(long, value_parser = limits::time)]
    time: Option<Duration>,
    /// Give up when the process takes more memory than this: 512M, 8G [default: three quarters of
    /// what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    if args.level == "-" && args.plan.as_deref() == Some("-") {
        let message = "standard input ('-') can be read only once";
        return Err(Failure::CommandLine(message.to_string()));
    }
    let level = load::level(&args.level)?;
    level.visit(GiveHint { args: &args })
}

struct GiveHint<'a> {
    args: &'a Args,
}

impl LevelVisitor for GiveHint<'_> {
    type Out = Result<Exit, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let args = self.args;
        let game = &level.game;
        let state = match &args.plan {
            None => game.start(),
            Some(file) => state_after(game, file)?,
        };
        let budget = limits::budget(args.time, args.memory).with_interrupt(interrupt::flag());
        let found = hint(game, &state, &budget)
            .map_err(|bad| Failure::Usage(format!("{}: {}", args.level, bad.0)))?;
        let measure = G::MEASURES[0].name;
        let (mut text, mut row, exit) = match &found {
            Hint::Done => (
                "the goal is reached".to_string(),
                json!({ "hint": "done" }),
                Exit::Solved,
            ),
            Hint::Lost => {
                let text = "no plan leads from here to the goal: take a move back".to_string();
                (text, json!({ "hint": "lost" }), Exit::Unsolvable)
            }
            Hint::Unknown(limit) => (
                format!(
                    "it is not known whether the goal can still be reached: {}",
                    reason(*limit)
                ),
                json!({ "hint": "unknown", "limit": limit.to_string() }),
                Exit::without_plan(*limit),
            ),
            Hint::Defect(why) => return Err(Failure::Defect(format!("{}: {why}", args.level))),
            Hint::Solvable { left, proven, .. } => {
                let at_most = if *proven { "" } else { "at most " };
                let text = format!(
                    "the goal can still be reached, in {at_most}{}",
                    amount(*left, measure)
                );
                (
                    text,
                    json!({ "hint": "solvable", "left": left, "proven": proven }),
                    Exit::Solved,
                )
            }
        };
        if let Hint::Solvable { grip, mv, .. } = &found {
            if args.grade >= 2 {
                let cells = game.view(&state).cells;
                let place = grip.place(cells.rows(), cells.cols());
                text.push_str(&format!("; look at {place}"));
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

/// Why it is not known whether the goal can be reached.
fn reason(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => "the time ran out",
        Limit::Memory => "the memory ran out",
        Limit::Interrupt => "interrupted",
        Limit::Incomplete => "the route is incomplete, and found no plan",
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
