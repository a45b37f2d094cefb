//! `ploy export`: a level as the files of another tool.

use ployglot_games::{Game, Level, LevelVisitor};

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
        let (plain, switches) = match self.to.split_once('+') {
            Some((plain, rest)) => (plain, rest.split('+').collect()),
            None => (self.to, Vec::new()),
        };
        let models = model_names::<G>();
        if !models.iter().any(|name| name == plain) {
            let known = if models.is_empty() { "none".to_string() } else { models.join(", ") };
            return Err(Failure::Usage(format!("unknown model '{plain}' of {}; known are {known}", G::NAME)));
        }
        files(level, plain, &switches, self.horizon)
            .map_err(|why| Failure::Unsupported(format!("{} cannot hold this level: {why}", self.to)))
    }
}

/// The names and texts of a model's files, or why it cannot hold the level.
type Files = Result<Vec<(String, String)>, String>;

/// Every model of a game.
fn model_names<G: Game>() -> Vec<String> {
    let planning = G::PLANNING.iter().map(|model| format!("pddl:{}", model.name));
    planning.chain(G::CONSTRAINT.iter().map(|model| format!("eprime:{}", model.name))).collect()
}

/// Every model of the level's game, with its files.
pub fn model_files<G: Game>(level: &Level<G>) -> Vec<(String, Files)> {
    let names = model_names::<G>().into_iter();
    names.map(|name| (name.clone(), files(level, &name, &[], None))).collect()
}

fn files<G: Game>(level: &Level<G>, name: &str, switches: &[&str], horizon: Option<u32>) -> Files {
    let file = |name: &str, text: String| (name.to_string(), text);
    if let Some(model) = G::PLANNING.iter().find(|model| name.strip_prefix("pddl:") == Some(model.name)) {
        if let Some(switch) = switches.first() {
            return Err(format!("a planning model has no switch '{switch}'"));
        }
        let problem = (model.problem)(&level.game)?;
        return Ok(vec![file("domain.pddl", model.domain.to_string()), file("problem.pddl", problem)]);
    }
    let found = G::CONSTRAINT.iter().find(|model| name.strip_prefix("eprime:") == Some(model.name));
    let model = found.ok_or_else(|| format!("there is no model '{name}'"))?;
    let text = ployglot_solve::model_text(model, switches).map_err(|unfit| unfit.0)?;
    let steps = horizon.unwrap_or_else(|| (model.first)(&level.game).max(1));
    let parameters = format!("{}letting {} be {steps}\n", (model.parameters)(&level.game)?, model.horizon);
    Ok(vec![file("model.eprime", text), file("instance.param", parameters)])
}
