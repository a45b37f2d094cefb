//! The laws of all games, checked on built-in levels, on small random levels, and in the states of
//! random walks. A new game is checked as soon as it is in the list of games.

use std::collections::{HashMap, HashSet, VecDeque};

use ployglot_games::template::Template;
use ployglot_games::*;

/// Random levels for each game.
const RANDOM_LEVELS: u64 = 150;
/// Random walks on each level.
const WALKS: u64 = 3;
/// The number of moves of a random walk, at most.
const LONGEST_WALK: usize = 40;
/// The number of states of a level whose true costs are computed, at most.
const MOST_STATES: usize = 3000;

/// How much less of everything is checked for games whose slow rules are interpreted. The crate of
/// PuzzleScript has such tests of its own.
fn share<G: Game>() -> usize {
    match G::NAME == PuzzleScript::NAME {
        true => 4,
        false => 1,
    }
}

fn for_every_game(visitor: &mut impl GameVisitor) {
    visitor.visit::<Template>();
    visit_games(visitor);
}

fn builtin_levels<G: Game>() -> impl Iterator<Item = (&'static str, Level<G>)> {
    G::LEVELS.iter().map(|builtin| {
        let document = Document::parse(builtin.text).expect(builtin.name);
        (builtin.name, Level::parse(&document).expect(builtin.name))
    })
}

/// Small levels, most of them not square. Sizes that a game cannot generate are left out.
fn random_levels<G: Game>() -> impl Iterator<Item = G> {
    const SIZES: [(usize, usize); 8] = [
        (1, 4),
        (2, 3),
        (3, 2),
        (3, 4),
        (4, 3),
        (3, 3),
        (4, 5),
        (1, 9),
    ];
    (0..RANDOM_LEVELS / share::<G>() as u64).filter_map(|seed| {
        let (rows, cols) = SIZES[seed as usize % SIZES.len()];
        G::generate(&Spec::size(rows, cols), &mut Random::new(seed)).ok()
    })
}

fn all_levels<G: Game>() -> impl Iterator<Item = G> {
    let small = |level: &G| level.writable_moves(&level.start()).len() <= 2000;
    let builtin = builtin_levels::<G>().map(|(_, level)| level.game);
    builtin.chain(random_levels()).filter(small)
}

/// The states on random walks from the start, made with `play`.
fn met_states<G: Game>(level: &G, seed: u64) -> Vec<G::State> {
    let mut random = Random::new(seed);
    let mut met = vec![level.start()];
    for _ in 0..WALKS {
        let mut state = level.start();
        for _ in 0..LONGEST_WALK / (2 * share::<G>() - 1) {
            let legal = legal_moves(level, &state);
            if legal.is_empty() {
                break;
            }
            state = level.play(&state, *random.choose(&legal)).expect("legal");
            met.push(state.clone());
        }
    }
    met
}

fn packed<G: Game>(level: &G, state: &G::State) -> Vec<u64> {
    let mut words = vec![0xdead_beef; level.words()];
    level.pack(state, &mut words);
    words
}

/// Checks a law in the states of random walks on every level.
fn in_every_state<G: Game>(mut law: impl FnMut(&G, &G::State)) {
    for (seed, level) in all_levels::<G>().enumerate() {
        for state in met_states(&level, seed as u64) {
            law(&level, &state);
        }
    }
}

macro_rules! law {
    ($name:ident, $visit:item) => {
        #[test]
        fn $name() {
            struct Law;
            impl GameVisitor for Law {
                $visit
            }
            for_every_game(&mut Law);
        }
    };
}

law!(
    there_are_random_levels_and_built_in_levels,
    fn visit<G: Game>(&mut self) {
        assert!(
            random_levels::<G>().count() > 30,
            "{}: few of the usual sizes can be generated",
            G::NAME
        );
        let levels: Vec<_> = builtin_levels::<G>().collect();
        assert!(levels.len() >= 3, "{}", G::NAME);
        let default = G::MEASURES[0].name;
        let pars: Vec<_> = levels
            .iter()
            .map(|(name, level)| level.par(default).expect(name))
            .collect();
        assert!(
            pars.contains(&Par::Unsolvable),
            "{}: no built-in level is unsolvable",
            G::NAME
        );
        let names: HashSet<_> = G::LEVELS.iter().map(|builtin| builtin.name).collect();
        assert_eq!(
            names.len(),
            G::LEVELS.len(),
            "{}: two levels have one name",
            G::NAME
        );
    }
);

