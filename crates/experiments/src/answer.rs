//! What a run claims, read from what it printed, and the referee's ruling on its plan.
//!
//! Every plan is replayed here by the slow rules, also those of our own routes, in a process that
//! shares nothing with the solver but the plan's text. Claims that cannot be replayed (bounds,
//! unsolvability) are compared with the claims of other runs by `contradictions.rs`.

use std::str::FromStr;

use ployglot_eprime::Solution;
use ployglot_games::{Game, Language, Level, LevelVisitor, Ruling, judge};
use ployglot_solve::{FoundModel, find_model, read_solution};
use serde::Deserialize;

use super::run_folder::{RunFolder, Subject};
use super::solver::AnySolver;
use super::store::Answer;
use super::suite::{AnswerText, Claim, Pattern, PlanText, Solver};
use ployglot_games::plan;
use ployglot_io::exit::DEFECT;
use ployglot_io::row;

/// How the solver's process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Exit(i32),
    /// By a signal that is not the runner's.
    Signal,
    /// The runner ended it at this limit: `CPU time`, `memory`.
    Limit(&'static str),
}

/// Reads the answer of a run from its folder. A run that the runner ended at a limit claims what it
/// printed before, and the message names the limit.
pub fn read(solver: &AnySolver, folder: &RunFolder, measure: &str, end: End) -> Answer {
    let mut answer = read_claim(solver, folder, measure, end);
    if let End::Limit(limit) = end {
        if answer.status == "error" {
            answer.status = Claim::Limit.word().to_string();
            answer.message = None;
        }
        let ended = || format!("the runner ended it at the limit of {limit}");
        answer.message = answer.message.or_else(|| Some(ended()));
    }
    answer
}

fn read_claim(solver: &AnySolver, folder: &RunFolder, measure: &str, end: End) -> Answer {
    let subject = &folder.subject;
    let output = folder.text("stdout").unwrap_or_default();
    match solver {
        AnySolver::Route(_) => {
            let mut answer = from_json(&output, subject, measure);
            // Our own program says so by its exit code, even where it printed no answer.
            if end == End::Exit(i32::from(DEFECT)) && answer.rejected.is_none() {
                answer.rejected = Some(defect(answer.message.as_deref()));
            }
            answer
        }
        AnySolver::External(solver) if solver.answer == AnswerText::Json => {
            from_json(&output, subject, measure)
        }
        AnySolver::External(solver) => from_text(solver, &output, folder, measure, end),
    }
}

/// The keys of `ploy solve --json` that are read here.
#[derive(Deserialize)]
struct Row {
    status: String,
    cost: Option<u32>,
    at_least: Option<u32>,
    plan: Option<Vec<String>>,
    expanded: Option<i64>,
    message: Option<String>,
    #[serde(default)]
    reading: Option<f64>,
    #[serde(default)]
    unrolling: Option<f64>,
    #[serde(default)]
    encoding: Option<f64>,
    #[serde(default)]
    solving: Option<f64>,
}

impl Row {
    /// The seconds of the phases, if it has all of them.
    fn phases(&self) -> Option<[f64; 4]> {
        Some([
            self.reading?,
            self.unrolling?,
            self.encoding?,
            self.solving?,
        ])
    }
}

fn from_json(output: &str, subject: &Subject, measure: &str) -> Answer {
    let rows = output
        .lines()
        .rev()
        .filter_map(|line| serde_json::from_str::<Row>(line).ok());
    let Some(row) = rows.into_iter().next() else {
        return error_answer(NO_ANSWER);
    };
    let mut answer = Answer {
        phases: row.phases(),
        status: row.status,
        cost: row.cost,
        at_least: row.at_least,
        expanded: row.expanded,
        message: row.message,
        ..Answer::default()
    };
    match row.plan {
        Some(moves) => answer.replay(
            subject,
            Replay {
                text: &moves.join("\n"),
                measure,
                format: PlanFormat::Moves,
            },
        ),
        None if answer.status == "optimal" || answer.status == "feasible" => {
            answer.rejected = Some("it claims a plan but printed none".to_string());
        }
        // A broken route counts among the false claims.
        None if answer.status == row::DEFECT => {
            answer.rejected = Some(defect(answer.message.as_deref()));
        }
        None => {}
    }
    answer
}

