//! Limits: solvers that hang, spin, fork, allocate too much memory and crash.

use ployglot_testing::skip::has_program;

use crate::bench::{Bench, is_running};

/// Limits that no test is expected to reach.
const WIDE: &str = "cpu = '5m'\nwall = '10m'\nmemory = '2G'\ngrace = '100ms'";

/// Starts a daemon, which leaves its process group, its session and its parent, and writes its
/// process number to the file `daemon`.
const DAEMON: &str =
    "( setsid sh -c 'echo $$ > \"$1/daemon\"; while :; do sleep 1; done' daemon \"$1\" & )
while [ ! -s \"$1/daemon\" ]; do sleep 0.1; done\n";

#[test]
fn a_solver_that_hangs_is_ended_at_the_wall_time_limit() {
    let bench = Bench::new(
        "cpu = '5m'\nwall = '1s'\nmemory = '1G'\ngrace = '100ms'",
        "",
    );
    let bench = bench.script(
        "ignores-sigterm",
        "trap '' TERM\necho $$ > \"$1/pid\"\nwhile :; do sleep 1; done\n",
        "",
    );
    bench.run(&[]).exits(0).says("1 of 1 runs");
    let row = bench.row("ignores-sigterm");
    assert_eq!((row.ended.as_str(), row.status.as_str()), ("wall", "limit"));
    assert_eq!(
        row.message,
        "the runner ended it at the limit of wall-clock time"
    );
    assert!(!is_running(bench.pid("pid")));
}

#[test]
fn cpu_time_of_children_is_counted_and_limited() {
    let bench = Bench::new(
        "cpu = '1s'\nwall = '10m'\nmemory = '1G'\ngrace = '100ms'",
        "",
    );
    let spin = "for i in 1 2 3; do ( while :; do :; done ) & done\nwait\n";
    let bench = bench.script("spins", spin, "");
    bench.run(&[]).exits(0);
    let row = bench.row("spins");
    assert!(row.ended == "cpu" && row.cpu >= 1.0, "{row:?}");
    assert_eq!(
        (row.status.as_str(), row.message.as_str()),
        ("limit", "the runner ended it at the limit of CPU time")
    );
}

#[test]
fn cpu_time_of_children_that_have_ended_is_counted() {
    let bench = Bench::new(WIDE, "");
    let busy = "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'\necho done\n";
    let bench = bench.script("busy", busy, "output = { limit = 'done' }");
    bench.run(&[]).exits(0);
    let row = bench.row("busy");
    // The loop takes tenths of a second; the outer shell takes almost no time.
    assert!(
        row.ended == "exit" && row.status == "limit" && row.cpu > 0.02,
        "{row:?}"
    );
}

#[test]
fn cpu_time_of_children_that_are_never_waited_for_is_counted() {
    if !has_program("perl") {
        return;
    }
    let bench = Bench::new(
        "cpu = '1s'\nwall = '20m'\nmemory = '1G'\ngrace = '100ms'",
        "",
    );
    let ignores_sigchld = "exec perl -e '$SIG{CHLD} = \"IGNORE\"; for (;;) { if (!fork) { 1 while (times)[0] < 0.2; exit } wait }'\n";
    let bench = bench.script("ignores-sigchld", ignores_sigchld, "");
    bench.run(&[]).exits(0);
    let row = bench.row("ignores-sigchld");
    assert!(row.ended == "cpu" && row.cpu >= 1.0, "{row:?}");
}

#[test]
fn processes_that_a_solver_leaves_behind_are_killed() {
    let bench = Bench::new(WIDE, "").script(
        "leaves",
        &format!("{DAEMON}echo bye\n"),
        "output = { limit = 'bye' }",
    );
    bench.run(&[]).exits(0);
    assert_eq!(bench.row("leaves").ended, "exit");
    assert!(!is_running(bench.pid("daemon")), "the daemon still runs");
}

#[test]
fn memory_is_limited_for_all_processes_together() {
    let limits = "cpu = '5m'\nwall = '10m'\nmemory = '100M'\ngrace = '100ms'";
    // 2^24 letters are 16 MB: each of the twelve is far below the limit.
    let grow = "x=0123456789abcdef\ni=0\nwhile [ $i -lt 20 ]; do x=$x$x; i=$((i+1)); done\n";
    let many = format!(
        "for n in 1 2 3 4 5 6 7 8 9 10 11 12; do ( {grow} while :; do sleep 1; done ) & done\nwait\n"
    );
    let alone = format!("{DAEMON}x=0123456789abcdef\nwhile :; do x=$x$x; done\n");
    let bench = Bench::new(limits, "")
        .script("many", &many, "")
        .script("alone", &alone, "");
    bench.run(&[]).exits(0);
    for solver in ["many", "alone"] {
        let row = bench.row(solver);
        assert!(row.ended == "memory" && row.memory > 100 << 20, "{row:?}");
        assert_eq!(row.status, "limit", "{row:?}");
    }
    assert!(!is_running(bench.pid("daemon")), "the daemon still runs");
}

#[test]
fn crashes_are_recorded() {
    let bench = Bench::new(WIDE, "")
        .script("crashes", "kill -SEGV $$\n", "")
        .script("fails", "echo 'no licence' >&2\nexit 3\n", "");
    bench.run(&[]).exits(0);
    let row = bench.row("crashes");
    assert_eq!((row.ended.as_str(), row.code), ("signal", Some(11)));
    assert_eq!(row.status, "error", "{row:?}");
    let row = bench.row("fails");
    assert_eq!(
        (row.ended.as_str(), row.code, row.message.as_str()),
        ("exit", Some(3), "no licence")
    );
}

/// The runs of a solver that is not installed are not made, so that the same command makes them
/// after it was installed.
#[test]
fn a_missing_solver_is_named_with_its_place_and_how_to_install_it() {
    let bench = Bench::new(WIDE, "'best'")
        .with("[[solvers]]\nname = 'missing'\ncommand = ['no-such-program-anywhere']\ninstall = 'pip install it'\n")
        .script("adapter", "command -v \"$1/tool\" || { echo 'the tool is not here' >&2; exit 127; }\n", "exit = { limit = [0] }");
    let ran = bench.run(&[]).exits(12).says("1 of 3 runs are in");
    let suite = bench.path("suite.toml");
    for part in [
        format!(
            "{suite}:12:11: 'missing' is not installed: there is no program 'no-such-program-anywhere' in PATH; \
             to install it: pip install it\n"
        ),
        format!("{suite}:16:11: 'adapter' is not installed: the tool is not here\n"),
    ] {
        assert!(ran.err.contains(&part), "no '{part}' in {ran:#?}");
    }
    // Now the tool of the adapter is installed.
    std::os::unix::fs::symlink("/bin/true", bench.path("tool")).expect("a link");
    let ran = bench.run(&[]).exits(12).says("2 of 3 runs are in");
    assert!(!ran.err.contains("'adapter'"), "{ran:#?}");
}

#[test]
fn a_solver_may_report_its_bound_after_sigterm() {
    let bench = Bench::new("cpu = '5m'\nwall = '1s'\nmemory = '1G'\ngrace = '5m'", "");
    let handles_sigterm = "trap 'echo at least 1; exit 0' TERM\nwhile :; do sleep 0.1; done\n";
    let bench = bench.script(
        "handles-sigterm",
        handles_sigterm,
        "output = { limit = 'at least' }\nat-least = 'at least (\\d+)'",
    );
    bench.run(&[]).exits(0);
    let row = bench.row("handles-sigterm");
    assert_eq!((row.ended.as_str(), row.status.as_str()), ("wall", "limit"));
}

#[test]
fn runs_are_bound_to_cores() {
    let bench = Bench::new(WIDE, "");
    let bench = bench.script(
        "asks",
        "grep Cpus_allowed_list /proc/self/status > \"$1/cores\"\n",
        "exit = { limit = [0] }",
    );
    bench.run(&["--jobs", "1"]).exits(0);
    let cores = bench.text("cores").expect("the script wrote the file");
    let list = cores.split_whitespace().last().expect("a list");
    assert!(list.parse::<usize>().is_ok(), "one core: {cores}");
}
