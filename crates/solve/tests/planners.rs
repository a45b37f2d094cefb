//! The engines on the planning models of all games: planning as satisfiability finds as few steps as breadth-first search, steps that
//! several actions share are never more, and lazy search ends at the same cost as A*.

use std::collections::HashSet;
use std::time::Duration;

use ployglot_base::{Outcome, Report};
use ployglot_games::*;
use ployglot_pddl::satplan::{Encoding, SatOptions, satplan};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Ruling, Task, ground, parse_domain, parse_problem, validate};
use ployglot_solve::{PlanRequest, engines, plan_task};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::search::fewest_steps;

/// Of levels with longer plans, or more states, nothing is asked.
const LONGEST: u32 = 16;
const MOST_STATES: usize = 4000;

fn task<G: Game>(level: &G, model: &PlanningModel<G>) -> Option<Task> {
    let text = (model.problem)(level).ok()?;
    let (domain, problem) = read(model.domain, &text);
    Some(ground(&domain, &problem).unwrap_or_else(|bad| panic!("{}", bad.0)))
}

fn plan(task: &Task, engine: &str) -> Report<OperatorId> {
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    let planned = plan_task(task, &PlanRequest::engine(engine), &budget, &mut |_, _| ());
    planned.expect(engine).report
}

fn check<G: Game>(model: &PlanningModel<G>, task: &Task, steps: u32) {
    let budget = Budget::unlimited();
    let sequential = satplan(task, SatOptions::default(), &budget).expect("no numbers");
    assert_eq!(
        (sequential.steps, sequential.at_least_steps),
        (Some(steps), steps),
        "{} {}",
        G::NAME,
        model.name
    );
    let options = SatOptions {
        encoding: Encoding::Exists,
        ..SatOptions::default()
    };
    let parallel = satplan(task, options, &budget).expect("no numbers");
    // That its plan is one was seen when it was walked.
    assert!(
        parallel.steps <= Some(steps),
        "{} {}: {parallel:?}",
        G::NAME,
        model.name
    );
    let exact = plan(task, "astar").outcome;
    for found in [
        &sequential.report.outcome,
        &parallel.report.outcome,
        &plan(task, "gbfs").outcome,
    ] {
        assert!(
            found.cost() >= exact.cost() && found.at_least() <= exact.cost(),
            "{found:?} {exact:?}"
        );
        if matches!(found, Outcome::Optimal { .. }) {
            assert_eq!(found.cost(), exact.cost());
        }
    }
    let lazy = plan(task, "lazy").outcome;
    assert!(
        matches!(lazy, Outcome::Optimal { .. }),
        "{} {}: {lazy:?}",
        G::NAME,
        model.name
    );
    assert_eq!(lazy.cost(), exact.cost());
}

#[test]
fn engines_agree_on_the_models_of_all_games() {
    struct Check;
    impl GameVisitor for Check {
        fn visit<G: Game>(&mut self) {
            const SIZES: [(usize, usize); 4] = [(2, 3), (3, 3), (3, 4), (1, 6)];
            let mut checked = 0;
            for model in G::PLANNING {
                for seed in 0..24 {
                    let (rows, cols) = SIZES[seed as usize % SIZES.len()];
                    let level = G::generate(&Spec::size(rows, cols), &mut Random::new(500 + seed));
                    let Some(task) = level.ok().and_then(|level| task(&level, model)) else {
                        continue;
                    };
                    if let Some(steps) =
                        fewest_steps(&task, LONGEST, MOST_STATES).filter(|&steps| steps > 0)
                    {
                        check(model, &task, steps);
                        checked += 1;
                    }
                }
            }
            assert!(checked >= 2, "{}: {checked}", G::NAME);
        }
    }
    visit_games(&mut Check);
}

