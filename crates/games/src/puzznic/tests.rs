//! Tests: every rule of the guide against plain breadth-first search, on thousands of random small
//! levels; and the published levels, if they are available.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use ployglot_testing::skip::shared_data;

use super::bitboard::{BitLevel, Bitboard};
use super::bitboard_bound::BitboardBound;
use super::bound::StarBound;
use super::deepening::IterativeDeepening;
use super::needs::{Needs, Stray};
use super::stars::Stars;
use super::*;

/// The optimal cost of every reachable state, by breadth-first search forward and backward; `None`
/// if there are too many states.
fn true_costs(level: &Puzznic, most: usize) -> Option<Vec<(State, Option<u32>)>> {
    let mut numbers = HashMap::from([(level.start(), 0)]);
    let mut states = vec![level.start()];
    let mut before: Vec<Vec<usize>> = vec![Vec::new()];
    let mut moves = Vec::new();
    let mut next = 0;
    while next < states.len() {
        let state = states[next].clone();
        moves.clear();
        level.moves(&state, &mut moves);
        for &mv in &moves {
            let after = level.apply(&state, mv);
            let number = *numbers.entry(after.clone()).or_insert(states.len());
            if number == states.len() {
                if number == most {
                    return None;
                }
                states.push(after);
                before.push(Vec::new());
            }
            before[number].push(next);
        }
        next += 1;
    }
    let mut costs = vec![None; states.len()];
    let mut queue: Vec<usize> = (0..states.len())
        .filter(|&number| level.is_goal(&states[number]))
        .collect();
    for &number in &queue {
        costs[number] = Some(0);
    }
    let mut next = 0;
    while next < queue.len() {
        for &earlier in &before[queue[next]] {
            if costs[earlier].is_none() {
                costs[earlier] = costs[queue[next]].map(|cost: u32| cost + 1);
                queue.push(earlier);
            }
        }
        next += 1;
    }
    Some(states.into_iter().zip(costs).collect())
}

/// All rules on, and each rule off in turn.
fn every_switch() -> Vec<Switches> {
    let one_off = |rule: &Rule| Switches::without(&[rule.name]);
    let all_on = std::iter::once(Switches::all_on());
    all_on.chain(Puzznic::RULES.iter().map(one_off)).collect()
}

/// Low wide levels, where rules about floors prune most, and high narrow ones.
fn random_level(seed: u64) -> Option<Puzznic> {
    const SIZES: [(usize, usize); 8] = [
        (2, 6),
        (2, 8),
        (3, 5),
        (3, 6),
        (4, 4),
        (1, 12),
        (5, 3),
        (6, 2),
    ];
    let mut random = Random::new(seed);
    let &(rows, cols) = random.choose(&SIZES);
    let spec = Spec::size(rows, cols)
        .with("patterns", 1 + random.below(4) as u32)
        .with("fill", 30 + random.below(55) as u32)
        .with("walls", random.below(25) as u32)
        .with("corners", random.below(2) as u32);
    Puzznic::generate(&spec, &mut random).ok()
}

