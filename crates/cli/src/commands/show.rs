//! `ploy show`: a board, or the boards of a plan, in the terminal or as a picture.
//!
//! The referee checks the plan: it is shown up to its first illegal move, with the reason, and the
//! exit code is that of `ploy check`.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use ployglot_base::Budget;
use ployglot_base::text::printable;
use ployglot_games::{Game, Level, LevelVisitor, Ruling, View, judge};
use ployglot_solve::{Request, Status, measure, solve};

use crate::screen;
use ployglot_games::plan;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::amount;
use ployglot_io::{interrupt, limits, load, output};
use ployglot_pictures::{NoFilm, TooLarge, film, gif, raster, svg};

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
    /// For a GIF: give up solving and drawing after this time
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
    let options = ["--svg", "--png", "--gif"].into_iter().zip(output);
    output::refuse_inputs(&options.collect::<Vec<_>>(), &input)?;
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
        // Only a GIF needs a budget. Without one, Ctrl-C ends the program at once.
        let mut budget = Budget::unlimited();
        if args.gif.is_some() {
            budget = limits::budget(Some(args.time), None).with_interrupt(interrupt::flag());
        }
        let plan = match (&self.plan, &args.plan) {
            (Some(text), Some(name)) => plan::parse(&level.game, text)
                .map_err(|bad| load::bad_text(name, text.as_bytes(), bad))?,
            _ if args.gif.is_some() => match find_plan(args, level, measure, &budget)? {
                Found::Plan(plan) => plan,
                Found::None(exit) => return Ok(exit),
            },
            _ => Vec::new(),
        };
        let replay = Replay::of(&level.game, measure, &plan);
        if let Some(at) = args.at
            && at > replay.legal.len()
        {
            return Err(Failure::usage(format!(
                "--at {at}: the plan has {} legal moves",
                replay.legal.len()
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
            match replay.animate(args.scale, &budget) {
                Ok(bytes) => write(file, &bytes)?,
                Err(NoFilm::TooLarge(why)) => return Err(too_large(TooLarge(why))),
                Err(NoFilm::Limit(limit)) => {
                    output::note(&format!(
                        "{}: the GIF was not finished ({limit})",
                        args.level
                    ));
                    return Ok(Exit::without_plan(limit));
                }
            }
        }
        if !drawn {
            replay.print(args, &title)?;
        }
        // The ruling is printed after the text; beside a picture, only a rejection is.
        let judged = self.plan.is_some() && args.at.is_none();
        match (&replay.ruling, judged) {
            (Ok(ruling), true) if !drawn => output::line(ruling)?,
            (Err(ruling), true) if !drawn => output::line(ruling)?,
            (Err(ruling), true) => output::note(ruling),
            _ => {}
        }
        Ok(if judged && replay.ruling.is_err() {
            Exit::Rejected
        } else {
            Exit::Solved
        })
    }
}

/// A plan up to its first illegal move, and the ruling. Its boards are made one after the other:
/// those of a long plan on a large board would take gigabytes.
struct Replay<'a, G: Game> {
    game: &'a G,
    /// The legal moves.
    legal: &'a [G::Move],
    /// The referee's ruling as text: `Ok` if the plan is accepted.
    ruling: Result<String, String>,
}

impl<'a, G: Game> Replay<'a, G> {
    fn of(game: &'a G, measure: &str, plan: &'a [G::Move]) -> Self {
        let (legal, ruling) = match judge(game, measure, plan) {
            Ruling::Accepted { cost, .. } => (
                plan,
                Ok(format!("the goal is reached: {}", amount(cost, measure))),
            ),
            Ruling::Missed { shortfall, .. } => {
                (plan, Err(format!("the goal is not reached: {shortfall}")))
            }
            Ruling::Illegal {
                at,
                before,
                mv,
                refusal,
                ..
            } => (
                &plan[..at - 1],
                Err(format!(
                    "move {at} ({}) is illegal: {}",
                    game.print_move(&before, mv),
                    refusal.0
                )),
            ),
        };
        Self {
            game,
            legal,
            ruling,
        }
    }

