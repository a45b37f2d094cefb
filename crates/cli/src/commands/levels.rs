//! `ploy levels`: the built-in levels.

use comfy_table::{CellAlignment, Table, presets};
use ployglot_certificate::certified;
use ployglot_games::{AnyLevel, Game, Level, LevelVisitor, Par};
use serde::Serialize;

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::row::{VERSION, amount};
use ployglot_io::{load, output};

#[derive(clap::Args)]
pub struct Args {
    /// Only the levels of this game
    game: Option<String>,
    /// Print one line of JSON for each level
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let game = args.game.as_deref().map(load::game_name).transpose()?;
    let entries = load::builtins()
        .into_iter()
        .filter(|(of, _)| game.is_none_or(|game| game == *of))
        .map(|(of, builtin)| {
            let level = AnyLevel::read(builtin.text).expect("built-in levels are tested");
            level.visit(Describe(format!("{of}/{}", builtin.name)))
        });
    if args.json {
        for entry in entries {
            output::line(&serde_json::to_string(&entry).expect("an entry is plain data"))?;
        }
        return Ok(Exit::Solved);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["LEVEL", "TITLE", "SIZE", "PAR", "PROOF", "DIFFICULTY"]);
    for entry in entries {
        table.add_row([
            entry.level,
            entry.title,
            format!("{}x{}", entry.rows, entry.cols),
            entry.par,
            entry.certificate.map_or("", |_| "certified").to_string(),
            entry.difficulty,
        ]);
    }
    for index in [2, 3] {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    output::line(&table.trim_fmt())?;
    Ok(Exit::Solved)
}

#[derive(Serialize)]
struct Entry {
    version: u32,
    /// The name that commands accept, such as `plotting/01-first-shot`.
    level: String,
    game: &'static str,
    title: String,
    rows: usize,
    cols: usize,
    /// `7 shots`, `unsolvable`, or one cost for each measure: `12 pieces, 15 pieces+rotations`.
    par: String,
    /// The SHA-256 of the certificate of the par by the first measure, and the route that makes it;
    /// null if there is none.
    certificate: Option<Certificate>,
    difficulty: String,
}

#[derive(Serialize)]
struct Certificate {
    sha256: &'static str,
    route: &'static str,
}

struct Describe(String);

impl LevelVisitor for Describe {
    type Out = Entry;

    fn visit<G: Game>(self, level: &Level<G>) -> Entry {
        let board = level.game.view(&level.game.start()).cells;
        let pars: Vec<String> = G::MEASURES
            .iter()
            .filter_map(|measure| match level.par(measure.name)? {
                Par::Cost(cost) => Some(amount(cost, measure.name)),
                Par::Unsolvable => None,
            })
            .collect();
        let unsolvable = level.par(G::MEASURES[0].name) == Some(Par::Unsolvable);
        let measure = G::MEASURES[0].name;
        let found = certified().find(|it| it.level == self.0 && it.measure == measure);
        Entry {
            version: VERSION,
            certificate: found.map(|it| Certificate {
                sha256: it.sha256,
                route: it.route,
            }),
            level: self.0,
            game: G::NAME,
            title: level.title().unwrap_or("").to_string(),
            rows: board.rows(),
            cols: board.cols(),
            par: if unsolvable {
                "unsolvable".to_string()
            } else {
                pars.join(", ")
            },
            difficulty: level.common("difficulty").unwrap_or("").to_string(),
        }
    }
}
