//! A runner that is killed loses only the runs in progress, and none of their processes survives.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::bench::{Bench, is_running};
use ployglot_testing::program::{args, wait_for};

const WIDE: &str = "cpu = '5m'\nwall = '10m'\nmemory = '2G'\ngrace = '100ms'";

/// Starts a daemon and waits for the file `go`.
const WAITS: &str = "pwd > \"$1/place\"; echo $$ > \"$1/pid\"; echo $PPID > \"$1/warden\"
( setsid sh -c 'echo $$ > \"$1/daemon\"; while :; do sleep 1; done' daemon \"$1\" & )
while [ ! -e \"$1/go\" ]; do sleep 0.1; done
echo went\n";

fn bench() -> Bench {
    Bench::new(WIDE, "'best'")
        .script(
            "first",
            "echo run >> \"$1/first.log\"\n",
            "exit = { limit = [0] }",
        )
        .script("waits", WAITS, "output = { limit = 'went' }")
        .script(
            "last",
            "echo run >> \"$1/last.log\"\n",
            "exit = { limit = [0] }",
        )
}

#[test]
fn a_killed_runner_leaves_no_process_and_the_same_command_resumes() {
    let bench = bench();
    let mut runner = bench.start(&[]);
    let (solver, daemon) = (bench.pid("pid"), bench.pid("daemon"));
    // The runs that have ended are in the database.
    wait_for(|| (bench.rows().len() == 2).then_some(()));
    let before = bench.rows();
    kill(Pid::from_raw(runner.id() as i32), Signal::SIGKILL).expect("it runs");
    runner.wait().expect("it ends");
    wait_for(|| (!is_running(solver) && !is_running(daemon)).then_some(()));
    assert_eq!(bench.rows(), before);
    let place = bench.text("place").expect("the script wrote the file");
    wait_for(|| (!std::fs::exists(place.trim()).ok()?).then_some(()));

    bench.file("go", "");
    bench
        .run(&[])
        .exits(0)
        .says("4 of 4 runs are in")
        .says("2 of them before");
    assert_eq!(bench.rows()[..2], before);
    assert_eq!(
        (
            bench.text("first.log").as_deref(),
            bench.text("last.log").as_deref()
        ),
        (Some("run\n"), Some("run\n"))
    );
    bench.run(&[]).exits(0).says("4 of them before");
    assert_eq!(
        bench.text("last.log").as_deref(),
        Some("run\n"),
        "nothing runs twice"
    );
}

#[test]
fn an_interrupted_runner_ends_its_runs_and_exits_with_12() {
    let bench = bench();
    let mut runner = bench.start(&[]);
    let (solver, daemon) = (bench.pid("pid"), bench.pid("daemon"));
    kill(Pid::from_raw(runner.id() as i32), Signal::SIGINT).expect("it runs");
    assert_eq!(runner.wait().expect("it ends").code(), Some(12));
    assert!(!is_running(solver) && !is_running(daemon));
    assert_eq!(bench.rows().len(), 2, "a run in progress is not recorded");
}

#[test]
fn when_a_warden_is_killed_its_run_ends() {
    let bench = bench();
    let mut runner = bench.start(&[]);
    let (warden, daemon) = (bench.pid("warden"), bench.pid("daemon"));
    let solver = bench.pid("pid");
    kill(Pid::from_raw(warden), Signal::SIGKILL).expect("it runs");
    assert_eq!(runner.wait().expect("it ends").code(), Some(32));
    assert!(
        !is_running(solver) && !is_running(daemon),
        "a process of the solver still runs"
    );
}

#[test]
fn two_runners_do_not_share_a_database() {
    let bench = bench();
    let mut runner = bench.start(&[]);
    bench.pid("pid");
    bench.run(&[]).exits(33).complains("another 'ploy bench'");
    bench.file("go", "");
    assert!(runner.wait().expect("it ends").success());
}

#[test]
fn the_first_levels_can_be_run_before_the_rest() {
    let family = |size: &str| {
        format!(
            "[[levels]]\ngame = 'plotting'\nsize = '{size}'\nseeds = '1..2'\nknobs = {{ colours = 2, goal = 2 }}\n"
        )
    };
    let more = family("2x3") + &family("3x2");
    let bench = Bench::new(WIDE, "'best'").with(&more);
    bench
        .run(&["--first", "1"])
        .exits(0)
        .says("3 of 3 runs are in");
    bench
        .run(&[])
        .exits(0)
        .says("5 of 5 runs are in")
        .says("3 of them before")
        .says("results.html");
    for rest in ["results.db-wal", "results.db-shm"] {
        let left = std::fs::exists(bench.path(rest)).expect("a folder");
        assert!(!left, "{rest} is left behind");
    }
    // The page still has the order of the suite.
    let page = bench.text("results.html").expect("a page");
    let levels = [("2x3", 1), ("2x3", 2), ("3x2", 1), ("3x2", 2)];
    let places = levels
        .map(|(size, seed)| page.find(&format!(">plotting-{size}-colours2-goal2-seed{seed}<")));
    assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
}

#[test]
fn other_limits_are_other_runs_and_other_databases_are_refused() {
    let bench = Bench::new(WIDE, "'best'");
    bench.run(&[]).exits(0).says("1 of 1");
    bench
        .run(&["--cpu", "4m"])
        .exits(0)
        .says("1 of 1 runs are in");
    assert_eq!(bench.rows().len(), 2);
    let foreign = bench.path("foreign.db");
    rusqlite::Connection::open(&foreign)
        .expect("a database")
        .execute_batch("CREATE TABLE mine (a);")
        .expect("a table");
    let suite = bench.path("suite.toml");
    args(&["bench", &suite, "--db", &foreign], b"")
        .exits(33)
        .complains("not a database of 'ploy bench'");
}
