//! `ploy routes`: the routes, switches, measures, formats and rules of each game, read from the lists that
//! the parsers use.

use comfy_table::{Table, presets};
use ployglot_games::{CANONICAL, Game, GameVisitor, visit_games};
use ployglot_solve::routes;

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{load, output};

#[derive(clap::Args)]
pub struct Args {
    /// Only this game
    game: Option<String>,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let mut describe = Describe {
        game: args.game.as_deref().map(load::game_name).transpose()?,
        parts: Vec::new(),
    };
    visit_games(&mut describe);
    output::text(&describe.parts.join("\n"))?;
    Ok(Exit::Solved)
}

struct Describe {
    game: Option<&'static str>,
    parts: Vec<String>,
}

impl GameVisitor for Describe {
    fn visit<G: Game>(&mut self) {
        if self.game.is_some_and(|game| game != G::NAME) {
            return;
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        for (index, measure) in G::MEASURES.iter().enumerate() {
            let about = if index == 0 {
                "how a plan's cost is counted, by default"
            } else {
                "how a plan's cost is counted"
            };
            table.add_row(["measure", measure.name, about]);
        }
        for route in routes::<G>() {
            let all = route.measures.len() == G::MEASURES.len();
            let only = if all {
                String::new()
            } else {
                format!(" (for {})", route.measures.join(", "))
            };
            table.add_row(["route", &route.name, &format!("{}{only}", route.about)]);
        }
        for model in G::CONSTRAINT {
            for switch in model.switches {
                let name = format!("{}+{}", model.full_name(), switch.name);
                table.add_row(["switch", &name, switch.about]);
            }
        }
        for rule in G::RULES {
            table.add_row(["rule", rule.name, rule.about]);
        }
        table.add_row(["format", CANONICAL, "the text of this program's own levels"]);
        for format in G::FORMATS {
            table.add_row(["format", format.name, format.about]);
        }
        for column in table.column_iter_mut() {
            column.set_padding((2, 0));
        }
        self.parts
            .push(format!("{}\n{}\n", G::NAME, table.trim_fmt()));
    }
}
