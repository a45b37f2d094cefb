//! Holds the fast engine to the slow one: the same boards, commands and wins after random input on
//! random boards, for the games of this crate and all recorded ones beside the project.

use std::path::Path;

use ployglot_base::Random as Seeded;
use ployglot_puzzlescript::{Engine, Fast, GAMES, Game, Input, Level, Random, Set, Slow, compile};

/// The games of this crate, and the games of the recordings beside the project that can be played.
fn games() -> Vec<(String, Game)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = GAMES.iter();
    let mut texts: Vec<(String, String)> = own
        .map(|(name, text)| (name.to_string(), text.to_string()))
        .collect();
    let plays = root.join("../../../shared/data/puzzlescript/plays.jsonl");
    for line in std::fs::read_to_string(plays).unwrap_or_default().lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
        let text = |key: &str| case[key].as_str().unwrap_or("").to_string();
        texts.push((text("name"), text("source")));
    }
    texts.sort();
    let compiled = texts.into_iter();
    compiled
        .filter_map(|(name, text)| Some((name, compile(&text).game?)))
        .collect()
}

/// The level with some objects of each layer exchanged, so that boards occur that no play reaches.
fn shuffled(game: &Game, level: &Level, random: &mut Seeded) -> Level {
    let mut level = level.clone();
    for cell in &mut level.cells {
        for objects in &game.layers {
            let objects: Vec<usize> = objects.iter().collect();
            if objects.is_empty() || random.below(8) > 0 {
                continue;
            }
            cell.remove(&objects.iter().copied().collect());
            // Sometimes the layer stays empty.
            if random.below(3) > 0 {
                cell.insert(objects[random.below(objects.len())]);
            }
        }
    }
    level
}

/// Plays random input with both engines. Returns the number of turns.
fn compare(name: &str, game: &Game, level: &Level, turns: usize, random: &mut Seeded) -> usize {
    let (slow, fast) = (Slow::new(game), Fast::new(game));
    let (mut slow_board, mut fast_board) = (slow.board(level), fast.board(level));
    let seed = random.below(1000).to_string();
    let (mut slow_random, mut fast_random) = (Random::new(&seed), Random::new(&seed));
    for turn in 0..turns {
        let input = Input::ALL.get(random.below(6)).copied();
        let by_slow = slow.turn(&mut slow_board, input, &mut slow_random);
        let by_fast = fast.turn(&mut fast_board, input, &mut fast_random);
        let place = || format!("{name}, line {}, turn {turn}, {input:?}", level.line);
        assert_eq!(by_slow, by_fast, "{}", place());
        let (one, other): (Vec<Set>, Vec<Set>) = (slow.cells(&slow_board), fast.cells(&fast_board));
        assert!(one == other, "the boards differ: {}", place());
        let won = slow.has_won(&slow_board);
        assert_eq!(won, fast.has_won(&fast_board), "{}", place());
        assert_eq!(
            slow_random.below(1 << 20),
            fast_random.below(1 << 20),
            "{}",
            place()
        );
    }
    turns
}

fn compare_games(most_cells: usize, boards: usize, turns: usize) {
    let mut random = Seeded::new(19);
    let (mut played, mut games_played) = (0, 0);
    for (name, game) in games() {
        let levels: Vec<&Level> = game
            .levels()
            .filter_map(|entry| game.level(entry))
            .filter(|level| level.cells.len() <= most_cells)
            .collect();
        games_played += usize::from(!levels.is_empty());
        for board in 0..boards {
            if levels.is_empty() {
                break;
            }
            let level = levels[random.below(levels.len())];
            let level = match board % 2 {
                0 => level.clone(),
                _ => shuffled(&game, level, &mut random),
            };
            played += compare(&name, &game, &level, turns, &mut random);
        }
    }
    println!("{played} turns of {games_played} games");
    assert!(
        played >= 6 * boards * turns,
        "the games of this crate were played"
    );
}

#[test]
fn both_engines_play_alike() {
    compare_games(120, 4, 5);
}

#[test]
#[ignore = "minutes: larger boards and longer plays"]
fn both_engines_play_alike_for_long() {
    compare_games(2000, 10, 12);
}
