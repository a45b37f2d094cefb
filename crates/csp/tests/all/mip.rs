//! The MIP back end against enumeration, with each MIP solver that is installed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::common::{check_all_solutions, check_growing, check_optimum, check_wide};
use ployglot_base::programs::OnLine;
use ployglot_base::{Budget, Call, Limit, Programs, Random, RunEnd, RunOutput, Tool};
use ployglot_csp::mip::{MipBackend, MipSolver};
use ployglot_csp::{
    Backend, Comparison, Constraint, Domain, Goal, Literal, Objective, Problem, Quantity,
    SolveResult, VarId,
};
use ployglot_testing::programs::{budget, has_tool};

/// The tests of one solver, which are skipped if it is not installed. A call is a process, so the
/// number of problems is smaller than that of other back ends.
macro_rules! tests_of {
    ($name:ident, $solver:expr) => {
        mod $name {
            use super::*;

            fn solver() -> Box<dyn Backend> {
                Box::new(MipBackend::new($solver))
            }

            fn installed() -> bool {
                has_tool(&$solver.tool())
            }

            #[test]
            fn it_agrees_with_enumeration() {
                if installed() {
                    check_growing(21, 60, solver);
                }
            }

            #[test]
            fn all_solutions_are_found() {
                if installed() {
                    check_all_solutions(22, 12, solver);
                }
            }

            #[test]
            fn wide_domains_agree_with_the_judge() {
                if installed() {
                    check_wide(23, 18, 30, solver);
                }
            }

            #[test]
            fn the_optimum_agrees_with_enumeration() {
                if installed() {
                    check_optimum(24, 40, solver);
                }
            }

            #[test]
            fn an_optimal_solution_comes_with_its_bound() {
                if installed() {
                    check_bound(&mut *solver());
                }
            }

            #[test]
            fn a_short_time_is_no_proof() {
                if installed() {
                    check_short_times(solver);
                }
            }

            #[test]
            fn limits_end_the_solver() {
                if installed() {
                    check_limits(solver);
                }
            }
        }
    };
}

tests_of!(highs, MipSolver::Highs);
tests_of!(cbc, MipSolver::Cbc);
tests_of!(scip, MipSolver::Scip);
tests_of!(gurobi, MipSolver::Gurobi);
tests_of!(cplex, MipSolver::Cplex);

