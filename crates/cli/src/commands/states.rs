//! `ploy states`: how many states each planning model of a level has: by the formula of its paper,
//! where there is one, and as many as can be reached, counted by breadth-first search.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use ployglot_games::{Game, Level, LevelVisitor};
use ployglot_solve::{ReachableStates, reachable_states};

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{limits, load, output};

#[derive(clap::Args)]
pub struct Args {
    /// A file, '-' for standard input, or a built-in level such as lunar-lockout/01-touchdown
    level: String,
    /// Stop counting the reachable states of a model after this time: 10s, 2m
    #[arg(long, value_parser = limits::time, default_value = "10s")]
    time: Duration,
    /// Stop counting when the process takes more memory than this: 512M, 8G [default: three
    /// quarters of what is free]
    #[arg(long, value_parser = limits::memory, value_name = "SIZE")]
    memory: Option<u64>,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let level = load::level(&args.level)?;
    output::text(&level.visit(Count(&args)))?;
    Ok(Exit::Solved)
}

struct Count<'a>(&'a Args);

impl LevelVisitor for Count<'_> {
    type Out = String;

    fn visit<G: Game>(self, level: &Level<G>) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(["MODEL", "STATES BY FORMULA", "REACHABLE STATES"]);
        for model in G::PLANNING {
            let formula = (model.states)(&level.game).map_or("-".to_string(), |n| n.to_string());
            let budget = limits::budget(Some(self.0.time), self.0.memory);
            let reachable = match reachable_states(&level.game, model, &budget) {
                Ok(ReachableStates::All(states)) => states.to_string(),
                Ok(ReachableStates::AtLeast(states)) => format!("more than {states}"),
                Err(why) => why,
            };
            table.add_row([format!("pddl:{}", model.name), formula, reachable]);
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if index == 1 {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines = table.trim_fmt();
        lines
            .lines()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect()
    }
}
