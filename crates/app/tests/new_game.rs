//! The steps of CONTRIBUTING.md for a new game, tried in a copy of the project.

use std::path::Path;
use std::process::Command;

#[test]
#[ignore = "builds a copy of the project, which takes minutes"]
fn a_new_game_is_added_by_the_steps_of_contributing() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/try-new-game");
    let status = Command::new(script).status().expect("bash is installed");
    assert!(status.success(), "scripts/try-new-game failed");
}
