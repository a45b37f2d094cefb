//! Reports of a database with known results.

use crate::bench::Bench;
use ployglot_testing::program::{Ran, args, ploy};

/// Two levels by three solvers: `fast` solves both, `fast without x` one, and `wrong` makes a false
/// claim and crashes.
fn known_results() -> Bench {
    let bench = Bench::new("cpu = '10s'\nmemory = '1G'", "'best'");
    bench.run(&[]).exits(0);
    let database = bench.database();
    let insert = "DELETE FROM runs; DELETE FROM levels;
        INSERT INTO levels (id, name, family, game, text) VALUES (1, 'a', 'small', 'plotting', 'A'), (2, 'b', 'large', 'plotting', 'B');
        INSERT INTO runs (session, level, solver, definition, base, measure, repeat, cpu_limit, wall_limit, memory_limit, started,
            ended, code, cpu, wall, memory, status, cost, at_least, checked, lie) VALUES
        (1, 1, 'fast', '', NULL, 'shots', 1, 10, 30, 1000, 0, 'exit', 0, 0.5, 0.6, 5000000, 'optimal', 3, 3, 1, NULL),
        (1, 1, 'fast without x', '', 'fast', 'shots', 1, 10, 30, 1000, 0, 'exit', 0, 2.5, 2.6, 5000000, 'optimal', 3, 3, 1, NULL),
        (1, 1, 'wrong', '', NULL, 'shots', 1, 10, 30, 1000, 0, 'exit', 0, 0.1, 0.1, 5000000, 'unsolvable', NULL, NULL, 0, 'lie: there is a plan'),
        (1, 2, 'fast', '', NULL, 'shots', 1, 10, 30, 1000, 0, 'exit', 11, 1.5, 1.6, 5000000, 'unsolvable', NULL, NULL, 0, NULL),
        (1, 2, 'fast without x', '', 'fast', 'shots', 1, 10, 30, 1000, 0, 'cpu', NULL, 10.1, 10.2, 5000000, 'limit', NULL, 4, 0, NULL),
        (1, 2, 'wrong', '', NULL, 'shots', 1, 10, 30, 1000, 0, 'signal', 11, 0.1, 0.1, 5000000, 'error', NULL, NULL, 0, NULL);";
    database
        .execute_batch(insert)
        .expect("the tables have these columns");
    bench
}

/// The report of [`known_results`], one of which is contradicted.
fn report(bench: &Bench, more: &[&str]) -> String {
    let ran = run_report(bench, more).exits(32);
    ran.complains("contradicts 1 of the runs").out
}

fn run_report(bench: &Bench, more: &[&str]) -> Ran {
    let database = bench.path("results.db");
    let words: Vec<&str> = ["report", &database]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    args(&words, b"")
}

#[test]
fn the_summary_has_the_columns_of_the_papers_table() {
    let text = report(&known_results(), &[]);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    // Solver, levels, solved, optimal, unsolvable, plans, time, memory, errors, lies, PAR2.
    assert_eq!(
        rows[1][..],
        ["fast", "2", "2", "1", "1", "1", "0", "0", "0", "0", "2.00"]
    );
    assert_eq!(
        rows[2][2..],
        [
            "x", "2", "1", "1", "0", "1", "1", "0", "0", "0", "22.50", "-1", "+20.5"
        ],
        "{text}"
    );
    assert_eq!(
        rows[3][..],
        [
            "wrong", "2", "0", "0", "0", "0", "0", "0", "1", "1", "40.00"
        ]
    );
}

/// A run that the clock ended had CPU time left, so it says nothing about the solver.
#[test]
fn runs_that_the_clock_ended_are_counted() {
    let bench = known_results();
    assert!(!report(&bench, &[]).contains("BY CLOCK"));
    let slow = "UPDATE runs SET ended = 'wall', cpu = 0.2 WHERE ended = 'cpu'";
    bench.database().execute_batch(slow).expect("a table");
    let text = report(&bench, &[]);
    assert!(text.contains("BY CLOCK"), "{text}");
    let row = text.lines().find(|line| line.starts_with("fast without"));
    let cells: Vec<&str> = row.expect("a row").split_whitespace().collect();
    // Levels, solved, optimal, unsolvable, plans, time, by clock, memory.
    assert_eq!(
        cells[3..11],
        ["2", "1", "1", "0", "1", "1", "1", "0"],
        "{text}"
    );
}

/// Answers about built-in levels are counted where the list of certificates confirms them.
#[test]
fn the_summary_counts_certified_answers() {
    let bench = known_results();
    let database = bench.database();
    let rename = "UPDATE levels SET name = 'plotting/03-swap-and-swap' WHERE name = 'a';
        UPDATE runs SET cost = 4, at_least = 4 WHERE cost = 3;";
    database.execute_batch(rename).expect("the column is there");
    drop(database);
    let summary = report(&bench, &["--format", "csv", "--part", "summary"]);
    let column = |line: &str| line.split(',').nth(6).map(str::to_string);
    let certified: Vec<_> = summary.lines().filter_map(column).collect();
    assert_eq!(certified, ["certified", "1", "1", "0"], "{summary}");
}

