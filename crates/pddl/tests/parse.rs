//! The parser and the validator, on a small problem: a robot, two rooms, balls.

use ployglot_pddl::lifted::{Domain, Problem};
use ployglot_pddl::{Ruling, parse_domain, parse_plan, parse_problem, validate};

const DOMAIN: &str = "
(define (domain rooms)
  (:requirements :adl :derived-predicates :action-costs)
  (:types room thing - object ball box - thing)
  (:constants hall - room)
  (:predicates (in ?t - thing ?r - room) (robot-in ?r - room) (held ?t - thing) (free) (door ?a ?b - room)
               (reach ?a ?b - room) (tidy))
  (:functions (total-cost) - number (way ?a ?b - room) - number)
  (:derived (reach ?a ?b) (or (door ?a ?b) (exists (?c - room) (and (door ?a ?c) (reach ?c ?b)))))
  (:derived (tidy) (forall (?t - thing) (not (held ?t))))
  (:action go :parameters (?a ?b - room)
    :precondition (and (robot-in ?a) (door ?a ?b))
    :effect (and (robot-in ?b) (not (robot-in ?a)) (increase (total-cost) (way ?a ?b))))
  (:action take :parameters (?t - thing ?r - room)
    :precondition (and (free) (robot-in ?r) (in ?t ?r))
    :effect (and (held ?t) (not (free)) (not (in ?t ?r)) (increase (total-cost) 1)))
  (:action drop-all :parameters (?r - room)
    :precondition (robot-in ?r)
    :effect (and (free) (increase (total-cost) 1)
                 (forall (?t - thing) (when (held ?t) (and (not (held ?t)) (in ?t ?r)))))))";

const PROBLEM: &str = "
(define (problem one) (:domain rooms)
  (:objects attic - room b1 - ball)
  (:init (robot-in hall) (free) (in b1 hall) (door hall attic) (door attic hall)
         (= (way hall attic) 5) (= (way attic hall) 2) (= (total-cost) 0))
  (:goal (and (in b1 attic) (tidy) (reach hall hall)))
  (:metric minimize (total-cost)))";

fn read() -> (Domain, Problem) {
    let domain = parse_domain(DOMAIN).unwrap();
    assert_eq!(domain.warnings, []);
    let problem = parse_problem(PROBLEM, &domain.value).unwrap();
    assert_eq!(problem.warnings, []);
    (domain.value, problem.value)
}

fn ruling(plan: &str) -> Ruling {
    let (domain, problem) = read();
    let plan = parse_plan(plan, &domain, &problem).unwrap();
    validate(&domain, &problem, &plan)
}

#[test]
fn a_plan_is_valid_at_its_cost() {
    assert_eq!(
        ruling("(take b1 hall)\n(GO hall attic) ; up\n0.3: (drop-all attic)"),
        Ruling::Valid { cost: 7.0 }
    );
}

#[test]
fn the_first_step_that_fails_is_explained() {
    let Ruling::Fails { at, step, why } = ruling("(take b1 hall)\n(go attic hall)") else {
        panic!()
    };
    assert_eq!(
        (at, step.as_str(), why.as_str()),
        (2, "(go attic hall)", "(robot-in attic) does not hold")
    );
    let Ruling::Fails { why, .. } = ruling("(go hall hall)") else {
        panic!()
    };
    assert_eq!(why, "(door hall hall) does not hold");
}

#[test]
fn a_missed_goal_is_explained() {
    assert_eq!(
        ruling("(take b1 hall)"),
        Ruling::Misses {
            why: "(in b1 attic) does not hold".to_string()
        }
    );
    let Ruling::Misses { why } = ruling("") else {
        panic!()
    };
    assert_eq!(why, "(in b1 attic) does not hold");
}

