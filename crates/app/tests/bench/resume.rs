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
fn families_and_solvers_can_be_run_before_the_rest() {
    let more = "[[levels]]\ngame = 'plotting'\nsize = '2x3'\nseeds = '1..2'\nfamily = 'small'\n";
    let bench = Bench::new(WIDE, "'search:astar', 'search:ida', 'search:bfs'").with(more);
    bench
        .run(&["--families", "sm*", "--solvers", "*:[ai]*"])
        .exits(0)
        .says("4 of 4 runs are in");
    bench
        .run(&["--solvers", "search:idle"])
        .exits(33)
        .complains("unknown solver 'search:idle'; did you mean 'search:ida'?");
    bench
        .run(&["--families", "large"])
        .exits(33)
        .complains("unknown family 'large'");
    bench
        .run(&[])
        .exits(0)
        .says("9 of 9 runs are in")
        .says("4 of them before");
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
fn other_limits_are_other_runs() {
    let bench = Bench::new(WIDE, "'best'");
    bench.run(&[]).exits(0).says("1 of 1");
    bench
        .run(&["--cpu", "4m"])
        .exits(0)
        .says("1 of 1 runs are in");
    assert_eq!(bench.rows().len(), 2);
}

/// A file that is not a database of `ploy bench` is refused, and not a byte of it changes. Neither
/// do files beside it.
#[test]
fn foreign_files_are_refused_unchanged() {
    let bench = Bench::new(WIDE, "'best'");
    bench.file("suite.toml", "name = 'a'\nroutes = ['best']\n[limits]\ncpu = '1m'\nmemory = '1G'\n[[levels]]\nfiles = ['plotting/01*']\n");
    let suite = bench.path("suite.toml");
    let databases = [
        "CREATE TABLE mine (a);",
        "CREATE TABLE runs (a); PRAGMA user_version = 1;",
        "CREATE TABLE mine (a); PRAGMA user_version = 2; PRAGMA application_id = 1349283705;",
        "PRAGMA journal_mode = wal; CREATE TABLE mine (a); INSERT INTO mine VALUES (7);",
        "PRAGMA application_id = 7;",
    ];
    for (number, content) in databases.iter().enumerate() {
        // '?' and '#' have a meaning in the addresses of SQLite.
        let name = format!("foreign?{number}#%41.db");
        let database = rusqlite::Connection::open(bench.path(&name)).expect("a database");
        database.execute_batch(content).expect("it is valid");
    }
    bench.file(
        "notes.db",
        "these are notes, and long enough to be taken for a header of a database file",
    );
    let names: Vec<String> = (0..databases.len())
        .map(|number| format!("foreign?{number}#%41.db"))
        .chain(["notes.db".to_string()])
        .collect();
    for name in names {
        let path = bench.path(&name);
        let before = std::fs::read(&path).expect("a file");
        args(&["bench", &suite, "--db", &path], b"")
            .exits(33)
            .complains("not a database of 'ploy bench'");
        assert_eq!(std::fs::read(&path).expect("a file"), before, "{name}");
    }
}

/// The first version of the database wrote the definitions of external solvers in another form. They
/// are written again from the text of the suite, so that no run is made again.
#[test]
fn an_older_database_is_brought_up_to_date() {
    let bench = Bench::new(WIDE, "'best'").script(
        "first",
        "echo run >> \"$1/first.log\"\n",
        "exit = { limit = [0] }",
    );
    bench.run(&[]).exits(0).says("2 of 2");
    let database = rusqlite::Connection::open(bench.path("results.db")).expect("a database");
    let old = "UPDATE runs SET definition = 'Solver { name: \"first\" }' WHERE solver = 'first';
               PRAGMA user_version = 1; PRAGMA application_id = 0;";
    database.execute_batch(old).expect("it is valid");
    drop(database);
    // Reports read it as it is.
    args(&["report", &bench.path("results.db")], b"").exits(0);
    bench
        .run(&[])
        .exits(0)
        .says("2 of 2")
        .says("2 of them before");
    assert_eq!(bench.text("first.log").as_deref(), Some("run\n"));
    let database = rusqlite::Connection::open(bench.path("results.db")).expect("a database");
    let read = "SELECT definition FROM runs WHERE solver = 'first'";
    let definition: String = (database.query_row(read, [], |row| row.get(0))).expect("a row");
    assert!(definition.starts_with("command = [\"sh\","), "{definition}");
}

#[test]
fn suites_that_never_end_are_refused() {
    let bench = Bench::new(WIDE, "'best'").with("levels-from = 'suite.toml'\n");
    // The key belongs to the last table, so it is an unknown key there.
    bench.run(&[]).exits(31);
    let head = "name = 'a'\nroutes = ['best']\n";
    let limits = "[limits]\ncpu = '1m'\nmemory = '1G'\n";
    let levels = "[[levels]]\ngame = 'plotting'\nsize = '2x2'\nseeds = '1..2000'\n";
    for (text, code, message) in [
        (
            format!("{head}levels-from = 'suite.toml'\n{limits}"),
            31,
            "suite.toml:3:15",
        ),
        (
            format!("{head}repeats = 4000000000\n{limits}{levels}"),
            31,
            "suite.toml:3:11",
        ),
        (
            format!("{head}repeats = 1000\n{limits}{levels}"),
            33,
            "2000000 runs",
        ),
    ] {
        bench.file("suite.toml", &text);
        let suite = bench.path("suite.toml");
        let ran = args(&["bench", &suite, "--db", &bench.path("x.db")], b"");
        let shown = ran.err.replace("--> ", "");
        assert!(shown.contains(message), "no '{message}' in {ran:#?}");
        ran.exits(code);
    }
}
