//! `ploy show`, `ploy play` and `ploy demo`.

use ployglot_testing::program::{Folder, args, command, ploy};

/// ```text
/// RRR
/// GGR
/// ```
const LEVEL: &str = "plotting/02-around-the-corner";

#[test]
fn a_board_is_shown_with_row_and_column_numbers() {
    let board = "      1  2  3

1     R  R  R
2     G  G  R

hand: wildcard   blocks: 6, goal 2
";
    let ran = ploy(&format!("show {LEVEL}")).exits(0);
    let trimmed: String = ran
        .out
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    assert_eq!(
        trimmed,
        format!("Around the corner (plotting, 2 by 3)\n\n{board}")
    );
}

#[test]
fn a_plan_is_shown_board_by_board_and_judged() {
    let show = |plan: &str, more: &[&str]| {
        let mut arguments = vec!["show", LEVEL, "-"];
        arguments.extend(more);
        args(&arguments, plan.as_bytes())
    };
    show("row 1\n", &[])
        .exits(0)
        .says("\n1. row 1\n")
        .says("2     G  G  .")
        .says("the goal is reached: 1 shot\n");
    show("row 1\nrow 1\n", &[])
        .exits(1)
        .says("1. row 1")
        .says("move 2 (row 1) is illegal: ");
    show("", &[]).exits(1).says("the goal is not reached: ");
    let after = show("row 1\n", &["--at", "1"])
        .exits(0)
        .says("2     G  G  .");
    assert!(!after.out.contains("R  R  R"), "{after:?}");
    show("row 1\n", &["--at", "2"])
        .exits(33)
        .complains("the plan has 1 legal move");
    show("fly\n", &[]).exits(31).complains("standard input:1:1");
}

#[test]
fn pictures_are_written() {
    let folder = Folder::new();
    let file = |name: &str| {
        folder
            .path()
            .join(name)
            .to_str()
            .expect("UTF-8")
            .to_string()
    };
    let (svg, png, gif) = (file("a.svg"), file("a.png"), file("a.gif"));
    let ran = args(
        &["show", LEVEL, "--svg", &svg, "--png", &png, "--gif", &gif],
        b"",
    )
    .exits(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    assert_eq!(folder.names(), ["a.gif", "a.png", "a.svg"]);
    let starts = |name: &str, magic: &[u8]| {
        let bytes = std::fs::read(file(name)).expect("written");
        assert!(bytes.starts_with(magic), "{name}");
    };
    starts("a.svg", b"<svg ");
    starts("a.png", b"\x89PNG");
    starts("a.gif", b"GIF89a");
    ploy(&format!("show {LEVEL} --svg -"))
        .exits(0)
        .says("</svg>");
    ploy(&format!("show {LEVEL} --svg - --png -"))
        .exits(36)
        .complains("only once");
    ploy(&format!("show {LEVEL} --svg /nowhere/a.svg")).exits(35);
}

#[test]
fn an_unsolvable_level_has_nothing_to_animate() {
    let folder = Folder::new();
    let gif = folder.path().join("a.gif");
    args(
        &[
            "show",
            "plotting/06-one-too-few",
            "--gif",
            gif.to_str().expect("UTF-8"),
        ],
        b"",
    )
    .exits(11)
    .complains("nothing to animate");
    assert!(folder.names().is_empty());
}

#[test]
fn a_huge_board_is_cut_in_text_and_refused_as_a_picture() {
    let row = "R1".repeat(1000) + "\n";
    let level = format!(
        "game: pipe-mania\n\nB1{}{}B1\n",
        &row[2..],
        row.repeat(998) + &row[..1998]
    );
    args(&["show", "-"], level.as_bytes())
        .exits(0)
        .says("the board has 1000 rows and 1000 columns; the first 100 and 100 are shown");
    args(&["show", "-", "--png", "-"], level.as_bytes())
        .exits(34)
        .complains("too large to draw");
}

#[test]
fn colours_follow_the_environment() {
    let coloured = |name: &str, value: &str| {
        let output = command().env(name, value).args(["show", LEVEL]).output();
        let out = output.expect("it runs").stdout;
        String::from_utf8(out).expect("text").contains('\u{1b}')
    };
    assert!(!coloured("IRRELEVANT", "1"), "a pipe gets no colours");
    assert!(coloured("CLICOLOR_FORCE", "1"));
    assert!(!coloured("NO_COLOR", "1"));
}

#[test]
fn playing_needs_a_terminal() {
    ploy(&format!("play {LEVEL}"))
        .exits(36)
        .complains("playing needs a terminal");
}

#[test]
fn the_demo_shows_each_game_and_commands_to_try() {
    for arguments in ["demo", ""] {
        let ran = ploy(arguments).exits(0);
        for game in ployglot_games::NAMES {
            assert!(ran.out.contains(&format!("{game}/")), "{game}: {}", ran.out);
        }
        assert_eq!(
            ran.out
                .matches("proven optimal, and replayed by the referee")
                .count(),
            ployglot_games::NAMES.len()
        );
        let ran = ran.says("proven unsolvable").says("  ploy play plotting/");
        assert!(!ran.out.contains('\u{1b}'));
    }
}
