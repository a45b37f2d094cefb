//! Limits of time and memory and Ctrl-C end a search soon; the limit is named, and the bound is
//! kept.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use ployglot_testing::program::{Folder, Ran, command, interrupt, ploy, wait_until_used};

/// Breadth-first search would need hours for this.
const HARD: &str = "game: plotting\ngoal: 3\n\n\
    RGBYPRGB\nYPRGBYPR\nGBYRPGBY\nPRYBGRYP\nBYGRPYBG\nRPBGYRPB\nYGRPBGYR\nPBYRGPBY\n";

/// A search ends within a second of its limit. The rest is for a busy machine: starting, printing,
/// freeing.
const SLACK: Duration = Duration::from_secs(15);

fn hard(folder: &Folder) -> String {
    folder.file("hard.level", HARD)
}

#[track_caller]
fn limited(ran: &Ran, limit: &str) -> Value {
    let row = ran.row();
    assert_eq!(
        (&row["status"], &row["limit"]),
        (&"limit".into(), &limit.into()),
        "{row}"
    );
    assert!(
        row["at_least"].as_u64() > Some(0),
        "the bound is kept: {row}"
    );
    assert!(
        row["cost"].is_null() && row["plan"].is_null() && row["checked"] == false,
        "{row}"
    );
    row
}

#[test]
fn out_of_time() {
    let folder = Folder::new();
    let seconds = || {
        let ran = ploy(&format!(
            "solve --json --route search:bfs --time 700ms {}",
            hard(&folder)
        ))
        .exits(23);
        let seconds = limited(&ran, "time")["seconds"].as_f64().expect("a number");
        assert!(seconds > 0.6, "{seconds}");
        seconds
    };
    // Several attempts, because a busy machine may delay any one of them.
    let in_time = (0..4).any(|_| seconds() < 1.7);
    assert!(in_time, "the search ends long after its time limit");
}

#[test]
fn out_of_memory() {
    let folder = Folder::new();
    let ran = ploy(&format!(
        "solve --json --route search:bfs --memory 60M --time 60s {}",
        hard(&folder)
    ))
    .exits(22);
    let row = limited(&ran, "memory");
    assert!(row["peak_mb"].as_f64() < Some(120.0), "{row}");
}

/// The limit that ended `ploy hint` is named, and decides the exit code.
#[test]
fn a_hint_reports_the_limit() {
    let folder = Folder::new();
    let level = hardly_provable(&folder);
    for (options, code, limit) in [("--time 0s", 23, "time"), ("--memory 1M", 22, "memory")] {
        let row = ploy(&format!("hint --json {options} {level}"))
            .exits(code)
            .row();
        assert_eq!(
            (&row["hint"], &row["limit"]),
            (&"unknown".into(), &limit.into())
        );
        ploy(&format!("hint {options} {level}"))
            .exits(code)
            .says(&format!("the {limit} ran out"));
    }
}

#[test]
fn a_limit_is_reported_as_text() {
    let folder = Folder::new();
    ploy(&format!(
        "solve --route search:bfs --time 300ms {}",
        hard(&folder)
    ))
    .exits(23)
    .says("; status    limit: no plan found (out of time)\n; at least  ")
    .says("; advice    --anytime finds some plan first, and improves it\n");
    ploy(&format!(
        "solve --quiet --route search:bfs --time 300ms {}",
        hard(&folder)
    ))
    .exits(23)
    .says(": limit, at least ");
}

#[test]
fn a_level_at_its_limit_does_not_stop_the_others() {
    let folder = Folder::new();
    let ran = ploy(&format!(
        "solve --json --route search:bfs --time 300ms {} plotting/01-first-shot",
        hard(&folder)
    ));
    let ran = ran.exits(0);
    let statuses: Vec<_> = ran.rows().iter().map(|row| row["status"].clone()).collect();
    assert_eq!(statuses, ["limit", "optimal"]);
}

/// A plan of this level is easy to find, and its proof is hard.
fn hardly_provable(folder: &Folder) -> String {
    folder.file("proof.level", HARD.replace("goal: 3", "goal: 12"))
}

#[track_caller]
fn has_plan_and_bound(row: &Value, limit: &str) {
    assert_eq!(
        (&row["status"], &row["limit"]),
        (&"feasible".into(), &limit.into()),
        "{row}"
    );
    assert!(
        row["plan"].is_array() && row["checked"] == true,
        "the plan is kept: {row}"
    );
    let (at_least, cost) = (row["at_least"].as_u64(), row["cost"].as_u64());
    assert!(
        Some(0) < at_least && at_least < cost,
        "the bound is kept: {row}"
    );
}

