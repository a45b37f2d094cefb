//! Levels of PuzzleScript files in the commands that take a level.

use ployglot_testing::program::{Folder, args, ploy};

/// A game with two levels, a message, and a checkpoint.
const GAME: &str = "\
title Steps
author Ployglot

OBJECTS

Background
black

Wall
grey

Player
yellow
.000.
.000.
.000.
0.0.0
0...0

Crate
orange

Flag
blue

Exit
green

LEGEND

. = Background
# = Wall
P = Player
* = Crate
F = Flag
X = Exit

SOUNDS

COLLISIONLAYERS

Background
Exit, Flag
Player, Wall, Crate

RULES

[ > Player | Crate ] -> [ > Player | > Crate ]
late [ Player Flag ] -> [ Player ] checkpoint

WINCONDITIONS

some Player on Exit

LEVELS

#######
#P...X#
#..F*.#
#######

message The long way

#######
#P#..X#
#.#.#.#
#...#.#
#######
";

fn game() -> (Folder, String) {
    let folder = Folder::new();
    let file = folder.file("steps.txt", GAME);
    (folder, file)
}

#[test]
fn a_file_stands_for_all_of_its_levels() {
    let (_folder, file) = game();
    ploy(&format!("solve --quiet {file}"))
        .exits(0)
        .says("steps.txt#1: optimal, 4 moves\n")
        .says("steps.txt#2: optimal, 8 moves\n")
        .complains("2 levels: 2 optimal\n");
    let by_message = format!("{file}#long way");
    args(&["solve", "--quiet", &by_message], b"")
        .exits(0)
        .says("optimal, 8 moves\n");
    ploy(&format!("solve {file}#3"))
        .exits(33)
        .complains("there is no such level")
        .complains("2 levels");
    // A checkpoint is a goal if the name of the level says so.
    ploy(&format!("solve --quiet {file}#1+checkpoints"))
        .exits(0)
        .says("optimal, 3 moves\n");
}

#[test]
fn plans_can_be_pasted() {
    let (folder, file) = game();
    let plan = folder.file("plan", "Right, right RIGHT right ; to the exit\n");
    ploy(&format!("check {file}#1 {plan}"))
        .exits(0)
        .says("accepted: 4 moves");
    let longer = folder.file("longer", "left left right right right right\n");
    ploy(&format!("rate {file}#1 --intended {longer}"))
        .exits(0)
        .says("4 moves");
    let bad = folder.file("bad", "right\nrihgt\n");
    ploy(&format!("check {file}#1 {bad}"))
        .exits(31)
        .complains("bad:2:1")
        .complains("did you mean 'right'?");
    let missed = folder.file("missed", "right\n");
    ploy(&format!("check {file}#1 {missed}"))
        .exits(1)
        .says("some player on exit");
}

#[test]
fn every_command_takes_a_level_of_a_file() {
    let (folder, file) = game();
    let level = format!("{file}#1");
    ploy(&format!("rate {level}"))
        .exits(0)
        .says("par          4 moves (optimal)\n");
    ploy(&format!("hint {level}")).exits(0);
    ploy(&format!("compare {level}"))
        .exits(0)
        .says("search:astar")
        .says("search:bfs");
    ploy(&format!("show {level}")).exits(0).says(" p ");
    for kind in ["svg", "png", "gif"] {
        let picture = format!("{}/picture.{kind}", folder.path().display());
        ploy(&format!("show {level} --{kind} {picture}")).exits(0);
        let bytes = std::fs::read(&picture).expect("a picture");
        assert!(bytes.len() > 200, "{kind}");
    }
    // The sprite of the player, in the yellow of the default palette.
    let svg = std::fs::read_to_string(folder.path().join("picture.svg")).expect("a picture");
    assert!(svg.contains("#f7e26b"), "{svg}");
    let made = ploy(&format!(
        "new puzzlescript --from {level} --par 6.. --time 60s"
    ))
    .exits(0)
    .says("par: ")
    .says("source: ploy new puzzlescript --from ")
    .out;
    let made = folder.file("made.level", made);
    let row = ploy(&format!("solve --json {made}")).exits(0).row();
    assert!(row["cost"].as_u64() >= Some(6), "{row}");
    assert_eq!(row["cost"], row["par"]);
    // The file of a level is a game that can be solved again.
    let file = ploy(&format!("convert {level} --to puzzlescript"))
        .exits(0)
        .out;
    args(&["solve", "--quiet", "-"], file.as_bytes())
        .exits(0)
        .says("optimal, 4 moves");
}

#[test]
fn games_of_chance_are_played_and_not_solved() {
    let folder = Folder::new();
    let text = GAME.replace("[ > Player | Crate ]", "random [ > Player | Crate ]");
    let file = folder.file("chance.txt", text);
    ploy(&format!("solve {file}#1"))
        .exits(34)
        .complains("chooses at random: no plan can be proven");
    ploy(&format!("show {file}#1")).exits(0);
    let faulty = folder.file("faulty.txt", GAME.replace("on Exit", "on Exti"));
    ploy(&format!("solve {faulty}#1"))
        .exits(31)
        .complains("faulty.txt:");
}