fn from_text(solver: &Solver, output: &str, folder: &RunFolder, measure: &str, end: End) -> Answer {
    let by_output = solver
        .output
        .iter()
        .find(|(_, pattern)| pattern.0.is_match(output))
        .map(|(claim, _)| *claim);
    let by_code = || {
        let means = |codes: &Vec<i32>| codes.iter().any(|&code| end == End::Exit(code));
        solver
            .exit
            .iter()
            .find(|(_, codes)| means(codes))
            .map(|(claim, _)| *claim)
    };
    let text = folder.plan();
    let claim = by_output
        .or_else(by_code)
        .or(text.is_some().then_some(Claim::Feasible));
    let mut answer = Answer {
        cost: last_number(&solver.cost, output),
        at_least: last_number(&solver.at_least, output),
        expanded: last_number(&solver.nodes, output),
        ..Answer::default()
    };
    answer.status = match claim {
        Some(Claim::Optimal) => "optimal",
        Some(Claim::Feasible) => "feasible",
        Some(Claim::Unsolvable) => "unsolvable",
        Some(Claim::Limit) => "limit",
        None => {
            return Answer {
                message: Some(folder.last_line("stderr").unwrap_or(NO_ANSWER.to_string())),
                ..error_answer(NO_ANSWER)
            };
        }
    }
    .to_string();
    // A planner that proves that there is no plan may have left an older plan file, which is not
    // its answer.
    if let Some(text) = text.filter(|_| matches!(claim, Some(Claim::Optimal | Claim::Feasible))) {
        let model = solver.export.as_deref().unwrap_or("");
        let parameters = folder.text("instance.param").unwrap_or_default();
        let format = match solver.plan {
            PlanText::Moves => PlanFormat::Moves,
            PlanText::Pddl | PlanText::Eprime => PlanFormat::Model(model, &parameters),
        };
        let text = &text;
        answer.replay(
            &folder.subject,
            Replay {
                text,
                measure,
                format,
            },
        );
    }
    if answer.status == "optimal" {
        answer.at_least = answer.at_least.max(answer.cost);
    }
    answer
}

/// The first group of the last match of a pattern, as a number.
fn last_number<N: FromStr>(pattern: &Option<Pattern>, output: &str) -> Option<N> {
    let found = pattern.as_ref()?.0.captures_iter(output).last()?;
    found.get(1)?.as_str().parse().ok()
}

/// What is said of a run that found a defect of its own program.
fn defect(message: Option<&str>) -> String {
    format!("it is broken: {}", message.unwrap_or(NO_ANSWER))
}

const NO_ANSWER: &str = "it ended without an answer";

/// The answer of a run that claims nothing.
pub fn error_answer(message: &str) -> Answer {
    Answer {
        status: "error".to_string(),
        message: Some(message.to_string()),
        ..Answer::default()
    }
}

impl Answer {
    /// Replays the plan, and adds the result.
    fn replay(&mut self, subject: &Subject, replay: Replay) {
        match subject {
            Subject::Level(level) => self.add_replay(level.visit(replay)),
            Subject::Task(task) => match task.replay(replay.text) {
                Ok(Some(judged)) => self.add_replay(Ok(judged)),
                Ok(None) => {
                    self.message = Some("the validator had no time for the plan".to_string());
                }
                Err(why) => self.add_replay(Err(why)),
            },
        }
    }

    /// Adds the result of the replay: the cost and the moves, or why the plan was rejected.
    fn add_replay(&mut self, replayed: Result<(u32, String), String>) {
        match replayed {
            Err(why) => self.rejected = Some(format!("the referee rejects its plan: {why}")),
            Ok((cost, moves)) => {
                if let Some(claimed) = self.cost.filter(|claimed| *claimed != cost) {
                    self.rejected = Some(format!(
                        "it claims that its plan costs {claimed}, but the plan costs {cost}"
                    ));
                }
                self.cost = Some(cost);
                self.plan = Some(moves);
                self.checked = true;
            }
        }
    }
}

