//! Tests the engines on the planning models of all games: planning as satisfiability needs as many
//! steps as breadth-first search, with parallel steps never more, and lazy search ends at the same
//! cost as A*.

use std::collections::HashSet;
use std::time::Duration;

use ployglot_base::{Limit, Outcome, Report};
use ployglot_games::*;
use ployglot_pddl::satplan::{Encoding, SatOptions, satplan};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Ruling, Task, ground, parse_domain, parse_problem, validate};
use ployglot_solve::{Engine, Estimate, PlanRequest, Search, plan_task};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::search::fewest_steps;

/// Levels with longer plans or more states are skipped.
const LONGEST: u32 = 16;
const MOST_STATES: usize = 4000;

const ASTAR: Engine = Engine::Search(Search::Astar);

fn task<G: Game>(level: &G, model: &PlanningModel<G>) -> Option<Task> {
    let text = (model.problem)(level).ok()?;
    let (domain, problem) = read(model.domain, &text);
    Some(ground(&domain, &problem).unwrap_or_else(|bad| panic!("{bad}")))
}

fn plan(task: &Task, engine: Engine) -> Report<OperatorId> {
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    let planned = plan_task(task, &PlanRequest::new(engine), &budget, &mut |_, _| ());
    planned.expect("the engine takes the task").report
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
    // `satplan` has replayed the plan already.
    assert!(
        parallel.steps <= Some(steps),
        "{} {}: {parallel:?}",
        G::NAME,
        model.name
    );
    let exact = plan(task, ASTAR).outcome;
    for found in [
        &sequential.report.outcome,
        &parallel.report.outcome,
        &plan(task, Engine::GreedyBestFirst).outcome,
    ] {
        assert!(
            found.cost() >= exact.cost() && found.at_least() <= exact.cost(),
            "{found:?} {exact:?}"
        );
        if matches!(found, Outcome::Optimal { .. }) {
            assert_eq!(found.cost(), exact.cost());
        }
    }
    let lazy = plan(task, Engine::Lazy).outcome;
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
            // Most random maps of PuzzleScript belong to games that its model cannot express.
            let least = if G::LINES.is_empty() { 2 } else { 1 };
            assert!(checked >= least, "{}: {checked}", G::NAME);
        }
    }
    visit_games(&mut Check);
}

/// Some engines on the small problems and the classics, whose optima are known; A* runs with
/// several estimates. The validator replays the plans.
#[test]
fn engines_agree_on_the_classics() {
    for (domain, problem, optimum) in FEATURES.iter().chain(CLASSICS) {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap_or_else(|bad| panic!("{bad}"));
        let anytime = Engine::Search(Search::Anytime);
        for engine in [Engine::Lazy, Engine::GreedyBestFirst, ASTAR, anytime] {
            let estimates = match engine {
                ASTAR => &[
                    None,
                    Some(Estimate::Blind),
                    Some(Estimate::Max),
                    Some(Estimate::LandmarkCut),
                ][..],
                Engine::Lazy => &[None, Some(Estimate::Ff)],
                _ => &[None],
            };
            for &estimate in estimates {
                let what = format!("{}: {engine} {estimate:?}", problem.name);
                let request = PlanRequest {
                    estimate,
                    ..PlanRequest::new(engine)
                };
                let budget = Budget::unlimited().with_time(Duration::from_secs(120));
                let planned = plan_task(&task, &request, &budget, &mut |_, _| ());
                let outcome = planned.expect("the engine takes the task").report.outcome;
                match engine {
                    // It stops at its first plan.
                    Engine::GreedyBestFirst => {
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
                assert!(proven || engine == Engine::GreedyBestFirst, "{what}");
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

/// Strict planners reject facts that are given twice, and our parser warns of requirements that are
/// not declared.
#[test]
fn exported_models_cause_no_warnings() {
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
                let warnings: Vec<_> = domain.warnings.iter().chain(&problem.warnings).collect();
                assert!(
                    warnings.is_empty(),
                    "{} {}: {warnings:?}",
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

/// Half a million operators, for which every engine needs more than the time given before its search
/// begins.
#[test]
fn every_engine_keeps_its_time_on_a_large_task() {
    let domain = "(define (domain d) (:predicates (at ?a ?b)) (:action move :parameters (?a ?b ?c)
        :precondition (at ?a ?b) :effect (and (at ?a ?c) (not (at ?a ?b)))))";
    let objects: String = (0..80).map(|at| format!(" o{at}")).collect();
    let init: String = (0..80).map(|at| format!("(at o{at} o0)")).collect();
    let goal: String = (0..80)
        .map(|at| format!("(at o{at} o{})", 79 - at))
        .collect();
    let problem = format!(
        "(define (problem p) (:domain d) (:objects{objects}) (:init {init}) (:goal (and {goal})))"
    );
    let (domain, problem) = read(domain, &problem);
    let task = ground(&domain, &problem).expect("it can be grounded");
    for engine in Engine::all() {
        let budget = Budget::unlimited().with_time(Duration::from_millis(200));
        let planned = plan_task(&task, &PlanRequest::new(engine), &budget, &mut |_, _| ());
        let outcome = planned.expect("the engine takes the task").report.outcome;
        let why = Limit::Time;
        assert!(
            matches!(outcome, Outcome::GaveUp { why: found, .. } if found == why),
            "{engine}: {outcome:?}"
        );
        // Generous, for a machine with other work.
        assert!(budget.elapsed() < Duration::from_secs(10), "{engine}");
    }
}

#[test]
fn the_list_of_engines_has_no_name_twice() {
    let names: Vec<_> = Engine::all().map(Engine::name).collect();
    let different: HashSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
    assert!(names.contains(&"astar") && names.contains(&"sat"));
    for engine in Engine::all() {
        assert_eq!(Engine::parse(engine.name()), Ok(engine));
    }
    let unknown = Engine::parse("asstar").expect_err("there is no such engine");
    assert!(unknown.0.contains("did you mean 'astar'?"), "{unknown}");
}

#[test]
fn engines_refuse_estimates_that_they_cannot_use() {
    let document = Document::parse("game: plotting\ngoal: 1\n\nRRG\nRGG\n").expect("a level");
    let level = Plotting::parse(&document).expect("a level of Plotting");
    let task = task(&level, &Plotting::PLANNING[0]).expect("the model takes it");
    let refused = |engine: Engine, estimate: Estimate| {
        let request = PlanRequest {
            estimate: Some(estimate),
            ..PlanRequest::new(engine)
        };
        let planned = plan_task(&task, &request, &Budget::unlimited(), &mut |_, _| ());
        planned.err().expect("the request is refused").0
    };
    let greedy = Engine::GreedyBestFirst;
    assert!(refused(ASTAR, Estimate::Ff).contains("not a lower bound"));
    assert!(refused(Engine::Sat, Estimate::Max).contains("takes no heuristic"));
    assert!(refused(greedy, Estimate::Max).contains("preferred operators"));
    assert!(refused(ASTAR, Estimate::Landmarks).contains("depends on the path"));
}