/// The lists of the model `reach` against the true costs: the moves that are needed, what a move wastes,
/// and how soon blocks are in their cells.
#[test]
fn needs_and_strays_are_admissible_on_random_levels() {
    let (mut needed, mut strayed) = (0, 0);
    for level in (0..3000).filter_map(random_level) {
        let Some(costs) = true_costs(&level, 800) else {
            continue;
        };
        let costs: HashMap<State, Option<u32>> = costs.into_iter().collect();
        let cells = reach::cells(&level);
        let mut stars = Stars::new(&level.field, &Switches::all_on(), &[]);
        let lists = Needs::new(&level, &cells, &mut stars);
        let mut made: HashMap<State, u16> = HashMap::from([(level.start(), 0)]);
        let mut queue = VecDeque::from([level.start()]);
        while let Some(state) = queue.pop_front() {
            let board = level.write(&state).rows.join("\n");
            let so_far = made[&state];
            let holds = |pattern: usize, at: &usize| {
                usize::from(state.0[usize::from(cells[*at])]) == pattern + 1
            };
            let mut needs = vec![0; level.letters.len()];
            for need in &lists.needs {
                if need.cells.iter().all(|at| holds(need.pattern, at)) {
                    assert!(need.soonest <= so_far, "{board}");
                    needs[need.pattern] = need.moves.max(needs[need.pattern]);
                }
            }
            let need: u32 = needs.into_iter().map(u32::from).sum();
            if let Some(cost) = costs[&state] {
                assert!(need <= cost, "{board}");
                needed += need;
            }
            let mut moves = Vec::new();
            level.moves(&state, &mut moves);
            for mv in moves {
                let moves_it = |stray: &&Stray| {
                    level.field.places[usize::from(cells[stray.cells[0]])] == (mv.row, mv.col)
                        && stray.to_right == (mv.side == Side::Right)
                        && stray.cells.iter().all(|at| holds(stray.pattern, at))
                };
                let strays = lists.strays.iter().filter(moves_it);
                let wasted = strays.map(|stray| {
                    assert!(stray.soonest <= so_far, "{board}");
                    u32::from(stray.wasted)
                });
                let wasted = wasted.max().unwrap_or(0);
                let after = level.apply(&state, mv);
                if let Some(cost) = costs[&after] {
                    assert!(need + wasted <= cost + 1, "{board}");
                    strayed += wasted;
                }
                if !made.contains_key(&after) {
                    made.insert(after.clone(), so_far + 1);
                    queue.push_back(after);
                }
            }
        }
    }
    assert!(needed > 10_000 && strayed > 10_000, "{needed} {strayed}");
}

#[test]
fn every_rule_is_admissible_on_random_levels() {
    let (mut levels, mut states, mut solvable) = (0, 0, 0);
    let mut sharper = vec![0; Puzznic::RULES.len()];
    for level in (0..3000).filter_map(random_level) {
        let Some(costs) = true_costs(&level, 1500) else {
            continue;
        };
        levels += 1;
        for switches in every_switch() {
            let mut bound = StarBound::new(&level, &switches);
            for (state, cost) in &costs {
                states += 1;
                let found = bound.lower_bound(state);
                let board = || level.write(state).rows.join("\n");
                let off = switches.off();
                if let Some(cost) = *cost {
                    solvable += 1;
                    let found = found.unwrap_or_else(|| {
                        panic!(
                            "called a dead end, but costs {cost}, without {off:?}:\n{}",
                            board()
                        )
                    });
                    assert!(
                        found <= cost,
                        "{found} > {cost} without {off:?}:\n{}",
                        board()
                    );
                    assert!(bound.allows(state, cost));
                }
            }
            let bits = BitLevel::<u64>::new(&level).expect("it is small");
            let mut bound = BitboardBound::<u64, 4>::new(&level, &bits, &switches);
            for (state, cost) in &costs {
                let found = bound.lower_bound(&bits.bitboard_of(state));
                let board = || level.write(state).rows.join("\n");
                let right = match (found, *cost) {
                    (Some(found), Some(cost)) => found <= cost,
                    (None, Some(_)) => false,
                    (_, None) => true,
                };
                let off = switches.off();
                assert!(right, "{found:?} > {cost:?} without {off:?}:\n{}", board());
            }
            deepening_agrees(&bits, &mut bound, &level, costs[0].1);
            let report = search::search(&level, &switches, &Budget::unlimited());
            match (report.outcome, costs[0].1) {
                (Outcome::Optimal { plan, cost }, Some(least)) => {
                    assert_eq!(cost, least);
                    let ruling = judge(&level, "moves", &plan);
                    assert!(matches!(ruling, Ruling::Accepted { cost, .. } if cost == least));
                }
                (Outcome::Unsolvable, None) => {}
                (found, least) => panic!("{found:?}, but the optimum is {least:?}"),
            }
        }
        // Each rule changes the bound of some states.
        let bits = BitLevel::<u64>::new(&level).expect("it is small");
        let all_on = Switches::all_on();
        let mut all = BitboardBound::<u64, 4>::new(&level, &bits, &all_on);
        for (rule, sharper) in Puzznic::RULES.iter().zip(&mut sharper) {
            let off = Switches::without(&[rule.name]);
            let mut fewer = BitboardBound::<u64, 4>::new(&level, &bits, &off);
            let differ = |(state, _): &&(State, Option<u32>)| {
                all.lower_bound(&bits.bitboard_of(state))
                    != fewer.lower_bound(&bits.bitboard_of(state))
            };
            *sharper += costs.iter().filter(differ).count();
        }
    }
    assert!(
        levels > 1000 && states > 100_000 && solvable > 20_000,
        "{levels} {states} {solvable}"
    );
    assert!(sharper.iter().all(|&states| states > 100), "{sharper:?}");
}

