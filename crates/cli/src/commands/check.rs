//! `ploy check`: the referee's ruling on a plan from any source.

use ployglot_games::{self as games, AnyLevel, BadText, Game, Level, LevelVisitor, judge};
use ployglot_solve::measure;
use serde_json::json;

use ployglot_games::plan;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::{VERSION, amount};
use ployglot_io::{load, output};

#[derive(clap::Args)]
pub struct Args {
    /// A file, '-' for standard input, or a built-in level such as plotting/04-staircase
    level: String,
    /// A file with one move per line, or '-' for standard input
    plan: String,
    /// The measure of a plan's cost, such as shots or pieces+rotations [default: the game's first]
    #[arg(long)]
    measure: Option<String>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    if args.level == "-" && args.plan == "-" {
        let message = "standard input ('-') can be read only once";
        return Err(Failure::CommandLine(message.to_string()));
    }
    let report = rule(&args);
    if !args.json {
        let report = report?;
        output::text(&report.text)?;
        return Ok(report.exit);
    }
    let (mut row, exit) = match report {
        Ok(report) => (report.row, report.exit),
        Err(failure) => {
            let row = json!({ "ruling": "error", "message": failure.line() });
            (row, Exit::Error(failure.exit_code()))
        }
    };
    row["version"] = VERSION.into();
    row["level"] = args.level.into();
    row["plan"] = args.plan.into();
    output::line(&row.to_string())?;
    Ok(exit)
}

/// A ruling as text and as JSON.
struct Report {
    exit: Exit,
    text: String,
    row: serde_json::Value,
}

fn rule(args: &Args) -> Result<Report, Failure> {
    let level: AnyLevel = load::level(&args.level)?;
    let text = load::text(&args.plan)?;
    level.visit(Check { args, text: &text })
}

struct Check<'a> {
    args: &'a Args,
    text: &'a str,
}

impl LevelVisitor for Check<'_> {
    type Out = Result<Report, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let measure = measure::<G>(self.args.measure.as_deref())
            .map_err(|bad| Failure::usage(format!("{}: {}", self.args.level, bad.0)))?;
        let placed = plan::parse_placed(&level.game, self.text)
            .map_err(|bad| load::bad_text(&self.args.plan, self.text.as_bytes(), bad))?;
        let moves: Vec<G::Move> = placed.iter().map(|placed| placed.mv).collect();
        let game = &level.game;
        let mut report = match judge(game, measure, &moves) {
            games::Ruling::Accepted { cost, .. } => Report {
                exit: Exit::Solved,
                text: format!(
                    "accepted: {}; the goal is reached in {}\n",
                    amount(cost, measure),
                    count(moves.len())
                ),
                row: json!({ "ruling": "accepted", "cost": cost }),
            },
            games::Ruling::Missed { end, shortfall } => {
                let board = plan::board(game, &end);
                Report {
                    exit: Exit::Rejected,
                    text: format!(
                        "rejected: the goal is not reached after {}: {shortfall}\n\nthe board at the end:\n{board}",
                        count(moves.len())
                    ),
                    row: json!({ "ruling": "missed", "shortfall": shortfall, "board": board }),
                }
            }
            games::Ruling::Illegal {
                at,
                before,
                mv,
                refusal,
                legal,
            } => {
                let board = plan::board(game, &before);
                let legal: Vec<String> = legal
                    .iter()
                    .map(|&mv| game.print_move(&before, mv))
                    .collect();
                let place = &placed[at - 1];
                let bad = BadText::new(
                    place.line,
                    place.column,
                    format!("move {at} is illegal: {}", refusal.0),
                )
                .wide(place.width);
                let marked =
                    load::bad_text(&self.args.plan, self.text.as_bytes(), bad).render(false);
                let listed = if legal.is_empty() {
                    "none".to_string()
                } else {
                    legal.join(", ")
                };
                Report {
                    exit: Exit::Rejected,
                    text: format!(
                        "rejected: {}\n\nthe board before it:\n{board}\nlegal moves: {listed}\n",
                        marked.trim_start_matches("error: ")
                    ),
                    row: json!({
                        "ruling": "illegal", "at": at, "line": place.line, "move": game.print_move(&before, mv),
                        "refusal": refusal.0, "board": board, "legal": legal,
                    }),
                }
            }
        };
        report.row["game"] = G::NAME.into();
        report.row["measure"] = measure.into();
        report.row["moves"] = moves.len().into();
        Ok(report)
    }
}

fn count(moves: usize) -> String {
    match moves {
        1 => "1 move".to_string(),
        n => format!("{n} moves"),
    }
}
