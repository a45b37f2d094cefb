//! `ploy show`: a board, or the boards of a plan, in the terminal or as a picture.
//!
//! The referee checks the plan: it is shown up to its first illegal move, with the reason, and the
//! exit code is that of `ploy check`.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use ployglot_base::Budget;
use ployglot_games::{Game, Level, LevelVisitor, Ruling, View, judge};
use ployglot_solve::{Request, Status, measure, solve};

use crate::screen;
use ployglot_games::plan;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::amount;
use ployglot_io::{interrupt, limits, load, output};
use ployglot_pictures::{TooLarge, film, gif, raster, svg};

#[derive(clap::Args)]
pub struct Args {
    /// A file, '-' for standard input, or a built-in level such as plotting/01-first-shot
    level: String,
    /// A file with one move per line, or '-' for standard input: show every board of the plan
    plan: Option<String>,
    /// Show only the board after N moves
    #[arg(long, value_name = "N")]
    at: Option<usize>,
    /// Write an SVG picture; '-' for standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<String>,
    /// Write a PNG picture; '-' for standard output
    #[arg(long, value_name = "FILE")]
    png: Option<String>,
    /// Write a GIF that animates the plan; without a plan, the level is solved first; '-' for
    /// standard output
    #[arg(long, value_name = "FILE", conflicts_with = "at")]
    gif: Option<String>,
    /// The width of a cell in a picture, in pixels
    #[arg(long, value_name = "N", default_value_t = svg::SCALE, value_parser = clap::value_parser!(u32).range(4..=400))]
    scale: u32,
    /// The measure of a plan's cost, such as shots or pieces+rotations [default: the game's first]
    #[arg(long)]
    measure: Option<String>,
    /// For a GIF without a plan: give up solving after this time
    #[arg(long, value_parser = limits::time, default_value = "60s")]
    time: Duration,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let once = |what: &str, names: [Option<&String>; 3]| {
        let count = names.iter().flatten().filter(|name| **name == "-").count();
        (count > 1).then(|| Failure::CommandLine(format!("{what} ('-') can be used only once")))
    };
    let input = [Some(&args.level), args.plan.as_ref(), None];
    let output = [args.svg.as_ref(), args.png.as_ref(), args.gif.as_ref()];
    if let Some(failure) = once("standard input", input).or_else(|| once("standard output", output))
    {
        return Err(failure);
    }
    let level = load::level(&args.level)?;
    let plan = match &args.plan {
        Some(name) => Some(load::text(name)?),
        None => None,
    };
    level.visit(Show { args: &args, plan })
}

struct Show<'a> {
    args: &'a Args,
    plan: Option<String>,
}

impl LevelVisitor for Show<'_> {
    type Out = Result<Exit, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let args = self.args;
        let measure = measure::<G>(args.measure.as_deref())
            .map_err(|bad| Failure::usage(format!("{}: {}", args.level, bad.0)))?;
        let plan = match (&self.plan, &args.plan) {
            (Some(text), Some(name)) => plan::parse(&level.game, text)
                .map_err(|bad| load::bad_text(name, text.as_bytes(), bad))?,
            _ if args.gif.is_some() => match find_plan(args, level, measure)? {
                Found::Plan(plan) => plan,
                Found::None(exit) => return Ok(exit),
            },
            _ => Vec::new(),
        };
        let replay = Replay::of(level, measure, &plan);
        if let Some(at) = args.at
            && at >= replay.boards.len()
        {
            return Err(Failure::usage(format!(
                "--at {at}: the plan has {} legal moves",
                replay.boards.len() - 1
            )));
        }
        let title = title(&args.level, level);
        let drawn = args.svg.is_some() || args.png.is_some() || args.gif.is_some();
        let too_large = |TooLarge(why)| Failure::Unsupported(format!("{}: {why}", args.level));
        if args.svg.is_some() || args.png.is_some() {
            let picture = replay.svg(args, &title).map_err(too_large)?;
            if let Some(file) = &args.svg {
                write(file, picture.as_bytes())?;
            }
            if let Some(file) = &args.png {
                write(file, &raster::png(&picture).map_err(too_large)?)?;
            }
        }
        if let Some(file) = &args.gif {
            let legal = &plan[..replay.boards.len() - 1];
            let bytes = animate(level, legal, &replay, args.scale).map_err(too_large)?;
            write(file, &bytes)?;
        }
        if !drawn {
            output::text(&replay.text(args, &title))?;
        }
        // The ruling is printed after the text; beside a picture, only a rejection is.
        let judged = self.plan.is_some() && args.at.is_none();
        match (&replay.ruling, judged) {
            (Ok(ruling), true) if !drawn => output::line(ruling)?,
            (Err(ruling), true) if !drawn => output::line(ruling)?,
            (Err(ruling), true) => anstream::eprintln!("{ruling}"),
            _ => {}
        }
        Ok(if judged && replay.ruling.is_err() {
            Exit::Rejected
        } else {
            Exit::Solved
        })
    }
}

