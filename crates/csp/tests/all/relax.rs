//! What relaxation adds holds in every solution, so the optimum stays the same; and it fixes variables
//! where the objective is near its bound.

use ployglot_base::{Budget, Random};
use ployglot_csp::cp::CpBackend;
use ployglot_csp::relax::relax;
use ployglot_csp::sat::{Cadical, SatBackend};
use ployglot_csp::{
    Backend, Comparison, Constraint, Domain, Goal, Literal, Objective, Optimum, Problem, Quantity,
    SolveResult, VarId, check, optimise,
};

/// A linear objective and one or two linear constraints with random factors, over a few variables,
/// some of which occur as the truth of a statement.
fn random_problem(random: &mut Random) -> Problem {
    let mut problem = Problem::default();
    let mut quantities = Vec::new();
    for _ in 0..2 + random.below(3) {
        let low = random.below(4) as i32 - 2;
        let x = problem.add_variable(Domain::range(low, low + 1 + random.below(3) as i32), None);
        quantities.push(match random.below(3) {
            0 => Quantity::Truth(Literal::AtLeast(x, low + 1)),
            1 => Quantity::Truth(Literal::Is(x, low)),
            _ => Quantity::Var(x),
        });
    }
    let z = problem.add_variable(Domain::range(-30, 30), None);
    let goal = *random.choose(&[Goal::Minimise, Goal::Maximise]);
    problem.objective = Some(Objective { goal, value: z });
    let terms = |random: &mut Random| -> Vec<(i64, Quantity)> {
        let factor = |quantity: &Quantity| (random.below(13) as i64 - 6, *quantity);
        quantities.iter().map(factor).collect()
    };
    let mut sum = terms(random);
    let sign = *random.choose(&[1, -1]);
    sum.push((sign, Quantity::Var(z)));
    problem.post(Constraint::Linear {
        terms: sum,
        comparison: Comparison::Equal,
        bound: random.below(7) as i64 - 3,
    });
    for _ in 0..1 + random.below(2) {
        let comparisons = [Comparison::AtMost, Comparison::AtLeast, Comparison::Equal];
        problem.post(Constraint::Linear {
            terms: terms(random),
            comparison: *random.choose(&comparisons),
            bound: random.below(15) as i64 - 5,
        });
    }
    problem
}

/// All assignments that the judge accepts.
fn solutions(problem: &Problem) -> Vec<Vec<i32>> {
    let mut all = vec![Vec::new()];
    for place in 0..problem.variables.len() {
        let values: Vec<i32> = problem.domain(VarId(place as u32)).values().collect();
        all = all
            .iter()
            .flat_map(|values_so_far: &Vec<i32>| {
                values.iter().map(|&value| {
                    let mut longer = values_so_far.clone();
                    longer.push(value);
                    longer
                })
            })
            .collect();
    }
    all.retain(|values| check::check(problem, values).is_ok());
    all
}

#[test]
fn no_solution_is_lost() {
    let mut random = Random::new(1);
    let (mut added, mut solvable) = (0, 0);
    for case in 0..100 {
        let mut problem = random_problem(&mut random);
        let before = solutions(&problem);
        let constraints = problem.constraints.len();
        relax(&mut problem, &Budget::unlimited()).expect("no limit");
        assert_eq!(solutions(&problem), before, "case {case}: {problem:?}");
        added += usize::from(problem.constraints.len() > constraints);
        solvable += usize::from(!before.is_empty());
    }
    assert!(added > 20, "only {added} problems got clauses");
    assert!(solvable > 30, "only {solvable} problems have solutions");
}

/// A knapsack with objects of these weights and values.
fn knapsack(objects: &[(i64, i64)], capacity: i64) -> Problem {
    let mut problem = Problem::default();
    let taken: Vec<Quantity> = objects
        .iter()
        .map(|_| Quantity::Truth(problem.add_variable(Domain::bool(), None).is_true()))
        .collect();
    let all: i64 = objects.iter().map(|(_, value)| value).sum();
    let z = problem.add_variable(Domain::range(0, all as i32), None);
    let (weights, values): (Vec<_>, Vec<_>) = objects
        .iter()
        .zip(&taken)
        .map(|(&(weight, value), &taken)| ((weight, taken), (value, taken)))
        .unzip();
    problem.post(Constraint::Linear {
        terms: weights,
        comparison: Comparison::AtMost,
        bound: capacity,
    });
    let mut terms: Vec<(i64, Quantity)> = values;
    terms.push((-1, Quantity::Var(z)));
    problem.post(Constraint::Linear {
        terms,
        comparison: Comparison::Equal,
        bound: 0,
    });
    problem.objective = Some(Objective {
        goal: Goal::Maximise,
        value: z,
    });
    problem
}

#[test]
fn a_knapsack_is_bounded_by_its_linear_relaxation() {
    // The first object, and half of the second one: 10 + 4.
    let mut problem = knapsack(&[(5, 10), (10, 8), (10, 2)], 10);
    relax(&mut problem, &Budget::unlimited()).expect("no limit");
    let z = problem.objective.expect("it has one").value;
    assert_eq!(problem.domain(z).max(), 14);
    // Without the first object, at most 8 + 0.
    let mut solver = SatBackend::<Cadical>::default();
    let worth = [Literal::AtLeast(z, 13), !VarId(0).is_true()];
    let result = solver.solve(&problem, &worth, &Budget::unlimited());
    assert_eq!(result, SolveResult::Unsatisfiable);
}

#[test]
fn both_solvers_find_the_best_of_many_objects() {
    let mut random = Random::new(7);
    let objects: Vec<(i64, i64)> = (0..40)
        .map(|_| {
            let weight = 10 + random.below(90) as i64;
            (weight, weight + random.below(25) as i64)
        })
        .collect();
    let capacity = objects.iter().map(|(weight, _)| weight).sum::<i64>() / 2;
    // By dynamic programming: the most value for each weight.
    let mut best = vec![0; capacity as usize + 1];
    for &(weight, value) in &objects {
        for room in (weight as usize..best.len()).rev() {
            best[room] = best[room].max(best[room - weight as usize] + value);
        }
    }
    let mut problem = knapsack(&objects, capacity);
    relax(&mut problem, &Budget::unlimited()).expect("no limit");
    let solvers: [&mut dyn Backend; 2] = [
        &mut SatBackend::<Cadical>::default(),
        &mut CpBackend::default(),
    ];
    for solver in solvers {
        let found = optimise(solver, &problem, &[], &Budget::unlimited(), &mut |_, _| {});
        let Optimum::Optimal { objective, .. } = found else {
            panic!("{found:?}");
        };
        assert_eq!(i64::from(objective), best[capacity as usize]);
    }
}