#[test]
fn every_part_in_every_format() {
    let bench = known_results();
    let csv = report(&bench, &["--format", "csv"]);
    assert_eq!(csv.lines().count(), 7);
    assert!(
        csv.contains("b,large,shots,fast without x,time,>=4,10.100,10.200,4,,\n"),
        "{csv}"
    );
    assert!(
        csv.contains("a,small,shots,wrong,lie,-,0.100,0.100,4,,lie: there is a plan\n"),
        "{csv}"
    );
    let switches = report(&bench, &["--format", "csv", "--part", "switches"]);
    assert_eq!(
        switches,
        "route,solved,Δ solved without x,PAR2,Δ PAR2 without x\nfast,2,-1,2.00,+20.5\n"
    );
    let families = report(&bench, &["--format", "csv", "--part", "families"]);
    assert_eq!(
        families,
        "family,fast,fast without x,wrong\nsmall,1/1,1/1,0/1\nlarge,1/1,0/1,0/1\n"
    );
    let cactus = report(&bench, &["--format", "csv", "--part", "cactus"]);
    assert_eq!(
        cactus,
        "solved,fast,fast without x,wrong\n1,0.500,2.500,\n2,1.500,,\n"
    );
    let scatter = report(
        &bench,
        &["--format", "csv", "--scatter", "fast without x", "fast"],
    );
    assert_eq!(
        scatter,
        "level,fast without x,fast\na,2.500,0.500\nb,time,1.500\n"
    );
    let latex = report(&bench, &["--format", "latex"]);
    assert!(
        latex.contains("\\begin{tabular}{lrrrrrrrrrrrr}")
            && latex.contains("fast without x & 2 & 1 &"),
        "{latex}"
    );
    let svg = report(&bench, &["--format", "svg"]);
    assert_eq!(svg.matches("<polyline").count(), 3);
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    let svg = report(&bench, &["--format", "svg", "--part", "scatter"]);
    assert_eq!(svg.matches("<circle").count(), 2);
}

#[test]
fn the_page_has_all_parts_and_loads_no_other_file() {
    let bench = known_results();
    let file = bench.path("report.html");
    assert_eq!(report(&bench, &["--out", &file]), "");
    let page = bench.text("report.html").expect("a page");
    assert!(page.starts_with("<!doctype html>") && page.contains("<title>test</title>"));
    assert_eq!(
        (
            page.matches("<svg ").count(),
            page.matches("<table>").count()
        ),
        (2, 4)
    );
    assert!(page.contains(">3 in 0.50 s<") && page.contains(">time &gt;=4<"));
    let links = ["<link", "<script", "<img", "src=", "url("];
    assert!(
        links.iter().all(|link| !page.contains(link)),
        "the page loads another file"
    );
}

/// The first solver of the suite ends last, and another one does not take part on the first level.
#[test]
fn solvers_come_in_the_order_of_the_suite() {
    let wait = "until [ -e $1/go ]; do sleep 0.1; done\n";
    let bench = Bench::new("cpu = '60s'\nmemory = '1G'", "'search:astar', 'best'")
        .with("[[levels]]\nfiles = ['pipe-mania/01-one-turn']\n")
        .script("waits", wait, "games = ['plotting']")
        .script("lets-go", "touch $1/go\n", "")
        .script("elsewhere", "exit 0\n", "games = ['pipe-mania']");
    bench.run(&["--jobs", "3"]).exits(0);
    let made: Vec<String> = bench.rows().into_iter().map(|row| row.solver).collect();
    let place = |name: &str| made.iter().position(|made| made == name);
    assert!(place("lets-go") < place("waits"), "{made:?}");
    let families = run_report(&bench, &["--format", "csv", "--part", "families"])
        .exits(0)
        .out;
    assert!(
        families.starts_with("family,search:astar,best,waits,lets-go,elsewhere\n"),
        "{families}"
    );
}

#[test]
fn changed_outcomes_come_first() {
    let (before, after) = (known_results(), known_results());
    let change = "UPDATE runs SET cpu = 3.0 WHERE solver = 'fast' AND level = 1;
        UPDATE runs SET ended = 'memory' WHERE solver = 'fast' AND level = 2;
        UPDATE runs SET ended = 'exit', status = 'unsolvable' WHERE solver = 'fast without x' AND level = 2;
        DELETE FROM runs WHERE solver = 'wrong' AND level = 2;";
    after.database().execute_batch(change).expect("it changes");
    let text = report(&after, &["--compare", &before.path("results.db")]);
    let first: Vec<&str> = text
        .lines()
        .map(|line| line.split_whitespace().next().unwrap_or(""))
        .collect();
    assert_eq!(
        first[..7],
        ["CHANGE", "lost", "won", "slower", "same", "same", "gone"],
        "{text}"
    );
    assert!(
        text.contains("1 lost, 1 won, 0 changed otherwise, 3 as before"),
        "{text}"
    );
}

#[test]
fn files_that_are_no_database_and_unknown_solvers_are_errors() {
    let bench = known_results();
    ploy("report nowhere.db")
        .exits(35)
        .complains("no such file");
    bench.file(
        "text.db",
        "this is not a database, but a text that is long enough to look at",
    );
    args(&["report", &bench.path("text.db")], b"")
        .exits(33)
        .complains("text.db");
    let database = bench.path("results.db");
    args(&["report", &database, "--scatter", "fast", "missing"], b"")
        .exits(33)
        .complains("known are fast");
    args(
        &["report", &database, "--format", "svg", "--part", "levels"],
        b"",
    )
    .exits(36);
}