/// Replays a plan; returns its cost and its moves in the syntax of the game.
struct Replay<'a> {
    text: &'a str,
    measure: &'a str,
    format: PlanFormat<'a>,
}

/// How the text of a plan is to be read.
enum PlanFormat<'a> {
    /// Moves of the game.
    Moves,
    /// Steps of a planning model, or a solution of a constraint model: the name of the model and
    /// the text of the parameters.
    Model(&'a str, &'a str),
}

impl LevelVisitor for Replay<'_> {
    type Out = Result<(u32, String), String>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let game = &level.game;
        let moves = match self.format {
            PlanFormat::Moves => plan::parse(game, self.text).map_err(|bad| bad.to_string())?,
            PlanFormat::Model(name, parameters) => match find_model::<G>(name)
                .map_err(|bad| bad.0)?
            {
                FoundModel::Planning(model) => (model.moves)(game, &steps(self.text))?,
                FoundModel::Constraint(model, _) if model.language != Language::EssencePrime => {
                    return Err("solutions of Essence specifications are not read".to_string());
                }
                FoundModel::Constraint(model, _) => {
                    let solution = Solution::parse(self.text).map_err(|bad| bad.to_string())?;
                    let horizon = horizon(parameters, model.horizon);
                    let horizon = horizon
                        .ok_or_else(|| format!("'{}' is not in the parameters", model.horizon))?;
                    read_solution::<G, ployglot_eprime::Model>(game, model, horizon, &solution)?
                }
            },
        };
        match judge(game, self.measure, &moves) {
            Ruling::Accepted { cost, .. } => Ok((cost, plan::print(game, &moves).join("\n"))),
            Ruling::Illegal { at, refusal, .. } => {
                Err(format!("move {at} is illegal: {}", refusal.0))
            }
            Ruling::Missed { shortfall, .. } => Err(format!("the goal is missed: {shortfall}")),
        }
    }
}

/// The horizon in the text of the parameters. A solver that sweeps horizons overwrites the
/// parameters, so this is the last horizon that it tried.
fn horizon(parameters: &str, name: &str) -> Option<u32> {
    let parameters = Solution::parse(parameters).ok()?;
    u32::try_from(parameters.get(name)?.number()?).ok()
}

/// Reads lines such as `(shoot-row red r1)` and `3: (shoot-row red r1) [1]`, with comments after
/// `;`.
fn steps(text: &str) -> Vec<Vec<String>> {
    let step = |line: &str| {
        let line = line.split(';').next().unwrap_or("").to_lowercase();
        let inside = line.split_once('(')?.1.split_once(')')?.0;
        Some(inside.split_whitespace().map(str::to_string).collect())
    };
    text.lines().filter_map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_games::AnyLevel;

    #[test]
    fn steps_are_read_as_planners_write_them() {
        let text = "; a plan\n(Move A b)\n2: (stay) [1]\n; cost = 2 (unit cost)\n";
        assert_eq!(steps(text), [vec!["move", "a", "b"], vec!["stay"]]);
    }

    #[test]
    fn the_plan_of_a_json_answer_is_replayed() {
        let level = AnyLevel::read("game: plotting\ngoal: 1\n\nRRRG\nRGGG\n").expect("a level");
        let level = Subject::Level(Box::new(level));
        let read = |plan: &str, cost: u32| {
            let row =
                format!(r#"{{"status":"optimal","cost":{cost},"at_least":{cost},"plan":{plan}}}"#);
            from_json(&format!("noise\n{row}\n"), &level, "shots")
        };
        let bad = read(r#"["row 9"]"#, 1);
        assert!(bad.rejected.is_some() && !bad.checked, "{bad:?}");
        assert!(
            read("[]", 0)
                .rejected
                .is_some_and(|why| why.contains("the goal is missed"))
        );
        assert!(
            read("null", 3)
                .rejected
                .is_some_and(|why| why.contains("printed none"))
        );
        assert_eq!(from_json("hello\n", &level, "shots").status, "error");
    }
}
