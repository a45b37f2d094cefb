//! The commands that list: levels, routes, completions, man, help.

use ployglot_games::NAMES;

use ployglot_testing::program::{Folder, command, ploy};

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

#[test]
fn the_version_names_target_and_profile() {
    let profile = match cfg!(debug_assertions) {
        true => ", profile dev\n",
        // `release`, or another that is like it.
        false => ", profile ",
    };
    ploy("--version")
        .exits(0)
        .says("built for ")
        .says(profile)
        .says("CaDiCaL, Kissat, Pumpkin");
}

#[test]
fn a_level_may_be_named_by_the_beginning_of_its_name() {
    let row = &ploy("solve plotting/04 --json").exits(0).rows()[0];
    assert_eq!(row["level"], "plotting/04-staircase");
    let shown = ploy("show plotting/04-staircase").exits(0).out;
    ploy("show plotting/04").exits(0).prints(&shown);
    // One that several names begin with is refused, and so is a game without a level.
    ploy("solve plotting/0")
        .exits(36)
        .complains("plotting/0: several built-in levels begin like this: plotting/01-first-shot, ");
    ploy("solve plotting/").exits(35);
    // A PuzzleScript game stands for all of its levels.
    assert_eq!(
        ploy("solve puzzlescript/ice --json").exits(0).rows().len(),
        3
    );
    ploy("solve puzzlescript/gems#9")
        .exits(33)
        .complains("puzzlescript/gems has 3 levels");
}

#[test]
fn a_file_has_precedence_over_the_beginning_of_a_name() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("plotting")).expect("a folder");
    let text = ploy("convert plotting/01-first-shot --to level")
        .exits(0)
        .out;
    folder.file("plotting/04", text);
    let mut command = command();
    command
        .args(["solve", "plotting/04", "--json"])
        .current_dir(folder.path());
    let out = command.output().expect("ploy runs").stdout;
    let row: serde_json::Value = serde_json::from_slice(&out).expect("a row of JSON");
    assert_eq!(row["level"], "plotting/04");
    assert_eq!(row["cost"], 1);
}

/// What bash offers for a line, by the script of `ploy completions bash`.
#[cfg(unix)]
fn offered(line: &str) -> Vec<String> {
    let folder = Folder::new();
    let script = folder.file("ploy.bash", ploy("completions bash").exits(0).out);
    // Bash itself splits the line at these characters before it calls the function.
    let call = format!(
        r#"source {script}
        COMP_LINE='{line}' COMP_POINT=${{#COMP_LINE}}
        COMP_WORDS=(x) COMP_CWORD=0
        "$(complete -p ploy | sed 's/.*-F \([a-z_]*\) .*/\1/')" ploy '' ''
        printf '%s\n' "${{COMPREPLY[@]}}""#
    );
    let ran = std::process::Command::new("bash")
        .args(["--norc", "-c", &call])
        .output()
        .expect("bash runs");
    assert!(ran.status.success(), "{ran:?}");
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    text.split_whitespace().map(str::to_string).collect()
}

#[cfg(unix)]
#[test]
fn bash_completes_levels_routes_and_games() {
    assert_eq!(offered("ploy so"), ["solve"]);
    assert_eq!(offered("ploy solve plotting/04"), ["plotting/04-staircase"]);
    assert_eq!(offered("ploy levels plo"), ["plotting"]);
    assert!(offered("ploy solve x --route sea").contains(&"search:astar".to_string()));
    // Of a name with a colon, the shell wants what follows it.
    assert_eq!(offered("ploy solve x --route search:as"), ["astar"]);
    assert_eq!(offered("ploy solve --route=search:as"), ["astar"]);
    assert_eq!(
        offered("ploy model m.eprime --solver mip:c"),
        ["cbc", "cplex"]
    );
    // A name with a colon before the cursor is one word.
    assert_eq!(
        offered("ploy solve --route search:astar plotting/04"),
        ["plotting/04-staircase"]
    );
    assert_eq!(offered("ploy solve x --route nothing:"), [""; 0]);
}
