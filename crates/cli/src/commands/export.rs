//! `ploy export`: a level as the files of a model: PDDL, Essence Prime or Essence.

use ployglot_games::{Game, Level, LevelVisitor};
use ployglot_solve::find_model;

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{load, model_files, output};

#[derive(clap::Args)]
pub struct Args {
    /// A file, '-' for standard input, or a built-in level such as plotting/01-first-shot
    level: String,
    /// The model, such as pddl:natural, eprime:action, eprime:action+dead-end or essence:graph
    #[arg(long, value_name = "MODEL")]
    to: String,
    /// The horizon in the parameters of a constraint model [default: the first that can have a
    /// plan]
    #[arg(long, value_name = "N")]
    horizon: Option<u32>,
    /// Write the files to this folder [default: print them]
    #[arg(long, value_name = "DIR")]
    out: Option<String>,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let level = load::level(&args.level)?;
    let files = level.visit(Export {
        to: &args.to,
        horizon: args.horizon,
    })?;
    let Some(folder) = &args.out else {
        for (name, text) in files {
            let mark = if name.ends_with(".pddl") { ";" } else { "$" };
            output::text(&format!("{mark} {name}\n{text}\n"))?;
        }
        return Ok(Exit::Solved);
    };
    std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder.as_str(), error))?;
    for (name, text) in files {
        let path = format!("{folder}/{name}");
        output::file(&path, text.as_bytes())?;
        output::line(&path)?;
    }
    Ok(Exit::Solved)
}

/// Returns the names and texts of the files.
struct Export<'a> {
    to: &'a str,
    horizon: Option<u32>,
}

impl LevelVisitor for Export<'_> {
    type Out = Result<Vec<(String, String)>, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let model = find_model::<G>(self.to).map_err(|bad| Failure::Usage(bad.0))?;
        model_files::files(level, &model, self.horizon).map_err(|why| {
            Failure::Unsupported(format!("{} cannot hold this level: {why}", self.to))
        })
    }
}
