//! What every game brings along.

use ployglot_games::NAMES;

use ployglot_testing::program::ploy;

#[test]
fn every_game_has_levels_from_trivial_to_hard() {
    let rows = ploy("levels --json").exits(0).rows();
    for &game in NAMES {
        let of: Vec<_> = rows.iter().filter(|row| row["game"] == game).collect();
        assert!(of.len() >= 12, "{game} has {} levels", of.len());
        assert!(
            of.iter().any(|row| row["rows"] != row["cols"]),
            "{game}: all levels are square"
        );
        assert!(
            of.iter().any(|row| row["par"] == "unsolvable"),
            "{game}: all levels are solvable"
        );
        assert!(
            of.iter()
                .all(|row| row["par"] != "" && row["title"] != "" && row["difficulty"] != ""),
            "{game}"
        );
    }
}