law!(
    fast_moves_are_the_writable_moves_that_play_accepts,
    fn visit<G: Game>(&mut self) {
        in_every_state::<G>(|level, state| {
            let mut fast = Vec::new();
            level.moves(state, &mut fast);
            let slow = legal_moves(level, state);
            assert_eq!(fast, slow, "{}: {:?}", G::NAME, level.write(state));
        });
    }
);

law!(
    fast_apply_is_play,
    fn visit<G: Game>(&mut self) {
        in_every_state::<G>(|level, state| {
            for mv in legal_moves(level, state) {
                let slow = level.play(state, mv).expect("legal");
                assert_eq!(
                    level.apply(state, mv),
                    slow,
                    "{}: {mv:?} in {:?}",
                    G::NAME,
                    level.write(state)
                );
            }
        });
    }
);

law!(
    a_state_is_a_goal_if_and_only_if_it_has_no_shortfall,
    fn visit<G: Game>(&mut self) {
        in_every_state::<G>(|level, state| {
            let shortfall = level.shortfall(state);
            assert_eq!(
                level.is_goal(state),
                shortfall.is_none(),
                "{}: {:?}",
                G::NAME,
                level.write(state)
            );
        });
    }
);

law!(
    packing_keeps_what_matters,
    fn visit<G: Game>(&mut self) {
        in_every_state::<G>(|level, state| {
            let words = packed(level, state);
            let twin = level.unpack(&words);
            assert_eq!(
                packed(level, &twin),
                words,
                "{}: {:?}",
                G::NAME,
                level.write(state)
            );
            assert_eq!(level.is_goal(&twin), level.is_goal(state));
            // The unpacked state may differ in the names of pieces, but its moves are the same and
            // lead to states that pack alike.
            let places = |state: &G::State| -> Vec<Vec<u64>> {
                let mut moves = Vec::new();
                level.moves(state, &mut moves);
                let mut places: Vec<_> = moves
                    .into_iter()
                    .map(|mv| packed(level, &level.apply(state, mv)))
                    .collect();
                places.sort();
                places
            };
            assert_eq!(
                places(&twin),
                places(state),
                "{}: {:?}",
                G::NAME,
                level.write(state)
            );
            let mut moves = Vec::new();
            level.moves(&twin, &mut moves);
            for mv in moves {
                assert!(
                    level.play(state, mv).is_ok(),
                    "{}: {mv:?} was listed for the twin",
                    G::NAME
                );
            }
        });
    }
);

law!(
    a_state_is_written_as_a_level_that_starts_there,
    fn visit<G: Game>(&mut self) {
        in_every_state::<G>(|level, state| {
            let around = Level::bare(level.clone());
            let text = around.print_at(state);
            let again = Document::parse(&text).and_then(|document| Level::<G>::parse(&document));
            let again = again.unwrap_or_else(|bad| panic!("{}: {bad}\n{text}", G::NAME));
            let there = again.game.start();
            assert_eq!(
                level.write(state),
                again.game.write(&there),
                "{}\n{text}",
                G::NAME
            );
            assert_eq!(again.print(), text);
            assert_eq!(level.is_goal(state), again.game.is_goal(&there));
        });
    }
);

law!(
    moves_are_printed_as_parsed,
    fn visit<G: Game>(&mut self) {
        in_every_state::<G>(|level, state| {
            for mv in level.writable_moves(state) {
                let text = level.print_move(state, mv);
                assert_eq!(
                    level.parse_move(state, &text),
                    Ok(mv),
                    "{}: '{text}'",
                    G::NAME
                );
                let loud = format!("  {}  ", text.to_ascii_uppercase().replace(' ', "  "));
                if text.chars().all(|c| !c.is_ascii_uppercase()) {
                    assert_eq!(
                        level.parse_move(state, &loud),
                        Ok(mv),
                        "{}: '{loud}'",
                        G::NAME
                    );
                }
                assert!(
                    !text.contains(['\n', ';']),
                    "{}: '{text}' is not one line of a plan",
                    G::NAME
                );
            }
            for junk in [
                "",
                "sideways",
                "row",
                "999999999999999999999",
                "-1 -1 left",
                "é 💥",
                "row 0",
            ] {
                assert!(
                    level.parse_move(state, junk).is_err(),
                    "{}: '{junk}'",
                    G::NAME
                );
            }
        });
    }
);

