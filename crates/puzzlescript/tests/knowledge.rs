//! What is known about a level, held against all of its states: bounds never exceed the true cost,
//! dead ends are true, packed states that are equal have the same cost, and the moves that are kept
//! contain a best one. The fast space is held to the slow engine on the same states.
//!
//! The games are those of this crate and the recorded ones beside the project; the levels are theirs,
//! and random changes of them. The true costs come from all reachable states of a space without any
//! of the rules.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ployglot_base::{Guide, Random as Seeded, Space, Switches};
use ployglot_puzzlescript::{
    Entry, GAMES, Game, Level, LevelGuide, LevelSpace, Opening, PuzzleState, RULES, SYMMETRIC,
    compile,
};

/// The games of this crate, the games of the recordings that can be proven, and a symmetric one.
fn games() -> Vec<(String, Game)> {
    let own = GAMES.iter();
    let mut texts: Vec<(String, String)> = own
        .map(|(name, text)| (name.to_string(), text.to_string()))
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let plays = root.join("../../../shared/data/puzzlescript/plays.jsonl");
    for line in std::fs::read_to_string(plays).unwrap_or_default().lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
        let text = |key: &str| case[key].as_str().unwrap_or("").to_string();
        texts.push((text("name"), text("source")));
    }
    let compiled = texts.into_iter();
    let compiled = compiled.filter_map(|(name, text)| Some((name, compile(&text).game?)));
    let mut games: Vec<(String, Game)> = compiled.filter(|(_, game)| !game.faulty).collect();
    // A game with symmetric levels, whatever else there is.
    let mirrored = dots(
        "Dot\nPlayer, Wall",
        "late [ Player Dot ] -> [ Player ]",
        "#######\n#O.P.O#\n#######",
    );
    games.push(("mirrored dots".to_string(), mirrored));
    games
}

/// The level with some objects of each layer exchanged.
fn changed(game: &Game, level: &Level, random: &mut Seeded) -> Level {
    let mut level = level.clone();
    for cell in &mut level.cells {
        for objects in &game.layers {
            let objects: Vec<usize> = objects.iter().collect();
            if objects.is_empty() || random.below(10) > 0 {
                continue;
            }
            cell.remove(&objects.iter().copied().collect());
            if random.below(2) > 0 {
                cell.insert(objects[random.below(objects.len())]);
            }
        }
    }
    level
}

/// The level with one half like the other one in a mirror. Half of the time, what the player
/// controls stays in one half only.
fn mirrored(game: &Game, level: &Level, random: &mut Seeded) -> Level {
    let mut level = level.clone();
    let (width, height) = (level.width, level.height);
    let way = random.below(3 + usize::from(width == height));
    let one_sided = random.below(2) == 0;
    for x in 0..width {
        for y in 0..height {
            let (from_x, from_y) = match way {
                0 => (x.min(width - 1 - x), y),
                1 => (x, y.min(height - 1 - y)),
                2 => (x.min(width - 1 - x), y.min(height - 1 - y)),
                _ => (x.max(y), x.min(y)),
            };
            if (from_x, from_y) != (x, y) {
                let mut cell = level.cells[from_x * height + from_y].clone();
                if one_sided {
                    cell.remove(&game.player.objects);
                }
                level.cells[x * height + y] = cell;
            }
        }
    }
    level
}

fn space(game: &Arc<Game>, switches: &Switches) -> Arc<LevelSpace> {
    let space = LevelSpace::new(game.clone(), 0, Opening::default(), switches);
    Arc::new(space.expect("the game has one level"))
}

/// All states of a space with their true costs; `None` if there are more than `most`.
fn true_costs(space: &LevelSpace, most: usize) -> Option<Vec<(PuzzleState, Option<u32>)>> {
    let mut states = vec![space.start()];
    let mut before: Vec<Vec<usize>> = vec![Vec::new()];
    let mut known = HashMap::from([(space.start(), 0)]);
    let mut next = 0;
    while next < states.len() {
        let state = states[next].clone();
        let mut moves = Vec::new();
        space.moves(&state, &mut moves);
        for mv in moves {
            let after = space.apply(&state, mv);
            let id = *known.entry(after.clone()).or_insert(states.len());
            if id == states.len() {
                if id >= most {
                    return None;
                }
                states.push(after);
                before.push(Vec::new());
            }
            before[id].push(next);
        }
        next += 1;
    }
    let mut costs: Vec<Option<u32>> = states
        .iter()
        .map(|state| space.is_goal(state).then_some(0))
        .collect();
    let mut queue: Vec<usize> = (0..states.len())
        .filter(|&id| costs[id] == Some(0))
        .collect();
    let mut at = 0;
    while at < queue.len() {
        let id = queue[at];
        at += 1;
        for &parent in &before[id] {
            if costs[parent].is_none() {
                costs[parent] = costs[id].map(|cost| cost + 1);
                queue.push(parent);
            }
        }
    }
    Some(states.into_iter().zip(costs).collect())
}

