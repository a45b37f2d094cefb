//! Hostile input: the program reports what is wrong, soon, and never panics.

use std::process::Command;
use std::time::{Duration, Instant};

use ployglot_testing::program::{Folder, Ran, args, command, path, ploy};
use ployglot_testing::skip::skip;

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
    for command in [
        "convert plotting/01-first-shot --to level --out no/such/folder",
        "solve plotting/01-first-shot --certificate no/such/folder",
    ] {
        let why = "no/such/folder: there is no such folder to write into";
        error(ploy(command), 35, why);
    }
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

/// Runs `ploy` on a terminal and returns what the terminal received; `None` without `script`, which
/// makes one.
fn on_a_terminal(arguments: &[&str]) -> Option<String> {
    let words = (1..=arguments.len()).map(|number| format!(" \"$a{number}\""));
    let command = format!("exec \"$ploy\"{}", words.collect::<String>());
    let mut script = Command::new("script");
    script
        .args(["-qec", &command, "/dev/null"])
        .env("ploy", path())
        .env("NO_COLOR", "1")
        .stdin(std::process::Stdio::null());
    for (index, argument) in arguments.iter().enumerate() {
        script.env(format!("a{}", index + 1), argument);
    }
    let Ok(ran) = script.output() else {
        skip("there is no program 'script'");
        return None;
    };
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// Escape sequences (7-bit and 8-bit), a title of the window, and a bidirectional override, in the
/// names of files and in titles of levels.
#[test]
fn escape_sequences_do_not_reach_the_terminal() {
    const HOSTILE: &str =
        "\u{1b}[31mred \u{1b}]0;owned\u{7} \u{9b}31m \u{9d}0;x\u{9c} \u{202e}live\u{2066}";
    let folder = Folder::new();
    let level = format!("game: plotting\ntitle: {HOSTILE}\ngoal: 1\n\nRRG\nRRG\n");
    let level = folder.file(&format!("{HOSTILE}\n.level"), level);
    let bad = folder.file(
        &format!("{HOSTILE}.bad"),
        format!("game: plotting\n\nR{HOSTILE}\n"),
    );
    let missing = format!("{HOSTILE}.missing");
    for arguments in [
        &["solve", &level][..],
        &["solve", &level, &missing],
        &["solve", "--json", &level],
        &["solve", &bad],
        &["solve", &missing],
        &["solve", "--route", HOSTILE, &level],
        &["solve", HOSTILE, "--no-such-option"],
        &["show", &level],
        &["convert", &level, "--to", "level"],
        &["check", &level, &bad],
        &["rate", &level],
        &["hint", &level],
        &["compare", &level],
        &["bench", &level],
    ] {
        let Some(shown) = on_a_terminal(arguments) else {
            return;
        };
        assert!(!shown.is_empty(), "{arguments:?}");
        // Progress lines clear and redraw themselves; all of their sequences are known.
        let own = ["\u{1b}[2K", "\u{1b}[1A", "\u{1b}[?25l", "\u{1b}[?25h"];
        let rest = own
            .iter()
            .fold(shown.clone(), |text, own| text.replace(own, ""));
        let overrides = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let foreign = |c: char| overrides(c) || c.is_control() && !"\n\r\t".contains(c);
        assert!(!rest.contains(foreign), "{arguments:?}: {rest:?}");
    }
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