/// The boards of a plan up to its first illegal move, the moves between them, and the ruling.
struct Replay {
    boards: Vec<View>,
    /// The moves with their numbers: `3. row 2`.
    moves: Vec<String>,
    /// The referee's ruling as text: `Ok` if the plan is accepted.
    ruling: Result<String, String>,
}

impl Replay {
    fn of<G: Game>(level: &Level<G>, measure: &str, plan: &[G::Move]) -> Replay {
        let game = &level.game;
        let mut state = game.start();
        let mut replay = Replay {
            boards: vec![game.view(&state)],
            moves: Vec::new(),
            ruling: match judge(game, measure, plan) {
                Ruling::Accepted { cost, .. } => {
                    Ok(format!("the goal is reached: {}", amount(cost, measure)))
                }
                Ruling::Missed { shortfall, .. } => {
                    Err(format!("the goal is not reached: {shortfall}"))
                }
                Ruling::Illegal {
                    at,
                    before,
                    mv,
                    refusal,
                    ..
                } => Err(format!(
                    "move {at} ({}) is illegal: {}",
                    game.print_move(&before, mv),
                    refusal.0
                )),
            },
        };
        for (index, &mv) in plan.iter().enumerate() {
            let Ok(next) = game.play(&state, mv) else {
                break;
            };
            replay
                .moves
                .push(format!("{}. {}", index + 1, game.print_move(&state, mv)));
            replay.boards.push(game.view(&next));
            state = next;
        }
        replay
    }

    fn text(&self, args: &Args, title: &str) -> String {
        let mut text = format!("{title}\n\n");
        match args.at {
            Some(at) => text.push_str(&screen::board(&self.boards[at])),
            None => {
                text.push_str(&screen::board(&self.boards[0]));
                for (mv, board) in self.moves.iter().zip(&self.boards[1..]) {
                    text.push_str(&format!("\n{mv}\n\n{}", screen::board(board)));
                }
                if !self.moves.is_empty() {
                    text.push('\n');
                }
            }
        }
        text
    }

    fn svg(&self, args: &Args, title: &str) -> Result<String, TooLarge> {
        match args.at {
            Some(at) => svg::board(&self.boards[at], title, args.scale),
            None => {
                let captions = std::iter::once("").chain(self.moves.iter().map(String::as_str));
                let boards: Vec<(&View, &str)> = self.boards.iter().zip(captions).collect();
                svg::sheet(&boards, title, args.scale)
            }
        }
    }
}

fn animate<G: Game>(
    level: &Level<G>,
    plan: &[G::Move],
    replay: &Replay,
    scale: u32,
) -> Result<Vec<u8>, TooLarge> {
    let total = plan.len();
    let caption = move |number: usize, mv: &str| format!("{number}/{total}  {mv}");
    let opening = match total {
        1 => "1 move".to_string(),
        _ => format!("{total} moves"),
    };
    let closing = match (&replay.ruling, replay.moves.last()) {
        (Ok(ruling), _) => ruling.clone(),
        (Err(_), Some(last)) => format!("after {last}"),
        (Err(_), None) => opening.clone(),
    };
    gif::check_length(total)?;
    let takes: Vec<_> = film::takes(&level.game, plan, caption).collect();
    gif::animate((&replay.boards[0], &opening), &takes, &closing, scale)
}