law!(
    films_end_where_the_move_ends,
    fn visit<G: Game>(&mut self) {
        in_every_state::<G>(|level, state| {
            let size = |view: &View| (view.cells.rows(), view.cells.cols());
            let before = level.view(state);
            let ids: HashSet<_> = before.pieces.iter().map(|piece| piece.id).collect();
            assert_eq!(
                ids.len(),
                before.pieces.len(),
                "{}: two pieces have one id",
                G::NAME
            );
            for mv in legal_moves(level, state) {
                let film = level.film(state, mv);
                let after = level.view(&level.play(state, mv).expect("legal"));
                let last = film.last().expect("a film has a last view");
                assert_eq!(last.cells, after.cells, "{}", G::NAME);
                let places = |view: &View| -> Vec<String> {
                    let mut places: Vec<_> = view
                        .pieces
                        .iter()
                        .map(|p| {
                            format!("{} {} {:?} {} {}", p.row, p.col, p.shape, p.colour, p.label)
                        })
                        .collect();
                    places.sort();
                    places
                };
                assert_eq!(places(last), places(&after), "{}", G::NAME);
                assert!(film.iter().all(|view| size(view) == size(&before)));
                let gesture = level.gesture(state, mv);
                assert!(
                    (0..=size(&before).0 as i32 + 1).contains(&gesture.row),
                    "{}: {gesture:?}",
                    G::NAME
                );
                assert!(
                    (0..=size(&before).1 as i32 + 1).contains(&gesture.col),
                    "{}: {gesture:?}",
                    G::NAME
                );
            }
        });
    }
);

law!(
    different_moves_have_different_gestures,
    fn visit<G: Game>(&mut self) {
        in_every_state::<G>(|level, state| {
            let moves = level.writable_moves(state);
            let gestures: HashSet<_> = moves
                .iter()
                .map(|&mv| format!("{:?}", level.gesture(state, mv)))
                .collect();
            assert_eq!(gestures.len(), moves.len(), "{}", G::NAME);
        });
    }
);

/// The cost to the goal from each state; `None` where it cannot be reached.
type Costs<G> = HashMap<<G as Space>::State, Option<u32>>;

/// The exact cost to the goal from every reachable state, by plain breadth-first search over
/// `play`; `None` if there are more than `most` states. Shares no code with the searches.
fn true_costs<G: Game>(level: &G, most: usize) -> Option<Costs<G>> {
    let mut seen: HashMap<G::State, usize> = HashMap::from([(level.start(), 0)]);
    let mut states = vec![level.start()];
    let mut back: Vec<Vec<usize>> = vec![Vec::new()];
    let mut next = 0;
    while next < states.len() {
        let state = states[next].clone();
        for mv in if level.is_goal(&state) {
            Vec::new()
        } else {
            legal_moves(level, &state)
        } {
            let after = level.play(&state, mv).expect("legal");
            let id = *seen.entry(after.clone()).or_insert(states.len());
            if id == states.len() {
                if id >= most {
                    return None;
                }
                states.push(after);
                back.push(Vec::new());
            }
            back[id].push(next);
        }
        next += 1;
    }
    let mut costs: Vec<Option<u32>> = vec![None; states.len()];
    let mut queue: VecDeque<usize> = (0..states.len())
        .filter(|&id| level.is_goal(&states[id]))
        .collect();
    for &id in &queue {
        costs[id] = Some(0);
    }
    while let Some(id) = queue.pop_front() {
        for &before in &back[id] {
            if costs[before].is_none() {
                costs[before] = costs[id].map(|cost| cost + 1);
                queue.push_back(before);
            }
        }
    }
    Some(states.into_iter().zip(costs).collect())
}

