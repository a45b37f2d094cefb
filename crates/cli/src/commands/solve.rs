//! `ploy solve`: levels in, plans and proofs out.
//!
//! Worker threads (`--jobs`) solve the levels. Results are printed in the order of the command
//! line, each as soon as all before it are printed. An error or a panic in one level does not stop
//! the others.

mod certificate;
mod tally;
mod updates;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use ployglot_base::text::panic_message;
use ployglot_base::{Budget, Switches};
use ployglot_games::{AnyLevel, Game, Level, LevelVisitor};
use ployglot_solve::{Answer, Request, Status, solve, solve_anytime};

use self::tally::Tally;
use self::updates::{LevelResult, Message, Updates};
use crate::defect::{Defect, quote};
use crate::progress::{Line, Lines};
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::Row;
use ployglot_io::{interrupt, limits, load, output};

#[derive(clap::Args)]
pub struct Args {
    /// Files, '-' for standard input, or built-in levels such as plotting/04-staircase; of a
    /// PuzzleScript file all levels, or one: game.txt#3
    #[arg(required = true, value_name = "LEVEL")]
    levels: Vec<String>,
    /// The route, such as search:astar or eprime:action+dead-end:sat; `ploy routes` lists them
    /// [default: best]
    #[arg(long)]
    route: Option<String>,
    /// The measure of a plan's cost, such as shots or pieces+rotations [default: the game's first]
    #[arg(long)]
    measure: Option<String>,
    /// Give up on a level after this time: 60s, 1.5m [default: never]
    #[arg(long, value_parser = limits::time)]
    time: Option<Duration>,
    /// Give up when the whole process takes more memory than this: 512M, 8G [default: three
    /// quarters of what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// Threads for each level (parallel searches use all, eprime routes two); with one, every run
    /// gives the same plan
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// How many levels are solved at once
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Print one line of JSON for each level
    #[arg(long, conflicts_with_all = ["boards", "quiet"])]
    json: bool,
    /// Print one short line for each level, without the plan
    #[arg(long, short, conflicts_with = "boards")]
    quiet: bool,
    /// Show the board before each move
    #[arg(long)]
    boards: bool,
    /// Print a plan as soon as there is one, then better ones and rising bounds, until the proof
    #[arg(long, conflicts_with = "quiet")]
    anytime: bool,
    /// Switch rules of the game's guide off, to measure their effect; `ploy routes` lists them
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    without: Vec<String>,
    /// Also write the plan to this file
    #[arg(long, value_name = "FILE")]
    plan: Option<String>,
    /// Also write a certificate of the answer to this new folder: files by which `ploy verify`, or
    /// anybody, can check that no plan is cheaper
    #[arg(long, value_name = "DIR")]
    certificate: Option<String>,
    /// The folder for a file that reproduces a defect of the program, if one is found
    #[arg(long, value_name = "DIR", default_value = ".")]
    defects: String,
}

pub fn run(mut args: Args) -> Result<Exit, Failure> {
    let inputs: Vec<_> = args.levels.iter().map(Some).collect();
    output::refuse_inputs(&[("--plan", args.plan.as_ref())], &inputs)?;
    // A PuzzleScript file stands for all of its levels.
    args.levels = args.levels.into_iter().flat_map(load::expand).collect();
    if args.plan.is_some() && args.levels.len() > 1 {
        return Err(Failure::CommandLine(
            "--plan takes the plan of one level".to_string(),
        ));
    }
    if args.certificate.is_some() && args.levels.len() > 1 {
        return Err(Failure::CommandLine(
            "--certificate takes the answer of one level".to_string(),
        ));
    }
    if args.levels.iter().filter(|name| *name == "-").count() > 1 {
        return Err(Failure::CommandLine(
            "standard input ('-') can be read only once".to_string(),
        ));
    }
    // Standard input is read before the handler of Ctrl-C is installed, so that Ctrl-C ends the
    // wait.
    let input = args
        .levels
        .iter()
        .any(|name| name == "-")
        .then(|| load::level("-"));
    let shared = Shared {
        input: Mutex::new(input),
        interrupt: interrupt::flag(),
        lines: Lines::new(),
        memory: args.memory.or_else(limits::default_memory),
        args: &args,
    };
    let jobs = usize::from(args.jobs).min(args.levels.len());
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for job in 0..jobs {
            let (shared, next, send) = (&shared, &next, send.clone());
            let work = move || {
                loop {
                    let index = next.fetch_add(1, SeqCst);
                    let Some(name) = shared.args.levels.get(index) else {
                        break;
                    };
                    let result = shared.solve_or_report(name, &send);
                    if send.send(Message::Done(index, Box::new(result))).is_err() {
                        break;
                    }
                }
            };
            let started = std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work);
            // Where the system has no thread for a worker, those before it do its work.
            match started {
                Ok(_) => {}
                Err(error) if job == 0 => return Err(Failure::io("a thread to solve in", error)),
                Err(_) => break,
            }
        }
        drop(send);
        let printed = shared.print_in_order(receive);
        if printed.is_err() {
            // Nothing more can be printed: stop the workers.
            shared.interrupt.store(true, SeqCst);
        }
        printed
    })
}

