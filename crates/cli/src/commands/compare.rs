//! `ploy compare`: one level by many routes. Their proofs must agree. A disagreement is a defect of
//! the program: the exit code is 32, and the level is written to a file that reproduces it.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use ployglot_base::Switches;
use ployglot_games::{Game, Level, LevelVisitor};
use ployglot_solve::{Answer, Status, disagreement, find_routes, measure};
use serde_json::json;

use crate::progress::Lines;
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::{Row, VERSION};
use ployglot_io::{interrupt, limits, load, output};

#[derive(clap::Args)]
pub struct Args {
    /// Files, '-' for standard input, or built-in levels such as plotting/04-staircase
    #[arg(required = true, value_name = "LEVEL")]
    levels: Vec<String>,
    /// The routes, by name or prefix, such as best,search:astar,pddl,eprime:action+dead-end
    /// [default: all]
    #[arg(long, value_delimiter = ',', value_name = "ROUTE")]
    routes: Vec<String>,
    /// The measure of a plan's cost, such as shots or pieces+rotations [default: the game's first]
    #[arg(long)]
    measure: Option<String>,
    /// Give up on a route after this time: 60s, 1.5m
    #[arg(long, value_parser = limits::time, default_value = "10s")]
    time: Duration,
    /// Give up when the process takes more memory than this: 512M, 8G [default: three quarters of
    /// what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
    /// The file for the level if routes disagree
    #[arg(long, value_name = "FILE", default_value = "disagreement.level")]
    alarm: String,
    /// Print one line of JSON for each route, and one for the verdict
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let mut exit = Exit::Solved;
    for (index, name) in args.levels.iter().enumerate() {
        if index > 0 && !args.json {
            output::line("")?;
        }
        let level = load::level(name)?;
        if level.visit(Compare { name, args: &args })? == Exit::Defect {
            exit = Exit::Defect;
        }
    }
    Ok(exit)
}

struct Compare<'a> {
    name: &'a str,
    args: &'a Args,
}

impl LevelVisitor for Compare<'_> {
    type Out = Result<Exit, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let Compare { name, args } = self;
        let usage = |why: String| Failure::Usage(format!("{name}: {why}"));
        let measure = measure::<G>(args.measure.as_deref()).map_err(|bad| usage(bad.0))?;
        let chosen = find_routes(&level.game, &args.routes, measure).map_err(|bad| usage(bad.0))?;
        let stop = interrupt::flag();
        let lines = Lines::new();
        let mut answers: Vec<Answer<G>> = Vec::new();
        let mut table = table();
        for route in chosen {
            let line = lines.add(&format!("{name} by {}", route.name));
            let mut budget =
                limits::budget(Some(args.time), args.memory).with_interrupt(stop.clone());
            if let Some(line) = line.clone() {
                budget = budget.with_watch(move |progress| line.show(progress));
            }
            let solved = route.solve(&level.game, measure, &Switches::all_on(), &budget);
            if let Some(line) = line {
                line.finish();
            }
            match solved {
                Err(unfit) => {
                    table.add_row([route.name, "unfit".to_string(), unfit.0]);
                }
                Ok(answer) => {
                    let row = Row::of(name, level, &answer, false);
                    if args.json {
                        output::line(&row.json())?;
                    }
                    table.add_row(cells(&answer));
                    answers.push(answer);
                }
            }
        }
        if !args.json {
            output::line(&format!("{name}, {measure}\n{}", table.trim_fmt()))?;
        }
        let conflict = disagreement(&answers);
        let proven = answers
            .iter()
            .filter(|answer| matches!(answer.status, Status::Optimal | Status::Unsolvable));
        let proven = proven.count();
        let verdict = match &conflict {
            Some(conflict) => conflict.clone(),
            None => format!(
                "{proven} of {} routes have a proof, and all agree",
                answers.len()
            ),
        };
        if args.json {
            let row = json!({ "version": VERSION, "level": name, "verdict": verdict, "agree": conflict.is_none() });
            output::line(&row.to_string())?;
        } else {
            output::line(&verdict)?;
        }
        if conflict.is_none() {
            return Ok(Exit::Solved);
        }
        output::file(&args.alarm, level.print().as_bytes())?;
        anstream::eprintln!("routes disagree: {verdict}; the level is in {}", args.alarm);
        Ok(Exit::Defect)
    }
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "ROUTE", "STATUS", "COST", "AT LEAST", "SECONDS", "STATES", "MB",
    ]);
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
}

fn cells<G: Game>(answer: &Answer<G>) -> [String; 7] {
    let status = match &answer.status {
        Status::Limit(limit) => format!("limit ({limit})"),
        Status::Feasible(limit) => format!("feasible ({limit})"),
        status => status.word().to_string(),
    };
    let number = |number: Option<u32>| number.map_or("-".to_string(), |number| number.to_string());
    [
        answer.route.clone(),
        status,
        number(answer.cost),
        number(answer.at_least),
        format!("{:.2}", answer.seconds),
        answer.effort.expanded.to_string(),
        (answer.peak_memory >> 20).to_string(),
    ]
}
