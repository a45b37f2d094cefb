//! The exit codes of all commands, as the table in `docs/formats.md` has them.

use ployglot_testing::program::{Folder, command, ploy};

/// Every command once for each code that it can end with, short of interrupts and defects, which
/// have tests of their own.
#[test]
fn every_command_exits_by_the_table() {
    let folder = Folder::new();
    let file = |name: &str, text: &str| _ = folder.file(name, text);
    file("good.level", "game: plotting\ngoal: 1\n\nRRG\nRGG\n");
    file("none.level", "game: plotting\ngoal: 0\n\nRG\n");
    file(
        "wild.level",
        "game: plotting\ngoal: 1\nwildcards: 1\n\nRG\nGR\n",
    );
    file("bad.level", "game: plotting\ngoal: 1\n\nR?\n");
    file("goal.plan", "col 1\nrow 1\nrow 2\n");
    file("short.plan", "row 1\n");
    file("bad.plan", "up\n");
    file(
        "yes.eprime",
        "language ESSENCE' 1.0\nfind x : int(1..2)\nsuch that x = 2\n",
    );
    file(
        "no.eprime",
        "language ESSENCE' 1.0\nfind x : int(1..2)\nsuch that x = 3\n",
    );
    file("bad.eprime", "language ESSENCE' 1.0\nfind x : int(1..\n");
    file("bad.toml", "nonsense = 1\n");
    file(
        "domain.pddl",
        "(define (domain d) (:predicates (p) (q)) (:action a :parameters () :effect (p)))",
    );
    file(
        "problem.pddl",
        "(define (problem x) (:domain d) (:init) (:goal (p)))",
    );
    file(
        "none.pddl",
        "(define (problem x) (:domain d) (:init) (:goal (q)))",
    );
    file("bad.pddl", "(define (problem");
    file("good.steps", "(a)\n");
    file("missed.steps", "");
    file("bad.steps", "(b)\n");
    std::fs::create_dir(folder.path().join("broken")).expect("a folder");
    file("broken/manifest.json", "{}");
    let run = |arguments: &str| {
        let output = command()
            .args(arguments.split_whitespace())
            .current_dir(folder.path())
            .stdin(std::process::Stdio::null())
            .output();
        output.expect("the program starts").status.code()
    };
    let table = [
        ("solve good.level", 0),
        ("solve none.level", 11),
        ("solve --route search:beam --time 0s good.level", 23),
        ("solve --route search:bfs --memory 1M good.level", 22),
        ("solve bad.level", 31),
        ("solve --route search:bsf good.level", 33),
        ("solve --measure steps good.level", 33),
        ("solve --without nothing good.level", 33),
        ("solve --route pddl:natural wild.level", 34),
        ("solve missing.level", 35),
        ("solve good.level --plan missing/file", 35),
        ("solve", 36),
        ("solve good.level bad.level none.level", 31),
        ("solve good.level --certificate proof", 0),
        ("verify proof", 0),
        ("verify proof --json", 0),
        ("verify proof --time 0s", 23),
        ("verify proof --memory 1M", 22),
        ("solve none.level --certificate none", 11),
        ("verify none", 0),
        ("verify broken", 31),
        ("verify missing", 35),
        ("verify", 36),
        (
            "solve puzznic/12-upstairs-downstairs --time 2s --certificate slow",
            2,
        ),
        ("plan domain.pddl problem.pddl --certificate steps", 0),
        ("plan domain.pddl none.pddl --certificate no-steps", 11),
        ("plan domain.pddl problem.pddl --certificate good.level", 35),
        ("plan domain.pddl bad.pddl --certificate x", 31),
        ("solve good.level none.level --certificate x", 36),
        ("solve good.level --certificate good.level", 35),
        ("solve good.level --certificate missing/x", 35),
        ("check good.level goal.plan", 0),
        ("check good.level short.plan", 1),
        ("check good.level bad.plan", 31),
        ("check good.level missing.plan", 35),
        ("show good.level", 0),
        ("show bad.level", 31),
        ("play good.level", 36),
        ("rate good.level", 0),
        ("rate none.level", 11),
        ("rate --time 0s good.level", 23),
        ("rate --memory 1M good.level", 22),
        ("rate bad.level", 31),
        ("hint good.level", 0),
        ("hint none.level", 11),
        ("hint good.level bad.plan", 31),
        ("new plotting", 0),
        ("new plotting --par 99 --tries 3", 12),
        ("new plotting --par 99 --memory 1M", 22),
        ("new plotting --par 99 --time 0s", 23),
        ("new bombastic --walk 4000000000 --time 0s", 23),
        ("new lunar-lockout --hardest --size 5x5 --time 0s", 23),
        ("new lunar-lockout --hardest --size 20x20", 34),
        ("new plotting --size 99x99", 34),
        ("new chess", 36),
        ("compare good.level --routes search:astar,search:bfs", 0),
        ("compare good.level --routes search:bfs --time 0s", 12),
        ("compare good.level --routes search:bsf", 33),
        ("compare wild.level --routes pddl:natural", 34),
        ("serve --port 99999", 36),
        ("bench bad.toml", 31),
        ("bench missing.toml", 35),
        ("report good.level", 33),
        ("report missing.db", 35),
        ("convert good.level --to level", 0),
        ("convert good.level --to nothing", 33),
        ("plan domain.pddl problem.pddl", 0),
        ("plan domain.pddl none.pddl", 11),
        ("plan domain.pddl problem.pddl --time 0s", 23),
        ("plan domain.pddl bad.pddl", 31),
        ("plan domain.pddl missing.pddl", 35),
        ("validate domain.pddl problem.pddl good.steps", 0),
        ("validate domain.pddl problem.pddl missed.steps", 1),
        ("validate domain.pddl problem.pddl bad.steps", 31),
        ("ground domain.pddl problem.pddl", 0),
        ("ground domain.pddl bad.pddl", 31),
        ("model yes.eprime", 0),
        ("model no.eprime", 11),
        ("model yes.eprime --time 0s", 23),
        ("model bad.eprime", 31),
        ("export good.level --to pddl:natural --out e", 0),
        ("export good.level --to pddl:nothing --out e", 33),
        ("export wild.level --to pddl:natural --out e", 34),
        ("levels", 0),
        ("levels chess", 33),
        ("routes", 0),
        ("routes chess", 33),
        ("completions bash", 0),
        ("completions none", 36),
        ("man", 0),
        ("no-such-command", 36),
    ];
    let wrong: Vec<_> = table
        .into_iter()
        .map(|(arguments, code)| (arguments, run(arguments), Some(code)))
        .filter(|(_, found, expected)| found != expected)
        .collect();
    assert!(wrong.is_empty(), "found, expected: {wrong:#?}");
}

/// Every route has a line, also one that cannot take the level.
#[test]
fn compare_has_a_line_for_each_route() {
    let folder = Folder::new();
    let wild = "game: plotting\ngoal: 1\nwildcards: 1\n\nRG\nGR\n";
    let level = folder.file("wild.level", wild);
    let rows = ploy(&format!(
        "compare --json {level} --routes search:astar,pddl:natural"
    ))
    .exits(0)
    .rows();
    let of = |route: &str| rows.iter().find(|row| row["route"] == route);
    assert_eq!(of("search:astar").expect("a line")["status"], "optimal");
    let unfit = of("pddl:natural").expect("a line");
    assert_eq!(unfit["status"], "unfit");
    assert!(
        unfit["message"]
            .as_str()
            .expect("a reason")
            .contains("wildcards"),
        "{unfit}"
    );
    assert_eq!(rows.last().expect("the verdict")["agree"], true);
    let rows = ploy(&format!("compare --json {level} --routes pddl:natural"))
        .exits(34)
        .rows();
    let verdict = rows.last().expect("the verdict");
    assert!(verdict["agree"].is_null(), "{verdict}");
    ploy(&format!("compare {level} --routes pddl:natural"))
        .exits(34)
        .says("no route can take this level");
}