#[test]
#[ignore = "thousands of processes: minutes"]
fn highs_agrees_with_enumeration_on_many_problems() {
    let highs = || -> Box<dyn Backend> { Box::new(MipBackend::new(MipSolver::Highs)) };
    check_growing(21, 1200, highs);
    check_all_solutions(22, 150, highs);
    check_wide(23, 180, 300, highs);
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

fn check_bound(solver: &mut dyn Backend) {
    let mut problem = Problem::default();
    let x = problem.add_variable(Domain::range(0, 20), None);
    let y = problem.add_variable(Domain::range(0, 20), None);
    let value = problem.add_variable(Domain::range(0, 100), None);
    problem.post(sum(&[(1, x), (1, y)], Comparison::AtMost, 7));
    problem.post(sum(&[(2, x), (1, y)], Comparison::AtMost, 10));
    problem.post(sum(&[(3, x), (2, y), (-1, value)], Comparison::Equal, 0));
    let goal = Goal::Maximise;
    problem.objective = Some(Objective { goal, value });
    let SolveResult::Satisfiable(values) = solver.solve(&problem, &[], &budget()) else {
        panic!("there are solutions");
    };
    assert_eq!((values[value.index()], solver.bound()), (17, Some(17)));
}

/// Queens on a board have a solution, whenever the solver is ended.
fn check_short_times(solver: impl Fn() -> Box<dyn Backend>) {
    const QUEENS: i32 = 12;
    let mut problem = Problem::default();
    let queens: Vec<VarId> = (0..QUEENS)
        .map(|_| problem.add_variable(Domain::range(1, QUEENS), None))
        .collect();
    for (i, &a) in queens.iter().enumerate() {
        for (j, &b) in queens[..i].iter().enumerate() {
            let apart = (i - j) as i32;
            for (row, shift) in (1..=QUEENS).flat_map(|row| [(row, 0), (row, apart), (row, -apart)])
            {
                if (1..=QUEENS).contains(&(row + shift)) {
                    let clause = vec![Literal::IsNot(a, row), Literal::IsNot(b, row + shift)];
                    problem.post(Constraint::Clause(clause));
                }
            }
        }
    }
    let goal = Goal::Minimise;
    let value = queens[0];
    for objective in [None, Some(Objective { goal, value })] {
        problem.objective = objective;
        for millis in (10..250).step_by(40) {
            let budget = budget().with_time(Duration::from_millis(millis));
            let mut solver = solver();
            let result = solver.solve(&problem, &[], &budget);
            assert_ne!(result, SolveResult::Unsatisfiable, "{millis} ms");
            assert!(
                solver.bound() <= Some(2),
                "{millis} ms: {:?}",
                solver.bound()
            );
        }
    }
}

/// A CBC that says after this time that the program is infeasible.
struct SaysInfeasible(Duration);

impl Programs for SaysInfeasible {
    fn find(&self, _: &Tool) -> Option<PathBuf> {
        Some(PathBuf::from("cbc"))
    }

    fn obtain(&self, tool: &Tool, _: &Budget) -> Result<PathBuf, String> {
        self.find(tool).ok_or_else(String::new)
    }

    fn run(
        &self,
        call: &Call,
        _: &Budget,
        _: &'static str,
        _: &mut OnLine,
    ) -> Result<RunOutput, String> {
        std::thread::sleep(self.0);
        let solution = "Integer infeasible - objective value 0\n".to_string();
        Ok(RunOutput {
            end: RunEnd::Exit(0),
            output: String::new(),
            errors: String::new(),
            results: call
                .results
                .iter()
                .map(|_| Some(solution.clone()))
                .collect(),
        })
    }

    fn note(&self, _: &str) {}
}

#[test]
fn cbc_refutes_a_program_only_early_or_without_a_limit() {
    let mut problem = Problem::default();
    let value = problem.add_variable(Domain::range(0, 9), None);
    let goal = Goal::Minimise;
    let ask = |problem: &Problem, after: u64| {
        let programs = Arc::new(SaysInfeasible(Duration::from_millis(after)));
        let budget = Budget::unlimited()
            .with_time(Duration::from_secs(1))
            .with_programs(programs);
        MipBackend::new(MipSolver::Cbc).solve(problem, &[], &budget)
    };
    assert_eq!(ask(&problem, 700), SolveResult::Unsatisfiable);
    problem.objective = Some(Objective { goal, value });
    assert_eq!(ask(&problem, 0), SolveResult::Unsatisfiable);
    assert_eq!(ask(&problem, 700), SolveResult::GaveUp(Limit::Time));
}

#[test]
fn numbers_beyond_floating_point_are_refused() {
    let mut problem = Problem::default();
    let x = problem.add_variable(Domain::range(0, 1 << 20), None);
    let y = problem.add_variable(Domain::range(0, 1 << 20), None);
    let heavy = (1 << 30) + 1;
    problem.post(sum(&[(heavy, x), (1, y)], Comparison::Equal, 7));
    let mut backend = MipBackend::default();
    let result = backend.solve(&problem, &[], &budget());
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

fn check_limits(solver: fn() -> Box<dyn Backend>) {
    let problem = market_split(&mut Random::new(7));
    let limited = budget().with_time(Duration::from_millis(300));
    let result = solver().solve(&problem, &[], &limited);
    assert_eq!(result, SolveResult::GaveUp(Limit::Time));

    let flag = Arc::new(AtomicBool::new(false));
    let setter = flag.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        setter.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    let interrupted = budget().with_interrupt(flag);
    let result = solver().solve(&problem, &[], &interrupted);
    assert_eq!(result, SolveResult::GaveUp(Limit::Interrupt));
    thread.join().expect("the thread only sets a flag");
}
