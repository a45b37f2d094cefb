//! Solves the cases in `regressions/`, one for each bug that was found. `regressions/README.md`
//! describes their files.

use std::path::Path;
use std::time::Duration;

use ployglot_base::{Budget, Outcome};
use ployglot_games::*;
use ployglot_pddl::{Ruling, Step, ground, validate};
use ployglot_solve::{
    Engine, Estimate, Judge, ModelStatus, ModelText, PlanRequest, Request, Search, Status,
    Technology, disagreement, find_routes, plan_task, solve, solve_model,
};
use ployglot_testing::pddl::problems::read;
use ployglot_testing::programs;

/// The time for a proof; generous, so that the test does not fail on a busy machine.
const TIME: Duration = Duration::from_secs(120);

/// The time for engines that need not prove anything.
const SHORT_TIME: Duration = Duration::from_secs(2);

#[test]
fn every_case_has_its_right_answer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../regressions");
    let entries = std::fs::read_dir(folder).expect("the folder is part of the project");
    let (mut levels, mut tasks, mut models) = (0, 0, 0);
    for entry in entries {
        let path = entry.expect("readable").path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            None if path.is_dir() => {
                check_task(&path);
                tasks += 1;
            }
            Some("level") => {
                check_level(&path);
                levels += 1;
            }
            Some("eprime") => {
                check_model::<ployglot_eprime::Model>(&path);
                models += 1;
            }
            Some("essence") => {
                check_model::<ployglot_essence::Model>(&path);
                models += 1;
            }
            Some("param") => {
                let model = ["eprime", "essence"].map(|name| path.with_extension(name).exists());
                assert!(model.contains(&true), "{}: no model", path.display());
            }
            Some("md") => {}
            _ => panic!("{}: see regressions/README.md", path.display()),
        }
    }
    assert!(levels > 0 && tasks > 0 && models > 0, "every kind is there");
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The value of a comment line such as `; optimum: 7`; an empty text for `; unsolvable`.
fn comment<'a>(text: &'a str, mark: &str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let value = line.strip_prefix(mark)?.trim().strip_prefix(key)?;
        Some(value.strip_prefix(':').unwrap_or(value).trim())
    })
}

fn number(text: &str, mark: &str, key: &str) -> Option<u32> {
    comment(text, mark, key).map(|value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{key}: a number, found '{value}'"))
    })
}

/// Checks a level: its best route proves its par in every measure, and no route contradicts it.
fn check_level(path: &Path) {
    struct CheckPar<'a>(&'a Path, usize);
    impl LevelVisitor for CheckPar<'_> {
        type Out = ();
        fn visit<G: Game>(self, level: &Level<G>) {
            let threads = self.1;
            for measure in G::MEASURES {
                let request = Request {
                    measure: Some(measure.name.to_string()),
                    ..Request::default()
                };
                let budget = programs::budget().with_time(TIME);
                let answer = solve(&level.game, &request, &budget).expect("a route");
                let found = match &answer.status {
                    Status::Optimal => answer.cost.map(Par::Cost),
                    Status::Unsolvable => Some(Par::Unsolvable),
                    other => panic!("{}: {other:?}", self.0.display()),
                };
                assert!(found.is_some(), "{}", self.0.display());
                let par = level.par(measure.name);
                assert_eq!(found, par, "{}, {}", self.0.display(), measure.name);
                let routes = find_routes(&level.game, &[], measure.name).expect("all routes");
                let others = routes.iter().filter_map(|route| {
                    let budget = programs::budget()
                        .with_time(SHORT_TIME)
                        .with_threads(threads);
                    let switches = Switches::all_on();
                    // A route whose model cannot represent the level has no answer.
                    route
                        .solve(&level.game, measure.name, &switches, &budget)
                        .ok()
                });
                let answers: Vec<_> = others.chain([answer]).collect();
                assert_eq!(disagreement(&answers), None, "{}", self.0.display());
            }
        }
    }
    let text = text(path);
    let threads = number(&text, ";", "threads").unwrap_or(1);
    AnyLevel::read(&text)
        .unwrap_or_else(|bad| panic!("{}: {bad}", path.display()))
        .visit(CheckPar(path, threads as usize));
}

