//! `ploy export`: a level as the files of another tool.

use ployglot_games::{Game, Level, LevelVisitor};

use crate::failure::{Exit, Failure};
use crate::{load, output};

#[derive(clap::Args)]
pub struct Args {
    /// A file, '-' for standard input, or a built-in level such as plotting/01-first-shot
    level: String,
    /// The model, such as pddl:natural; `ploy routes` lists them
    #[arg(long, value_name = "MODEL")]
    to: String,
    /// The folder to write the files to; without it they are printed
    #[arg(long, value_name = "DIR")]
    out: Option<String>,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let level = load::level(&args.level)?;
    let files = level.visit(Export { to: &args.to })?;
    let Some(folder) = &args.out else {
        for (name, text) in files {
            output::text(&format!("; {name}\n{text}\n"))?;
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

/// The names and texts of the files.
struct Export<'a> {
    to: &'a str,
}

impl LevelVisitor for Export<'_> {
    type Out = Result<Vec<(String, String)>, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let name = |model: &str| format!("pddl:{model}");
        let Some(model) = G::PLANNING.iter().find(|model| name(model.name) == self.to) else {
            let known: Vec<_> = G::PLANNING.iter().map(|model| name(model.name)).collect();
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            return Err(Failure::Usage(format!("unknown model '{}' of {}; known are {known}", self.to, G::NAME)));
        };
        let problem = (model.problem)(&level.game)
            .map_err(|why| Failure::Unsupported(format!("{} cannot hold this level: {why}", self.to)))?;
        Ok(vec![("domain.pddl".to_string(), model.domain.to_string()), ("problem.pddl".to_string(), problem)])
    }
}
