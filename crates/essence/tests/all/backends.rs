//! Every back end finds the same solutions of a refined specification, and so does the refined model
//! printed as Essence Prime and read again.

use std::ops::ControlFlow;

use crate::common::{compare, exhausted};
use ployglot_base::Budget;
use ployglot_csp::cp::CpBackend;
use ployglot_csp::sat::{Cadical, SatBackend};
use ployglot_csp::{Backend, Problem, solutions};
use ployglot_essence::{Model, Params};

const SPECIFICATIONS: &[&str] = &[
    "find s : set of int(1..4) find i : int(0..4) such that sum(s) = 2 * i, i in s",
    "find f : function (injective) int(1..3) --> int(1..3) find i : int(0..3) such that f(i) != 2",
    "find m : mset (maxSize 3) of int(1..3) such that freq(m, 2) = |toSet(m)|",
    "find p : partition from int(1..4) such that forAll q in parts(p) . sum(q) % 2 = 1",
    "find s : sequence (maxSize 3) of int(1..3) such that forAll (i, x) in s . x >= i",
    "find r : relation (transitive) of (int(1..2) * int(1..2)) such that |r| != 2",
    "find q : permutation of int(1..4) such that and([|l - r| = 1 | (l, r) <- q])",
    "find v : variant {a : bool, b : int(0..2)} find i : int(0..2) such that v[b] = i",
    "find s : set (maxSize 2) of set (size 2) of int(1..4) such that forAll a, b in s . |a intersect b| != 1",
    "find x, y : int(-2..2) such that x / y = x % y \\/ x ** y = 4",
    "find s : set (size 2) of int(1..140) such that product(s) = 36",
];

fn all(backend: &mut dyn Backend, text: &str) -> Vec<String> {
    let model = Model::parse(text).expect("a specification");
    let instance = model.instance(&Params::default()).expect("no parameters");
    let refined = instance.refine().expect("a small specification");
    let decisions: Vec<_> = refined.decisions().collect();
    let mut problem = refined.problem.clone();
    let mut found = Vec::new();
    let mut each = |_: &Problem, values: &[i32]| {
        found.push(refined.solution(values).to_string());
        ControlFlow::Continue(())
    };
    let budget = Budget::unlimited();
    solutions(backend, &mut problem, &decisions, &budget, &mut each);
    found
}

#[test]
fn every_back_end_finds_the_same_solutions() {
    for text in SPECIFICATIONS {
        let truth = exhausted(text, 200_000).expect("a specification");
        let truth = truth.expect("few combinations");
        compare(
            text,
            &all(&mut SatBackend::<Cadical>::default(), text),
            &truth,
        );
        compare(text, &all(&mut CpBackend::default(), text), &truth);
    }
}

#[test]
fn the_refined_model_as_essence_prime_has_as_many_solutions() {
    let budget = Budget::unlimited();
    for text in SPECIFICATIONS {
        let wanted = all(&mut SatBackend::<Cadical>::default(), text).len();
        let model = Model::parse(text).expect("a specification");
        let instance = model.instance(&Params::default()).expect("no parameters");
        let printed = instance.eprime_within(&budget).expect("no limit");
        let printed = printed.expect("a small specification");
        let prime = ployglot_eprime::Model::parse(&printed);
        let prime = prime.unwrap_or_else(|bad| panic!("{bad}\n{printed}"));
        let instance = prime.instance(&ployglot_eprime::Params::default());
        let instance = instance.expect("no parameters");
        let unrolled = instance.unroll().expect("a small model");
        let decisions: Vec<_> = unrolled.decisions().collect();
        let mut problem = unrolled.problem.clone();
        let mut found = 0;
        let mut each = |_: &Problem, _: &[i32]| {
            found += 1;
            ControlFlow::Continue(())
        };
        let mut backend = SatBackend::<Cadical>::default();
        solutions(&mut backend, &mut problem, &decisions, &budget, &mut each);
        assert_eq!(found, wanted, "{text}\n{printed}");
    }
}
