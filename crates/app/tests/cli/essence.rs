//! `ploy model`: Essence specifications from files.

use ployglot_testing::program::{Folder, ploy};

/// A knapsack with a partial function, enumerated types and a set.
const KNAPSACK: &str = "language Essence 1.3\n\
    given items new type enum\n\
    given weight, gain : function (total) items --> int\n\
    given capacity : int(0..)\n\
    find picked : set of items\n\
    maximising sum([gain(i) | i <- picked])\n\
    such that (sum i in picked . weight(i)) <= capacity\n";

const ITEMS: &str = "letting items be new type enum {map, rope, tent}\n\
    letting weight be function(map --> 1, rope --> 3, tent --> 5)\n\
    letting gain be function(map --> 2, rope --> 4, tent --> 5)\n\
    letting capacity be 6\n";

/// A walk from 0 to `far` in steps of 1 to 3, as a sequence.
const WALK: &str = "given steps, far : int(1..)\n\
    find at : sequence (size steps) of int(1..100)\n\
    such that at(1) <= 3, at(steps) = far,\n\
    forAll i : int(2..steps) . at(i) - at(i-1) in {1, 2, 3}\n";

#[test]
fn all_solutions_are_listed_once_by_every_solver() {
    let folder = Folder::new();
    let model = folder.file(
        "parts.essence",
        "find p : partition (numParts 2) from int(1..4) such that apart({1, 2}, p)\n",
    );
    for solver in ["sat", "sat:kissat", "cp"] {
        let row = ploy(&format!("model {model} --all --json --solver {solver}"))
            .exits(0)
            .row();
        let found = row["solutions"].as_array().expect("a list").len();
        assert_eq!(
            (found, &row["status"]),
            (4, &"satisfiable".into()),
            "{solver}"
        );
    }
    ploy(&format!("model {model}"))
        .exits(0)
        .says("letting p be partition({")
        .says("$ satisfiable; read in ");
}

#[test]
fn the_best_solution_is_proven_and_written_as_conjure_names_it() {
    let folder = Folder::new();
    let model = folder.file("knapsack.essence", KNAPSACK);
    let params = folder.file("three.param", ITEMS);
    let row = ploy(&format!("model {model} {params} --json --files"))
        .exits(0)
        .row();
    assert_eq!(row["status"], "optimal");
    assert_eq!(row["objective"], 7);
    assert_eq!(row["solution"]["picked"], "{map, tent}");
    assert!(
        folder
            .names()
            .contains(&"knapsack-three.solution".to_string())
    );
}

#[test]
fn a_sweep_ends_at_the_first_value_with_a_solution() {
    let folder = Folder::new();
    let model = folder.file("walk.essence", WALK);
    let row = ploy(&format!(
        "model {model} --set far=8 --horizon steps=1.. --json"
    ))
    .exits(0)
    .row();
    assert_eq!(
        (&row["horizon"], &row["status"]),
        (&3.into(), &"satisfiable".into())
    );
}

#[test]
fn the_refined_model_is_essence_prime() {
    let folder = Folder::new();
    let model = folder.file("set.essence", "find s : set (size 2) of int(1..4)\n");
    let printed = ploy(&format!("model {model} --to eprime")).exits(0).out;
    let prime = folder.file("set.eprime", &printed);
    let row = ploy(&format!("model {prime} --all --json")).exits(0).row();
    assert_eq!(row["solutions"].as_array().map(Vec::len), Some(6));
    ploy(&format!("model {prime} --to eprime"))
        .exits(36)
        .complains("the model is Essence Prime already");
}

#[test]
fn an_error_has_its_place_and_the_nearest_name() {
    let folder = Folder::new();
    let model = folder.file(
        "wrong.essence",
        "find colours : set of int(1..3)\nsuch that 2 in colour\n",
    );
    ploy(&format!("model {model}"))
        .exits(31)
        .complains("wrong.essence:2:16")
        .complains("did you mean 'colours'?");
    let model = folder.file("types.essence", "find s : set of bool such that 2 in s\n");
    ploy(&format!("model {model}"))
        .exits(31)
        .complains("the members are bool, this is int");
}