enum Found<M> {
    Plan(Vec<M>),
    /// There is no plan, or none was found; the message is already printed.
    None(Exit),
}

/// Solves the level for a plan to animate.
fn find_plan<G: Game>(
    args: &Args,
    level: &Level<G>,
    measure: &str,
) -> Result<Found<G::Move>, Failure> {
    let mut budget = Budget::unlimited()
        .with_time(args.time)
        .with_interrupt(interrupt::flag());
    if let Some(memory) = limits::default_memory() {
        budget = budget.with_memory(memory);
    }
    let request = Request {
        measure: Some(measure.to_string()),
        ..Request::default()
    };
    let answer = solve(&level.game, &request, &budget)
        .map_err(|refused| super::refusal(&args.level, &refused))?;
    let name = &args.level;
    let (message, exit) = match (&answer.status, answer.plan) {
        (Status::Optimal, Some(plan)) => return Ok(Found::Plan(plan)),
        (Status::Feasible(why), Some(plan)) => {
            anstream::eprintln!("{name}: this plan is not proven optimal ({why})");
            return Ok(Found::Plan(plan));
        }
        (Status::Defect(why), _) => return Err(Failure::Defect(format!("{name}: {why}"))),
        (Status::Unsolvable, _) => (
            "there is no plan: the level is unsolvable".to_string(),
            Exit::Unsolvable,
        ),
        (Status::Limit(why), _) | (Status::Feasible(why), None) => (
            format!("no plan was found ({why})"),
            Exit::without_plan(*why),
        ),
        (Status::Optimal, None) => unreachable!("an optimal answer has a plan"),
    };
    anstream::eprintln!("{name}: {message}; nothing to animate");
    Ok(Found::None(exit))
}

/// The title above a board or in a picture: `First shot (plotting, 2 by 3)`.
fn title<G: Game>(name: &str, level: &Level<G>) -> String {
    let cells = level.game.view(&level.game.start()).cells;
    let name = level.title().unwrap_or(name).chars();
    let name: String = name.filter(|c| !c.is_control()).collect();
    format!("{name} ({}, {} by {})", G::NAME, cells.rows(), cells.cols())
}

/// Writes a picture; if standard error is a terminal, prints the file's name and size there.
fn write(file: &str, bytes: &[u8]) -> Result<(), Failure> {
    if file == "-" {
        let mut out = std::io::stdout().lock();
        return out
            .write_all(bytes)
            .and_then(|()| out.flush())
            .map_err(|error| Failure::io("standard output", error));
    }
    output::file(file, bytes)?;
    if std::io::stderr().is_terminal() {
        anstream::eprintln!("wrote {file} ({} kB)", bytes.len().div_ceil(1000));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_games::{GameVisitor, visit_games};

    /// The rules pages have pictures of built-in levels, made by this command.
    #[test]
    fn the_pictures_on_the_rules_pages_are_up_to_date() {
        struct Check;
        impl GameVisitor for Check {
            fn visit<G: Game>(&mut self) {
                let folder = format!("crates/games/src/{}", G::NAME.replace('-', "_"));
                let read = |name: &str| {
                    let file = format!("{}/../../{folder}/{name}", env!("CARGO_MANIFEST_DIR"));
                    std::fs::read_to_string(file).unwrap_or_default()
                };
                if !read("README.md").contains("(picture.svg)") {
                    return;
                }
                let (path, found) = (format!("{folder}/picture.svg"), read("picture.svg"));
                for builtin in G::LEVELS {
                    let level: Level<G> = load::builtin_level(builtin);
                    let title = title(builtin.name, &level);
                    if found.contains(&format!("<title>{title}</title>")) {
                        let view = level.game.view(&level.game.start());
                        let drawn = svg::board(&view, &title, svg::SCALE).expect("small enough");
                        let name = format!("{}/{}", G::NAME, builtin.name);
                        assert!(
                            found == drawn,
                            "out of date; run: ploy show {name} --svg {path}"
                        );
                        return;
                    }
                }
                panic!("{path} shows no built-in level; run: ploy show LEVEL --svg {path}");
            }
        }
        visit_games(&mut Check);
    }
}
