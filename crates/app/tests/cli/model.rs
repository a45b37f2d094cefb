//! `ploy model`: Essence Prime models from files.

use ployglot_csp::mip::MipSolver;
use ployglot_csp::outside::{DimacsSolver, FlatzincSolver};
use ployglot_csp::sat::{Clauses, Cnf, Lit, check_lrat};

use ployglot_testing::program::{Folder, ploy};
use ployglot_testing::programs::has_tool;

const QUEENS: &str = "language ESSENCE' 1.0\n\
    given n : int(1..)\n\
    letting D be domain int(1..n)\n\
    find q : matrix indexed by [D] of D\n\
    such that allDiff(q),\n\
    allDiff([q[i] + i | i : D]), allDiff([q[i] - i | i : D])\n";

/// A walk from 0 to `far` in steps of 1 to 3.
const WALK: &str = "given noSteps, far : int(1..)\n\
    letting STEPS be domain int(0..noSteps)\n\
    find at : matrix indexed by [STEPS] of int(0..100)\n\
    such that at[0] = 0, at[noSteps] = far,\n\
    forAll s : int(1..noSteps) . at[s] - at[s-1] in int(1..3)\n";

#[test]
fn queens_are_placed_and_counted() {
    let folder = Folder::new();
    let model = folder.file("queens.eprime", QUEENS);
    for solver in ["sat", "sat:kissat", "cp"] {
        for (n, count) in [(4, 2), (5, 10), (6, 4)] {
            let row = ploy(&format!(
                "model {model} --set n={n} --all --json --solver {solver}"
            ))
            .exits(0)
            .row();
            let found = row["solutions"].as_array().expect("a list").len();
            assert_eq!(
                (found, &row["status"]),
                (count, &"satisfiable".into()),
                "{n} queens by {solver}"
            );
        }
        let row = ploy(&format!("model {model} --set n=3 --json --solver {solver}"))
            .exits(11)
            .row();
        assert_eq!(
            (&row["status"], &row["solution"]),
            (&"unsatisfiable".into(), &serde_json::Value::Null)
        );
    }
    ploy(&format!("model {model} --set n=4"))
        .exits(0)
        .says("letting q be [")
        .says("$ satisfiable; read in ");
}

#[test]
fn a_sweep_ends_at_the_first_value_with_a_solution() {
    let folder = Folder::new();
    let model = folder.file("walk.eprime", WALK);
    let params = folder.file("walk.param", "letting far be 14\n");
    let row = ploy(&format!(
        "model {model} {params} --horizon noSteps=1.. --json"
    ))
    .exits(0)
    .row();
    assert_eq!(
        (
            &row["horizon"],
            row["steps"].as_array().expect("steps").len()
        ),
        (&5.into(), 5)
    );
    ploy(&format!("model {model} {params} --horizon noSteps=1.."))
        .exits(0)
        .complains("noSteps = 4: unsatisfiable")
        .complains("noSteps = 5: satisfiable");
    let row = ploy(&format!(
        "model {model} {params} --horizon noSteps=1..4 --json"
    ))
    .exits(11)
    .row();
    assert_eq!(row["status"], "unsatisfiable");
    ploy(&format!("model {model} {params} --horizon steps=1.."))
        .exits(36)
        .complains("unknown parameter 'steps'");
    ploy(&format!("model {model} {params} --horizon noSteps=x"))
        .exits(36)
        .complains("NAME=FROM..TO");
}

#[test]
fn objectives_are_proven_optimal() {
    let folder = Folder::new();
    let model = folder.file(
        "a.eprime",
        "find x, y : int(0..20)\nmaximising 3*x + 2*y\nsuch that x + y <= 7, 2*x + y <= 10\n",
    );
    let outside = [
        MipSolver::Highs.tool(),
        MipSolver::Cbc.tool(),
        FlatzincSolver::Gecode.tool(),
        DimacsSolver::Minisat.tool(),
    ];
    let names = ["mip:highs", "mip:cbc", "fzn:gecode", "dimacs:minisat"];
    let outside = names
        .into_iter()
        .zip(outside)
        .filter(|(_, tool)| has_tool(tool));
    for solver in ["sat", "cp"]
        .into_iter()
        .chain(outside.map(|(name, _)| name))
    {
        let row = ploy(&format!("model {model} --solver {solver} --json"))
            .exits(0)
            .row();
        assert_eq!(
            (&row["status"], &row["objective"], &row["bound"]),
            (&"optimal".into(), &17.into(), &17.into()),
            "{solver}"
        );
    }
    ploy(&format!("model {model}"))
        .exits(0)
        .complains("objective 17, bound 17");
}

#[test]
fn files_have_the_keys_that_scripts_expect() {
    let folder = Folder::new();
    let model = folder.file("queens.eprime", QUEENS);
    let params = folder.file("n.param", "letting n be 5\n");
    ploy(&format!("model {model} {params} --files")).exits(0);
    let info = std::fs::read_to_string(format!("{params}.info")).expect("the file was written");
    for key in [
        "SolverTotalTime:",
        "SolverTimeOut:0",
        "SolverMemOut:0",
        "SolverSatisfiable:1",
        "SolverSolutionsFound:1",
        "SavileRowTotalTime:",
    ] {
        assert!(info.contains(key), "{key} in {info}");
    }
    let solution =
        std::fs::read_to_string(format!("{params}.solution")).expect("the file was written");
    assert!(solution.contains("letting q be ["), "{solution}");
    let clauses = format!("{}/a.cnf", folder.path().display());
    ploy(&format!("model {model} {params} --dimacs {clauses}"))
        .exits(0)
        .says("clauses\n");
    let text = std::fs::read_to_string(&clauses).expect("the file was written");
    assert!(
        text.contains("p cnf ") && text.contains("q[1]"),
        "the meaning of the variables is in comments"
    );
}