law!(
    bounds_never_exceed_the_true_cost,
    fn visit<G: Game>(&mut self) {
        if !G::MEASURES[0].additive {
            return;
        }
        let mut switches = vec![Switches::all_on()];
        switches.extend(G::RULES.iter().map(|rule| Switches::without(&[rule.name])));
        for level in all_levels::<G>() {
            let Some(costs) = true_costs(&level, MOST_STATES / share::<G>().pow(2)) else {
                continue;
            };
            for switches in &switches {
                let mut guide = level.guide(switches);
                for (state, cost) in &costs {
                    let bound = guide.lower_bound(state);
                    let context = || {
                        format!(
                            "{} without {:?}: {:?}",
                            G::NAME,
                            switches.off(),
                            level.write(state)
                        )
                    };
                    match (bound, cost) {
                        (Some(bound), Some(cost)) => {
                            assert!(
                                bound <= *cost,
                                "bound {bound}, true cost {cost}: {}",
                                context()
                            );
                            assert!(
                                guide.allows(state, *cost),
                                "cost {cost} is not allowed: {}",
                                context()
                            );
                            assert!(
                                *cost > 0 || bound == 0,
                                "the bound of a goal is {bound}: {}",
                                context()
                            );
                        }
                        (None, Some(cost)) => {
                            panic!("called a dead end, true cost {cost}: {}", context())
                        }
                        (_, None) => {}
                    }
                }
            }
        }
    }
);

law!(
    narrowed_moves_keep_an_optimal_plan,
    fn visit<G: Game>(&mut self) {
        if !G::MEASURES[0].additive {
            return;
        }
        let on = Switches::all_on();
        for level in all_levels::<G>() {
            let Some(costs) = true_costs(&level, MOST_STATES / share::<G>().pow(2)) else {
                continue;
            };
            let mut guide = level.guide(&on);
            for (state, cost) in &costs {
                let Some(cost) = cost.filter(|&cost| cost > 0) else {
                    continue;
                };
                let mut moves = Vec::new();
                level.moves(state, &mut moves);
                guide.narrow(state, &mut moves);
                let best = moves
                    .iter()
                    .filter_map(|&mv| costs[&level.apply(state, mv)])
                    .min();
                assert_eq!(
                    best,
                    Some(cost - 1),
                    "{}: {:?}",
                    G::NAME,
                    level.write(state)
                );
            }
        }
    }
);

law!(
    no_optimal_plan_is_longer_than_the_longest,
    fn visit<G: Game>(&mut self) {
        if !G::MEASURES[0].additive {
            return;
        }
        for level in random_levels::<G>() {
            let (Some(longest), Some(costs)) = (
                level.longest_plan(),
                true_costs(&level, MOST_STATES / share::<G>().pow(2)),
            ) else {
                continue;
            };
            let cost = costs[&level.start()].unwrap_or(0);
            assert!(
                cost <= longest,
                "{}: {cost} > {longest} {:?}",
                G::NAME,
                level.write(&level.start())
            );
        }
    }
);

law!(
    builtin_levels_print_exactly_as_parsed,
    fn visit<G: Game>(&mut self) {
        for (builtin, (name, level)) in G::LEVELS.iter().zip(builtin_levels::<G>()) {
            assert_eq!(level.print(), builtin.text, "{name}");
            assert!(
                level.title().is_some() && level.common("difficulty").is_some(),
                "{name} has no title or no difficulty"
            );
        }
    }
);

law!(
    formats_that_can_hold_a_level_give_it_back,
    fn visit<G: Game>(&mut self) {
        for level in all_levels::<G>() {
            for format in G::FORMATS {
                let Ok(text) = (format.write)(&level, &level.start()) else {
                    continue;
                };
                let again = (format.read)(&text);
                let again = again
                    .unwrap_or_else(|bad| panic!("{} {}: {bad}\n{text}", G::NAME, format.name));
                assert_eq!(
                    again.write(&again.start()),
                    level.write(&level.start()),
                    "{} {}\n{text}",
                    G::NAME,
                    format.name
                );
                let found = AnyLevel::read(&text)
                    .unwrap_or_else(|bad| panic!("{} {}: {bad}\n{text}", G::NAME, format.name));
                assert_eq!(
                    found.game_name(),
                    G::NAME,
                    "{} is recognised as another game:\n{text}",
                    format.name
                );
            }
        }
    }
);

