//! The SAT back end against enumeration.

use crate::common::{
    check_all_solutions, check_growing, check_in_order, check_optimum, check_wide,
};
use ployglot_csp::Backend;
use ployglot_csp::sat::{Cadical, Kissat, SatBackend};

fn cadical() -> Box<dyn Backend> {
    Box::<SatBackend<Cadical>>::default()
}

fn kissat() -> Box<dyn Backend> {
    Box::<SatBackend<Kissat>>::default()
}

#[test]
fn cadical_agrees_with_enumeration() {
    check_growing(1, 2500, cadical);
}

#[test]
fn kissat_agrees_with_enumeration() {
    check_growing(2, 150, kissat);
}

#[test]
fn all_solutions_are_found() {
    check_all_solutions(3, 600, cadical);
}

#[test]
fn wide_domains_agree_with_the_judge() {
    check_wide(4, 90, 300, cadical);
    check_wide(5, 90, 5000, cadical);
    check_wide(6, 45, 200_000, cadical);
}

#[test]
fn the_optimum_agrees_with_enumeration() {
    check_optimum(7, 150, cadical);
}

#[test]
fn decisions_follow_the_branching_order() {
    check_in_order(8, 600, cadical);
}
