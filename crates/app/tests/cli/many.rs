//! `ploy solve` on many levels at once.

use ployglot_testing::program::{Folder, ploy};

const LEVELS: &str = "plotting/04-staircase lunar-lockout/09-corner-to-centre plotting/01-first-shot bombastic/07-cornered";

#[test]
fn answers_are_printed_in_the_order_of_the_levels() {
    for jobs in [1, 2, 7] {
        let ran = ploy(&format!("solve --json --jobs {jobs} {LEVELS}")).exits(0);
        let names: Vec<String> = ran
            .rows()
            .iter()
            .map(|row| row["level"].as_str().unwrap_or("").to_string())
            .collect();
        assert_eq!(names, LEVELS.split(' ').collect::<Vec<_>>());
        ran.complains("4 levels: 3 optimal, 1 unsolvable\n");
    }
}

#[test]
fn an_error_does_not_stop_the_other_levels() {
    let folder = Folder::new();
    let broken = folder.file("broken.level", "game: plotting\ngoal: 0\n\nR?R\n");
    let ran = ploy(&format!("solve --json nowhere.level {LEVELS} {broken}")).exits(35);
    let statuses: Vec<String> = ran
        .rows()
        .iter()
        .map(|row| row["status"].as_str().unwrap_or("").to_string())
        .collect();
    assert_eq!(
        statuses,
        [
            "error",
            "optimal",
            "optimal",
            "optimal",
            "unsolvable",
            "error"
        ]
    );
    assert_eq!(
        ran.rows()[0]["message"],
        "nowhere.level: there is no such file"
    );
    let message = ran.rows()[5]["message"].as_str().unwrap_or("").to_string();
    assert!(message.starts_with(&format!("{broken}:4:2: ")), "{message}");
    ran.complains("6 levels: 3 optimal, 1 unsolvable, 2 error\n");
    let ran = ploy(&format!("solve --quiet {broken} {LEVELS}")).exits(31);
    assert_eq!(ran.out.lines().count(), 4, "{ran:#?}");
    ran.complains("4 | R?R");
}

#[test]
fn an_unknown_measure_is_an_error_of_that_level_only() {
    let ran =
        ploy("solve --json --measure slides plotting/01-first-shot lunar-lockout/01-touchdown")
            .exits(33);
    assert_eq!(ran.rows()[0]["status"], "error");
    assert_eq!(ran.rows()[1]["status"], "optimal");
}