law!(
    the_same_seed_gives_the_same_level,
    fn visit<G: Game>(&mut self) {
        let texts = || {
            random_levels::<G>()
                .map(|level| Level::bare(level).print())
                .collect::<Vec<_>>()
        };
        let first = texts();
        assert_eq!(first, texts());
        assert!(
            first.iter().collect::<HashSet<_>>().len() > first.len() / 3,
            "{}: too many seeds give the same level",
            G::NAME
        );
    }
);

/// The text with a few characters replaced, removed, repeated or swapped.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        if chars.is_empty() {
            break;
        }
        let at = random.below(chars.len());
        match random.below(5) {
            0 => {
                chars[at] =
                    *random.choose(&['.', '#', '9', '-', '\n', ' ', 'Z', ':', '\u{e9}', '[', '0'])
            }
            1 => {
                chars.remove(at);
            }
            2 => chars.truncate(at),
            3 => {
                let piece: Vec<char> =
                    chars[at..(at + 1 + random.below(30)).min(chars.len())].to_vec();
                chars.splice(at..at, piece);
            }
            _ => {
                let other = random.below(chars.len());
                chars.swap(at, other);
            }
        }
    }
    chars.into_iter().collect()
}

law!(
    mutated_texts_parse_or_fail_with_a_place_in_the_text,
    fn visit<G: Game>(&mut self) {
        let mut random = Random::new(7);
        let mut texts: Vec<String> = G::LEVELS
            .iter()
            .map(|builtin| builtin.text.to_string())
            .collect();
        for level in random_levels::<G>().take(20) {
            texts.push(Level::bare(level.clone()).print());
            let written = |format: &Format<G>| (format.write)(&level, &level.start()).ok();
            texts.extend(G::FORMATS.iter().filter_map(written));
        }
        for _ in 0..3000 {
            let text = &texts[random.below(texts.len())];
            let text = mutate(text, &mut random);
            match AnyLevel::read(&text) {
                Ok(level) => {
                    struct Reprint;
                    impl LevelVisitor for Reprint {
                        type Out = ();
                        fn visit<G: Game>(self, level: &Level<G>) {
                            let text = level.print();
                            let document = Document::parse(&text).expect(&text);
                            let again = Level::<G>::parse(&document)
                                .unwrap_or_else(|bad| panic!("{bad}\n{text}"));
                            assert_eq!(again.print(), text);
                            let start = level.game.start();
                            let _ = (
                                level.game.is_goal(&start),
                                legal_moves(&level.game, &start),
                                level.game.view(&start),
                            );
                        }
                    }
                    level.visit(Reprint);
                }
                Err(bad) => {
                    let lines = text.lines().count().max(1);
                    assert!((1..=lines + 1).contains(&bad.line), "{bad}\n{text}");
                    assert!(bad.column >= 1 && !bad.message.is_empty(), "{bad}");
                }
            }
        }
    }
);

#[test]
fn hostile_texts_get_an_error() {
    let megabyte = "A".repeat(1 << 20);
    let many_rows = "#\n".repeat(1 << 18);
    let deep = "[".repeat(100_000);
    let deep = format!("letting initGrid be {deep}");
    let mut texts = vec![
        megabyte.clone(),
        many_rows.clone(),
        deep,
        String::new(),
        "\n\n\n".to_string(),
    ];
    for name in NAMES {
        texts.push(format!("game: {name}\n"));
        texts.push(format!("game: {name}\n{megabyte}\n"));
        texts.push(format!("game: {name}\n{many_rows}"));
        texts.push(format!("game: {name}\ngoal: -5\n..\n"));
        texts.push(format!("game: {name}\ngoal: 99999999999999999999\n..\n"));
    }
    for text in texts {
        let head: String = text.chars().take(60).collect();
        let bad = AnyLevel::read(&text)
            .map(|level| level.game_name())
            .expect_err(&head);
        assert!(bad.line >= 1 && bad.column >= 1, "{bad}");
    }
    let bad = AnyLevel::read_bytes(b"game: plotting\n\nR\xff\n").unwrap_err();
    assert_eq!((bad.line, bad.column), (3, 2));
}