#[test]
fn unknown_names_in_plans_are_errors() {
    let (domain, problem) = read();
    for (plan, column, part) in [
        ("(tak b1 hall)", 2, "did you mean 'take'?"),
        ("(take b1)", 2, "takes 2 arguments, found 1"),
        (
            "(take b2 hall)",
            7,
            "unknown object 'b2'; did you mean 'b1'?",
        ),
    ] {
        let bad = parse_plan(plan, &domain, &problem).unwrap_err();
        assert_eq!((bad.line, bad.column), (1, column), "{bad}");
        assert!(bad.message.contains(part), "{bad}");
    }
}

/// The domain with `old` replaced by `new` is an error at `mark` whose message contains `part`.
#[track_caller]
fn error_at(old: &str, new: &str, mark: &str, part: &str) {
    assert!(DOMAIN.contains(old));
    let text = DOMAIN.replacen(old, new, 1);
    let bad = parse_domain(&text)
        .map(|read| read.value.name)
        .expect_err(new);
    assert!(bad.message.contains(part), "{bad}");
    let line = text.lines().nth(bad.line - 1).unwrap();
    let rest: String = line.chars().skip(bad.column - 1).collect();
    assert!(rest.starts_with(mark), "{bad}: the error is at {rest}");
}

#[test]
fn names_and_types_are_checked() {
    error_at(
        "(robot-in ?a) (door",
        "(robot-at ?a) (door",
        "robot-at",
        "did you mean 'robot-in'?",
    );
    error_at(
        "(held ?t) (not (free))",
        "(held ?r) (not (free))",
        "?r",
        "takes a thing here, '?r' is a room",
    );
    error_at(
        "(free) (robot-in ?r)",
        "(free ?r) (robot-in ?r)",
        "(free",
        "takes 0 arguments, found 1",
    );
    error_at(
        "room thing - object ball box - thing",
        "room - thing thing - ball ball - room box",
        "room",
        "is its own ancestor",
    );
}

#[test]
fn unsupported_features_are_errors_that_name_them() {
    error_at(
        "(:action go",
        "(:durative-action go",
        "(:durative-action",
        "durative actions are not supported",
    );
    error_at(
        "(free) (robot-in ?r)",
        "(preference x (free)) (robot-in ?r)",
        "(preference",
        "preferences",
    );
    error_at(
        "(way ?a ?b - room) - number",
        "(way ?a ?b - room) - room",
        "room",
        "object fluents",
    );
    error_at(
        "(forall (?t - thing) (not (held ?t)))",
        "(not (tidy))",
        "(:derived (tidy)",
        "its own negation",
    );
    error_at(
        "(held ?t) (not (free))",
        "(tidy) (not (free))",
        "(tidy)",
        "derived, so no action may change it",
    );
}

#[test]
fn missing_requirements_are_warnings() {
    let text = DOMAIN.replace(":adl :derived-predicates :action-costs", ":strips");
    let read = parse_domain(&text).unwrap();
    let all: Vec<_> = read
        .warnings
        .iter()
        .map(|warning| warning.message.as_str())
        .collect();
    for flag in [
        "typing",
        "derived-predicates",
        "conditional-effects",
        "action-costs",
        "universal-preconditions",
    ] {
        assert!(
            all.iter()
                .any(|message| message.contains(&format!("':{flag}'"))),
            "{flag}: {all:?}"
        );
    }
}

/// A domain with these requirements and this part.
fn small(requirements: &str, part: &str) -> String {
    format!(
        "(define (domain small) (:requirements {requirements})\n(:predicates (p ?x) (q) (d))\n(:functions (total-cost) (level))\n{part})"
    )
}

