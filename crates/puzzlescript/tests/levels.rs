//! The levels of the games of this crate: their shortest plans are proven, and the referee accepts
//! them.

use std::sync::Arc;

use ployglot_base::{Blind, Budget, Guide, Outcome, Space, Switches};
use ployglot_puzzlescript::{
    GAMES, Game, LevelGuide, LevelSpace, Opening, Refusal, Ruling, compile, referee,
};
use ployglot_search::Search;

/// For each game, the length of the shortest plan of each of its levels.
const PARS: &[(&str, &[u32])] = &[
    ("crates", &[3, 6, 24]),
    ("gems", &[8, 4, 13]),
    ("ice", &[2, 9, 10]),
    ("dominoes", &[7, 8]),
    ("lockout", &[2, 5]),
    ("twins", &[4, 10]),
];

fn text(name: &str) -> &'static str {
    let game = GAMES.iter().find(|(known, _)| *known == name);
    game.expect("a game of this crate").1
}

fn game(name: &str) -> Arc<Game> {
    let compiled = compile(text(name));
    assert!(compiled.faults.is_empty(), "{name}: {:?}", compiled.faults);
    Arc::new(compiled.game.expect("a game without faults"))
}

fn space(game: &Arc<Game>, entry: usize, switches: &Switches) -> Arc<LevelSpace> {
    let space = LevelSpace::new(game.clone(), entry, Opening::default(), switches);
    Arc::new(space.expect("a level"))
}

/// The cost by breadth-first search without knowledge, and the plan.
fn plain(space: &LevelSpace) -> Outcome<ployglot_puzzlescript::Input> {
    let search = Search::BreadthFirst;
    search.run(space, &|| Blind, &Budget::unlimited()).outcome
}

#[test]
fn the_shortest_plan_of_every_level_is_proven() {
    assert_eq!(PARS.len(), GAMES.len());
    for (name, pars) in PARS {
        let game = game(name);
        let entries: Vec<usize> = game.levels().collect();
        assert_eq!(entries.len(), pars.len(), "{name}");
        for (&entry, &par) in entries.iter().zip(*pars) {
            let space = space(&game, entry, &Switches::all_on());
            let guide = || LevelGuide::new(space.clone(), &Switches::all_on());
            let by_guide = Search::Astar.run(&*space, &guide, &Budget::unlimited());
            for outcome in [plain(&space), by_guide.outcome] {
                let Outcome::Optimal { plan, cost } = outcome else {
                    panic!("{name}, level {entry}: {outcome:?}");
                };
                assert_eq!(cost, par, "{name}, level {entry}");
                assert_eq!(
                    referee(&game, entry, &plan),
                    Ruling::Wins,
                    "{name}, {entry}"
                );
                let shorter = &plan[..plan.len() - 1];
                assert_eq!(referee(&game, entry, shorter), Ruling::DoesNotWin);
            }
        }
    }
}

#[test]
fn a_crate_in_a_corner_is_a_dead_end() {
    let mut game = Game::clone(&game("crates"));
    let level = game.levels().next().expect("a level");
    let text = "\
######
#*..P#
#...O#
######";
    game.entries[level] = ployglot_puzzlescript::Entry::Level(map(&game, text));
    let space = space(&Arc::new(game), level, &Switches::all_on());
    let mut guide = LevelGuide::new(space.clone(), &Switches::all_on());
    assert_eq!(guide.lower_bound(&space.start()), None);
    assert_eq!(plain(&space), Outcome::Unsolvable);
    let off = Switches::without(&[ployglot_puzzlescript::DEAD_ENDS]);
    assert_eq!(
        LevelGuide::new(space.clone(), &off).lower_bound(&space.start()),
        Some(1)
    );
}

/// A level of the game of crates from a picture.
fn map(game: &Game, picture: &str) -> ployglot_puzzlescript::Level {
    let rows: Vec<Vec<char>> = picture.lines().map(|line| line.chars().collect()).collect();
    let number = |name: &str| game.objects.iter().position(|object| object.name == name);
    let (width, height) = (rows[0].len(), rows.len());
    let mut cells = Vec::new();
    for x in 0..width {
        for row in &rows {
            let name = match row[x] {
                '#' => "wall",
                'P' => "player",
                '*' => "crate",
                'O' => "target",
                _ => "background",
            };
            cells.push(
                [number("background"), number(name)]
                    .into_iter()
                    .flatten()
                    .collect(),
            );
        }
    }
    ployglot_puzzlescript::Level {
        line: 1,
        width,
        height,
        cells,
    }
}

#[test]
fn games_that_cannot_be_proven_are_refused() {
    let text = text("crates");
    let refused = |text: &str| {
        let compiled = compile(text);
        let game = compiled.game.expect("a game");
        let entry = game.levels().next().expect("a level");
        space(&Arc::new(game), entry, &Switches::all_on()).refusal()
    };
    let rule = "[ > Player | Crate ] -> [ > Player | > Crate ]";
    let random = text.replace(rule, &format!("random {rule}"));
    let line = 1 + text
        .lines()
        .position(|line| line == rule)
        .expect("the rule");
    assert_eq!(refused(&random), Some(Refusal::Random(line)));
    let random = text.replace(
        rule,
        "[ > Player | Crate ] -> [ > Player | randomDir Crate ]",
    );
    assert_eq!(refused(&random), Some(Refusal::Random(line)));
    let clock = text.replace("noaction", "realtime_interval 0.5");
    assert_eq!(refused(&clock), Some(Refusal::RealTime));
}
