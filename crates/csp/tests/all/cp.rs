//! The CP back end against enumeration.

use crate::common::{check_all_solutions, check_growing, check_optimum, check_wide};
use std::ops::ControlFlow;

use ployglot_base::{Budget, Limit, Random};
use ployglot_csp::cp::CpBackend;
use ployglot_csp::{
    Backend, Comparison, Constraint, Domain, Enumerated, Heuristic, Operand, Problem, Quantity,
    SolveResult, VarId, solutions,
};

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
fn long_tables_agree_with_enumeration() {
    let mut random = Random::new(17);
    for round in 0..150 {
        let mut problem = Problem::default();
        let count = 3 + random.below(2);
        let vars: Vec<VarId> = (0..count)
            .map(|_| problem.add_variable(Domain::range(0, 2 + random.below(3) as i32), None))
            .collect();
        let active = problem.add_variable(Domain::bool(), None);
        for _ in 0..1 + random.below(3) {
            // A column may occur twice, or be a constant.
            let columns: Vec<Operand> = (0..2 + random.below(3))
                .map(|_| match random.below(8) {
                    0 => Operand::Number(1),
                    _ => Operand::Var(*random.choose(&vars)),
                })
                .collect();
            let rows = (0..15 + random.below(90))
                .map(|_| columns.iter().map(|_| random.below(5) as i32).collect())
                .collect();
            let when = random.chance(1, 2).then(|| active.is_true());
            problem.post_when(when, Constraint::Table { columns, rows });
        }
        let wanted = crate::common::solutions(&problem);
        let (mut backend, mut found) = (pumpkin(), 0);
        let all: Vec<VarId> = vars.iter().copied().chain([active]).collect();
        let end = solutions(
            &mut *backend,
            &mut problem,
            &all,
            &Budget::unlimited(),
            &mut |_, values| {
                assert!(
                    wanted.contains(&values.to_vec()),
                    "round {round}: {values:?}"
                );
                found += 1;
                ControlFlow::Continue(())
            },
        );
        assert_eq!(
            (end, found),
            (Enumerated::All, wanted.len()),
            "round {round}"
        );
    }
}

#[test]
fn the_heuristic_chooses_the_next_variable() {
    // x + y >= 1, smallest values first: who is first gets its least value.
    let first_solution = |heuristic| {
        let mut problem = Problem::default();
        let x = problem.add_variable(Domain::range(0, 9), None);
        let y = problem.add_variable(Domain::range(0, 1), None);
        problem.post(Constraint::Linear {
            terms: vec![(1, Quantity::Var(x)), (1, Quantity::Var(y))],
            comparison: Comparison::AtLeast,
            bound: 1,
        });
        problem.branching = vec![x, y];
        problem.heuristic = heuristic;
        let mut backend = pumpkin();
        let SolveResult::Satisfiable(values) = backend.solve(&problem, &[], &Budget::unlimited())
        else {
            panic!("there are solutions");
        };
        let counts = backend.counts().expect("Pumpkin counts");
        assert!(counts.nodes > 0, "{counts:?}");
        values
    };
    assert_eq!(first_solution(None), [0, 1]);
    assert_eq!(first_solution(Some(Heuristic::Static)), [0, 1]);
    assert_eq!(first_solution(Some(Heuristic::SmallestDomain)), [1, 0]);
    assert_eq!(first_solution(Some(Heuristic::LargestDomain)), [0, 1]);
    assert_eq!(first_solution(Some(Heuristic::SmallestRatio)), [0, 1]);
    assert_eq!(first_solution(Some(Heuristic::WeightedDegree)), [0, 1]);
    let by_share = first_solution(Some(Heuristic::DomainOverWeightedDegree));
    assert_eq!(by_share, [1, 0]);
}

#[test]
fn many_failures_lead_to_restarts() {
    // Eight different numbers from 1 to 7, pair by pair.
    let mut problem = Problem::default();
    let numbers: Vec<VarId> = (0..8)
        .map(|i| problem.add_variable(Domain::range(1, 7), Some(format!("x[{i}]"))))
        .collect();
    for (i, &a) in numbers.iter().enumerate() {
        for &b in &numbers[..i] {
            problem.post(Constraint::Linear {
                terms: vec![(1, Quantity::Var(a)), (-1, Quantity::Var(b))],
                comparison: Comparison::NotEqual,
                bound: 0,
            });
        }
    }
    let mut backend = pumpkin();
    let result = backend.solve(&problem, &[], &Budget::unlimited());
    assert_eq!(result, SolveResult::Unsatisfiable);
    let counts = backend.counts().expect("Pumpkin counts");
    // Luby's sequence: a restart after 128, 128, 256, 128, … failures.
    let mut sum = 0;
    let ends = [1, 1, 2, 1, 1, 2, 4].map(|unit| {
        sum += 128 * unit;
        sum
    });
    let expected = ends.iter().filter(|&&end| end < counts.failures).count() as u64;
    assert!(expected >= 2 && counts.restarts >= expected, "{counts:?}");
}

#[test]
fn every_heuristic_finds_all_solutions() {
    for heuristic in [
        Heuristic::Static,
        Heuristic::SmallestDomain,
        Heuristic::LargestDomain,
        Heuristic::SmallestRatio,
        Heuristic::Conflict,
        Heuristic::WeightedDegree,
        Heuristic::DomainOverWeightedDegree,
    ] {
        // Queens on 6 columns: 4 solutions, and failures on the way.
        let mut problem = Problem::default();
        let rows: Vec<VarId> = (0..6)
            .map(|_| problem.add_variable(Domain::range(1, 6), None))
            .collect();
        for (i, &a) in rows.iter().enumerate() {
            for (j, &b) in rows[..i].iter().enumerate() {
                for distance in [0, (i - j) as i64, -((i - j) as i64)] {
                    problem.post(Constraint::Linear {
                        terms: vec![(1, Quantity::Var(a)), (-1, Quantity::Var(b))],
                        comparison: Comparison::NotEqual,
                        bound: distance,
                    });
                }
            }
        }
        problem.branching = rows.clone();
        problem.heuristic = Some(heuristic);
        let (mut backend, mut found) = (pumpkin(), 0);
        let end = solutions(
            &mut *backend,
            &mut problem,
            &rows,
            &Budget::unlimited(),
            &mut |_, _| {
                found += 1;
                ControlFlow::Continue(())
            },
        );
        assert_eq!((end, found), (Enumerated::All, 4), "{heuristic:?}");
        let counts = backend.counts().expect("Pumpkin counts");
        assert!(counts.failures > 0, "{heuristic:?}: {counts:?}");
    }
}

#[test]
fn wide_domains_agree_with_the_judge() {
    check_wide(13, 180, 300, pumpkin);
}

#[test]
fn the_optimum_agrees_with_enumeration() {
    check_optimum(14, 300, pumpkin);
}
