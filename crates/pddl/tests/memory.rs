//! The limit on the memory while a task is read and grounded. It counts the whole process, so this
//! file has one test only.

use std::fmt::Write;

use ployglot_base::{Budget, Limit};
use ployglot_pddl::{
    CannotGround, CannotRead, ground_within, parse_domain, parse_problem, parse_problem_within,
};

#[test]
fn the_memory_stays_near_its_limit() {
    let most = 200 << 20;
    let check = |budget: &Budget| {
        let peak = budget.peak_memory();
        assert!(peak < most + most / 4, "{} MB", peak >> 20);
    };
    let objects: String = (0..300).map(|at| format!(" o{at}")).collect();
    let domain = |effect: &str| {
        let text = format!(
            "(define (domain d) (:predicates (r) (q ?a ?b ?c ?d) (p ?a ?b ?c))
               (:action a :parameters (?a ?b ?c ?d) :effect {effect}))"
        );
        parse_domain(&text).unwrap().value
    };
    // Atoms, and operators.
    for effect in ["(q ?a ?b ?c ?d)", "(r)"] {
        let domain = domain(effect);
        let text = format!("(define (problem p) (:domain d) (:objects{objects}) (:goal (r)))");
        let problem = parse_problem(&text, &domain).unwrap().value;
        let budget = Budget::unlimited().with_memory(most);
        let task = ground_within(&domain, &problem, &budget).map(|task| task.operators.len());
        assert_eq!(task, Err(CannotGround::Limit(Limit::Memory)));
        check(&budget);
    }
    // A text of 25 MB is read, but its three million facts would take more.
    let mut init = String::new();
    for at in 0..1_500_000 {
        let (a, b, c) = (at / 90_000, at / 300 % 300, at % 300);
        write!(init, "(p o{a} o{b} o{c})").unwrap();
    }
    let text =
        format!("(define (problem p) (:domain d) (:objects{objects}) (:init {init}) (:goal (r)))");
    drop(init);
    let budget = Budget::unlimited().with_memory(most / 2);
    let read = parse_problem_within(&text, &domain("(r)"), &budget);
    assert_eq!(
        read.map(|read| read.value.facts.len()),
        Err(CannotRead::Limit(Limit::Memory))
    );
    check(&budget);
}
