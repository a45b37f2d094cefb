//! `ploy.toml`: defaults for options, and what `ploy doctor` says about the file.

use std::process::Output;

use ployglot_testing::program::{Folder, command};

/// Runs `ploy` with this configuration file.
fn with(text: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = Folder::new();
    let file = folder.file("ploy.toml", text);
    let output: Output = command()
        .env("PLOY_CONFIG", file)
        .args(arguments)
        .output()
        .expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn defaults_count_unless_something_is_typed() {
    let text = "[defaults]\njson = true\n[solve]\nroute = \"search:bfs\"\n";
    let level = "plotting/01-first-shot";
    let (code, out, _) = with(text, &["solve", level]);
    let row: serde_json::Value = serde_json::from_str(&out).expect("a row of JSON");
    assert_eq!((code, &row["route"]), (Some(0), &"search:bfs".into()));
    let (_, out, _) = with(text, &["solve", level, "--route", "search:ida"]);
    let row: serde_json::Value = serde_json::from_str(&out).expect("a row of JSON");
    assert_eq!(row["route"], "search:ida");
}

#[test]
fn errors_name_the_place_in_the_file() {
    for (text, place, message) in [
        (
            "[solve]\ntime = \"soon\"\n",
            "ploy.toml:2:8",
            "invalid value 'soon' for '--time",
        ),
        (
            "[solve]\nthreads = 1.5\n",
            "ploy.toml:2:11",
            "invalid value '1.5'",
        ),
        (
            "[solve]\n\ntmie = \"1s\"\n",
            "ploy.toml:3:1",
            "did you mean 'time'?",
        ),
        ("[slove]\n", "ploy.toml:1:2", "did you mean 'solve'?"),
        (
            "[solve]\njson = \"perhaps\"\n",
            "ploy.toml:2:8",
            "expected true or false",
        ),
        ("[solve\n", "ploy.toml:1:7", "unclosed table"),
    ] {
        let (code, out, error) = with(text, &["solve", "plotting/01-first-shot"]);
        assert_eq!((code, out.as_str()), (Some(31), ""), "{text}");
        assert!(
            error.contains(place) && error.contains(message),
            "{text}\n{error}"
        );
        // The doctor runs, and reports the same.
        let (code, out, _) = with(text, &["doctor"]);
        assert_eq!(code, Some(0), "{text}");
        assert!(
            out.contains("cannot be used: ") && out.contains(place),
            "{out}"
        );
        let (_, out, _) = with(text, &["doctor", "--json"]);
        let row: serde_json::Value = serde_json::from_str(&out).expect("a row of JSON");
        assert!(
            row["config_error"]
                .as_str()
                .is_some_and(|text| text.contains(message)),
            "{out}"
        );
    }
}