#[test]
fn a_plan_without_its_proof_is_kept() {
    let folder = Folder::new();
    let ran = ploy(&format!(
        "solve --json --anytime --time 6s {}",
        hardly_provable(&folder)
    ))
    .exits(2);
    let rows = ran.rows();
    has_plan_and_bound(rows.last().expect("a row"), "time");
    assert!(
        rows.len() > 1,
        "updates are printed before the end: {ran:#?}"
    );
}

/// The signal comes as soon as there is a plan, however long that takes on a busy machine.
#[test]
fn an_interrupt_keeps_the_plan() {
    let folder = Folder::new();
    let level = hardly_provable(&folder);
    let mut child = command()
        .args(["solve", "--json", "--anytime", "--time", "120s", &level])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut next = || -> Option<Value> {
        let line = lines.next()?.expect("text");
        Some(serde_json::from_str(&line).expect("JSON"))
    };
    let has_plan = |row: &Value| row["plan"].is_array() && row["at_least"].as_u64() > Some(0);
    while !has_plan(&next().expect("a plan is soon found")) {}
    interrupt(&child);
    let started = Instant::now();
    let last = std::iter::from_fn(next).last().expect("a last row");
    assert!(started.elapsed() < SLACK, "{:?}", started.elapsed());
    has_plan_and_bound(&last, "interrupt");
    assert_eq!(child.wait().expect("it ends").code(), Some(12));
}