/// Checks a level if it has few states. Returns their number, and how many of them were merged with
/// another one because of a symmetry.
fn check(place: &str, game: &Game, level: &Level, most: usize) -> (usize, usize) {
    let game = Arc::new(Game {
        entries: vec![Entry::Level(level.clone())],
        ..game.clone()
    });
    let names: Vec<&str> = RULES.iter().map(|(name, _)| *name).collect();
    let plain = space(&game, &Switches::without(&names));
    if plain.refusal().is_some() {
        return (0, 0);
    }
    let Some(costs) = true_costs(&plain, most) else {
        return (0, 0);
    };
    for (state, _) in costs.iter().step_by(7) {
        let mut moves = Vec::new();
        plain.moves(state, &mut moves);
        for mv in moves {
            let same = plain.apply(state, mv) == plain.play_slowly(state, mv);
            assert!(same, "{place}: the engines differ for {}", mv.name());
        }
    }
    let of_state: HashMap<&PuzzleState, Option<u32>> =
        costs.iter().map(|(state, cost)| (state, *cost)).collect();
    let mut switches = vec![Switches::all_on()];
    switches.extend(names.iter().map(|name| Switches::without(&[name])));
    let mut packed_states = Vec::new();
    for switches in &switches {
        let space = space(&game, switches);
        let mut guide = LevelGuide::new(space.clone(), switches);
        let mut packed: HashMap<Vec<u64>, Option<u32>> = HashMap::new();
        let place = || format!("{place} without {:?}", switches.off());
        for (state, cost) in &costs {
            let mut words = vec![0; space.words()];
            space.pack(state, &mut words);
            let twin = *packed.entry(words.clone()).or_insert(*cost);
            assert_eq!(twin, *cost, "{}: equal packed states", place());
            let mut again = vec![0; space.words()];
            space.pack(&space.unpack(&words), &mut again);
            assert_eq!(words, again, "{}: packing", place());
            match (guide.lower_bound(state), cost) {
                (Some(bound), Some(cost)) => {
                    assert!(bound <= *cost, "{}: {bound} > {cost}", place());
                }
                (None, Some(cost)) => panic!("{}: no dead end, cost {cost}", place()),
                (_, None) => {}
            }
            let Some(cost) = cost.filter(|&cost| cost > 0) else {
                continue;
            };
            let mut moves = Vec::new();
            space.moves(state, &mut moves);
            guide.narrow(state, &mut moves);
            let after = moves.iter().map(|&mv| of_state[&plain.apply(state, mv)]);
            assert_eq!(after.flatten().min(), Some(cost - 1), "{}", place());
        }
        packed_states.push(packed.len());
    }
    // The first number is with all rules.
    let symmetric = names.iter().position(|name| *name == SYMMETRIC);
    let without = packed_states[1 + symmetric.expect("a rule of the space")];
    (costs.len(), without - packed_states[0])
}

