//! The suites of the papers run from a fresh clone: one level each, with a small limit, and print
//! the paper's tables beside our figures.

use ployglot_testing::program::{Folder, args};

use crate::bench::Bench;

/// The suites, and what their tables are called. Those of integer programming need a feature that a
/// build may lack.
const SUITES: [(&str, &str); 9] = [
    ("bombastic-figures", "Figure 1"),
    ("bombastic-figures-2-3", "Figure 3"),
    ("lunar-lockout", "Section 3"),
    ("pipe-mania-table1", "Table 1, means"),
    ("pipe-mania-table2", "Table 2, means"),
    ("pipe-mania-table3", "Table 3, means"),
    ("pipe-mania-table4", "Table 4, means"),
    ("plotting-table1", "Table 1"),
    ("puzznic-table1", "Table 1, proofs"),
];

fn folder() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../suites/papers").to_string()
}

#[test]
fn every_suite_of_the_papers_prints_the_papers_table() {
    let out = Folder::new();
    for (suite, title) in SUITES {
        let file = format!("{}/{suite}.toml", folder());
        let (database, page) = (
            out.file(&format!("{suite}.db"), ""),
            out.file(&format!("{suite}.html"), ""),
        );
        std::fs::remove_file(&database).expect("it was just made");
        let ran = args(
            &[
                "bench", &file, "--limit", "1s", "--levels", "1", "--jobs", "2", "--db", &database,
                "--page", &page,
            ],
            b"",
        )
        .exits(0);
        assert!(ran.out.contains(title), "{suite}: {}", ran.out);
        assert!(ran.out.contains("levels: 1 "), "{suite}: {}", ran.out);
        for heading in ["PAPER", "HERE", "OURS"] {
            assert!(ran.out.contains(heading), "{suite}: {}", ran.out);
        }
        let phases = args(&["report", &database, "--part", "phases"], b"").exits(0);
        assert!(
            phases.out.contains("UNROLLING S"),
            "{suite}: {}",
            phases.out
        );
    }
}

/// Every file in the folder is tested above, or needs a feature.
#[test]
fn no_suite_of_the_papers_is_forgotten() {
    for file in std::fs::read_dir(folder())
        .expect("the suites are there")
        .flatten()
    {
        let name = file.file_name().into_string().expect("a name in UTF-8");
        let stem = name.trim_end_matches(".toml");
        let known = SUITES.iter().any(|(suite, _)| *suite == stem);
        assert!(known || stem.ends_with("-mip"), "{name}");
    }
}

#[test]
fn a_wrong_table_is_refused_with_its_row() {
    let out = Folder::new();
    let suite = "name = 'a'\nroutes = ['best']\n[limits]\ncpu = '1s'\nmemory = '1G'\n\
        [[levels]]\nfiles = ['plotting/01-first-shot']\n\
        [[tables]]\ntitle = 'Table 1'\nsource = 's'\ncolumns = [{ name = 'c', figure = 'solved' }]\n\
        rows = '''\nx | 1 | 2\n'''\n[tables.solvers]\nx = ['best', 'best']\n";
    let file = out.file("suite.toml", suite);
    let ran = args(&["bench", &file], b"");
    assert!(
        ran.err
            .contains("the row 'x' has 2 figures, and the table has 1 columns"),
        "{}",
        ran.err
    );
}

/// `many` answers both levels, `few` the first one. Each reports as many nodes as its number and the
/// lines of the level, after a smaller number that does not count.
#[test]
fn means_may_be_over_the_levels_that_all_solvers_answered() {
    let solver = |name: &str, answers: &str, number: u32| {
        format!(
            r"
[[solvers]]
name = '{name}'
output = {{ unsolvable = '^none' }}
nodes = '^nodes (\d+)'
command = ['sh', '-c', 'grep -q {answers} $0 && echo none; echo nodes 1; echo nodes $(({number} + $(wc -l < $0)))', '{{level}}']
"
        )
    };
    let figures = |means: &str| -> [f64; 2] {
        let suite = format!(
            "name = 'a'\n[limits]\ncpu = '1m'\nmemory = '1G'\n\
             [[levels]]\nfiles = ['plotting/01-first-shot', 'plotting/02-around-the-corner']\n{}{}\
             [[tables]]\ntitle = 'T'\nsource = 's'\nmeans = '{means}'\n\
             columns = [{{ name = 'n', figure = 'mean-nodes' }}]\nrows = 'x | -'\n\
             solvers = {{ x = ['few', 'many'] }}\n",
            solver("few", "goal:.1", 100),
            solver("many", "goal", 200),
        );
        let out = Bench::of(&suite).run(&[]).exits(0).out;
        let row = out.lines().find(|line| line.starts_with("x "));
        let row = row.unwrap_or_else(|| panic!("no row in {out}"));
        let cells: Vec<&str> = row.split_whitespace().rev().collect();
        [cells[1], cells[0]].map(|cell| cell.parse().unwrap_or_else(|_| panic!("{out}")))
    };
    let ([few, many], [common_few, common_many]) = (figures("own"), figures("common"));
    // The second level has one line more.
    assert_eq!((few, many), (common_few, common_many + 0.5));
    assert_eq!(common_many - common_few, 100.0);
}
