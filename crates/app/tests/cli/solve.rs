//! `ploy solve` on one level.

use ployglot_games::NAMES;
use ployglot_testing::program::{Folder, args, ploy};

const EASY: &str = "game: plotting\ntitle: Two shots\ngoal: 0\n\nRRR\nRRR\n";

#[test]
fn the_plan_then_the_summary() {
    let ran = ploy("solve plotting/01-first-shot").exits(0);
    assert!(
        ran.out
            .lines()
            .next()
            .is_some_and(|line| line.starts_with("row") || line.starts_with("col")),
        "{ran:#?}"
    );
    ran.says("; status    optimal: no plan costs less")
        .says("; cost      1 shot\n")
        .says("; at least  1 shot\n")
        .says("; route     search:")
        .says("; referee   replayed the plan");
}

#[test]
fn boards_are_printed_before_each_move() {
    let ran = ploy("solve bombastic/01-first-push --boards").exits(0);
    let moves = ran
        .out
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with(';'))
        .count();
    assert_eq!(moves, 3, "{ran:#?}");
    assert!(ran.out.starts_with("; "), "{ran:#?}");
}

#[test]
fn check_reads_the_output_of_solve() {
    let folder = Folder::new();
    let levels = ploy("levels --json").exits(0).rows();
    for &game in NAMES {
        let first = levels.iter().find(|row| row["game"] == game);
        let level = first
            .and_then(|row| row["level"].as_str())
            .expect("a level");
        let printed = ploy(&format!("solve {level} --boards")).exits(0).out;
        let plan = folder.file("plan", printed);
        ploy(&format!("check {level} {plan}"))
            .exits(0)
            .says("accepted: ");
    }
}