#[test]
fn errors_have_a_position() {
    let folder = Folder::new();
    let bad = folder.file(
        "bad.eprime",
        "given n : int(1..)\nfind x : int(1..n)\nsuch that x = nn\n",
    );
    ploy(&format!("model {bad} --set n=3"))
        .exits(31)
        .complains("bad.eprime:3:15")
        .complains("'n'");
    let good = folder.file("good.eprime", "given n : int(1..)\nfind x : int(1..n)\n");
    ploy(&format!("model {good}")).exits(31).complains("n");
    ploy(&format!("model {good} --set n=")).exits(36);
    ploy(&format!("model {good} --set n=3 --solver magic"))
        .exits(36)
        .complains("possible values: sat");
    ploy("model /nowhere.eprime").exits(35);
}

#[test]
fn exported_models_can_be_solved() {
    let folder = Folder::new();
    let out = format!("{}/out", folder.path().display());
    ploy(&format!(
        "export plotting/04-staircase --to eprime:action+dead-end --out {out}"
    ))
    .exits(0);
    let row = ploy(&format!(
        "model {out}/model.eprime {out}/instance.param --horizon noSteps=1.. --json"
    ))
    .exits(0)
    .row();
    assert_eq!(row["horizon"], 4);
    ploy("export plotting/04-staircase --to eprime:action+nonsense")
        .exits(33)
        .complains("unknown switch of eprime:action 'nonsense'");
}

/// The checker, which shares no code with the solver, accepts the proof and rejects the first half
/// of it.
#[test]
fn a_proof_can_be_checked() {
    let folder = Folder::new();
    let model = folder.file(
        "pigeons.eprime",
        "find hole : matrix indexed by [int(1..6)] of int(1..5)\nsuch that forAll i, j : int(1..6) . i < j -> hole[i] != hole[j]\n",
    );
    let (cnf, proof) = (format!("{model}.cnf"), format!("{model}.lrat"));
    ploy(&format!("model {model} --dimacs {cnf} --proof {proof}"))
        .exits(11)
        .says("unsatisfiable, proven");
    let text = std::fs::read_to_string(&proof).expect("the file was written");
    let mut clauses = Cnf::default();
    for line in std::fs::read_to_string(&cnf)
        .expect("the file was written")
        .lines()
    {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("c") | None => {}
            Some("p") => {
                let variables = words.nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
                for _ in 0..variables {
                    clauses.fresh();
                }
            }
            Some(first) => {
                let numbers = std::iter::once(first)
                    .chain(words)
                    .filter_map(|word| word.parse().ok());
                let literals: Vec<Lit> = numbers
                    .take_while(|&number| number != 0)
                    .map(Lit::from_dimacs)
                    .collect();
                clauses.clause(&literals);
            }
        }
    }
    assert!(check_lrat(&clauses, &text).is_ok());
    let half: String = text
        .lines()
        .take(text.lines().count() / 2)
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(
        check_lrat(&clauses, &half).is_err(),
        "half of a proof is no proof"
    );
    let flat = format!("{model}.fzn");
    ploy(&format!("model {model} --flatzinc {flat}")).exits(0);
    assert!(
        std::fs::read_to_string(&flat)
            .expect("the file was written")
            .contains("solve satisfy;")
    );
}

/// Unrolling this model would take hours.
const ENDLESS: &str = "find x : matrix indexed by [int(1..3000)] of int(1..9)\n\
    such that forAll i, j, k : int(1..3000) . x[i] + x[j] != k\n";

#[test]
fn limits_hold_before_the_solver_starts() {
    let folder = Folder::new();
    let model = folder.file("endless.eprime", ENDLESS);
    for (option, code, limit) in [("--time 500ms", 23, "time"), ("--memory 80M", 22, "memory")] {
        let row = ploy(&format!("model {model} --json {option}"))
            .exits(code)
            .row();
        assert_eq!(
            (&row["status"], &row["limit"]),
            (&"limit".into(), &limit.into()),
            "{row}"
        );
        assert!(row["peak_mb"].as_f64() < Some(400.0), "{row}");
    }
    let clauses = format!("{model}.cnf");
    for option in ["--dimacs", "--flatzinc", "--proof"] {
        ploy(&format!("model {model} {option} {clauses} --time 500ms"))
            .exits(23)
            .says("limit: time");
        assert!(!std::path::Path::new(&clauses).exists(), "{option}");
    }
}

#[test]
fn an_input_is_not_overwritten() {
    let folder = Folder::new();
    let text = "given n : int\nfind x : int(1..n)\n";
    let model = folder.file("small.eprime", text);
    let params = folder.file("small.param", "letting n be 3\n");
    for output in [&model, &params] {
        for option in ["--proof", "--dimacs", "--flatzinc"] {
            ploy(&format!("model {model} {params} {option} {output}"))
                .exits(36)
                .complains(&format!("{option} would overwrite the input"));
        }
    }
    assert_eq!(std::fs::read_to_string(&model).expect("it is there"), text);
}
