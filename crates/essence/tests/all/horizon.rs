//! A growing problem has, for every value of the swept parameter, a solution if and only if the
//! instance for that value alone has one; and the judge accepts what it finds.

use ployglot_base::Budget;
use ployglot_csp::sat::{Cadical, SatBackend};
use ployglot_csp::{Backend, SolveResult};
use ployglot_eprime::Ruling;
use ployglot_essence::{Horizon, Model, Params};

/// Sweeps `n` over these values. Returns the values with a solution, and how many steps extended the
/// problem of the step before.
fn sweep(text: &str, values: std::ops::Range<i64>) -> (Vec<i64>, usize) {
    let model = Model::parse(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
    let budget = Budget::unlimited();
    let mut horizon = Horizon::new(&model, &Params::default(), "n");
    let mut backend = SatBackend::<Cadical>::default();
    let (mut solvable, mut extended) = (Vec::new(), 0);
    for value in values {
        let step = horizon.refine_within(value, &budget).expect("no limit");
        let step = step.unwrap_or_else(|fault| panic!("n = {value}: {fault}\n{text}"));
        if step.fresh {
            backend = SatBackend::default();
        } else {
            extended += 1;
        }
        let result = backend.solve(horizon.problem(), &step.assumptions, &budget);
        let mut params = Params::default();
        params.set_number("n", value);
        let instance = model.instance(&params).expect("a value for n");
        let alone = instance.refine().expect("it is small");
        let alone = SatBackend::<Cadical>::default().solve(&alone.problem, &[], &budget);
        let has = |result: &SolveResult| matches!(result, SolveResult::Satisfiable(_));
        assert_eq!(has(&result), has(&alone), "n = {value}\n{text}");
        if let SolveResult::Satisfiable(values) = &result {
            let solution = horizon.solution(values).expect("a step was taken");
            let ruling = instance.judge(&solution);
            assert!(
                matches!(ruling, Ok(Ruling::Solves(_))),
                "{ruling:?}\n{solution}"
            );
            solvable.push(value);
        }
    }
    (solvable, extended)
}

#[test]
fn the_parts_of_a_quantified_constraint_are_posted_once() {
    let model = Model::parse(
        "language Essence 1.3
         given n : int(0..)
         find on : function (total) int(0..n) --> bool
         such that !on(0), on(n), forAll t : int(1..n) . on(t-1) -> on(t)",
    )
    .expect("a specification");
    let mut horizon = Horizon::new(&model, &Params::default(), "n");
    for value in 1..9 {
        let step = horizon.refine_within(value, &Budget::unlimited());
        let step = step.expect("no limit").expect("the parameters fit");
        assert_eq!(step.fresh, value == 1);
        // Only the goal is a constraint of this value alone.
        assert_eq!(step.conditional, 1, "n = {value}");
        assert_eq!(step.permanent, 1 + value as usize, "n = {value}");
    }
}

#[test]
fn a_walk_keeps_its_steps_and_replaces_its_goal() {
    let (solvable, extended) = sweep(
        "language Essence 1.3
         given n : int(0..)
         letting cells be new type enum {a, b, c, d}
         letting doors be relation((a, b), (b, c), (c, d), (d, b))
         find at : function (total) int(0..n) --> cells
         such that at(0) = a, at(n) = d, forAll t : int(1..n) . doors(at(t-1), at(t))",
        0..9,
    );
    assert_eq!(solvable, [3, 6]);
    assert!(extended > 6, "{extended}");
}

#[test]
fn abstract_values_of_growing_domains() {
    let (solvable, _) = sweep(
        "given n : int(0..) find s : set (size 3) of int(1..n) such that sum(s) = 9",
        0..7,
    );
    assert_eq!(solvable, [4, 5, 6]);
    let (solvable, _) = sweep(
        "given n : int(0..) find p : sequence (size n, injective) of int(1..3)
         find q : partition from int(1..3) such that |parts(q)| = |p|, n in range(p)",
        0..5,
    );
    assert_eq!(solvable, [1, 2, 3]);
    let (solvable, _) = sweep(
        "given n : int(0..) find f : function int(1..n) --> set of int(1..2)
         find x : variant {a : int(0..n), b : bool}
         such that |f| = 2, f(n) = {1}, x[a] = n, forAll t : int(1..n-1) . !(f(t) = f(t+1))",
        0..4,
    );
    assert_eq!(solvable, [2, 3]);
}
