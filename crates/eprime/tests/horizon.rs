//! A sweep in one growing problem has, for every value, the solutions of that value alone.

mod common;

use std::collections::BTreeSet;

use common::{Generator, choices, complete};
use ployglot_eprime::{Horizon, Model, Params};

/// For each value: the solutions by the sweep are those of the instance unrolled alone. Says how many steps shared their
/// problem with the one before.
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
        // Every assignment of the declared domains, in the same order on both sides.
        let (mine, theirs) = (horizon.decisions(), alone.decisions().collect::<Vec<_>>());
        assert_eq!(mine.len(), theirs.len());
        let domains: Vec<Vec<i32>> = mine
            .iter()
            .zip(&theirs)
            .map(|(&a, &b)| {
                let both = horizon.problem().domain(a).union(alone.problem.domain(b));
                both.values().collect()
            })
            .collect();
        let (mut found, mut wanted) = (BTreeSet::new(), BTreeSet::new());
        for values in choices(&domains) {
            let fixed = mine.iter().copied().zip(values.iter().copied());
            let fixed: Vec<_> = fixed.chain(assumed.iter().copied()).collect();
            if let Some(all) = complete(horizon.problem(), &fixed) {
                let solution = horizon.solution(&all).expect("a step was made");
                found.insert(solution.to_string());
            }
            let fixed: Vec<_> = theirs.iter().copied().zip(values).collect();
            if let Some(all) = complete(&alone.problem, &fixed) {
                wanted.insert(alone.solution(&all).to_string());
            }
        }
        assert_eq!(found, wanted, "n = {value}\n{text}");
    }
    shared
}

#[test]
fn a_walk_keeps_its_steps_and_changes_its_goal() {
    let text = "given n : int(1..)
        find at : matrix indexed by [int(0..n)] of int(0..3)
        such that at[0] = 0, at[n] = 2,
        forAll i : int(1..n) . |at[i] - at[i-1]| = 1,
        (sum i : int(0..n) . at[i]) > 2";
    assert_eq!(sweep(text, &[1, 2, 3, 4]), 3);
}

#[test]
fn what_does_not_last_is_begun_afresh() {
    // The domain grows, so no variable is the same.
    sweep(
        "given n : int(1..) find x, y : int(1..n) such that x + y = n, x < y",
        &[1, 2, 3, 4, 5],
    );
    // A constraint of 1 and 2 that 3 does not have.
    sweep(
        "given n : int(1..) find x, y : int(0..3) such that n < 3 -> x = 1, x + y > n",
        &[1, 2, 3, 4],
    );
    // Backwards, and in leaps.
    sweep(
        "given n : int(0..) find M : matrix indexed by [int(0..2)] of int(0..2)
         such that forAll i : int(1..n) . M[i] > M[i-1], M[n] = 2",
        &[2, 1, 0, 2, 1, 3, 1],
    );
    // A condition that the next value does not meet.
    sweep(
        "given n : int(0..) where n < 3 find x : int(0..5) such that x >= n",
        &[0, 1, 2, 3, 2],
    );
    // The objective goes with the horizon.
    sweep(
        "given n : int(1..) find x : matrix indexed by [int(1..n)] of int(0..2)
         minimising sum(x) such that x[n] > 0",
        &[1, 2, 3],
    );
}

#[test]
fn random_models_sweep_as_they_stand() {
    let mut shared = 0;
    for seed in 0..300 {
        let text = Generator::new(seed).model();
        // The parameter takes the place of some numbers.
        let (head, body) = text.split_once("such that").expect("constraints");
        let body = body.replace('2', "n");
        let text = format!("given n : int(0..)\n{head}such that{body}");
        if Model::parse(&text).is_ok() {
            shared += sweep(&text, &[0, 1, 2, 3]);
        }
    }
    assert!(shared > 100, "{shared} steps were shared");
}
