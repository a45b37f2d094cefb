//! A level as the files of a model: PDDL domain and problem, or a model in Essence Prime or Essence
//! and its parameters.

use ployglot_games::{Game, Level};
use ployglot_solve::{FoundModel, find_model, model_names, model_text};

/// The names and texts of a model's files, or why it cannot hold the level.
pub type Files = Result<Vec<(String, String)>, String>;

/// Every model of the level's game, with its files.
pub fn all<G: Game>(level: &Level<G>) -> Vec<(String, Files)> {
    let made = |name: String| {
        let model = find_model::<G>(&name).expect("it is in the list");
        let files = files(level, &model, None);
        (name, files)
    };
    model_names::<G>().into_iter().map(made).collect()
}

/// The files of this model. Without a horizon, the parameters have the first that can have a plan.
pub fn files<G: Game>(level: &Level<G>, model: &FoundModel<G>, horizon: Option<u32>) -> Files {
    let file = |name: &str, text: String| (name.to_string(), text);
    match model {
        FoundModel::Planning(model) => {
            let problem = (model.problem)(&level.game)?;
            Ok(vec![
                file("domain.pddl", model.domain.to_string()),
                file("problem.pddl", problem),
            ])
        }
        FoundModel::Constraint(model, switches) => {
            let text = model_text(model, switches);
            let steps = horizon.unwrap_or_else(|| (model.first_horizon)(&level.game).max(1));
            let parameters = format!(
                "{}letting {} be {steps}\n",
                (model.parameters)(&level.game)?,
                model.horizon
            );
            Ok(vec![
                file(model.language.file(), text),
                file("instance.param", parameters),
            ])
        }
    }
}