/// Stack of a worker. Depth-first searches recurse as deep as their plans are long; only the pages
/// that are used take memory.
const STACK: usize = 256 << 20;

/// What the workers share.
struct Shared<'a> {
    args: &'a Args,
    interrupt: Arc<AtomicBool>,
    lines: Lines,
    memory: Option<u64>,
    /// The level from standard input, if one is asked for.
    input: Mutex<Option<Result<AnyLevel, Failure>>>,
}

impl Shared<'_> {
    /// Loads and solves one level; an error or a panic becomes the level's result.
    fn solve_or_report(&self, name: &str, messages: &mpsc::Sender<Message>) -> LevelResult {
        if self.interrupt.load(SeqCst) {
            return (Row::not_started(name), None);
        }
        let line = self.lines.add(name);
        let answer = catch_unwind(AssertUnwindSafe(|| {
            self.solve(name, line.clone(), messages)
        }));
        if let Some(line) = line {
            line.finish();
        }
        let failure = match answer {
            Ok(Ok(row)) => return (row, None),
            Ok(Err(failure)) => failure,
            Err(panic) => Failure::Defect(format!(
                "{name}: the program has a defect: {}",
                panic_message(&*panic)
            )),
        };
        (Row::failed(name, &failure), Some(failure))
    }

    fn solve(
        &self,
        name: &str,
        line: Option<Line>,
        messages: &mpsc::Sender<Message>,
    ) -> Result<Row, Failure> {
        let level = match name {
            "-" => {
                let mut input = self.input.lock().expect("no reader panics");
                input.take().expect("standard input is asked for once")?
            }
            _ => load::level(name)?,
        };
        let mut budget = self.budget();
        let updates = self
            .args
            .anytime
            .then(|| Updates::new(name, level.game_name(), messages.clone()));
        if line.is_some() || updates.is_some() {
            let updates = updates.clone();
            budget = budget.with_watch(move |progress| {
                if let Some(line) = &line {
                    line.show(progress);
                }
                if let Some(updates) = &updates {
                    updates.progress(progress);
                }
            });
        }
        let request = self.request();
        let solve = Solve {
            name,
            args: self.args,
            request: &request,
            budget: &budget,
            updates,
        };
        level.visit(solve)
    }

    /// What a level may spend.
    fn budget(&self) -> Budget {
        let mut budget = Budget::unlimited()
            .with_programs(ployglot_io::programs())
            .with_threads(usize::from(self.args.threads))
            .with_interrupt(self.interrupt.clone());
        if let Some(time) = self.args.time {
            budget = budget.with_time(time);
        }
        if let Some(memory) = self.memory {
            budget = budget.with_memory(memory);
        }
        budget
    }

    /// What the command line asks of each level.
    fn request(&self) -> Request {
        let without: Vec<&str> = self.args.without.iter().map(String::as_str).collect();
        Request {
            route: self.args.route.clone(),
            measure: self.args.measure.clone(),
            switches: Switches::without(&without),
        }
    }

    /// Prints the results in the order of the command line, each as soon as all before it are
    /// printed.
    fn print_in_order(&self, messages: mpsc::Receiver<Message>) -> Result<Exit, Failure> {
        let mut waiting = BTreeMap::new();
        let mut tally = Tally::default();
        let mut next = 0;
        for message in messages {
            match message {
                Message::Update { row, plan_is_new } => self
                    .lines
                    .suspend(|| self.print_update(&row, plan_is_new))?,
                Message::Done(index, result) => {
                    waiting.insert(index, *result);
                }
            }
            while let Some((row, failure)) = waiting.remove(&next) {
                self.lines
                    .suspend(|| self.print(next, &row, failure.as_ref()))?;
                tally.count(&row);
                next += 1;
            }
        }
        if self.args.levels.len() > 1 {
            anstream::eprintln!("{}", tally.text());
        }
        Ok(tally.exit())
    }

    fn print_update(&self, row: &Row, plan_is_new: bool) -> Result<(), Failure> {
        output::line(&if self.args.json {
            row.json()
        } else {
            row.progress(plan_is_new)
        })
    }

    fn print(&self, index: usize, row: &Row, failure: Option<&Failure>) -> Result<(), Failure> {
        if self.args.json {
            output::line(&row.json())?;
        } else if let Some(failure) = failure {
            failure.print();
        } else if self.args.quiet {
            output::line(&row.brief())?;
        } else {
            let gap = if index > 0 { "\n" } else { "" };
            output::text(&format!("{gap}{}", row.text()))?;
        }
        match (&self.args.plan, &row.plan) {
            (Some(file), Some(_)) => output::file(file, row.text().as_bytes()),
            (Some(file), None) => {
                output::note(&format!("no plan was found, so {file} is not written"));
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }
}

/// Solves a level of any game.
struct Solve<'a> {
    name: &'a str,
    args: &'a Args,
    request: &'a Request,
    budget: &'a Budget,
    updates: Option<Updates>,
}

