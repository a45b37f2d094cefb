//! Answers: plans are replayed, and false claims are found.

use crate::bench::{Bench, LEVEL};

const WIDE: &str = "cpu = '5m'\nwall = '10m'\nmemory = '2G'";

#[test]
fn correct_routes_and_solvers_agree() {
    let bench = Bench::new(WIDE, "'best', 'search:bfs'")
        .script(
            "file",
            "echo 'row 1' > \"$3\"\necho 'cost 1, proven'\n",
            "output = { optimal = 'proven' }\ncost = 'cost (\\d+)'",
        )
        .script(
            "words",
            "echo 'no plan below 1'\nexit 23\n",
            "exit = { limit = [23] }\nat-least = 'below (\\d+)'",
        );
    bench.run(&["--jobs", "2"]).exits(0).says("4 of 4 runs");
    for solver in ["best", "search:bfs", "file"] {
        let row = bench.row(solver);
        assert_eq!(
            (row.status.as_str(), row.cost, row.checked),
            ("optimal", Some(1), true),
            "{row:?}"
        );
    }
    assert!(
        bench.rows().iter().all(|row| row.contradiction.is_empty()),
        "{:#?}",
        bench.rows()
    );
}

#[test]
fn a_route_that_can_solve_no_level_is_an_error() {
    let bench = Bench::new(WIDE, "'best', 'search:bsf'");
    bench
        .run(&[])
        .exits(33)
        .complains("'search:bsf' can solve no level");
}

