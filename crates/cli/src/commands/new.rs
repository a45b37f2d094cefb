//! `ploy new`: random levels, or levels that meet requirements.
//!
//! Every game is a subcommand; its options are the parameters of the game's generator (`KNOBS`).
//! The line `source:` of a level is the command that makes it again.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use ployglot_base::Budget;
use ployglot_base::text::unknown;
use ployglot_games::{Game, GameVisitor, Hardest, Level, NotGenerated, Spec, visit_games};
use ployglot_solve::{
    Difficulty, FoundLevel, LevelSearch, LevelSearchEnd, Recipe, Requirements, find_levels,
};

use crate::defect::{Defect, quote};
use crate::progress::Lines;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::amount;
use ployglot_io::{interrupt, limits, load, output};

/// The game, and the options of its subcommand.
pub struct Args {
    game: String,
    options: ArgMatches,
}

impl clap::Args for Args {
    fn augment_args(command: Command) -> Command {
        let mut games = Subcommands {
            commands: Vec::new(),
        };
        visit_games(&mut games);
        command
            .subcommands(games.commands)
            .subcommand_required(true)
            .arg_required_else_help(true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for Args {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (game, options) = matches.subcommand().ok_or_else(|| {
            clap::Error::raw(
                clap::error::ErrorKind::MissingSubcommand,
                "a game is required\n",
            )
        })?;
        Ok(Self {
            game: game.to_string(),
            options: options.clone(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

struct Subcommands {
    commands: Vec<Command>,
}

impl GameVisitor for Subcommands {
    fn visit<G: Game>(&mut self) {
        let mut command = Command::new(G::NAME).about(format!("Random levels of {}", G::NAME));
        let (rows, cols) = G::DEFAULT_SIZE;
        let about = format!("rows and columns [default: {rows}x{cols}]");
        command = command.arg(option("size", "RxC", &about).value_parser(limits::size));
        for knob in G::KNOBS {
            let about = format!("{} [default: {}]", knob.about, knob.default);
            command = command.arg(option(knob.name, "N", &about).value_parser(value_parser!(u32)));
        }
        if G::FROM {
            let about = "change this level: a file, game.txt#3, or a built-in level";
            command = command.arg(option("from", "LEVEL", about).conflicts_with("size"));
        }
        if G::HARDEST.is_some() {
            command = command.arg(flag(
                "hardest",
                "the levels of this size with the highest par",
            ));
        }
        self.commands
            .push(command.args(requirement_options()).args(search_options()));
    }
}

fn option(name: &'static str, value: &'static str, about: &str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .help(about.to_string())
}

fn flag(name: &'static str, about: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .help(about)
        .action(ArgAction::SetTrue)
}

/// The requirements on a level.
fn requirement_options() -> Vec<Arg> {
    vec![
        option(
            "par",
            "A..B",
            "the cost of a best plan: 12, 12.., ..15 or 12..15, both included",
        )
        .value_parser(range),
        flag("solvable", "there is a plan"),
        flag("unsolvable", "it is proven that there is no plan")
            .conflicts_with_all(["solvable", "par"]),
        flag(
            "unique",
            "only one best plan, apart from the order of its moves",
        ),
        option(
            "difficulty",
            "WORD",
            &format!(
                "one of {}",
                REQUESTED
                    .map(|difficulty| difficulty.to_string())
                    .join(", ")
            ),
        )
        .value_parser(difficulty),
        option(
            "min-dead-ends",
            "PERCENT",
            "at least this share of the states within par are dead ends",
        )
        .value_parser(value_parser!(u32)),
        option(
            "min-forced",
            "N",
            "at least this many forced moves in a row",
        )
        .value_parser(value_parser!(u32)),
    ]
}

/// How levels are made, how long they are searched for, and where they are written.
fn search_options() -> Vec<Arg> {
    vec![
        option("seed", "N", "the same seed gives the same levels")
            .value_parser(value_parser!(u64))
            .default_value("1"),
        option(
            "steps",
            "N,…",
            "change the seed's level by these steps; they are in the source of a level that was found",
        )
        .value_parser(value_parser!(u64))
        .value_delimiter(','),
        option("count", "N", "how many different levels")
            .value_parser(value_parser!(u16).range(1..))
            .default_value("1"),
        option("tries", "N", "try at most this many levels")
            .value_parser(value_parser!(u64))
            .default_value("100000"),
        flag(
            "uniform",
            "random levels only, all equally likely: no hill climbing from levels that nearly fit",
        ),
        option(
            "time",
            "TIME",
            "give up after this time: 60s, 1.5m [default: never]",
        )
        .value_parser(limits::time),
        option(
            "memory",
            "SIZE",
            "give up when the process takes more memory than this: 512M, 8G [default: three quarters of what is free]",
        )
        .value_parser(limits::memory),
        option("each", "TIME", "skip a level that takes longer than this to solve")
            .value_parser(limits::time)
            .default_value("10s"),
        option(
            "out",
            "DIR",
            "write a file for each level to this folder [default: print them]",
        ),
    ]
}

fn range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let wrong = || "a par is a number or a range: 12, 12.., ..15, 12..15".to_string();
    let number = |text: &str, default: u32| match text.trim() {
        "" => Ok(default),
        text => text.parse().map_err(|_| wrong()),
    };
    let range = match text.split_once("..") {
        None => number(text, 0).map(|only| only..=only)?,
        Some((low, high)) => number(low, 0)?..=number(high.trim_start_matches('='), u32::MAX)?,
    };
    if range.is_empty() || text.trim().is_empty() {
        Err(wrong())
    } else {
        Ok(range)
    }
}

/// The difficulties that can be required.
const REQUESTED: [Difficulty; 5] = [
    Difficulty::Trivial,
    Difficulty::Easy,
    Difficulty::Medium,
    Difficulty::Hard,
    Difficulty::Fiendish,
];

fn difficulty(text: &str) -> Result<Difficulty, String> {
    let names = REQUESTED.map(|difficulty| difficulty.to_string());
    let found = REQUESTED.into_iter().find(|each| each.to_string() == text);
    found.ok_or_else(|| unknown("difficulty", text, names.iter().map(String::as_str)))
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let mut make = Make {
        args: &args,
        made: None,
    };
    visit_games(&mut make);
    make.made.expect("every subcommand is a game")
}

struct Make<'a> {
    args: &'a Args,
    made: Option<Result<Exit, Failure>>,
}

impl GameVisitor for Make<'_> {
    fn visit<G: Game>(&mut self) {
        if self.args.game == G::NAME {
            self.made = Some(make::<G>(&self.args.options));
        }
    }
}

fn make<G: Game>(options: &ArgMatches) -> Result<Exit, Failure> {
    let &(rows, cols) = options.get_one("size").unwrap_or(&G::DEFAULT_SIZE);
    let mut spec = Spec::size(rows, cols);
    for knob in G::KNOBS {
        if let Some(&value) = options.get_one::<u32>(knob.name) {
            spec = spec.with(knob.name, value);
        }
    }
    if G::FROM
        && let Some(name) = options.get_one::<String>("from")
    {
        let level = load::level(name)?;
        if level.game_name() != G::NAME {
            return Err(Failure::usage(format!(
                "{name} is a level of {}, not of {}",
                level.game_name(),
                G::NAME
            )));
        }
        spec.from = Some((quote(name), load::level_text(name)?));
    }
    let solvable = match (options.get_flag("solvable"), options.get_flag("unsolvable")) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let requirements = Requirements {
        par: options.get_one("par").cloned(),
        solvable,
        unique: options.get_flag("unique"),
        difficulty: options
            .get_one::<Difficulty>("difficulty")
            .map(|&word| word..=word),
        least_dead_ends: options.get_one("min-dead-ends").copied(),
        least_forced: options.get_one("min-forced").copied(),
    };
    let seed: u64 = *options.get_one("seed").expect("it has a default");
    let count = usize::from(*options.get_one::<u16>("count").expect("it has a default"));
    let tries: u64 = *options.get_one("tries").expect("it has a default");
    let search = LevelSearch {
        seed,
        count,
        tries,
        uniform: options.get_flag("uniform"),
    };
    let each: Duration = *options.get_one("each").expect("it has a default");
    let out = options.get_one::<String>("out");
    if let Some(folder) = out {
        std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder.as_str(), error))?;
    }
    let stop = interrupt::flag();
    let memory = options.get_one("memory").copied();
    let mut budget =
        limits::budget(options.get_one("time").copied(), memory).with_interrupt(stop.clone());
    if let Some(hardest) = G::HARDEST
        && options.get_flag("hardest")
    {
        return match hardest(&spec, &budget) {
            Ok(found) => write_hardest(&found, &spec, count, out.map(String::as_str)),
            Err(not) => not_generated::<G>(not),
        };
    }
    if let Some(steps) = options.get_many::<u64>("steps") {
        let recipe = Recipe {
            seed,
            steps: steps.copied().collect(),
        };
        let level = match recipe.make::<G>(&spec, &budget) {
            Ok(level) => level,
            Err(not) => return not_generated::<G>(not),
        };
        let found = FoundLevel {
            level,
            spec,
            recipe,
            tried: 1,
            answer: None,
            rating: None,
        };
        return write_found(&found, 1, out.map(String::as_str)).map(|()| Exit::Solved);
    }
    let lines = Lines::new();
    let line = lines.add(G::NAME);
    if let Some(line) = line.clone() {
        budget = budget.with_watch(move |progress| line.show(progress));
    }
    let for_one_level = || limits::budget(Some(each), memory).with_interrupt(stop.clone());
    let mut written = Ok(());
    let (mut number, mut tried) = (0, 0);
    let end = find_levels::<G>(
        &spec,
        &requirements,
        search,
        &budget,
        || within(&budget, for_one_level()),
        |found| {
            number += 1;
            tried = found.tried;
            written = lines.suspend(|| write_found(&found, number, out.map(String::as_str)));
            written.is_ok()
        },
    );
    if let Some(line) = line {
        line.finish();
    }
    written?;
    let missing = format!("{number} of {count} levels found");
    match end {
        LevelSearchEnd::Complete => {
            if tried > count as u64 {
                anstream::eprintln!("{missing} in {tried} tries");
            }
            Ok(Exit::Solved)
        }
        LevelSearchEnd::Impossible(why) => not_generated::<G>(NotGenerated::Impossible(why)),
        LevelSearchEnd::Defect { level, route, why } => {
            let defect = Defect {
                game: G::NAME,
                route: &route,
                why: &why,
                level: &level,
            };
            defect.report(out.map_or(".", String::as_str), |file| {
                format!("ploy solve {} --route {route}", quote(file))
            });
            Ok(Exit::Defect)
        }
        LevelSearchEnd::TriesUsedUp { tries, nearest } => {
            let nearest = nearest.map_or(String::new(), |nearest| {
                format!("; the nearest has {nearest}")
            });
            anstream::eprintln!("{missing} in {tries} tries{nearest}");
            anstream::eprintln!(
                "try a larger --tries, another --seed, wider requirements or a larger --size"
            );
            Ok(Exit::Unproven)
        }
        LevelSearchEnd::Limit(limit) => {
            anstream::eprintln!("{missing}; a limit ended the search: {limit}");
            Ok(Exit::without_plan(limit))
        }
    }
}

/// The end of a command whose level was not made.
fn not_generated<G: Game>(not: NotGenerated) -> Result<Exit, Failure> {
    match not {
        NotGenerated::Impossible(why) => Err(Failure::Unsupported(format!(
            "no such level of {} can be made: {why}",
            G::NAME
        ))),
        NotGenerated::Limit(limit) => {
            anstream::eprintln!("no level was made; a limit ended the work: {limit}");
            Ok(Exit::without_plan(limit))
        }
    }
}

/// The budget of one solver run, which ends no later than the whole search.
fn within(whole: &Budget, one: Budget) -> Budget {
    match whole.time_left() {
        Some(left) => one.part(left),
        None => one,
    }
}

/// Prints a level or writes its file, with its source, its par and its difficulty where they are
/// known.
fn write_found<G: Game>(
    found: &FoundLevel<G>,
    number: usize,
    out: Option<&str>,
) -> Result<(), Failure> {
    let text = Level::bare(found.level.clone()).print();
    let mut header = format!("source: {}\n", found.recipe.command::<G>(&found.spec));
    if let Some(answer) = &found.answer {
        let par = match answer.cost {
            Some(cost) if answer.at_least == Some(cost) => {
                format!("par: {}\n", par_text::<G>(cost, answer.measure))
            }
            None if answer.at_least.is_none() => "par: unsolvable\n".to_string(),
            _ => String::new(),
        };
        header.push_str(&par);
    }
    if let Some(rating) = &found.rating {
        header.push_str(&format!("difficulty: {}\n", rating.assessment.difficulty));
    }
    let known = found
        .answer
        .as_ref()
        .and_then(|answer| Some((answer.cost?, answer.measure)));
    let known = known.map_or(String::new(), |(cost, measure)| amount(cost, measure));
    write(
        &with_header(&text, &header),
        number,
        out,
        &format!("{}-{}", G::NAME, found.recipe.seed),
        &known,
    )
}

/// The level's text with these lines after the one that names the game.
fn with_header(text: &str, header: &str) -> String {
    let after = text.find('\n').map_or(text.len(), |end| end + 1);
    format!("{}{header}{}", &text[..after], &text[after..])
}

/// Prints the text of a level, or writes it to `NAME.level` in the folder `out`.
fn write(
    text: &str,
    number: usize,
    out: Option<&str>,
    name: &str,
    known: &str,
) -> Result<(), Failure> {
    let Some(folder) = out else {
        return output::text(&if number > 1 {
            format!("\n{text}")
        } else {
            text.to_string()
        });
    };
    let path = format!("{folder}/{name}.level");
    output::file(&path, text.as_bytes())?;
    output::line(format!("{path}  {known}").trim_end())
}

/// Prints or writes up to `count` of the hardest levels, and prints how many there are.
fn write_hardest<G: Game>(
    found: &Hardest<G>,
    spec: &Spec,
    count: usize,
    out: Option<&str>,
) -> Result<Exit, Failure> {
    let source = format!("source: ploy new {} {spec} --hardest\n", G::NAME);
    let header = format!(
        "{source}par: {}\n",
        par_text::<G>(found.par, G::MEASURES[0].name)
    );
    for (index, level) in found.levels.iter().take(count).enumerate() {
        let text = with_header(&Level::bare(level.clone()).print(), &header);
        let name = format!("{}-hardest-{}", G::NAME, index + 1);
        write(
            &text,
            index + 1,
            out,
            &name,
            &amount(found.par, G::MEASURES[0].name),
        )?;
    }
    anstream::eprintln!(
        "{} levels have a par of {}, and no level has a higher one",
        found.levels.len(),
        found.par
    );
    Ok(Exit::Solved)
}

/// A par as in a level's text: with its measure if the game has several.
fn par_text<G: Game>(cost: u32, measure: &str) -> String {
    if G::MEASURES.len() > 1 {
        format!("{cost} {measure}")
    } else {
        cost.to_string()
    }
}
