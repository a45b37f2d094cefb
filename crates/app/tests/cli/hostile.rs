//! Hostile input: the program reports what is wrong, soon, and never panics.

use std::process::Command;
use std::time::{Duration, Instant};

use ployglot_testing::program::{Folder, Ran, args, command, path, ploy};

#[track_caller]
fn error(ran: Ran, code: i32, part: &str) {
    let ran = ran.exits(code).complains("error: ").complains(part);
    assert!(!ran.err.contains("panicked"), "{ran:#?}");
    assert!(ran.err.len() < 2000, "{} bytes", ran.err.len());
    assert_eq!(ran.out, "");
}

#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, part: &str) {
    let folder = Folder::new();
    let file = folder.file("a.level", bytes);
    let started = Instant::now();
    error(args(&["solve", &file], b""), 31, part);
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn paths_that_are_not_level_files() {
    error(ploy("solve /"), 35, "/: this is a directory");
    error(
        ploy("solve no/such/file"),
        35,
        "no/such/file: there is no such file",
    );
    error(
        ploy("solve plotting/01-frist-shot"),
        36,
        "did you mean 'plotting/01-first-shot'?",
    );
    error(
        ploy("check plotting/01-first-shot nowhere"),
        35,
        "nowhere: there is no such file",
    );
    error(
        ploy("convert plotting/01-first-shot --to level --out /"),
        35,
        "/: ",
    );
}

#[test]
fn texts_that_are_not_levels() {
    refused("", "the level is empty");
    refused("\n \n\t\n", "the level is empty");
    refused([0xff, 0xfe, 0x00], "UTF-8");
    refused(b"game: plotting\ngoal: 0\n\nRR\xc3(R\n", "a.level:4:3");
    refused(vec![0; 100], "not a known level format");
    refused("hello", "not a known level format");
    refused("game: chess\n\nRNBQKBNR\n", "unknown game 'chess'");
    refused("game: plotting\ngoal: -1\n\nRRR\n", "goal is a number");
    refused("game: plotting\ngoals: 1\n\nRRR\n", "did you mean 'goal'?");
    refused("game: plotting\ngoal: 1\n", "the board is missing");
}

#[test]
fn oversized_input() {
    refused("x".repeat(1 << 20), "not a known level format");
    refused(
        format!("game: plotting\ngoal: 1\n\n{}\n", "R".repeat(1 << 20)),
        "a.level:4:",
    );
    refused(
        format!("game: plotting\ngoal: 1\n\n{}", "R\n".repeat(1 << 20)),
        "rows",
    );
    refused("x".repeat((16 << 20) + 1), "at most 16 MB");
    refused("[".repeat(1 << 20), "not a known level format");
    refused(
        format!("letting initGrid be {}", "[".repeat(1 << 20)),
        "nested",
    );
    refused(
        "letting initGrid be [[99999999999999999999]]\nletting goalBlocksRemaining be 1",
        "64 bits",
    );
    refused(
        "letting initGrid be [[1,-2]]\nletting goalBlocksRemaining be 1",
        "a cell",
    );
}

#[test]
fn endless_input() {
    if std::path::Path::new("/dev/zero").exists() {
        error(ploy("solve /dev/zero"), 31, "at most 16 MB");
        error(
            ploy("check plotting/01-first-shot /dev/zero"),
            31,
            "at most 16 MB",
        );
    }
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let folder = Folder::new();
    let file = folder.file("a.level", "game: plotting\ngoal: 0\n\nR\u{1b}[31mR\n");
    let ran = ploy(&format!("solve {file}")).exits(31);
    assert!(!ran.err.contains('\u{1b}'), "{ran:#?}");
}

#[test]
fn texts_that_are_not_plans() {
    let check = |plan: &[u8]| args(&["check", "plotting/01-first-shot", "-"], plan);
    error(check(b"\xff"), 31, "is UTF-8 text, found the byte 0xff");
    error(check(&b"row 1 ".repeat(1 << 18)), 31, "a move is");
    error(
        check("row 99999999999999999999".as_bytes()),
        31,
        "the rows are",
    );
    error(check("row -1".as_bytes()), 31, "a move is");
    error(
        check("row 1".replace('1', "\u{0661}").as_bytes()),
        31,
        "a move is",
    );
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let ploy = path().display().to_string();
    for line in [
        "levels",
        "routes",
        "completions bash",
        "solve --json plotting/01-first-shot plotting/04-staircase 2>/dev/null",
        "--help",
    ] {
        let pipe = format!("{ploy} {line} | head -n 1 >/dev/null");
        let output = Command::new("sh")
            .args(["-c", &pipe])
            .output()
            .expect("a shell");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{pipe}");
    }
    // The pipe is closed before the first byte is written.
    let mut child = command()
        .arg("levels")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).as_ref()
        ),
        (Some(0), "")
    );
}

#[test]
fn a_row_that_is_too_short_gets_a_warning() {
    let ran = args(&["solve", "--json", "-"], b"B1R1B1\nL1\n").exits(0);
    assert_eq!(ran.row()["cost"], 2);
    ran.complains("warning: ")
        .complains("standard input:2:3")
        .complains("2 | L1");
}