/// Every engine on the small problems and the classics, whose optima are known, with every estimate that it takes; the judge replays the plans.
#[test]
fn engines_agree_on_the_classics() {
    for (domain, problem, optimum) in FEATURES.iter().chain(CLASSICS) {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap_or_else(|bad| panic!("{}", bad.0));
        for engine in ["lazy", "gbfs", "astar", "anytime"] {
            let estimates = match engine {
                "astar" => &[None, Some("blind"), Some("max"), Some("lmcut")][..],
                _ => &[None],
            };
            for &estimate in estimates {
                let what = format!("{}: {engine} {estimate:?}", problem.name);
                let request = PlanRequest {
                    estimate,
                    ..PlanRequest::engine(engine)
                };
                let budget = Budget::unlimited().with_time(Duration::from_secs(120));
                let planned = plan_task(&task, &request, &budget, &mut |_, _| ());
                let outcome = planned.expect(engine).report.outcome;
                match engine {
                    // It stops at its first plan.
                    "gbfs" => {
                        assert!(outcome.cost() >= *optimum, "{what}");
                        assert!(outcome.at_least() <= *optimum, "{what}");
                        assert_eq!(outcome.cost().is_some(), optimum.is_some(), "{what}");
                    }
                    _ => assert_eq!(outcome.cost(), *optimum, "{what}"),
                }
                let Some(plan) = outcome.plan() else {
                    assert!(matches!(outcome, Outcome::Unsolvable), "{what}");
                    continue;
                };
                let proven = matches!(outcome, Outcome::Optimal { .. });
                assert!(proven || engine == "gbfs", "{what}");
                let steps: Vec<_> = plan
                    .iter()
                    .map(|id| task.operators[id.0 as usize].step.clone())
                    .collect();
                let cost = f64::from(outcome.cost().expect("it has a plan"));
                assert_eq!(
                    validate(&domain, &problem, &steps),
                    Ruling::Valid { cost },
                    "{what}"
                );
            }
        }
    }
}

/// Strict planners complain about facts that are given twice, and we about requirements that are not declared.
#[test]
fn exported_models_give_no_reason_to_complain() {
    struct Check;
    impl GameVisitor for Check {
        fn visit<G: Game>(&mut self) {
            for (model, seed) in G::PLANNING
                .iter()
                .flat_map(|model| (0..10).map(move |seed| (model, seed)))
            {
                let level = G::generate(&Spec::size(3, 4), &mut Random::new(seed));
                let Some(text) = level.ok().and_then(|level| (model.problem)(&level).ok()) else {
                    continue;
                };
                let domain = parse_domain(model.domain).unwrap_or_else(|bad| panic!("{bad}"));
                let problem =
                    parse_problem(&text, &domain.value).unwrap_or_else(|bad| panic!("{bad}"));
                let complaints: Vec<_> = domain.warnings.iter().chain(&problem.warnings).collect();
                assert!(
                    complaints.is_empty(),
                    "{} {}: {complaints:?}",
                    G::NAME,
                    model.name
                );
                let (_, init) = text.split_once("(:init").expect("a problem has a start");
                let (init, _) = init.split_once("(:goal").expect("a problem has a goal");
                let mut seen = HashSet::new();
                for fact in init
                    .split('(')
                    .map(str::trim)
                    .filter(|fact| !fact.is_empty())
                {
                    assert!(
                        seen.insert(fact),
                        "{} {}: ({fact} twice",
                        G::NAME,
                        model.name
                    );
                }
            }
        }
    }
    visit_games(&mut Check);
}

#[test]
fn the_list_of_engines_has_no_name_twice() {
    let names: Vec<_> = engines().iter().map(|engine| engine.name).collect();
    let different: HashSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
    assert!(names.contains(&"astar") && names.contains(&"sat"));
}

#[test]
fn names_that_do_not_fit_together_are_refused() {
    let document = Document::parse("game: plotting\ngoal: 1\n\nRRG\nRGG\n").expect("a level");
    let level = Plotting::parse(&document).expect("a level of Plotting");
    let task = task(&level, &Plotting::PLANNING[0]).expect("the model takes it");
    let refused = |engine: &'static str, estimate: Option<&'static str>| {
        let request = PlanRequest {
            estimate,
            ..PlanRequest::engine(engine)
        };
        let planned = plan_task(&task, &request, &Budget::unlimited(), &mut |_, _| ());
        planned.err().expect("it is refused")
    };
    assert!(refused("asstar", None).contains("did you mean 'astar'?"));
    assert!(refused("astar", Some("lmcot")).contains("did you mean 'lmcut'?"));
    assert!(refused("astar", Some("ff")).contains("not a lower bound"));
    assert!(refused("sat", Some("max")).contains("takes no estimate"));
    assert!(refused("gbfs", Some("max")).contains("preferred operators"));
}