    /// The boards, each with the move before it and its number: `3. row 2`. The first has no move.
    fn boards(&self) -> impl Iterator<Item = (String, View)> {
        let game = self.game;
        let mut state = game.start();
        let first = (String::new(), game.view(&state));
        let moves = self.legal.iter().enumerate();
        let rest = moves.map(move |(index, &mv)| {
            let text = format!("{}. {}", index + 1, game.print_move(&state, mv));
            state = game.play(&state, mv).expect("the referee played it");
            (text, game.view(&state))
        });
        std::iter::once(first).chain(rest)
    }

    fn print(&self, args: &Args, title: &str) -> Result<(), Failure> {
        output::line(&format!("{title}\n"))?;
        match args.at {
            Some(at) => {
                let (_, board) = self.boards().nth(at).expect("there are that many");
                output::board(&screen::board(&board))
            }
            None => {
                for (mv, board) in self.boards() {
                    if !mv.is_empty() {
                        output::text(&format!("\n{mv}\n\n"))?;
                    }
                    output::board(&screen::board(&board))?;
                }
                output::text(if self.legal.is_empty() { "" } else { "\n" })
            }
        }
    }

    fn svg(&self, args: &Args, title: &str) -> Result<String, TooLarge> {
        if let Some(at) = args.at {
            let (_, board) = self.boards().nth(at).expect("there are that many");
            return svg::board(&board, title, args.scale);
        }
        let first = self.game.view(&self.game.start());
        svg::check_size(std::iter::repeat_n(&first, self.legal.len() + 1))?;
        let boards: Vec<(String, View)> = self.boards().collect();
        let boards: Vec<(&View, &str)> = boards
            .iter()
            .map(|(mv, view)| (view, mv.as_str()))
            .collect();
        svg::sheet(&boards, title, args.scale)
    }

    fn animate(&self, scale: u32, budget: &Budget) -> Result<Vec<u8>, NoFilm> {
        let total = self.legal.len();
        gif::check_length(total)?;
        let caption = move |number: usize, mv: &str| format!("{number}/{total}  {mv}");
        let first = self.game.view(&self.game.start());
        let opening = match total {
            1 => "1 move".to_string(),
            _ => format!("{total} moves"),
        };
        let closing = match (&self.ruling, plan::print(self.game, self.legal).last()) {
            (Ok(ruling), _) => ruling.clone(),
            (Err(_), Some(last)) => format!("after {total}. {last}"),
            (Err(_), None) => opening.clone(),
        };
        let film = gif::Film {
            opening: (&first, &opening),
            takes: || film::takes(self.game, self.legal, caption),
            closing: &closing,
        };
        gif::animate(&film, scale, budget)
    }
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
    budget: &Budget,
) -> Result<Found<G::Move>, Failure> {
    let request = Request {
        measure: Some(measure.to_string()),
        ..Request::default()
    };
    let answer = solve(&level.game, &request, budget)
        .map_err(|refused| super::refusal(&args.level, &refused))?;
    let name = &args.level;
    let (message, exit) = match (&answer.status, answer.plan) {
        (Status::Optimal, Some(plan)) => return Ok(Found::Plan(plan)),
        (Status::Feasible(why), Some(plan)) => {
            output::note(&format!("{name}: this plan is not proven optimal ({why})"));
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
    output::note(&format!("{name}: {message}; nothing to animate"));
    Ok(Found::None(exit))
}

/// The title above a board or in a picture: `First shot (plotting, 2 by 3)`.
fn title<G: Game>(name: &str, level: &Level<G>) -> String {
    let cells = level.game.view(&level.game.start()).cells;
    let name = printable(level.title().unwrap_or(name));
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
        output::note(&format!("wrote {file} ({} kB)", bytes.len().div_ceil(1000)));
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
