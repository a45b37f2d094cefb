//! The CP back end against enumeration.

mod common;

use common::{check_all_solutions, check_growing, check_optimum, check_wide};
use ployglot_base::{Budget, Limit};
use ployglot_csp::cp::CpBackend;
use ployglot_csp::{Backend, Comparison, Constraint, Domain, Problem, Quantity, Verdict};

fn pumpkin() -> Box<dyn Backend> {
    Box::<CpBackend>::default()
}

#[test]
fn pumpkin_agrees_with_enumeration() {
    check_growing(11, 2000, pumpkin);
}

#[test]
fn all_solutions_are_found() {
    check_all_solutions(12, 400, pumpkin);
}

#[test]
fn numbers_beyond_32_bits_are_refused() {
    let mut problem = Problem::default();
    let x = problem.add_variable(Domain::range(0, 1 << 20), None);
    let y = problem.add_variable(Domain::range(0, 1 << 20), None);
    problem.post(Constraint::Linear {
        terms: vec![(1 << 20, Quantity::Var(x)), (1, Quantity::Var(y))],
        comparison: Comparison::Equal,
        bound: 7,
    });
    let verdict = pumpkin().solve(&problem, &[], &Budget::unlimited());
    assert_eq!(verdict, Verdict::GaveUp(Limit::Incomplete));
}

#[test]
fn wide_domains_are_propagated() {
    check_wide(13, 180, 300, pumpkin);
}

#[test]
fn the_best_is_the_best() {
    check_optimum(14, 300, pumpkin);
}
