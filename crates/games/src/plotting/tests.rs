//! Tests: the rules on small boards, the figures of the paper, known optima of small levels, and
//! the admissibility of the guide.

use std::collections::{HashMap, HashSet};

use ployglot_testing::skip::shared_data;

use super::*;

fn level(text: &str) -> Plotting {
    let document = Document::parse(text).expect(text);
    Plotting::parse(&document).expect(text)
}

/// Plays a shot and compares the result: the rows of the board, then the hand.
fn check(text: &str, shot: &str, expected: &str) {
    let level = level(&format!("goal: 0\n{text}"));
    let start = level.start();
    let mv = level.parse_move(&start, shot).expect(shot);
    let found = match level.play(&start, mv) {
        Ok(next) => {
            assert_eq!(
                level.apply(&start, mv),
                next,
                "the fast and the slow rules differ"
            );
            let hand = next.hand.map_or('*', |hand| level.letter(hand));
            format!(
                "{} {hand}",
                text::rows(&level, &level.cells(&next), '.').join("\n")
            )
        }
        Err(refusal) => format!("refused: {}", refusal.0),
    };
    assert_eq!(found, expected, "{shot} in\n{text}");
}

#[test]
fn a_shot_consumes_its_own_colour_and_swaps_with_the_first_other() {
    check("hand: R\nRRG\n", "row 1", "..R G");
    check("hand: R\nR\nR\nG\nB\n", "col 1", ".\n.\nR\nB G");
}

#[test]
fn empty_cells_let_the_shot_pass() {
    check("hand: R\n.R.G\nGGGG\n", "row 1", "...R\nGGGG G");
    check("hand: R\n..\nR.\nGB\n", "col 1", "..\n..\nRB G");
}

#[test]
fn a_shot_that_consumes_nothing_is_illegal() {
    let why = "refused: the shot must first hit a block of its own colour: the hand holds R, and the shot first hits G in row 1, column 2";
    check("hand: R\n.GR\nRRR\n", "row 1", why);
    check(
        "hand: R\n..\nR.\n",
        "col 2",
        "refused: the shot must consume a block, and there is none in its way",
    );
}

#[test]
fn a_wildcard_takes_the_colour_of_the_first_block() {
    check("GGR\n", "row 1", "..G R");
    check(".B\nGG\n", "col 2", "..\nGB G");
    check(".\nB\n", "row 1", ".\n. B");
    check(
        "..\n..\n",
        "row 2",
        "refused: the shot must consume a block, and there is none in its way",
    );
}

#[test]
fn blocks_above_a_consumed_cell_fall_by_one() {
    check("hand: R\nG..\nBGB\nRRG\n", "row 3", "...\nG.B\nBGR G");
}

#[test]
fn after_the_last_column_the_shot_falls_from_the_cell_below_its_row() {
    // The shot turns down at the wall; blocks above fall by as many as it consumes there.
    check(
        "hand: R\nGGB\nRRR\nBGR\nGBG\n",
        "row 2",
        "...\nGG.\nBGB\nGBR G",
    );
    // A shot along an empty row does the same as a shot down the last column.
    check("hand: R\n...\n..R\nGGB\n", "row 1", "...\n...\nGGR B");
    // The row's cell in the last column is not hit twice.
    check("hand: R\n.R\nGG\n", "row 1", "..\nGR G");
}

#[test]
fn a_shot_that_reaches_the_floor_comes_back() {
    check("hand: R\nR.\nRG\n", "col 1", "..\n.G R");
    check("hand: R\nRR\nGR\n", "row 1", "..\nG. R");
    check("hand: R\nBB\nRR\nGR\n", "row 2", "..\nB.\nGB R");
}

#[test]
fn blocked_lines_cannot_be_shot_along() {
    check(
        "hand: R\nblocked: row 2\nblocked: col 1\nRG\nRR\n",
        "row 2",
        "refused: row 2 is blocked: no shot can start there",
    );
    check(
        "blocked: col 1\nRG\nRR\n",
        "col 1",
        "refused: column 1 is blocked: no shot can start there",
    );
}

#[test]
fn the_hand_turns_into_a_wildcard_where_no_shot_is_legal() {
    check("hand: R\nwildcards: 1\nRG\nBB\n", "row 1", ".R\nBB *");
    check("hand: R\nRG\nBB\n", "row 1", ".R\nBB G");
    check("hand: R\nwildcards: 1\nRG\nGB\n", "row 1", ".R\nGB G");
    // This also happens at the start.
    let level = level("goal: 1\nhand: R\nwildcards: 2\nGG\n");
    assert_eq!((level.start().hand, level.start().wildcards), (None, 1));
}

#[test]
fn figure_2_a_simple_horizontal_shot() {
    // Two red blocks with a gap between them are consumed; the green block after them goes into the
    // hand.
    check("hand: R\nG..G\nR.RG\nGRGR\n", "row 2", "...G\nG..R\nGRGR G");
}

#[test]
fn figure_3_a_shot_along_a_row_and_down_the_wall() {
    check(
        "hand: G\nRRR\nGGG\nRRG\nRGR\n",
        "row 2",
        "...\nRR.\nRRR\nRGG R",
    );
}

#[test]
fn figure_6_red_returns_to_the_hand_twice() {
    check("hand: R\n.R\nRR\n", "row 2", "..\n.R R");
    check("hand: R\n..\n.R\n", "row 2", "..\n.. R");
}

