//! A growing problem has, for every value of the swept parameter, the solutions of the instance for
//! that value alone.

use std::collections::BTreeSet;

use ployglot_csp::{Problem, VarId};
use ployglot_eprime::{Horizon, Model, Params, Solution};
use ployglot_testing::eprime::{Generator, choices, complete};

/// The solutions of the problem under the assumed values, by exhaustive search.
fn solutions(
    problem: &Problem,
    decisions: &[VarId],
    assumed: &[(VarId, i32)],
    read: impl Fn(&[i32]) -> Solution,
) -> BTreeSet<String> {
    let domains = decisions.iter().map(|&var| problem.domain(var).values());
    let domains: Vec<Vec<i32>> = domains.map(Iterator::collect).collect();
    let complete = |values: Vec<i32>| {
        let fixed = decisions.iter().copied().zip(values);
        let fixed: Vec<_> = fixed.chain(assumed.iter().copied()).collect();
        complete(problem, &fixed)
    };
    let all = choices(&domains).into_iter().filter_map(complete);
    all.map(|values| read(&values).to_string()).collect()
}

/// Checks for each value that the growing problem has the solutions of the instance unrolled alone.
/// Returns the number of steps that extended the problem of the step before.
fn sweep(text: &str, values: &[i64]) -> usize {
    let model = Model::parse(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
    let mut horizon = Horizon::new(&model, &Params::default(), "n");
    let mut shared = 0;
    for &value in values {
        let mut params = Params::default();
        params.set_number("n", value);
        let alone = match model.instance(&params) {
            Ok(instance) => instance.unroll(),
            Err(fault) => Err(fault),
        };
        let step = horizon.unroll(value);
        let (Ok(alone), Ok(step)) = (&alone, &step) else {
            assert_eq!(alone.is_err(), step.is_err(), "n = {value}\n{text}");
            continue;
        };
        shared += usize::from(!step.fresh);
        let assumed = step.assumptions.iter().map(|literal| {
            let values = horizon.problem().domain(literal.variable()).values();
            let value = values.into_iter().find(|&value| literal.holds_for(value));
            (literal.variable(), value.expect("it can hold"))
        });
        let assumed: Vec<_> = assumed.collect();
        let read = |values: &[i32]| horizon.solution(values).expect("a step was taken");
        let found = solutions(horizon.problem(), &horizon.decisions(), &assumed, read);
        let vars: Vec<VarId> = alone.decisions().collect();
        let wanted = solutions(&alone.problem, &vars, &[], |values| alone.solution(values));
        assert_eq!(found, wanted, "n = {value}\n{text}");
    }
    shared
}

#[test]
fn a_path_keeps_its_transitions_and_replaces_its_goal() {
    let text = "given n : int(1..)
        find at : matrix indexed by [int(0..n)] of int(0..3)
        such that at[0] = 0, at[n] = 2,
        forAll i : int(1..n) . |at[i] - at[i-1]| = 1,
        (sum i : int(0..n) . at[i]) > 2";
    assert_eq!(sweep(text, &[1, 2, 3, 4]), 3);
}

#[test]
fn a_model_that_slides_has_a_new_problem_for_every_value_and_no_assumptions() {
    // Only the last two states have a mark.
    let text = "given n : int(1..)
        find at : matrix indexed by [int(0..n)] of int(0..3)
        find mark : matrix indexed by [int(max(0, n-2)..n-1)] of bool
        such that at[0] = 0, at[n] = 2,
        forAll i : int(1..n) . |at[i] - at[i-1]| = 1,
        forAll i : int(max(0, n-2)..n-1) . mark[i] <-> at[i] > 1";
    assert_eq!(sweep(text, &[2, 3, 4, 5]), 0);
    let model = Model::parse(text).expect("a model");
    let mut horizon = Horizon::new(&model, &Params::default(), "n");
    // It slides as soon as there is more than one state.
    for value in 1..5 {
        let step = horizon.unroll(value).expect("a problem");
        if value > 2 {
            assert!(step.fresh && step.assumptions.is_empty(), "n = {value}");
        }
    }
}

#[test]
fn a_new_problem_is_started_where_a_permanent_constraint_no_longer_holds() {
    // The domain grows, so no variable is shared.
    sweep(
        "given n : int(1..) find x, y : int(1..n) such that x + y = n, x < y",
        &[1, 2, 3, 4, 5],
    );
    // Values 1 and 2 have a constraint that 3 does not have.
    sweep(
        "given n : int(1..) find x, y : int(0..3) such that n < 3 -> x = 1, x + y > n",
        &[1, 2, 3, 4],
    );
    // Values that decrease or are skipped.
    sweep(
        "given n : int(0..) find M : matrix indexed by [int(0..2)] of int(0..2)
         such that forAll i : int(1..n) . M[i] > M[i-1], M[n] = 2",
        &[2, 1, 0, 2, 1, 3, 1],
    );
    // The next value does not meet the `where` condition.
    sweep(
        "given n : int(0..) where n < 3 find x : int(0..5) such that x >= n",
        &[0, 1, 2, 3, 2],
    );
    // Variables that are merged at one horizon and mentioned by constraints at the next, and the
    // reverse.
    let chain = "given n : int(1..) find x, y : matrix indexed by [int(0..n)] of int(0..2)
         find b : matrix indexed by [int(0..n)] of bool";
    for rest in [
        "forAll i : int(1..n) . x[i] = y[i-1] /\\ (b[i] <-> x[i-1] = 1), y[n] + x[n] > 2",
        "forAll i : int(1..n) . x[i-1] = x[i] /\\ (b[i-1] <-> !b[i]), x[n] != y[n], b[n] -> y[0] = 2",
        "forAll i : int(1..n-1) . y[i] = y[i+1], forAll i : int(1..n) . x[i] + y[i] > 1, b[n] <-> b[n-1]",
        "forAll i : int(2..n) . (b[i-2] <-> x[i-1] > 0) /\\ x[i] = x[i-2], b[n] <-> y[n] = 1, x[n] > y[0]",
    ] {
        sweep(&format!("{chain} such that {rest}"), &[1, 2, 3]);
    }
    // The objective depends on the horizon.
    sweep(
        "given n : int(1..) find x : matrix indexed by [int(1..n)] of int(0..2)
         minimising sum(x) such that x[n] > 0",
        &[1, 2, 3],
    );
}

#[test]
fn random_models_have_the_same_solutions_in_a_growing_problem() {
    let mut shared = 0;
    for seed in 0..300 {
        let mut generator = Generator::new(seed);
        let text = generator.model();
        let tie = match seed % 2 {
            0 => "true".to_string(),
            _ => generator.tie().replace('2', "n"),
        };
        // The parameter replaces some numbers.
        let (head, body) = text.split_once("such that").expect("constraints");
        let body = body.replace('2', "n");
        let text = format!("given n : int(0..)\n{head}such that{body}, {tie}\n");
        if Model::parse(&text).is_ok() {
            shared += sweep(&text, &[0, 1, 2, 3]);
        }
    }
    assert!(shared > 100, "{shared} steps were shared");
}
