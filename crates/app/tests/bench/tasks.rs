//! Planning tasks: PDDL files as what a suite solves, judged by the validator.

use crate::bench::Bench;
use ployglot_testing::program::{Ran, args};

const DOMAIN: &str = "(define (domain corridor) (:predicates (at ?r) (next ?r ?s))
    (:action walk :parameters (?r ?s) :precondition (and (at ?r) (next ?r ?s))
      :effect (and (at ?s) (not (at ?r)))))";
const PROBLEM: &str = "(define (problem three) (:domain corridor) (:objects a b c)
    (:init (at a) (next a b) (next b c) (next b a)) (:goal (at c)))";

/// `ploy plan`, a planner with a plan that is longer than needed, and one with a false plan, on the
/// first of two problems. `head` is text at the start of the suite.
fn bench(head: &str) -> Bench {
    let solver = |name: &str, plan: &str, exit: &str| {
        let script = format!("printf '{plan}' > $0");
        format!(
            "[[solvers]]\nname = '{name}'\ncommand = ['sh', '-c', '''{script}''', '{{plan}}']\n\
             plan = 'pddl'\nexit = {{ {exit} = [0] }}\n"
        )
    };
    let ploy = "['{ploy}', 'plan', '{domain}', '{problem}', '--json']";
    let detour = "(walk a b)\\n(walk b a)\\n(walk a b)\\n(walk b c)\\n";
    let bench = Bench::of(&format!(
        "name = 'tasks'\n{head}\n[limits]\ncpu = '5m'\nwall = '10m'\nmemory = '2G'\n\
         [[tasks]]\nproblems = [1]\n\
         [[solvers]]\nname = 'ploy'\ncommand = {ploy}\nanswer = 'json'\n{}{}",
        solver("detour", detour, "feasible"),
        solver("false", "(walk a c)\\n", "optimal"),
    ));
    std::fs::create_dir_all(bench.path("tasks/corridor")).expect("a folder");
    bench.file("tasks/corridor/domain.pddl", DOMAIN);
    bench.file("tasks/corridor/p1.pddl", PROBLEM);
    bench.file("tasks/corridor/p2.pddl", PROBLEM);
    bench
}

fn run(bench: &Bench) -> Ran {
    bench.run(&["--tasks", &bench.path("tasks")])
}

fn report(bench: &Bench, part: &str) -> String {
    let database = bench.path("results.db");
    let words = ["report", &database, "--format", "csv", "--part", part];
    args(&words, b"").out
}

#[test]
fn plans_of_tasks_are_validated() {
    let bench = bench("");
    run(&bench).exits(32).says("3 of 3 runs");
    let found = |solver: &str| {
        let row = bench.row(solver);
        (row.status, row.cost, row.checked, row.contradiction)
    };
    let none = String::new();
    let optimal = ("optimal".to_string(), Some(2), true, none.clone());
    assert_eq!(found("ploy"), optimal);
    let feasible = ("feasible".to_string(), Some(4), true, none);
    assert_eq!(found("detour"), feasible);
    let (_, _, checked, contradiction) = found("false");
    assert!(
        !checked && contradiction.contains("(walk a c)"),
        "{contradiction}"
    );
    assert!(report(&bench, "families").contains("corridor"));
    assert!(report(&bench, "levels").contains("corridor/p1.pddl"));
}

#[test]
fn by_the_measure_any_plan_a_task_is_solved_without_a_proof() {
    let solved = |head: &str| {
        let bench = bench(head);
        run(&bench).exits(32);
        let report = report(&bench, "summary");
        let row = report.lines().find(|line| line.starts_with("detour,"));
        let row = row.unwrap_or_else(|| panic!("no detour in {report}"));
        row.split(',').nth(2).map(str::to_string)
    };
    assert_eq!(solved("").as_deref(), Some("0"));
    assert_eq!(solved("measure = 'any-plan'").as_deref(), Some("1"));
}

#[test]
fn what_does_not_fit_planning_tasks_is_an_error() {
    bench("").run(&[]).exits(33).complains("--tasks DIR");
    let measure = bench("measure = 'shots'");
    run(&measure).exits(33).complains("unknown measure 'shots'");
    let route = bench("routes = ['best']");
    run(&route).exits(33).complains("'best' can solve no level");
}
