//! The CP back end against enumeration.

mod common;

use common::{check_all_solutions, check_growing, check_optimum, check_wide};
use ployglot_base::{Budget, Limit};
use ployglot_csp::cp::CpBackend;
use ployglot_csp::{Backend, Comparison, Constraint, Domain, Problem, Quantity, SolveResult};

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
    let result = pumpkin().solve(&problem, &[], &Budget::unlimited());
    assert_eq!(result, SolveResult::GaveUp(Limit::Incomplete));
}

#[test]
fn wide_domains_agree_with_the_judge() {
    check_wide(13, 180, 300, pumpkin);
}

#[test]
fn the_optimum_agrees_with_enumeration() {
    check_optimum(14, 300, pumpkin);
}
