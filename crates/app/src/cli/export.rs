//! `ploy export`: a level as the files of another tool.

use ployglot_games::{Game, Level, LevelVisitor};
use ployglot_solve::{FoundModel, find_model, model_names, model_text};

use crate::failure::{Exit, Failure};
use crate::{load, output};

#[derive(clap::Args)]
pub struct Args {
    /// A file, '-' for standard input, or a built-in level such as plotting/01-first-shot
    level: String,
    /// The model, such as pddl:natural, eprime:action or eprime:action+dead-end
    #[arg(long, value_name = "MODEL")]
    to: String,
    /// The number of steps in the parameters of a constraint model [default: the first worth a try]
    #[arg(long, value_name = "N")]
    horizon: Option<u32>,
    /// The folder to write the files to; without it they are printed
    #[arg(long, value_name = "DIR")]
    out: Option<String>,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let level = load::level(&args.level)?;
    let files = level.visit(Export { to: &args.to, horizon: args.horizon })?;
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

/// The names and texts of the files.
struct Export<'a> {
    to: &'a str,
    horizon: Option<u32>,
}

impl LevelVisitor for Export<'_> {
    type Out = Result<Vec<(String, String)>, Failure>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let model = find_model::<G>(self.to).map_err(|bad| Failure::Usage(bad.0))?;
        files(level, &model, self.horizon)
            .map_err(|why| Failure::Unsupported(format!("{} cannot hold this level: {why}", self.to)))
    }
}

/// The names and texts of a model's files, or why it cannot hold the level.
type Files = Result<Vec<(String, String)>, String>;

/// Every model of the level's game, with its files.
pub fn model_files<G: Game>(level: &Level<G>) -> Vec<(String, Files)> {
    let made = |name: String| {
        let model = find_model::<G>(&name).expect("it is in the list");
        let files = files(level, &model, None);
        (name, files)
    };
    model_names::<G>().into_iter().map(made).collect()
}

fn files<G: Game>(level: &Level<G>, model: &FoundModel<G>, horizon: Option<u32>) -> Files {
    let file = |name: &str, text: String| (name.to_string(), text);
    match model {
        FoundModel::Planning(model) => {
            let problem = (model.problem)(&level.game)?;
            Ok(vec![file("domain.pddl", model.domain.to_string()), file("problem.pddl", problem)])
        }
        FoundModel::Constraint(model, on) => {
            let on: Vec<&str> = on.iter().map(String::as_str).collect();
            let text = model_text(model, &on).map_err(|unfit| unfit.0)?;
            let steps = horizon.unwrap_or_else(|| (model.first)(&level.game).max(1));
            let parameters = format!("{}letting {} be {steps}\n", (model.parameters)(&level.game)?, model.horizon);
            Ok(vec![file("model.eprime", text), file("instance.param", parameters)])
        }
    }
}