/// For each requirement: a part of a domain that needs only this one, and the requirements that
/// include it.
#[test]
fn a_missing_requirement_gives_exactly_one_warning() {
    let pre = |condition: &str| {
        format!("(:action a :parameters (?y) :precondition {condition} :effect (q))")
    };
    let effect = |effect: &str| format!("(:action a :parameters (?y) :effect {effect})");
    for (flag, part, larger) in [
        ("typing", "(:types t)".to_string(), &[":adl", ":ucpop"][..]),
        ("negative-preconditions", pre("(not (q))"), &[":adl"]),
        (
            "disjunctive-preconditions",
            pre("(or (q) (p ?y))"),
            &[":adl"],
        ),
        (
            "disjunctive-preconditions",
            pre("(imply (q) (p ?y))"),
            &[":adl"],
        ),
        ("equality", pre("(= ?y ?y)"), &[":adl"]),
        (
            "existential-preconditions",
            pre("(exists (?z) (p ?z))"),
            &[":quantified-preconditions", ":adl"],
        ),
        (
            "universal-preconditions",
            pre("(forall (?z) (p ?z))"),
            &[":quantified-preconditions", ":adl"],
        ),
        (
            "conditional-effects",
            effect("(when (p ?y) (q))"),
            &[":adl"],
        ),
        (
            "conditional-effects",
            effect("(forall (?z) (p ?z))"),
            &[":adl"],
        ),
        ("derived-predicates", "(:derived (d) (q))".to_string(), &[]),
        (
            "action-costs",
            effect("(and (q) (increase (total-cost) 1))"),
            &[":numeric-fluents", ":fluents"],
        ),
        (
            "numeric-fluents",
            effect("(decrease (level) 1)"),
            &[":fluents"],
        ),
        ("numeric-fluents", pre("(< (level) 3)"), &[":fluents"]),
    ] {
        let read = parse_domain(&small(":strips", &part)).unwrap_or_else(|bad| panic!("{bad}"));
        let all: Vec<_> = read
            .warnings
            .iter()
            .map(|bad| bad.message.as_str())
            .collect();
        assert_eq!(
            all,
            [format!(
                "this needs the requirement ':{flag}', which is not declared"
            )],
            "{part}"
        );
        assert!(read.warnings[0].line >= 4, "{part}: {}", read.warnings[0]);
        for enough in larger.iter().copied().chain([format!(":{flag}").as_str()]) {
            let read = parse_domain(&small(enough, &part)).unwrap_or_else(|bad| panic!("{bad}"));
            assert_eq!(read.warnings, [], "{enough}: {part}");
        }
    }
}

#[test]
fn unsupported_and_unknown_requirements_are_warnings() {
    for flag in [
        "durative-actions",
        "preferences",
        "constraints",
        "object-fluents",
        "timed-initial-literals",
    ] {
        let read = parse_domain(&small(&format!(":strips :{flag}"), "")).unwrap();
        let all: Vec<_> = read
            .warnings
            .iter()
            .map(|bad| bad.message.as_str())
            .collect();
        assert!(
            matches!(all[..], [one] if one.starts_with(&format!("':{flag}' is not supported"))),
            "{all:?}"
        );
    }
    let read = parse_domain(&small(":strips :typin", "")).unwrap();
    assert!(
        read.warnings[0].message.contains("did you mean 'typing'?"),
        "{}",
        read.warnings[0]
    );
}

#[test]
fn unsupported_features_of_problems_are_errors_that_name_them() {
    let (domain, _) = read();
    for (old, new, part) in [
        (
            "(free)",
            "(free) (at 5 (free))",
            "timed initial literals are not supported",
        ),
        (
            "(:goal (and",
            "(:goal (and (preference x (free))",
            "preferences are not supported",
        ),
        (
            "(:goal (and",
            "(:goal (and (always (free))",
            "trajectory constraints are not supported",
        ),
        (
            "(:metric minimize (total-cost))",
            "(:constraints (always (free)))",
            "trajectory constraints are not supported",
        ),
        (
            "minimize (total-cost)",
            "minimize (is-violated x)",
            "preferences are not supported",
        ),
        (
            "minimize (total-cost)",
            "minimize (total-time)",
            "durative actions, which are not supported",
        ),
    ] {
        assert!(PROBLEM.contains(old));
        let bad =
            parse_problem(&PROBLEM.replacen(old, new, 1), &domain).map(|read| read.value.name);
        let bad = bad.expect_err(new);
        assert!(bad.message.contains(part), "{bad}");
    }
}
