//! Listing solutions: limits hold, hints that have no effect are reported, and each level of
//! optimisation finds the same solutions.

use ployglot_base::{Budget, Limit};
use ployglot_eprime::{Model, Params};
use ployglot_solve::{ModelStatus, Optimisation, Technology, solve_model, solve_model_by};

fn model(text: &str) -> Model {
    Model::parse(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"))
}

/// Four million solutions; listing them used to take a time that is quadratic in their number, so
/// that no limit on the memory was ever reached.
#[test]
fn a_limit_on_the_memory_ends_a_long_list() {
    let model = model("find M : matrix indexed by [int(1..22)] of bool");
    let left = Budget::unlimited().with_memory(u64::MAX).memory_left();
    let used = u64::MAX - left.expect("there is a limit");
    let budget = Budget::unlimited().with_memory(used + (24 << 20));
    let params = Params::default();
    let answer = solve_model(
        &model,
        &params,
        Technology::Sat,
        usize::MAX,
        &budget,
        &mut |_, _, _| {},
    )
    .expect("a good model");
    assert_eq!(answer.status, ModelStatus::Limit(Limit::Memory));
    assert!(answer.solutions.len() > 1000, "{}", answer.solutions.len());
}

#[test]
fn a_heuristic_that_the_solver_does_not_follow_is_reported() {
    let model = model("find x : int(1..3) branching on [x] heuristic sdf");
    let warnings = |technology| {
        let (params, budget) = (Params::default(), Budget::unlimited());
        solve_model(&model, &params, technology, 1, &budget, &mut |_, _, _| {})
            .expect("a good model")
            .warnings
    };
    let warning = "'heuristic sdf' has no effect on the solver 'sat'; cp follows it";
    assert_eq!(warnings(Technology::Sat), [warning]);
    assert_eq!(warnings(Technology::Cp), [""; 0]);
}

#[test]
fn every_level_of_optimisation_finds_the_same_solutions() {
    let model = model(
        "letting P = [3, 1, 4, 1, 5]
         find x, y : int(1..5) find z : int(0..9) find b : bool
         such that P[x] + P[y] = z, b <-> x = y, z % 2 = 0 \\/ b, x * y > 4",
    );
    for technology in [Technology::Sat, Technology::Cp] {
        for level in 0..=3 {
            let mut found = 0;
            let (params, budget) = (Params::default(), Budget::unlimited());
            let optimisation = Optimisation::level(level);
            solve_model_by(
                &model,
                &params,
                technology,
                &optimisation,
                usize::MAX,
                &budget,
                &mut |_, _, _| found += 1,
            )
            .expect("a good model");
            assert_eq!(found, 10, "-O{level}, {technology}");
        }
    }
}