impl LevelVisitor for Solve<'_> {
    type Out = Result<Row, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let (request, budget) = (self.request, self.budget);
        let row = |answer: &Answer<G>| Row::of(self.name, level, answer, self.args.boards);
        let answer = match &self.updates {
            None => solve(&level.game, request, budget),
            Some(updates) => {
                let report = |answer: &Answer<G>| updates.plan(row(answer));
                solve_anytime(&level.game, request, budget, report)
            }
        };
        let answer = answer.map_err(|refused| super::refusal(self.name, &refused))?;
        if let Status::Defect(why) = &answer.status {
            let defect = Defect {
                game: G::NAME,
                route: &answer.route,
                why,
                level: &level.print(),
            };
            let command = |file: &str| self.args.command(file, &answer.route, answer.measure);
            defect.report(&self.args.defects, command);
        }
        let mut row = row(&answer);
        if let Some(folder) = &self.args.certificate {
            certificate::write(folder, level, &answer, budget, &mut row)?;
        }
        Ok(row)
    }
}

impl Args {
    /// The command line that solves this file in the same way.
    fn command(&self, file: &str, route: &str, measure: &str) -> String {
        let mut command = format!("ploy solve {} --measure {measure}", quote(file));
        // With `--anytime` several routes run, and any of them may be the broken one.
        match (&self.route, self.anytime) {
            (None, true) => command += " --anytime",
            (Some(asked), true) => command += &format!(" --anytime --route {}", quote(asked)),
            (_, false) => command += &format!(" --route {route}"),
        }
        if self.threads > 1 {
            command += &format!(" --threads {}", self.threads);
        }
        if !self.without.is_empty() {
            command += &format!(" --without {}", quote(&self.without.join(",")));
        }
        if let Some(time) = self.time {
            command += &format!(" --time {}s", time.as_secs_f64());
        }
        if let Some(memory) = self.memory {
            command += &format!(" --memory {}K", memory.div_ceil(1 << 10));
        }
        command
    }
}