#[test]
fn json_has_every_key() {
    let row = ploy("solve --json lunar-lockout/02-make-way")
        .exits(0)
        .row();
    let keys: Vec<&str> = row
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    let mut expected = [
        "version",
        "level",
        "game",
        "route",
        "measure",
        "variant",
        "status",
        "cost",
        "at_least",
        "par",
        "plan",
        "limit",
        "seconds",
        "reading",
        "unrolling",
        "encoding",
        "solving",
        "peak_mb",
        "expanded",
        "generated",
        "stored",
        "checked",
        "certificate",
        "final",
        "message",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(row["version"], 1);
    assert_eq!(row["level"], "lunar-lockout/02-make-way");
    assert_eq!(
        (&row["game"], &row["measure"]),
        (&"lunar-lockout".into(), &"slides".into())
    );
    assert_eq!(
        (&row["status"], &row["cost"], &row["at_least"], &row["par"]),
        (&"optimal".into(), &2.into(), &2.into(), &2.into())
    );
    assert_eq!(row["plan"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        (&row["checked"], &row["final"]),
        (&true.into(), &true.into())
    );
    assert!(
        row["seconds"].is_f64() && row["peak_mb"].as_f64() > Some(0.0) && row["expanded"].is_u64(),
        "{row}"
    );
}

#[test]
fn an_unsolvable_level_exits_11_and_has_no_cost() {
    let ran = ploy("solve --json lunar-lockout/10-lost-in-space").exits(11);
    let row = ran.row();
    assert_eq!(row["status"], "unsolvable");
    for key in ["cost", "at_least", "plan", "limit", "message"] {
        assert!(row[key].is_null(), "{key} in {row}");
    }
    assert_eq!(row["checked"], false);
    ploy("solve lunar-lockout/10-lost-in-space")
        .exits(11)
        .says("unsolvable: proven");
}

#[test]
fn the_path_is_echoed_exactly() {
    let folder = Folder::new();
    folder.file("a level.txt", EASY);
    let path = format!("{}/.//a level.txt", folder.path().display());
    let row = args(&["solve", "--json", &path], b"").exits(0).row();
    assert_eq!(row["level"], path.as_str());
}

#[test]
fn standard_input_is_a_level() {
    let ran = args(&["solve", "--json", "-"], EASY.as_bytes()).exits(0);
    assert_eq!(ran.row()["level"], "-");
    args(&["solve", "-", "-"], EASY.as_bytes())
        .exits(36)
        .complains("only once");
}

#[test]
fn routes_agree_and_are_named() {
    for route in ["search:bfs", "search:astar"] {
        let row = ploy(&format!(
            "solve --json --route {route} plotting/04-staircase"
        ))
        .exits(0)
        .row();
        assert_eq!((&row["route"], &row["cost"]), (&route.into(), &4.into()));
    }
    ploy("solve --route search:astra plotting/04-staircase")
        .exits(33)
        .complains("did you mean 'search:astar'?");
    ploy("solve --measure shot plotting/04-staircase")
        .exits(33)
        .complains("did you mean 'shots'?");
    ploy("solve --without nonsense plotting/04-staircase")
        .exits(33)
        .complains("unknown rule of plotting 'nonsense'");
}

#[test]
fn a_rule_can_be_switched_off() {
    let with = ploy("solve --json lunar-lockout/06-the-loose-end --route search:astar")
        .exits(0)
        .row();
    let without = ploy(
        "solve --json lunar-lockout/06-the-loose-end --route search:astar --without relaxed,reach,box",
    );
    let without = without.exits(0).row();
    assert_eq!(with["cost"], without["cost"]);
    assert!(
        with["expanded"].as_u64() < without["expanded"].as_u64(),
        "{with} {without}"
    );
}

#[test]
fn a_wrong_par_is_reported() {
    let folder = Folder::new();
    let level = folder.file("a.level", EASY.replace("goal", "par: 9\ngoal"));
    ploy(&format!("solve {level}"))
        .exits(0)
        .says("; par       the level's text says 9, but the optimum is ");
    let level = folder.file("b.level", EASY.replace("goal", "par: unsolvable\ngoal"));
    ploy(&format!("solve {level}"))
        .exits(0)
        .says("says unsolvable, but this plan costs ");
    let right = ploy("solve plotting/01-first-shot").exits(0);
    assert!(!right.out.contains("; par"), "{right:#?}");
}

#[test]
fn the_plan_goes_to_a_file_too() {
    let folder = Folder::new();
    let file = folder.path().join("plan.txt");
    let plan = file.to_str().expect("a path");
    ploy(&format!(
        "solve --quiet plotting/01-first-shot --plan {plan}"
    ))
    .exits(0)
    .says("plotting/01-first-shot: optimal, 1 shot\n");
    ploy(&format!("check plotting/01-first-shot {plan}")).exits(0);
    assert_eq!(folder.names(), ["plan.txt"]);
    ploy(&format!(
        "solve plotting/01-first-shot plotting/04-staircase --plan {plan}"
    ))
    .exits(36);
}

#[test]
fn anytime_ends_with_the_same_answer() {
    let ran = ploy("solve --json --anytime lunar-lockout/13-grand-tour").exits(0);
    let rows = ran.rows();
    let (last, before) = rows.split_last().expect("at least one row");
    assert_eq!(
        (&last["status"], &last["cost"], &last["final"]),
        (&"optimal".into(), &18.into(), &true.into())
    );
    for (earlier, later) in before.iter().zip(&rows[1..]) {
        assert_eq!(earlier["final"], false);
        assert!(
            earlier["at_least"].as_u64() <= later["at_least"].as_u64(),
            "{ran:#?}"
        );
        let cost = |row: &serde_json::Value| row["cost"].as_u64().unwrap_or(u64::MAX);
        assert!(cost(earlier) >= cost(later), "{ran:#?}");
    }
}

#[test]
fn one_thread_gives_the_same_plan_twice() {
    let plan = || ploy("solve --json plotting/11-chequers").exits(0).row()["plan"].clone();
    assert_eq!(plan(), plan());
}

#[test]
fn only_the_answer_is_written_to_a_pipe() {
    let ran = ploy("solve plotting/12-four-winds").exits(0);
    assert_eq!(ran.err, "");
    assert!(!ran.out.contains('\u{1b}'), "{ran:#?}");
}

/// A limit that ends the certificate leaves the answer as it is, and nothing is written.
#[test]
fn a_proven_answer_stands_where_time_ends_its_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let proof = folder.path().join("proof");
    let arguments = format!(
        "solve puzznic/12-upstairs-downstairs --time 2s --certificate {}",
        proof.display()
    );
    let row = ploy(&format!("{arguments} --json")).exits(2).row();
    assert_eq!(
        (&row["status"], &row["cost"]),
        (&"optimal".into(), &18.into())
    );
    assert!(
        row["limit"].is_null() && row["certificate"]["sha256"].is_null(),
        "{row}"
    );
    let why = row["certificate"]["why"].as_str().expect("a reason");
    assert!(why.starts_with("ended by time after "), "{why}");
    assert!(!proof.exists());
    ploy(&arguments)
        .exits(2)
        .says("optimal: no plan costs less")
        .says("is not written: ended by time after ");
    ploy(&format!("{arguments} --quiet"))
        .exits(2)
        .says("is not written: ended by time after ");
}