#[test]
fn every_kind_of_false_claim_is_reported() {
    let prints = |text: &str| format!("echo '{text}'\n");
    let json = "answer = 'json'";
    let bench = Bench::new(WIDE, "'best'")
        .script(
            "claims-unsolvable",
            &prints(r#"{"status":"unsolvable"}"#),
            json,
        )
        .script(
            "illegal-plan",
            &prints(r#"{"status":"optimal","cost":1,"at_least":1,"plan":["row 99"]}"#),
            json,
        )
        .script(
            "misses-goal",
            &prints(r#"{"status":"optimal","cost":0,"at_least":0,"plan":[]}"#),
            json,
        )
        .script(
            "bound-too-high",
            &prints(r#"{"status":"limit","at_least":7}"#),
            json,
        )
        .script(
            "wrong-cost",
            "echo 'row 1' > \"$3\"\necho 'cost 5'\n",
            "output = { feasible = 'cost' }\ncost = 'cost (\\d+)'",
        )
        .script(
            "broken",
            &prints(r#"{"status":"defect","message":"it panicked"}"#),
            json,
        )
        .script(
            "correct",
            &prints(r#"{"status":"limit","at_least":1}"#),
            json,
        );
    let ran = bench
        .run(&[])
        .exits(32)
        .complains("6 runs are contradicted")
        .complains("broken: lie: it is broken: it panicked");
    for solver in [
        "claims-unsolvable",
        "illegal-plan",
        "misses-goal",
        "bound-too-high",
        "wrong-cost",
        "broken",
    ] {
        assert!(
            bench.row(solver).contradiction.starts_with("lie: "),
            "{:?}",
            bench.row(solver)
        );
        assert!(
            ran.err.contains(&format!("{LEVEL}: {solver}: lie: ")),
            "{}",
            ran.err
        );
    }
    assert!(
        bench.row("correct").contradiction.is_empty() && bench.row("best").contradiction.is_empty()
    );
    // It is reported again when there is nothing left to run.
    bench
        .run(&[])
        .exits(32)
        .says("8 of 8 runs are in")
        .says("8 of them before");
}

#[test]
fn two_contradicting_claims_without_a_plan_are_a_dispute() {
    let bench = Bench::new(WIDE, "")
        .script(
            "yes",
            "echo best is 1\n",
            "output = { optimal = 'best' }\ncost = 'is (\\d+)'",
        )
        .script("no", "exit 11\n", "exit = { unsolvable = [11] }");
    bench.run(&[]).exits(32);
    assert!(
        bench
            .rows()
            .iter()
            .all(|row| row.contradiction.starts_with("dispute: ")),
        "{:#?}",
        bench.rows()
    );
}

#[test]
fn an_external_planner_gets_pddl_files_and_its_plan_is_replayed() {
    let planner = "[[solvers]]\nname = 'planner'\nexport = 'pddl:natural'\nplan = 'pddl'\n\
                   command = ['{ploy}', 'plan', '{domain}', '{problem}', '{plan}']\nexit = { optimal = [0] }\n";
    let bench = Bench::new(WIDE, "").with(planner);
    bench.run(&[]).exits(0);
    let row = bench.row("planner");
    assert_eq!(
        (row.status.as_str(), row.cost, row.checked),
        ("optimal", Some(1), true),
        "{row:?}"
    );
}

#[test]
fn a_level_that_a_model_cannot_express_is_recorded_and_an_unknown_model_is_refused() {
    let planner = |model: &str| {
        format!("[[solvers]]\nname = 'planner'\nexport = '{model}'\ncommand = ['true']\n")
    };
    let levels = "[[levels]]\nfiles = ['wild.level']\n";
    let bench = Bench::new(WIDE, "")
        .with(levels)
        .with(&planner("pddl:natural"));
    bench.file(
        "wild.level",
        "game: plotting\ngoal: 1\nwildcards: 1\n\nRG\nGR\n",
    );
    bench.run(&[]).exits(0);
    let refused = |row: &crate::bench::Row| row.ended == "refused";
    let rows: Vec<_> = bench.rows().into_iter().filter(refused).collect();
    assert_eq!(rows.len(), 1);
    assert!(rows[0].message.contains("wildcards"), "{rows:?}");
    Bench::new(WIDE, "")
        .with(&planner("pddl:natrual"))
        .run(&[])
        .exits(33)
        .complains("did you mean 'pddl:natural'?");
}

/// Stands in for Savile Row: has the same options and writes the same file.
const SAVILE_ROW: &str = "#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    -in-eprime) model=$2; shift ;;
    -in-param) param=$2; shift ;;
    -out-solution) solution=$2; shift ;;
    esac
    shift
done
\"$PLOY\" model \"$model\" \"$param\" --files
if [ -e \"$param.solution\" ]; then mv \"$param.solution\" \"$solution\"; fi
";

/// Stands in for MiniZinc: answers that the first horizon is unsatisfiable and the second
/// satisfiable, for any problem.
const MINIZINC: &str = "#!/bin/sh
if [ -e \"$3.seen\" ]; then echo ----------; else echo =====UNSATISFIABLE=====; fi
touch \"$3.seen\"
";

/// The plan is read with the horizon at which it was found, and nodes are summed over the horizons.
#[test]
fn the_adapter_of_ploy_model_sweeps_the_horizons() {
    let adapters = concat!(env!("CARGO_MANIFEST_DIR"), "/../../suites/adapters");
    let bench = Bench::of(&format!(
        "name = 'a'\nroutes = ['best']\n[limits]\n{WIDE}\n[[levels]]\nfiles = ['bombastic/02-round-the-corner']\n\
         [[solvers]]\nname = 'model'\nexport = 'eprime:paper-2.1'\nplan = 'eprime'\n\
         command = ['sh', '{adapters}/essence-prime', '{{ploy}}', '{{model}}', '{{param}}', 'steps', '{{first}}', '{{last}}', \
         '{{plan}}', 'sdf', '-O2']\n\
         output = {{ optimal = '^optimal', unsolvable = '^unsolvable', limit = '^at least' }}\n\
         at-least = '^at least (\\d+)'\nnodes = '^nodes (\\d+)'\n"
    ));
    bench.run(&[]).exits(0);
    let row = bench.row("model");
    assert_eq!(
        (row.status.as_str(), row.cost, row.checked),
        ("optimal", Some(6), true),
        "{row:?}"
    );
    let nodes = "SELECT expanded FROM runs WHERE solver = 'model'";
    let nodes: i64 = bench
        .database()
        .query_row(nodes, [], |row| row.get(0))
        .expect("it reports its nodes");
    assert!(nodes > 0);
}

#[test]
fn adapters_sweep_the_horizons_and_solutions_are_replayed() {
    use std::os::unix::fs::PermissionsExt;
    let adapters = concat!(env!("CARGO_MANIFEST_DIR"), "/../../suites/adapters");
    let solver = |adapter: &str, last: &str| {
        format!(
            "command = ['env', 'PLOY={{ploy}}', 'PATH={{suite}}:/usr/bin:/bin', 'sh', '{adapters}/{adapter}', '{{ploy}}', '{{level}}', \
             '{{export}}', '{{first}}', '{{last}}', '{{dir}}', {last}]\nexport = 'eprime:action'\n\
             output = {{ optimal = '^optimal', unsolvable = '^unsolvable', limit = '^at least' }}\nat-least = '^at least (\\d+)'\n"
        )
    };
    let row = solver("savile-row", "'{plan}', '-sat'");
    let zinc = solver("minizinc", "'gecode'");
    let bench = Bench::new(WIDE, "'best'").with(&format!(
        "[[solvers]]\nname = 'row'\nplan = 'eprime'\n{row}[[solvers]]\nname = 'zinc'\ncost = '^optimal: (\\d+)'\n{zinc}"
    ));
    for (name, script) in [("savilerow", SAVILE_ROW), ("minizinc", MINIZINC)] {
        bench.file(name, script);
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(bench.path(name), all).expect("the file exists");
    }
    // The answer of the second solver is wrong: there is a plan of one shot.
    bench.run(&[]).exits(32).complains("zinc: lie: ");
    let row = bench.row("row");
    assert_eq!(
        (row.status.as_str(), row.cost, row.checked),
        ("optimal", Some(1), true),
        "{row:?}"
    );
}
