//! Tests on whole levels: examples of the paper (Giménez Ábalos 2019), the built-in levels, and
//! external levels if they are available. The reference is a plain breadth-first search over
//! `play`, which shares no code with the fast rules and the bounds.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use ployglot_testing::skip::shared_data;

use super::{LunarLockout, State};
use crate::*;

pub(super) fn read(text: &str) -> LunarLockout {
    match AnyLevel::read(text) {
        Ok(AnyLevel::LunarLockout(level)) => level.game,
        Ok(other) => panic!("this is {}:\n{text}", other.game_name()),
        Err(bad) => panic!("{bad}\n{text}"),
    }
}

/// The cells, with the helpers in any order.
fn without_names(level: &LunarLockout, state: &State) -> Vec<u16> {
    let mut cells = level.craft(state).to_vec();
    cells[1..].sort_unstable();
    cells
}

/// The least number of slides by the slow rules; `None`: there is no plan.
pub(super) fn optimum(level: &LunarLockout) -> Option<u32> {
    let mut layer = vec![level.start()];
    let mut seen = HashSet::from([without_names(level, &level.start())]);
    for slides in 0.. {
        if layer.is_empty() {
            return None;
        }
        if layer.iter().any(|state| level.shortfall(state).is_none()) {
            return Some(slides);
        }
        let mut next = Vec::new();
        for state in &layer {
            for mv in legal_moves(level, state) {
                let after = level.play(state, mv).expect("legal");
                if seen.insert(without_names(level, &after)) {
                    next.push(after);
                }
            }
        }
        layer = next;
    }
    unreachable!("a finite board has finitely many layers")
}

/// Replays a plan given as text; the referee must accept it at this cost.
fn check_plan(level: &LunarLockout, plan: &str, cost: u32) {
    let mut state = level.start();
    let mut moves = Vec::new();
    for line in plan.split(',') {
        let mv = level.parse_move(&state, line).unwrap();
        assert_eq!(level.print_move(&state, mv), line.trim());
        moves.push(mv);
        state = level.play(&state, mv).unwrap();
    }
    match judge(level, "slides", &moves) {
        Ruling::Accepted { cost: found, .. } => assert_eq!(found, cost),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_papers_state_count_is_ours_times_the_orders_of_the_helpers() {
    let level = read("game: lunar-lockout\nRabcd\n.....\n..X..\n.....\n.....\n");
    // Five craft on 5×5: the paper counts 25!/20! = 6 375 600 static states, with 4! orders of the
    // helpers.
    assert_eq!(super::fast::states(&level), Some(6_375_600 / 24));
    assert_eq!(level.longest_plan(), Some(6_375_600 / 24 - 1));
}

#[test]
fn a_static_action_of_the_paper_moves_next_to_the_first_craft_above() {
    // The paper: "The position just less than the target is not empty, all positions between are".
    // Here red slides up from row 5 to row 2.
    let level = read("goal 3 3\n..a..\n.....\n.....\n.....\n..R..\n");
    let start = level.start();
    let up = level.parse_move(&start, "R up").unwrap();
    let after = level.play(&start, up).unwrap();
    assert_eq!(level.write(&after).rows[1], "..R..");
    assert!(
        level.shortfall(&after).is_some(),
        "the goal was only passed"
    );
}

#[test]
fn the_edge_stops_in_the_papers_dynamic_model_and_not_in_its_rules() {
    let board = "R....\n.....\n..X..\n";
    let void = read(&format!("game: lunar-lockout\n{board}"));
    let stop = read(&format!("game: lunar-lockout\nedge: stop\n{board}"));
    assert!(legal_moves(&void, &void.start()).is_empty());
    assert_eq!(legal_moves(&stop, &stop.start()).len(), 2);
}

#[test]
fn the_plan_is_empty_if_red_starts_on_the_goal() {
    let level = read("goal 1 2\n.R.\n");
    assert!(level.is_goal(&level.start()));
    assert_eq!(optimum(&level), Some(0));
    assert!(matches!(
        judge(&level, "slides", &[]),
        Ruling::Accepted { cost: 0, .. }
    ));
}

#[test]
fn helpers_keep_their_names_in_plans() {
    let level = read("game: lunar-lockout\n......\n......\nRb.X.a\nc.....\n");
    check_plan(&level, "b right, R right", 2);
}

#[test]
fn the_pars_of_the_built_in_levels_are_the_optima() {
    for builtin in LunarLockout::LEVELS {
        let document = Document::parse(builtin.text).unwrap();
        let level = Level::<LunarLockout>::parse(&document).unwrap();
        let expected = match level.par("slides").expect(builtin.name) {
            Par::Cost(cost) => Some(cost),
            Par::Unsolvable => None,
        };
        assert_eq!(optimum(&level.game), expected, "{}", builtin.name);
    }
}

/// External levels and their optima (`None`: unsolvable), if they are beside the project.
pub(super) fn external_levels() -> Vec<(PathBuf, Option<u32>)> {
    let Some(data) = shared_data() else {
        return Vec::new();
    };
    let optima = std::fs::read_to_string(data.join("optima.csv")).expect("a table");
    let known: HashMap<&str, &str> = optima
        .lines()
        .filter_map(|line| {
            let (path, optimum) = line
                .strip_prefix("lunar-lockout,")?
                .split_once(",slides,")?;
            Some((path, optimum))
        })
        .collect();
    let mut external_levels: Vec<_> = known
        .into_iter()
        .map(|(path, optimum)| (data.join(path), optimum.parse().ok()))
        .collect();
    external_levels.sort();
    external_levels
}

#[test]
fn external_levels_are_written_as_they_were_read() {
    let Some(data) = shared_data() else {
        return;
    };
    for file in std::fs::read_dir(data.join("lunar-lockout")).expect("a folder") {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let level = read(&text);
        let again = (LunarLockout::FORMATS[0].write)(&level, &level.start());
        assert_eq!(again.unwrap(), text, "{}", path.display());
    }
}

#[test]
fn the_known_optima_of_small_levels_hold() {
    for (path, known) in external_levels() {
        let level = read(&std::fs::read_to_string(&path).unwrap());
        if level.rows * level.cols <= 25 || level.names.len() <= 6 {
            assert_eq!(optimum(&level), known, "{}", path.display());
        }
    }
}
