//! `ploy convert`: every built-in level survives every format that can hold it.

use ployglot_testing::program::{Folder, args, ploy};

/// The formats that `ploy routes GAME` lists.
fn formats(game: &str) -> Vec<String> {
    let ran = ploy(&format!("routes {game}")).exits(0);
    let formats = ran.out.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("format")).then(|| words.next().unwrap_or("").to_string())
    });
    formats.collect()
}

#[test]
fn every_format_is_read_back() {
    for game in ployglot_games::NAMES {
        let formats = formats(game);
        assert!(
            formats.contains(&"level".to_string()),
            "{game}: {formats:?}"
        );
        let mut held = vec![0; formats.len()];
        for level in ploy(&format!("levels --json {game}")).exits(0).rows() {
            let name = level["level"].as_str().expect("a name");
            for (index, format) in formats.iter().enumerate() {
                let there = ploy(&format!("convert {name} --to {format}"));
                if there.code == Some(34) {
                    there.complains("cannot hold this level: ");
                    continue;
                }
                let there = there.exits(0).out;
                held[index] += 1;
                // What was written is recognised by its content, and is written the same again.
                let again = args(&["convert", "-", "--to", format], there.as_bytes())
                    .exits(0)
                    .out;
                assert_eq!(there, again, "{name} as {format}");
            }
        }
        for (format, held) in formats.iter().zip(held) {
            assert!(held > 0, "no level of {game} can be written as {format}");
        }
    }
}

#[test]
fn canonical_levels_print_as_they_were_written() {
    let folder = Folder::new();
    let text = "; mine\ngame: plotting\ntitle:  Spaced out \n\n; about the goal\ngoal: 2\n\nRRR\nGGR\n\n; the end\n";
    let level = folder.file("mine.level", text);
    let printed = ploy(&format!("convert {level} --to level")).exits(0).out;
    assert_eq!(
        printed,
        text.replace("title:  Spaced out ", "title: Spaced out")
    );
}

#[test]
fn an_unknown_format_is_reported_with_the_known_ones() {
    ploy("convert plotting/01-first-shot --to parma")
        .exits(33)
        .complains("unknown format of plotting 'parma'; did you mean 'param'?");
    ploy("convert plotting/01-first-shot --to tiled")
        .exits(33)
        .complains("known are level, param");
}

#[test]
fn a_file_is_written_completely_or_not_at_all() {
    let folder = Folder::new();
    let out = folder.path().join("out.param");
    let out = out.to_str().expect("a path");
    ploy(&format!(
        "convert plotting/01-first-shot --to param --out {out}"
    ))
    .exits(0);
    let before = std::fs::read_to_string(out).expect("the file was written");
    assert!(before.contains("initGrid"), "{before}");
    ploy(&format!(
        "convert plotting/01-first-shot --to nothing --out {out}"
    ))
    .exits(33);
    assert_eq!(
        std::fs::read_to_string(out).expect("the file is kept"),
        before
    );
    assert_eq!(folder.names(), ["out.param"]);
    ploy("convert plotting/01-first-shot --to level --out /nowhere/at/all")
        .exits(35)
        .complains("/nowhere/at/all");
}
