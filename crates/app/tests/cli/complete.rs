//! The built-in levels of every game.

use ployglot_games::NAMES;

use ployglot_testing::program::ploy;

#[test]
fn every_game_has_levels_from_trivial_to_hard() {
    let rows = ploy("levels --json").exits(0).rows();
    for &game in NAMES {
        let levels: Vec<_> = rows.iter().filter(|row| row["game"] == game).collect();
        assert!(levels.len() >= 12, "{game} has {} levels", levels.len());
        assert!(
            levels.iter().any(|row| row["rows"] != row["cols"]),
            "{game}: all levels are square"
        );
        assert!(
            levels.iter().any(|row| row["par"] == "unsolvable"),
            "{game}: all levels are solvable"
        );
        assert!(
            levels
                .iter()
                .all(|row| row["par"] != "" && row["title"] != "" && row["difficulty"] != ""),
            "{game}"
        );
    }
}
