//! The MIP back end against enumeration.

#![cfg(feature = "mip")]

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use common::{check_all_solutions, check_growing, check_optimum, check_wide};
use ployglot_base::{Budget, Limit, Random};
use ployglot_csp::mip::MipBackend;
use ployglot_csp::{
    Backend, Comparison, Constraint, Domain, Goal, Objective, Problem, Quantity, SolveResult, VarId,
};

fn highs() -> Box<dyn Backend> {
    Box::<MipBackend>::default()
}

#[test]
fn highs_agrees_with_enumeration() {
    check_growing(21, 1200, highs);
}

#[test]
fn all_solutions_are_found() {
    check_all_solutions(22, 150, highs);
}

#[test]
fn wide_domains_agree_with_the_judge() {
    check_wide(23, 180, 300, highs);
}

#[test]
fn the_optimum_agrees_with_enumeration() {
    check_optimum(24, 300, highs);
}

fn sum(terms: &[(i64, VarId)], comparison: Comparison, bound: i64) -> Constraint {
    let terms = terms.iter().map(|&(w, x)| (w, Quantity::Var(x))).collect();
    Constraint::Linear {
        terms,
        comparison,
        bound,
    }
}

#[test]
fn an_optimal_solution_comes_with_its_bound() {
    let mut problem = Problem::default();
    let x = problem.add_variable(Domain::range(0, 20), None);
    let y = problem.add_variable(Domain::range(0, 20), None);
    let value = problem.add_variable(Domain::range(0, 100), None);
    problem.post(sum(&[(1, x), (1, y)], Comparison::AtMost, 7));
    problem.post(sum(&[(2, x), (1, y)], Comparison::AtMost, 10));
    problem.post(sum(&[(3, x), (2, y), (-1, value)], Comparison::Equal, 0));
    let goal = Goal::Maximise;
    problem.objective = Some(Objective { goal, value });
    let mut highs = highs();
    let SolveResult::Satisfiable(values) = highs.solve(&problem, &[], &Budget::unlimited()) else {
        panic!("there are solutions");
    };
    assert_eq!((values[value.index()], highs.bound()), (17, Some(17)));
}

#[test]
fn numbers_beyond_floating_point_are_refused() {
    let mut problem = Problem::default();
    let x = problem.add_variable(Domain::range(0, 1 << 20), None);
    let y = problem.add_variable(Domain::range(0, 1 << 20), None);
    let heavy = (1 << 30) + 1;
    problem.post(sum(&[(heavy, x), (1, y)], Comparison::Equal, 7));
    let result = highs().solve(&problem, &[], &Budget::unlimited());
    assert_eq!(result, SolveResult::GaveUp(Limit::Incomplete));
}

/// A market split problem: several sums must be exactly half of their total, far too hard for
/// branch and bound.
fn market_split(random: &mut Random) -> Problem {
    let mut problem = Problem::default();
    let shops: Vec<VarId> = (0..40)
        .map(|_| problem.add_variable(Domain::bool(), None))
        .collect();
    for _ in 0..5 {
        let weights: Vec<(i64, VarId)> = shops
            .iter()
            .map(|&shop| (random.below(100) as i64, shop))
            .collect();
        let half = weights.iter().map(|pair| pair.0).sum::<i64>() / 2;
        problem.post(sum(&weights, Comparison::Equal, half));
    }
    problem
}

#[test]
fn limits_end_the_solver() {
    let problem = market_split(&mut Random::new(7));
    let budget = Budget::unlimited().with_time(Duration::from_millis(300));
    let result = highs().solve(&problem, &[], &budget);
    assert_eq!(result, SolveResult::GaveUp(Limit::Time));

    let flag = Arc::new(AtomicBool::new(false));
    let setter = flag.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        setter.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    let budget = Budget::unlimited().with_interrupt(flag);
    let result = highs().solve(&problem, &[], &budget);
    assert_eq!(result, SolveResult::GaveUp(Limit::Interrupt));
    thread.join().expect("the thread only sets a flag");
}