/// Iterative deepening finds the optimal cost. Unsolvable levels are skipped: there the limit would
/// grow for a long time.
fn deepening_agrees(
    bits: &BitLevel<u64>,
    bound: &mut BitboardBound<u64, 4>,
    level: &Puzznic,
    least: Option<u32>,
) {
    let start: Bitboard<u64, 4> = bits.bitboard_of(&level.start);
    let Some(h) = bound.lower_bound(&start).filter(|_| least > Some(0)) else {
        return;
    };
    let budget = Budget::unlimited().with_memory(1);
    let mut deepening = IterativeDeepening::<_, 4, 2>::new(bits, bound, &budget, None);
    let (at_least, found) = deepening.run(&start, h);
    let found = found.expect("no limit");
    assert_eq!(found.map(|path| path.len() as u32), least);
    assert_eq!(Some(at_least), least);
}

#[test]
fn alternating_pairs_on_a_closed_floor_are_a_dead_end() {
    for (rows, dead_end) in [
        ("######\n#....#\n#ABAB#\n######", true),
        ("######\n#....#\n#ABBA#\n######", false),
        ("#######\n#A....#\n#BAB..#\n#######", false),
        // All three `A` must vanish together, and so must cross the `B`.
        ("#######\n#A....#\n#BAB.A#\n#######", true),
        // The floor is open: `A` can be dropped.
        ("######\n#....#\n#ABAB#\n####.#\n######", false),
    ] {
        let document = Document::parse(&format!("game: puzznic\n\n{rows}\n")).unwrap();
        let level = Puzznic::parse(&document).unwrap();
        let mut bound = StarBound::new(&level, &Switches::all_on());
        assert_eq!(
            bound.lower_bound(&level.start).is_none(),
            dead_end,
            "{rows}"
        );
    }
}

