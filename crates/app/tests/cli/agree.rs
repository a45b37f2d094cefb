//! The commands agree: `check` accepts every plan of `solve` at the same cost, and the best route
//! of every game gives the same answers as plain breadth-first search.

use ployglot_games::*;
use serde_json::Value;

use ployglot_testing::program::{Folder, Ran, args};

/// Writes small random levels of every game into a folder.
struct Write<'a> {
    folder: &'a Folder,
    files: Vec<String>,
    /// The files of games whose default measure is a sum over moves, which searches through states
    /// optimise.
    additive: Vec<String>,
}

impl GameVisitor for Write<'_> {
    fn visit<G: Game>(&mut self) {
        for seed in 0..10 {
            let size = Spec::size(3, 3 + seed as usize % 2);
            let Ok(game) = G::generate(&size, &mut Random::new(seed)) else {
                continue;
            };
            let name = format!("{}-{seed}.level", G::NAME);
            let file = self.folder.file(&name, Level::bare(game).print());
            if G::MEASURES[0].additive {
                self.additive.push(file.clone());
            }
            self.files.push(file);
        }
    }
}

fn solve(levels: &[String], options: &[&str]) -> Ran {
    let mut arguments = vec!["solve", "--json", "--jobs", "2"];
    arguments.extend(options);
    arguments.extend(levels.iter().map(String::as_str));
    args(&arguments, b"").exits(0)
}

/// Asserts that `check` accepts the plan, if there is one, at the cost that `solve` reports.
#[track_caller]
fn confirm(row: &Value) {
    let (level, measure) = (
        row["level"].as_str().expect("a level"),
        row["measure"].as_str().expect("a measure"),
    );
    let Some(moves) = row["plan"].as_array() else {
        return;
    };
    let plan: String = moves
        .iter()
        .map(|mv| format!("{}\n", mv.as_str().expect("a move")))
        .collect();
    let ruling = args(
        &["check", "--json", "--measure", measure, level, "-"],
        plan.as_bytes(),
    )
    .exits(0)
    .row();
    assert_eq!(
        (&ruling["ruling"], &ruling["cost"]),
        (&"accepted".into(), &row["cost"]),
        "{row} {ruling}"
    );
    assert_eq!(ruling["moves"], moves.len());
}

#[test]
fn solve_and_check_agree_on_random_levels() {
    let folder = Folder::new();
    let mut write = Write {
        folder: &folder,
        files: Vec::new(),
        additive: Vec::new(),
    };
    visit_games(&mut write);
    assert!(
        write.files.len() >= 30,
        "{} random levels",
        write.files.len()
    );
    let rows = solve(&write.files, &[]).rows();
    assert!(rows.iter().any(|row| row["status"] == "optimal"));
    for row in &rows {
        assert!(
            row["status"] == "optimal" || row["status"] == "unsolvable",
            "{row}"
        );
        confirm(row);
    }
}

#[test]
fn the_best_route_agrees_with_breadth_first_search() {
    let folder = Folder::new();
    let mut write = Write {
        folder: &folder,
        files: Vec::new(),
        additive: Vec::new(),
    };
    visit_games(&mut write);
    let best = solve(&write.additive, &[]).rows();
    let plain = solve(&write.additive, &["--route", "search:bfs"]).rows();
    for (best, plain) in best.iter().zip(&plain) {
        assert_eq!(
            (&best["status"], &best["cost"]),
            (&plain["status"], &plain["cost"]),
            "{best} {plain}"
        );
    }
}

#[test]
fn solve_and_check_agree_on_the_built_in_levels() {
    let levels: Vec<String> = args(&["levels", "--json"], b"")
        .exits(0)
        .rows()
        .iter()
        .map(|row| row["level"].as_str().expect("a level").to_string())
        .collect();
    for row in solve(&levels, &["--time", "2s"]).rows() {
        confirm(&row);
        if row["status"] == "optimal" && !row["par"].is_null() {
            assert_eq!(row["cost"], row["par"], "{row}");
        }
    }
}
