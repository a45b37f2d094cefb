//! Files as they are in the wild: what Fast Downward accepts is accepted, with a warning. Each folder
//! in `wild/` has a domain and a problem; comments state the warnings and the cost of an optimal
//! plan.

use std::path::Path;

use ployglot_base::BadText;
use ployglot_pddl::{Ruling, ground, parse_domain, parse_problem, validate};
use ployglot_testing::pddl::search::{best_plan, steps};

/// The values of the comment lines with this key.
fn comments(text: &str, key: &str) -> Vec<String> {
    let start = format!("; {key}: ");
    let lines = text.lines().map(|line| line.trim_start_matches('\u{feff}'));
    let fitting = lines.filter(|line| line.to_lowercase().starts_with(&start));
    fitting
        .map(|line| line[start.len()..].to_string())
        .collect()
}

#[track_caller]
fn check_warnings(path: &Path, text: &str, warnings: &[BadText]) {
    let messages: Vec<&str> = warnings.iter().map(|bad| bad.message.as_str()).collect();
    assert_eq!(messages, comments(text, "warns"), "{}", path.display());
}

#[test]
fn files_in_the_wild_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wild");
    let mut count = 0;
    for case in std::fs::read_dir(folder).expect("the folder exists") {
        let case = case.expect("an entry").path();
        let load = |name: &str| std::fs::read_to_string(case.join(name)).expect("a text file");
        let (domain_text, problem_text) = (load("domain.pddl"), load("problem.pddl"));
        let place = case.display();
        let domain = parse_domain(&domain_text).unwrap_or_else(|bad| panic!("{place}: {bad}"));
        check_warnings(&case, &domain_text, &domain.warnings);
        let problem = parse_problem(&problem_text, &domain.value)
            .unwrap_or_else(|bad| panic!("{place}: {bad}"));
        check_warnings(&case, &problem_text, &problem.warnings);
        let (domain, problem) = (domain.value, problem.value);
        let task = ground(&domain, &problem).unwrap();
        let plan = best_plan(&task, 1000).expect("a small task");
        let (cost, plan) = plan.unwrap_or_else(|| panic!("{place}: there is no plan"));
        assert_eq!(
            [cost.to_string()],
            comments(&problem_text, "optimum")[..],
            "{place}"
        );
        let cost = f64::from(cost);
        let ruling = validate(&domain, &problem, &steps(&task, &plan));
        assert_eq!(ruling, Ruling::Valid { cost }, "{place}");
        count += 1;
    }
    assert!(count >= 13, "{count}");
}

/// What has no one meaning is an error.
#[test]
fn ambiguous_files_are_errors() {
    let domain = |types: &str| {
        format!(
            "(define (domain d) (:requirements :typing) (:types {types}) (:predicates (on ?x)))"
        )
    };
    let bad = parse_domain(&domain("a b - object c - a c - b")).map(|read| read.value.name);
    let message = bad.expect_err("two parents").message;
    assert_eq!(
        message,
        "the type 'c' is declared twice, with different parents"
    );

    let domain = parse_domain(&domain("a b - object")).unwrap().value;
    let problem = |objects: &str, init: &str| {
        let text = format!(
            "(define (problem p) (:domain d) (:objects {objects}) (:init {init}) (:goal (and)))"
        );
        parse_problem(&text, &domain).map(|read| read.value.name)
    };
    let message = problem("x - a x - b", "").expect_err("two types").message;
    assert_eq!(
        message,
        "the object 'x' is declared twice, with the types a and b"
    );

    let domain = parse_domain("(define (domain d) (:functions (f)) (:predicates (on ?x)))");
    let domain = domain.unwrap().value;
    let text = "(define (problem p) (:domain d) (:init (= (f) 1) (= (f) 2)) (:goal (and)))";
    let message = parse_problem(text, &domain)
        .expect_err("two values")
        .message;
    assert_eq!(message, "'f' has the value 1 above, and here 2");
}