fn check_games(most_cells: usize, most_states: usize, changes: usize) {
    let mut random = Seeded::new(4);
    let (mut levels, mut states, mut checked_games) = (0, 0, 0);
    let (mut merged, mut merging_games) = (0, 0);
    let games = games();
    for (name, game) in &games {
        let of_game: Vec<&Level> = game
            .levels()
            .filter_map(|entry| game.level(entry))
            .filter(|level| level.cells.len() <= most_cells)
            .take(3)
            .collect();
        let (mut found, mut merged_here) = (0, 0);
        for level in &of_game {
            let place = format!("{name}, line {}", level.line);
            let mut add = |(checked, merged): (usize, usize)| {
                found += checked;
                merged_here += merged;
                levels += usize::from(checked > 0);
            };
            add(check(&place, game, level, most_states));
            for _ in 0..changes {
                let level = changed(game, level, &mut random);
                add(check(&place, game, &level, most_states));
            }
            let level = mirrored(game, level, &mut random);
            add(check(&place, game, &level, most_states));
        }
        states += found;
        merged += merged_here;
        checked_games += usize::from(found > 0);
        merging_games += usize::from(merged_here > 0);
    }
    println!(
        "{states} states of {levels} levels of {checked_games} games; by symmetries, {merged} states \
         of {merging_games} games were merged"
    );
    assert!(merged > 0, "some levels are symmetric");
    assert!(checked_games >= GAMES.len().min(games.len()));
}

#[test]
fn what_is_known_is_true_in_all_states() {
    check_games(64, 60, 2);
}

#[test]
#[ignore = "minutes: larger levels with more states"]
fn what_is_known_is_true_in_all_states_of_larger_levels() {
    check_games(150, 4000, 4);
}

/// A game in which all dots must go, with these rules, and a level.
fn dots(layers: &str, rules: &str, level: &str) -> Game {
    let text = format!(
        "title Dots\n\n========\nOBJECTS\n========\n\nBackground\nblack\n\nPlayer\nwhite\n\nDot\nred\n\n\
         Wall\ngrey\n\n=======\nLEGEND\n=======\n\n. = Background\nP = Player\nO = Dot\n# = Wall\n\n\
         =======\nSOUNDS\n=======\n\n================\nCOLLISIONLAYERS\n================\n\n\
         Background\n{layers}\n\n======\nRULES\n======\n\n{rules}\n\n==============\nWINCONDITIONS\n\
         ==============\n\nNo Dot\n\n=======\nLEVELS\n=======\n\n{level}\n"
    );
    let compiled = compile(&text);
    compiled.game.unwrap_or_else(|| panic!("{text}: an error"))
}

/// The bound of "no dots" at the start, and whether all bounds hold in all states of the level and of
/// random changes of it.
#[test]
fn how_many_things_a_turn_removes_is_known() {
    const APART: &str = "Dot\nPlayer, Wall";
    const TOGETHER: &str = "Player, Wall, Dot";
    // The layers, the rules, and the bound for five dots: 1 where nothing is known.
    let cases = [
        (
            APART,
            "[ > Player | Dot ] -> [ > Player | ]",
            5,
            "eaten before the player",
        ),
        (
            TOGETHER,
            "[ > Player | Dot ] -> [ | Player ]",
            5,
            "the player moves by the rule",
        ),
        (
            APART,
            "[ > Player | No Dot ] -> [ Dot | Player ]\n[ > Player | Dot ] -> [ | Player ]",
            5,
            "dots are made, too",
        ),
        (
            APART,
            "[ > Player | Dot | Dot ] -> [ > Player | | ]\n[ > Player | Dot ] -> [ > Player | ]",
            3,
            "two at once",
        ),
        (
            APART,
            "[ > Player | Dot ] -> [ | > Player ]",
            1,
            "the player keeps its movement and eats a whole row",
        ),
        (APART, "late [ Player | Dot ] -> [ Player | ]", 1, "late"),
        (
            APART,
            "[ > Player | ... | Dot ] -> [ > Player | ... | ]",
            1,
            "at any distance",
        ),
        (
            APART,
            "[ > Player ] [ Dot ] -> [ > Player ] [ ]",
            1,
            "anywhere",
        ),
    ];
    let mut random = Seeded::new(9);
    for (layers, rules, expected, what) in cases {
        let game = dots(layers, rules, "POO\n.OO\n#.O");
        let level = game.levels().find_map(|entry| game.level(entry));
        let level = level.expect("a level").clone();
        let game = Arc::new(game);
        let space = space(&game, &Switches::all_on());
        let mut guide = LevelGuide::new(space.clone(), &Switches::all_on());
        assert_eq!(guide.lower_bound(&space.start()), Some(expected), "{what}");
        let mut states = 0;
        for _ in 0..20 {
            let level = changed(&game, &level, &mut random);
            states += check(what, &game, &level, 3000).0;
        }
        assert!(states > 40, "{what}: {states}");
    }
}
