//! The commands that list: levels, routes, completions, man, help.

use ployglot_games::NAMES;

use ployglot_testing::program::{Folder, ploy};

#[test]
fn levels_of_one_game() {
    let ran = ploy("levels plotting").exits(0);
    assert!(ran.out.starts_with("LEVEL "), "{ran:#?}");
    assert!(
        ran.out
            .lines()
            .skip(1)
            .all(|line| line.starts_with("plotting/") && line.contains(" certified ")),
        "{ran:#?}"
    );
    ploy("levels ploting")
        .exits(33)
        .complains("did you mean 'plotting'?");
    ploy("routes tetris")
        .exits(33)
        .complains("known are plotting, ");
}

#[test]
fn routes_measures_rules_and_formats_are_listed() {
    let ran = ploy("routes").exits(0);
    for part in [
        "pieces+rotations",
        "search:bfs",
        "search:astar",
        "format",
        "measure",
    ] {
        assert!(ran.out.contains(part), "no {part} in {ran:#?}");
    }
    for &game in NAMES {
        assert!(ran.out.lines().any(|line| line == game), "{ran:#?}");
    }
}

#[test]
fn completions_and_manual_have_every_command() {
    let help = ploy("--help").exits(0).out;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|&name| name != "help")
        .collect();
    assert!(
        commands.contains(&"solve") && commands.contains(&"check"),
        "{help}"
    );
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = ploy(&format!("completions {shell}")).exits(0);
        for command in &commands {
            assert!(
                script.out.contains(command),
                "{command} is not in the completions for {shell}"
            );
        }
    }
    let manual = ploy("man").exits(0);
    let folder = Folder::new();
    ploy(&format!("man {}", folder.path().display())).exits(0);
    let pages = folder.names();
    for command in &commands {
        assert!(
            manual.out.contains(&command.replace('-', "\\-")),
            "{command} is not in the manual"
        );
        assert!(pages.contains(&format!("ploy-{command}.1")), "{pages:?}");
        ploy(&format!("{command} --help"))
            .exits(0)
            .says("Usage: ploy");
    }
}

#[test]
fn an_invalid_command_line_exits_36() {
    ploy("slove").exits(36).complains("solve");
    ploy("solve").exits(36);
    ploy("solve --time soon plotting/01-first-shot")
        .exits(36)
        .complains("60s");
    ploy("solve --memory 8 plotting/01-first-shot")
        .exits(36)
        .complains("512M");
    ploy("solve --jobs 0 plotting/01-first-shot").exits(36);
    ploy("--version").exits(0).says("ploy ");
}
