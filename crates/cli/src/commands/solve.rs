//! `ploy solve`: levels in, plans and proofs out.
//!
//! Levels are solved by a bounded number of workers and told in the order they were given, each as soon as all before it
//! are told. One level's error, or even a panic, does not stop the others.

mod feed;
mod tally;

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use ployglot_base::{Budget, Switches};
use ployglot_games::{AnyLevel, Game, Level, LevelVisitor};
use ployglot_solve::{Answer, BadRequest, Request, solve, solve_anytime};

use self::feed::{Feed, News, Told};
use self::tally::Tally;
use crate::progress::{Line, Lines};
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::Row;
use ployglot_io::{interrupt, limits, load, output};

#[derive(clap::Args)]
pub struct Args {
    /// Files, '-' for standard input, or built-in levels such as plotting/04-staircase
    #[arg(required = true, value_name = "LEVEL")]
    levels: Vec<String>,
    /// The way to solve, such as search:astar or eprime:action+dead-end:sat; `ploy routes` lists them [default: best]
    #[arg(long)]
    route: Option<String>,
    /// What a plan costs, such as shots or pieces+rotations [default: the game's first]
    #[arg(long)]
    measure: Option<String>,
    /// Give up on a level after this time: 60s, 1.5m [default: never]
    #[arg(long, value_parser = limits::time)]
    time: Option<Duration>,
    /// Give up when the whole process takes more memory than this: 512M, 8G [default: three quarters of what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// Threads for each level (searches that share work take all, eprime routes two); with one, the same run gives the same plan
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// How many levels are solved at once
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// One line of JSON for each level
    #[arg(long, conflicts_with_all = ["boards", "quiet"])]
    json: bool,
    /// One short line for each level, without the plan
    #[arg(long, short, conflicts_with = "boards")]
    quiet: bool,
    /// Show the board before each move
    #[arg(long)]
    boards: bool,
    /// Tell a good plan at once, then better ones and rising bounds, until the proof
    #[arg(long, conflicts_with = "quiet")]
    anytime: bool,
    /// Switch rules of the search off by name, to see what they do; `ploy routes` lists them
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    without: Vec<String>,
    /// Also write the plan to this file
    #[arg(long, value_name = "FILE")]
    plan: Option<String>,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    if args.plan.is_some() && args.levels.len() > 1 {
        return Err(Failure::CommandLine(
            "--plan takes the plan of one level".to_string(),
        ));
    }
    if args.levels.iter().filter(|name| *name == "-").count() > 1 {
        return Err(Failure::CommandLine(
            "standard input ('-') can be read only once".to_string(),
        ));
    }
    // Read before Ctrl-C is ours, so that it still ends the wait for input.
    let input = args
        .levels
        .iter()
        .any(|name| name == "-")
        .then(|| load::level("-"));
    let crew = Crew {
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
        for _ in 0..jobs {
            let (crew, next, send) = (&crew, &next, send.clone());
            let work = move || {
                loop {
                    let index = next.fetch_add(1, SeqCst);
                    let Some(name) = crew.args.levels.get(index) else {
                        break;
                    };
                    let told = crew.answer(name, &send);
                    if send.send(News::Done(index, Box::new(told))).is_err() {
                        break;
                    }
                }
            };
            std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work)
                .map_err(|error| Failure::io("a worker", error))?;
        }
        drop(send);
        let told = crew.tell_in_order(receive);
        if told.is_err() {
            // Nobody listens any more: the workers need not go on.
            crew.interrupt.store(true, SeqCst);
        }
        told
    })
}

/// Depth-first searches recurse as deep as their plans are long. (Only the part that is used takes memory.)
const STACK: usize = 256 << 20;

/// What the workers share.
struct Crew<'a> {
    args: &'a Args,
    interrupt: Arc<AtomicBool>,
    lines: Lines,
    memory: Option<u64>,
    /// The level from standard input, if one is asked for.
    input: Mutex<Option<Result<AnyLevel, Failure>>>,
}

