//! `ploy check`: the referee's rulings.

use ployglot_testing::program::{Folder, args, ploy};

/// ```text
/// RRR
/// GGR
/// ```
const LEVEL: &str = "plotting/02-around-the-corner";

#[track_caller]
fn check(plan: &str, code: i32) -> ployglot_testing::program::Ran {
    args(&["check", LEVEL, "-"], plan.as_bytes()).exits(code)
}

#[test]
fn a_good_plan_is_accepted_with_its_cost() {
    check("; a plan\n\n  ROW 1 ; around the corner\n", 0)
        .says("accepted: 1 shot; the goal is reached in 1 move\n");
}

#[test]
fn an_illegal_move_is_shown_with_the_board_and_the_legal_moves() {
    let ran = check("row 1\n; then\nrow 1\nrow 2\n", 1);
    ran.says("rejected: move 2 is illegal: ")
        .says("standard input:3:1")
        .says("3 | row 1\n  | ^^^^^\n")
        .says("the board before it:\n...\nGG.\nhand: R\n")
        .says("legal moves: none\n");
}

#[test]
fn a_missed_goal_is_reported_with_what_is_missing() {
    check("", 1)
        .says("rejected: the goal is not reached after 0 moves: 6 blocks remain")
        .says("the board at the end:\nRRR\nGGR\n");
}

#[test]
fn an_unreadable_move_is_marked() {
    check("row 1\n  jump 3 ; what?\n", 31)
        .complains("standard input:2:3")
        .complains("2 |   jump 3 ; what?\n  |   ^^^^^^")
        .complains("a move is 'row N' or 'col N'");
}

#[test]
fn rulings_as_json() {
    let folder = Folder::new();
    let plan = folder.file("plan", "row 1\nrow 1\n");
    let row = ploy(&format!("check --json {LEVEL} {plan}")).exits(1).row();
    assert_eq!(
        (&row["version"], &row["ruling"], &row["at"], &row["line"]),
        (&1.into(), &"illegal".into(), &2.into(), &2.into())
    );
    assert_eq!((&row["level"], &row["plan"]), (&LEVEL.into(), &plan.into()));
    assert_eq!(
        (&row["move"], &row["legal"]),
        (&"row 1".into(), &serde_json::json!([]))
    );
    let accepted = args(&["check", "--json", LEVEL, "-"], b"row 1")
        .exits(0)
        .row();
    assert_eq!(
        (&accepted["ruling"], &accepted["cost"], &accepted["measure"]),
        (&"accepted".into(), &1.into(), &"shots".into())
    );
    let missed = args(&["check", "--json", LEVEL, "-"], b"").exits(1).row();
    assert_eq!(
        (&missed["ruling"], &missed["moves"]),
        (&"missed".into(), &0.into())
    );
    let error = args(&["check", "--json", LEVEL, "-"], b"jump")
        .exits(31)
        .row();
    assert_eq!(error["ruling"], "error");
}

#[test]
fn an_unknown_measure_is_an_error() {
    args(&["check", "--measure", "slides", LEVEL, "-"], b"row 1")
        .exits(33)
        .complains("unknown measure 'slides'");
    args(&["check", "-", "-"], b"row 1").exits(36);
}

#[test]
fn plans_in_letters_are_accepted() {
    // Bombastic also reads Sokoban's letters.
    let level = "bombastic/01-first-push";
    let plan = ploy(&format!("solve --json {level}")).row()["plan"].clone();
    let letters: String = plan
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|mv| mv.as_str()?.chars().next())
        .collect();
    args(&["check", level, "-"], letters.as_bytes())
        .exits(0)
        .says("accepted: 3 steps");
    args(&["check", level, "-"], letters.to_uppercase().as_bytes())
        .exits(0)
        .says("accepted: 3 steps");
}