/// A published level by name.
fn published_level(data: &Path, name: &str) -> Puzznic {
    let path = data.join("puzznic").join(name).with_extension("prob");
    let text = std::fs::read_to_string(path).expect(name);
    match AnyLevel::read(&text) {
        Ok(AnyLevel::Puzznic(level)) => level.game,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn published_levels_have_the_known_optima() {
    let Some(data) = shared_data() else {
        return;
    };
    for (name, optimum) in [
        ("5x3-trivial", Some(1)),
        ("5x7-ps1-a13", Some(4)),
        ("6x6-ps1-c28", Some(5)),
        ("6x11-bcl-015-5", None),
        ("7x7-mateu", Some(3)),
        ("8x7-ps1-d21", None),
        ("8x8-ps1-b15", Some(9)),
        ("8x8-ps1-d18", Some(22)),
        ("8x11-ps1-e11", Some(16)),
        ("9x5-ps1-b22", Some(10)),
        ("9x12-ps1-c17", Some(17)),
        ("10x7-bcl-014-2", Some(14)),
        ("10x12-ps1-d23", Some(7)),
    ] {
        let level = published_level(&data, name);
        let report = search::search(&level, &Switches::all_on(), &Budget::unlimited());
        assert_eq!(report.outcome.cost(), optimum, "{name}");
        assert_eq!(report.outcome.at_least(), optimum, "{name} is not proven");
    }
}

#[test]
fn every_published_level_is_read_and_written_back() {
    let Some(data) = shared_data() else {
        return;
    };
    for entry in std::fs::read_dir(data.join("puzznic")).expect("a folder") {
        let path = entry.expect("readable").path();
        let name = path
            .file_stem()
            .expect("a file")
            .to_string_lossy()
            .to_string();
        let level = published_level(&data, &name);
        for format in Puzznic::FORMATS {
            let text = (format.write)(&level, &level.start).expect(&name);
            let again = (format.read)(&text).expect(&name);
            assert_eq!(
                again.write(&again.start),
                level.write(&level.start),
                "{name} {}",
                format.name
            );
        }
    }
}

#[test]
fn an_interrupted_search_has_a_bound_and_a_plan() {
    let Some(data) = shared_data() else {
        return;
    };
    let level = published_level(&data, "10x12-ps1-d35");
    let (states, optimum) = (Arc::new(AtomicU64::new(0)), 34);
    let stop = Arc::new(AtomicBool::new(false));
    let (seen, when) = (states.clone(), stop.clone());
    // Interrupt when the first beam has found a plan.
    let watch = move |progress: &Progress| {
        seen.store(progress.expanded, Relaxed);
        when.store(progress.best.is_some(), Relaxed);
    };
    let budget = Budget::unlimited().with_interrupt(stop).with_watch(watch);
    let report = search::search(&level, &Switches::all_on(), &budget);
    match report.outcome {
        Outcome::Feasible {
            plan,
            cost,
            at_least,
            why: Limit::Interrupt,
        } => {
            assert!(at_least <= optimum && optimum <= cost);
            let ruling = judge(&level, "moves", &plan);
            assert!(matches!(ruling, Ruling::Accepted { cost: found, .. } if found == cost));
        }
        other => assert_eq!(other.cost(), Some(optimum), "the search finished before"),
    }
    assert!(states.load(Relaxed) > 0);
}

#[test]
fn with_little_memory_deepening_finds_the_optimum() {
    let Some(data) = shared_data() else {
        return;
    };
    let level = published_level(&data, "9x7-ps1-b12");
    let budget = Budget::unlimited().with_memory(1);
    let report = search::search(&level, &Switches::all_on(), &budget);
    assert_eq!(report.outcome.cost(), Some(18));
    assert_eq!(report.outcome.at_least(), Some(18));
}

#[test]
fn three_in_a_row_on_a_floor_are_a_dead_end() {
    for (rows, dead_end) in [
        ("#######\n#.....#\n#A.A.A#\n#######", true),
        ("#######\n#..A..#\n#A.BB.#\n#######", false),
        ("######\n#.A..#\n#.#..#\n#A..A#\n######", false),
    ] {
        let document = Document::parse(&format!("game: puzznic\n\n{rows}\n")).unwrap();
        let level = Puzznic::parse(&document).unwrap();
        let mut bound = StarBound::new(&level, &Switches::all_on());
        assert_eq!(
            bound.lower_bound(&level.start).is_none(),
            dead_end,
            "{rows}"
        );
    }
}

#[test]
fn a_level_that_is_too_large_for_bitboards_is_not_searched() {
    let rows = format!(
        "{}\n{}\n#A.A#\n#####\n",
        "#####",
        "#...#\n".repeat(96).trim_end()
    );
    let document = Document::parse(&format!("game: puzznic\n\n{rows}")).unwrap();
    let level = Puzznic::parse(&document).unwrap();
    assert_eq!(level.best_route("moves"), "search:astar");
    let report = search::search(&level, &Switches::all_on(), &Budget::unlimited());
    assert!(matches!(
        report.outcome,
        Outcome::GaveUp {
            why: Limit::Incomplete,
            ..
        }
    ));
}