impl Crew<'_> {
    /// Loads and solves one level, whatever happens.
    fn answer(&self, name: &str, news: &mpsc::Sender<News>) -> Told {
        if self.interrupt.load(SeqCst) {
            return (Row::not_started(name), None);
        }
        let line = self.lines.add(name);
        let answer = catch_unwind(AssertUnwindSafe(|| self.solve(name, line.clone(), news)));
        if let Some(line) = line {
            line.finish();
        }
        let failure = match answer {
            Ok(Ok(row)) => return (row, None),
            Ok(Err(failure)) => failure,
            Err(panic) => Failure::Defect(format!(
                "{name}: the program has a defect: {}",
                words(&*panic)
            )),
        };
        (Row::failed(name, &failure), Some(failure))
    }

    fn solve(
        &self,
        name: &str,
        line: Option<Line>,
        news: &mpsc::Sender<News>,
    ) -> Result<Row, Failure> {
        let level = match name {
            "-" => {
                let mut input = self.input.lock().expect("no reader panics");
                input.take().expect("standard input is asked for once")?
            }
            _ => load::level(name)?,
        };
        let mut budget = Budget::unlimited()
            .with_threads(usize::from(self.args.threads))
            .with_interrupt(self.interrupt.clone());
        if let Some(time) = self.args.time {
            budget = budget.with_time(time);
        }
        if let Some(memory) = self.memory {
            budget = budget.with_memory(memory);
        }
        let feed = self
            .args
            .anytime
            .then(|| Feed::new(name, level.game_name(), news.clone()));
        if line.is_some() || feed.is_some() {
            let feed = feed.clone();
            budget = budget.with_watch(move |progress| {
                if let Some(line) = &line {
                    line.tell(progress);
                }
                if let Some(feed) = &feed {
                    feed.progress(progress);
                }
            });
        }
        let without: Vec<&str> = self.args.without.iter().map(String::as_str).collect();
        let request = Request {
            route: self.args.route.clone(),
            measure: self.args.measure.clone(),
            switches: Switches::without(&without),
        };
        let solve = Solve {
            name,
            request: &request,
            budget: &budget,
            boards: self.args.boards,
            feed,
        };
        level
            .visit(solve)
            .map_err(|BadRequest(message)| Failure::Usage(format!("{name}: {message}")))
    }

    /// Tells what became of the levels in the order they were given, each as soon as it can be told.
    fn tell_in_order(&self, receive: mpsc::Receiver<News>) -> Result<Exit, Failure> {
        let mut waiting = BTreeMap::new();
        let mut tally = Tally::default();
        let mut next = 0;
        for news in receive {
            match news {
                News::Row(row, plan_is_new) => {
                    self.lines.suspend(|| self.tell_news(&row, plan_is_new))?
                }
                News::Done(index, told) => {
                    waiting.insert(index, *told);
                }
            }
            while let Some((row, failure)) = waiting.remove(&next) {
                self.lines
                    .suspend(|| self.tell(next, &row, failure.as_ref()))?;
                tally.count(&row);
                next += 1;
            }
        }
        if self.args.levels.len() > 1 {
            anstream::eprintln!("{}", tally.text());
        }
        Ok(tally.exit())
    }

    fn tell_news(&self, row: &Row, plan_is_new: bool) -> Result<(), Failure> {
        output::line(&if self.args.json {
            row.json()
        } else {
            row.progress(plan_is_new)
        })
    }

    fn tell(&self, index: usize, row: &Row, failure: Option<&Failure>) -> Result<(), Failure> {
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
                anstream::eprintln!("no plan was found, so {file} is not written");
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }
}

/// Solves a level of whichever game.
struct Solve<'a> {
    name: &'a str,
    request: &'a Request,
    budget: &'a Budget,
    boards: bool,
    feed: Option<Feed>,
}

impl LevelVisitor for Solve<'_> {
    type Out = Result<Row, BadRequest>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let row = |answer: &Answer<G>| Row::of(self.name, level, answer, self.boards);
        let Some(feed) = &self.feed else {
            return Ok(row(&solve(&level.game, self.request, self.budget)?));
        };
        let tell = |answer: &Answer<G>| feed.plan(row(answer));
        Ok(row(&solve_anytime(
            &level.game,
            self.request,
            self.budget,
            tell,
        )?))
    }
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic")
}