/// Plain breadth-first search over the fast rules: the optimum, or `None`.
fn optimum(level: &Plotting) -> Option<u32> {
    let mut seen = HashSet::new();
    let mut layer = vec![level.start()];
    let mut moves = Vec::new();
    for depth in 0.. {
        if layer.iter().any(|state| level.is_goal(state)) {
            return Some(depth);
        }
        let mut next = Vec::new();
        for state in &layer {
            moves.clear();
            level.moves(state, &mut moves);
            for &mv in &moves {
                let after = level.apply(state, mv);
                let mut words = vec![0; level.words()];
                level.pack(&after, &mut words);
                if seen.insert(words) {
                    next.push(after);
                }
            }
        }
        if next.is_empty() {
            return None;
        }
        layer = next;
    }
    unreachable!("the last layer is empty")
}

#[test]
fn a_goal_below_the_number_of_colours_minus_one_is_unsolvable() {
    assert_eq!(optimum(&level("goal: 1\nRRB\nGBG\nRGB\n")), None);
    assert_eq!(optimum(&level("goal: 2\nRRB\nGBG\nRGB\n")), Some(7));
}

#[test]
fn the_pars_of_small_built_in_levels_are_optimal() {
    for builtin in Plotting::LEVELS {
        let document = Document::parse(builtin.text).unwrap();
        let level = Level::<Plotting>::parse(&document).unwrap();
        if level.game.blocks(&level.game.start()) > 20 {
            continue;
        }
        let expected = match level.par("shots").expect("every level has a par") {
            Par::Cost(cost) => Some(cost),
            Par::Unsolvable => None,
        };
        assert_eq!(optimum(&level.game), expected, "{}", builtin.name);
    }
}

/// The levels of the papers are not part of the project. If they are available in `shared/data`,
/// beside the folder of the project, all of them load, and the small ones have the published
/// optima.
#[test]
fn published_levels_load_and_small_ones_have_the_known_optima() {
    let Some(data) = shared_data() else {
        return;
    };
    let table = std::fs::read_to_string(data.join("optima.csv")).expect("a table");
    let mut solved = 0;
    for row in table.lines().filter(|row| row.starts_with("plotting,")) {
        let fields: Vec<&str> = row.split(',').collect();
        let text = std::fs::read_to_string(data.join(fields[1])).expect(fields[1]);
        let Ok(AnyLevel::Plotting(level)) = AnyLevel::read(&text) else {
            panic!("{} is not a level of Plotting", fields[1]);
        };
        if level.game.blocks(&level.game.start()) <= 12 {
            assert_eq!(
                optimum(&level.game),
                fields[3].parse().ok(),
                "{}",
                fields[1]
            );
            solved += 1;
        }
    }
    assert!(solved > 50, "{solved}");
}

/// The optimal cost of a state, and of all states that it leads to (`known`), by the slow rules.
fn true_cost(
    level: &Plotting,
    state: &State,
    known: &mut HashMap<State, Option<u32>>,
) -> Option<u32> {
    if let Some(&cost) = known.get(state) {
        return cost;
    }
    let cost = match level.shortfall(state) {
        None => Some(0),
        Some(_) => legal_moves(level, state)
            .into_iter()
            .filter_map(|mv| {
                let after = level.play(state, mv).expect("legal");
                true_cost(level, &after, known).map(|cost| cost + 1)
            })
            .min(),
    };
    known.insert(state.clone(), cost);
    cost
}

/// On thousands of small levels with every option, no rule of the guide, alone or with the others,
/// prunes all optimal plans.
#[test]
fn the_guide_keeps_an_optimal_plan() {
    let mut switches = vec![Switches::all_on()];
    switches.extend(Plotting::RULES.iter().map(|rule| {
        let others: Vec<&str> = Plotting::RULES
            .iter()
            .map(|other| other.name)
            .filter(|&other| other != rule.name)
            .collect();
        Switches::without(&others)
    }));
    let mut solvable = 0;
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let (rows, cols) = *random.choose(&[
            (2, 4),
            (3, 3),
            (2, 5),
            (5, 2),
            (6, 2),
            (3, 4),
            (1, 7),
            (8, 1),
        ]);
        let spec = Spec::size(rows, cols)
            .with("colours", 1 + random.below(5) as u32)
            .with("goal", random.below(4) as u32)
            .with("hand", random.below(2) as u32)
            .with("blocked", random.below(5).saturating_sub(2) as u32)
            .with("wildcards", random.below(6).saturating_sub(3) as u32);
        let level = Plotting::generate(&spec, &mut random).expect("the spec is sound");
        let mut known = HashMap::new();
        solvable += u32::from(true_cost(&level, &level.start(), &mut known).is_some());
        for switches in &switches {
            let mut guide = level.guide(switches);
            for (state, cost) in &known {
                let Some(cost) = *cost else { continue };
                let context = || format!("{:?} without {:?}", level.write(state), switches.off());
                assert!(guide.allows(state, cost), "cost {cost}: {}", context());
                let bound = guide.lower_bound(state);
                assert!(
                    bound.is_some_and(|bound| bound <= cost),
                    "{bound:?} > {cost}: {}",
                    context()
                );
                let mut moves = Vec::new();
                level.moves(state, &mut moves);
                guide.narrow(state, &mut moves);
                let best = moves
                    .iter()
                    .filter_map(|&mv| known.get(&level.apply(state, mv)));
                let best = best.copied().flatten().min();
                assert!(
                    cost == 0 || best == Some(cost - 1),
                    "narrowed: {}",
                    context()
                );
            }
        }
    }
    assert!(solvable > 500, "{solvable}");
}