/// Checks a PDDL problem: A* proves the optimum with every admissible heuristic, and no engine
/// contradicts it.
fn check_task(folder: &Path) {
    let name = folder.display();
    let problem_text = text(&folder.join("problem.pddl"));
    let optimum = number(&problem_text, ";", "optimum");
    let unsolvable = comment(&problem_text, ";", "unsolvable").is_some();
    assert!(
        optimum.is_some() != unsolvable,
        "{name}: a line '; optimum: N' or '; unsolvable'"
    );
    let (domain, problem) = read(&text(&folder.join("domain.pddl")), &problem_text);
    let task = ground(&domain, &problem).unwrap_or_else(|bad| panic!("{name}: {bad}"));
    let astar = Engine::Search(Search::Astar);
    let admissible = Estimate::ALL
        .into_iter()
        .filter(|estimate| estimate.is_admissible());
    let with_heuristics = admissible.map(|estimate| PlanRequest {
        estimate: Some(estimate),
        ..PlanRequest::new(astar)
    });
    for request in Engine::all().map(PlanRequest::new).chain(with_heuristics) {
        let engine = match request.estimate {
            Some(estimate) => format!("{} with {estimate}", request.engine),
            None => request.engine.to_string(),
        };
        let astar = request.engine == astar;
        let time = if astar { TIME } else { SHORT_TIME };
        let budget = programs::budget().with_time(time);
        let planned = plan_task(&task, &request, &budget, &mut |_, _| ());
        let outcome = match planned {
            Ok(planned) => planned.report.outcome,
            Err(bad) if !astar => {
                eprintln!("{name}: {engine} is skipped: {}", bad.0);
                continue;
            }
            Err(bad) => panic!("{name}: {bad}"),
        };
        let proven = matches!(outcome, Outcome::Optimal { .. } | Outcome::Unsolvable);
        assert!(proven || !astar, "{name}: {engine} proves nothing");
        match optimum {
            None => assert_eq!(outcome.plan(), None, "{name}: {engine}"),
            Some(optimum) => {
                assert!(!matches!(outcome, Outcome::Unsolvable), "{name}: {engine}");
                let cost = outcome.cost().unwrap_or(u32::MAX);
                assert!(cost >= optimum, "{name}: {engine} finds {cost}");
                assert!(outcome.at_least() <= Some(optimum), "{name}: {engine}");
                assert!(!proven || cost == optimum, "{name}: {engine} proves {cost}");
            }
        }
        if let (Some(plan), Some(cost)) = (outcome.plan(), outcome.cost()) {
            let steps: Vec<Step> = plan
                .iter()
                .map(|id| task.operators[id.0 as usize].step.clone())
                .collect();
            let ruling = validate(&domain, &problem, &steps);
            let valid =
                matches!(ruling, Ruling::Valid { cost: judged } if judged == f64::from(cost));
            assert!(valid, "{name}: {engine}: {ruling:?}");
        }
    }
}

/// Checks a model: every technology finds all solutions or the optimum, and the judge of the original
/// model accepts them.
fn check_model<M: ModelText<Solution: ToString>>(path: &Path) {
    let name = path.display();
    let model_text = text(path);
    let count = number(&model_text, "$", "solutions");
    let optimum = number(&model_text, "$", "optimum");
    assert!(
        count.is_some() != optimum.is_some(),
        "{name}: a line '$ solutions: N' or '$ optimum: N'"
    );
    let params = path.with_extension("param");
    let params = if params.exists() {
        text(&params)
    } else {
        String::new()
    };
    let unlimited = Budget::unlimited();
    let model = M::read(&model_text, &unlimited).expect("no limit");
    let model = model.unwrap_or_else(|bad| panic!("{name}: {bad}"));
    let params = M::read_params(&params, &unlimited).expect("no limit");
    let params = params.unwrap_or_else(|bad| panic!("{name}: {bad}"));
    let instance = model.with_params(&params, &unlimited).expect("no limit");
    let instance = instance.unwrap_or_else(|fault| panic!("{name}: {}", fault.bad));
    let usable = |technology: &&Technology| programs::ready(technology.ready(&programs::budget()));
    for &technology in Technology::ALL.iter().filter(usable) {
        let budget = programs::budget().with_time(TIME);
        let most = if count.is_some() { usize::MAX } else { 1 };
        let answer = solve_model(
            &model,
            &params,
            technology,
            most,
            &budget,
            &mut |_, _, _| {},
        )
        .unwrap_or_else(|failure| panic!("{name}: {technology}: {failure:?}"));
        for solution in &answer.solutions {
            let ruling = instance.ruling(solution, &unlimited).expect("no limit");
            assert!(
                matches!(ruling, Ok(ployglot_eprime::Ruling::Solves(_))),
                "{name}: {technology}: {ruling:?}"
            );
        }
        if let Some(optimum) = optimum {
            assert_eq!(answer.status, ModelStatus::Optimal, "{name}: {technology}");
            assert_eq!(
                answer.objective,
                Some(i64::from(optimum)),
                "{name}: {technology}"
            );
        }
        if let Some(count) = count {
            assert!(
                !matches!(answer.status, ModelStatus::Limit(_)),
                "{name}: {technology}"
            );
            let mut found: Vec<String> = answer.solutions.iter().map(ToString::to_string).collect();
            found.sort();
            found.dedup();
            assert_eq!(
                found.len(),
                count as usize,
                "{name}: {technology}: {found:?}"
            );
        }
    }
}