/// Starts the program, waits until it searches, sends the signal, and returns its output.
fn interrupted(arguments: &[&str], signals: usize) -> (Ran, Duration) {
    let child = command()
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    wait_until_used(&child, Duration::from_secs(1));
    let started = Instant::now();
    (0..signals).for_each(|_| interrupt(&child));
    let output = child.wait_with_output().expect("the program ends");
    let ran = Ran {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    (ran, started.elapsed())
}

#[test]
fn an_interrupt_keeps_the_bound() {
    let folder = Folder::new();
    let (ran, took) = interrupted(
        &["solve", "--json", "--route", "search:bfs", &hard(&folder)],
        1,
    );
    assert!(took < SLACK, "{took:?}");
    limited(&ran.exits(12), "interrupt");
}

#[test]
fn an_interrupt_also_ends_levels_that_were_not_started() {
    let folder = Folder::new();
    let level = hard(&folder);
    let (ran, took) = interrupted(
        &[
            "solve",
            "--json",
            "--route",
            "search:bfs",
            &level,
            &level,
            "plotting/01-first-shot",
        ],
        1,
    );
    assert!(took < SLACK, "{took:?}");
    let ran = ran.exits(0);
    let limits: Vec<_> = ran.rows().iter().map(|row| row["limit"].clone()).collect();
    assert_eq!(limits, ["interrupt", "interrupt", "interrupt"]);
    ran.complains("3 levels: 3 limit");
}

#[test]
fn waiting_for_input_can_be_interrupted() {
    // A shell without job control starts background jobs with SIGINT ignored, and children inherit
    // that. The program has no handler yet while it reads, so the default must be restored.
    let program = command();
    let mut child = Command::new("env")
        .arg("--default-signal=INT")
        .arg(program.get_program())
        .args(["solve", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    // More than a pipe holds, so this returns when the program reads.
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&b"; a comment\n".repeat(10_000))
        .expect("the program reads");
    interrupt(&child);
    let status = child.wait().expect("the program ends");
    assert!(!status.success());
    drop(pipe);
}

/// A Puzznic board of shelves with blocks that can all move: the moves of the start alone take
/// minutes.
fn shelves(folder: &Folder) -> String {
    const SIDE: usize = 350;
    let wall = "#".repeat(SIDE);
    let blocks = format!("#{}#", "A.B.".repeat((SIDE - 2) / 4 + 1));
    let blocks = format!("{}#", &blocks[..SIDE - 1]);
    let shelves = format!("{blocks}\n{wall}\n").repeat(SIDE / 2);
    folder.file(
        "shelves.level",
        format!("game: puzznic\n\n{wall}\n{shelves}"),
    )
}

/// The limit also holds within one expansion, whatever the search.
#[test]
fn time_ends_a_search_among_the_moves_of_one_state() {
    let folder = Folder::new();
    let level = shelves(&folder);
    let routes = ["bfs", "astar", "ida", "bfhs", "greedy", "beam", "anytime"];
    for route in routes {
        let started = Instant::now();
        ploy(&format!(
            "solve --json --route search:{route} --time 200ms {level}"
        ))
        .exits(23);
        assert!(
            started.elapsed() < SLACK,
            "{route}: {:?}",
            started.elapsed()
        );
    }
    let started = Instant::now();
    let parallel = "solve --json --route search:parallel --threads 2";
    ploy(&format!("{parallel} --time 200ms {level}")).exits(23);
    assert!(started.elapsed() < SLACK, "{:?}", started.elapsed());
}

/// Every phase of a rating ends at the limit: the search, the graphs, the bounds of their states,
/// the greedy player.
#[test]
fn limits_end_every_phase_of_a_rating() {
    let folder = Folder::new();
    let large = folder.file(
        "large.level",
        ploy("new pipe-mania --size 300x300").exits(0).out,
    );
    let deep = "game: puzznic\n\n############\n#..........#\n#ABCDABCD..#\n#BCDABCDA..#\n\
        #CDABCDAB..#\n#DABCDABC..#\n#ABCDABCD..#\n############\n";
    let deep = folder.file("deep.level", deep);
    let shelves = shelves(&folder);
    for (level, options) in [
        (&shelves, ""),
        (&deep, "--states 100000000"),
        (&large, "--states 100000000"),
    ] {
        let started = Instant::now();
        let ran = ploy(&format!("rate --json --time 1s {options} {level}"));
        assert!(started.elapsed() < SLACK, "{:?}", started.elapsed());
        assert!(matches!(ran.code, Some(2 | 23)), "{ran:#?}");
        assert_eq!(ran.row()["limit"], "time");
    }
    let started = Instant::now();
    let ran = ploy(&format!(
        "rate --json --memory 200M --states 100000000 {large}"
    ));
    assert!(started.elapsed() < 2 * SLACK, "{:?}", started.elapsed());
    assert!(matches!(ran.code, Some(1 | 22)), "{ran:#?}");
    assert_eq!(ran.row()["limit"], "memory");
}

#[test]
fn limits_end_a_generator() {
    for arguments in [
        "new bombastic --walk 4294967295 --time 300ms",
        "new puzznic --size 200x200 --time 100ms",
        "new bombastic --walk 4294967295 --par 99 --time 300ms --seed 7 --steps 1,2",
    ] {
        let started = Instant::now();
        ploy(arguments).exits(23).complains("time");
        assert!(started.elapsed() < SLACK, "{:?}", started.elapsed());
    }
}

/// Starts the program, waits until it handles signals, sends this one, and waits for its end.
fn signalled(arguments: &[&str], signal: &str) -> Ran {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    // The mask of the signals that have a handler; SIGINT is the second.
    let handles = || {
        let text = std::fs::read_to_string(&status).expect("the program runs");
        let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = u64::from_str_radix(mask.expect("a mask").trim(), 16).expect("a number");
        mask & 0b10 != 0
    };
    while !handles() {
        let ended = child.try_wait().expect("its status");
        assert_eq!(ended, None, "it ended by itself: {arguments:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    let started = Instant::now();
    let kill = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(kill.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("the program ends");
    assert!(started.elapsed() < SLACK, "{:?}", started.elapsed());
    output.into()
}

#[test]
fn signals_end_every_command_that_works_long() {
    let folder = Folder::new();
    let (hard, shelves) = (hard(&folder), shelves(&folder));
    for signal in ["-INT", "-TERM"] {
        for arguments in [
            &["new", "bombastic", "--walk", "4294967295"][..],
            &["rate", &shelves],
            &["hint", &shelves],
            &[
                "compare",
                &hard,
                "--routes",
                "search:bfs,search:astar",
                "--time",
                "1h",
            ],
        ] {
            let ran = signalled(arguments, signal).exits(12);
            assert!(!ran.out.contains("agree"), "{ran:#?}");
        }
    }
    let compare = [
        "compare",
        &hard,
        "--json",
        "--routes",
        "search:bfs,pddl",
        "--time",
        "1h",
    ];
    let rows = signalled(&compare, "-TERM").exits(12).rows();
    let (verdict, routes) = rows.split_last().expect("lines");
    assert!(verdict["agree"].is_null(), "{verdict}");
    assert!(
        verdict["verdict"]
            .as_str()
            .is_some_and(|text| text.starts_with("interrupted"))
    );
    assert!(
        routes.len() > 2 && routes.iter().all(|row| row["limit"] == "interrupt"),
        "{rows:?}"
    );
}
