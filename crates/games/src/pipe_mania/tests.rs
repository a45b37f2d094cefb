//! Compares the path search with two slow references: the enumeration of all simple paths, and the
//! enumeration of all states that turning pieces can reach.

use ployglot_testing::skip::shared_data;

use super::piece::leads;
use super::*;

/// A random small level; all options occur.
fn random_level(seed: u64) -> PipeMania {
    const SIZES: [(usize, usize); 8] = [
        (2, 2),
        (2, 3),
        (3, 3),
        (3, 4),
        (4, 3),
        (4, 4),
        (3, 6),
        (5, 4),
    ];
    let mut random = Random::new(seed);
    let (rows, cols) = *random.choose(&SIZES);
    let mut knob = |most: usize, of: usize| {
        let on = random.chance(1, of);
        if on { 1 + random.below(most) as u32 } else { 0 }
    };
    let spec = Spec::size(rows, cols)
        .with("ends", 2 + knob(2, 2))
        .with("crosses", knob(40, 2))
        .with("one-ways", knob(30, 3))
        .with("empty", knob(20, 2))
        .with("fixed", knob(60, 3))
        .with("named", knob(1, 3))
        .with("through", knob(2, 4))
        .with("join", knob(1, 5));
    let spec = spec.with("straights", 10 + random.below(60) as u32);
    let mut level = PipeMania::generate(&spec, &mut random).expect("the knobs make sense");
    if level.from.is_some() && random.chance(1, 4) {
        level.from = None;
    } else if level.from.is_some() && random.chance(1, 4) {
        level.to = None;
    }
    level
}

/// The least cost of a simple path, by trying them all.
fn enumerate(level: &PipeMania, measure: &str) -> Option<u32> {
    struct Walker<'a> {
        level: &'a PipeMania,
        turns_count: bool,
        /// The channels used: the cell, and for a cross whether the channel is vertical.
        used: Vec<(Place, bool)>,
        required: Vec<Place>,
        best: Option<u32>,
    }
    impl Walker<'_> {
        fn walk(&mut self, place: Place, out: Side, cost: u32) {
            let Some(next) = self.level.board.beside(place, out) else {
                return;
            };
            let tile = self.level.board[next];
            let vertical = matches!(out, Side::Up | Side::Down);
            let channel = (next, tile.kind == Kind::Cross && vertical);
            if self.used.contains(&channel) {
                return;
            }
            self.used.push(channel);
            let cost = cost + 1;
            let turns = if tile.turnable() { 0..4 } else { 0..1 };
            for turn in turns {
                let onward = leads(tile.kind, (tile.rotation + turn) % 4, out.opposite());
                let Some(onward) = onward else { continue };
                let passed = |required: &Place| self.used.iter().any(|(used, _)| used == required);
                if tile.kind == Kind::End
                    && self.level.to.is_none_or(|to| to == next)
                    && self.required.iter().all(passed)
                {
                    self.best = Some(self.best.map_or(cost, |best| best.min(cost)));
                }
                let turned = if self.turns_count { u32::from(turn) } else { 0 };
                self.walk(next, onward, cost + turned);
            }
            self.used.pop();
        }
    }
    let mut walker = Walker {
        level,
        turns_count: measure == "pieces+rotations",
        used: Vec::new(),
        required: level.required(),
        best: None,
    };
    for end in level.ends() {
        if level.from.is_none_or(|from| from == end) {
            for side in Side::ALL {
                if leads(Kind::End, level.board[end].rotation, side).is_some() {
                    walker.used = vec![(end, false)];
                    walker.walk(end, side, 0);
                }
            }
        }
    }
    walker.best
}

/// The least cost over all states that can be reached, as the referee counts it.
fn turn_everything(level: &PipeMania, measure: &str) -> Option<u32> {
    let mut best = None;
    let mut boards = vec![(level.start(), 0)];
    for &cell in &level.turnable {
        let cols = level.board.cols();
        let mv = Move {
            row: (cell as usize / cols) as u16,
            col: (cell as usize % cols) as u16,
        };
        for (mut state, turns) in std::mem::take(&mut boards) {
            for turn in 0..4 {
                boards.push((state.clone(), turns + turn));
                state = level.play(&state, mv).expect("it is turnable");
            }
        }
    }
    for (state, turns) in boards {
        let joined = level.shortfall(&state).is_none();
        assert_eq!(level.is_goal(&state), joined, "{:?}", level.write(&state));
        if joined {
            let plan = vec![Move { row: 0, col: 0 }; turns];
            let cost = level.plan_cost(measure, &plan, &state);
            best = Some(best.map_or(cost, |best: u32| best.min(cost)));
        }
    }
    best
}

fn solve(level: &PipeMania, measure: &str, switches: &Switches) -> Option<u32> {
    let report = paths::search(level, measure, switches, &Budget::unlimited());
    match report.outcome {
        Outcome::Optimal { plan, cost } => {
            let ruling = judge(level, measure, &plan);
            let agrees = matches!(ruling, Ruling::Accepted { cost: judged, .. } if judged == cost);
            assert!(
                agrees,
                "{cost}, but {ruling:?}\n{}",
                Level::bare(level.clone()).print()
            );
            Some(cost)
        }
        Outcome::Unsolvable => None,
        other => panic!("nothing limits the search: {other:?}"),
    }
}

#[test]
fn the_search_agrees_with_the_enumeration_of_paths() {
    let mut solved = 0;
    let mut switches = vec![Switches::all_on()];
    switches.extend(
        paths::RULES
            .iter()
            .map(|rule| Switches::without(&[rule.name])),
    );
    for seed in 0..12_000 {
        let level = random_level(seed);
        for measure in ["pieces", "pieces+rotations"] {
            let expected = enumerate(&level, measure);
            solved += usize::from(expected.is_some());
            let switches = &switches[seed as usize % switches.len()];
            assert_eq!(
                solve(&level, measure, switches),
                expected,
                "{measure} without {:?}, seed {seed}:\n{}",
                switches.off(),
                Level::bare(level.clone()).print()
            );
        }
    }
    assert!((4_000..20_000).contains(&solved), "{solved} of 24000");
}

/// Larger boards than can be enumerated, full of straight pieces, so that walks cross themselves.
#[test]
fn the_techniques_agree_with_each_other() {
    let mut searched = 0;
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let spec = Spec::size(14 + random.below(10), 14 + random.below(10))
            .with("straights", 70 + random.below(20) as u32)
            .with("corners", 12)
            .with("crosses", random.below(6) as u32)
            .with("one-ways", random.below(4) as u32)
            .with("empty", random.below(8) as u32)
            .with("fixed", random.below(6) as u32)
            .with("ends", 2 + random.below(2) as u32);
        let level = PipeMania::generate(&spec, &mut random).expect("the knobs make sense");
        for measure in ["pieces", "pieces+rotations"] {
            let all = Switches::all_on();
            let report = paths::search(&level, measure, &all, &Budget::unlimited());
            searched += usize::from(report.effort.expanded > 100);
            let expected = solve(&level, measure, &all);
            for off in [
                &["trim", "split"][..],
                &["first-turn", "memory"],
                &["memory", "trim"],
                &["local-memory", "split", "trim"],
            ] {
                let found = solve(&level, measure, &Switches::without(off));
                let text = Level::bare(level.clone()).print();
                assert_eq!(
                    found, expected,
                    "{measure} without {off:?}, seed {seed}:\n{text}"
                );
            }
        }
    }
    assert!(searched > 50, "only {searched} of 2000 needed a search");
}

#[test]
fn the_enumeration_of_paths_agrees_with_the_enumeration_of_states() {
    let mut tried = 0;
    for seed in 0.. {
        let level = random_level(seed);
        if level.turnable.len() > 5 {
            continue;
        }
        for measure in ["pieces", "pieces+rotations"] {
            let expected = turn_everything(&level, measure);
            let text = Level::bare(level.clone()).print();
            assert_eq!(enumerate(&level, measure), expected, "{measure}\n{text}");
        }
        tried += 1;
        if tried == 400 {
            break;
        }
    }
}

/// The levels with known optima, if they are beside the project: name, text, measure, optimum.
fn known() -> Vec<(String, String, String, Option<u32>)> {
    let Some(data) = shared_data() else {
        return Vec::new();
    };
    let table = std::fs::read_to_string(data.join("optima.csv")).expect("a table");
    let rows = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let rows = rows.filter(|row| row.first() == Some(&PipeMania::NAME));
    rows.map(|row| {
        let text = std::fs::read_to_string(data.join(row[1])).expect(row[1]);
        let optimum = match row[3] {
            "unsolvable" => None,
            number => Some(number.parse().expect("a number")),
        };
        (row[1].to_string(), text, row[2].to_string(), optimum)
    })
    .collect()
}

#[test]
fn the_known_optima_hold() {
    for (name, text, measure, optimum) in known() {
        let level = match AnyLevel::read(&text) {
            Ok(AnyLevel::PipeMania(level)) => level.game,
            other => panic!("{name} is a level of Pipe Mania, not {other:?}"),
        };
        assert_eq!(
            solve(&level, &measure, &Switches::all_on()),
            optimum,
            "{name} by {measure}"
        );
    }
}

#[test]
fn the_pars_of_the_levels_are_the_optima() {
    for builtin in PipeMania::LEVELS {
        let document = Document::parse(builtin.text).expect(builtin.name);
        let level = Level::<PipeMania>::parse(&document).expect(builtin.name);
        let optima = ["pieces", "pieces+rotations"]
            .map(|measure| solve(&level.game, measure, &Switches::all_on()));
        let pars = ["pieces", "pieces+rotations"].map(|measure| match level.par(measure) {
            Some(Par::Cost(cost)) => Some(cost),
            Some(Par::Unsolvable) => None,
            None => panic!("{} has no par for {measure}", builtin.name),
        });
        assert_eq!(pars, optima, "{}", builtin.name);
    }
}

#[test]
fn walks_that_the_breadth_first_search_of_the_thesis_returns_are_not_paths() {
    let check = |board: &str, expected: [Option<u32>; 2]| {
        let level = PipeMania::parse(&Document::parse(board).expect(board)).expect(board);
        let found = ["pieces", "pieces+rotations"]
            .map(|measure| solve(&level, measure, &Switches::all_on()));
        assert_eq!(found, expected, "{board}");
    };
    // The walk leads through the R, round the loop, and down through the R.
    check("##L1L2\nB1R1L3\n##B2##", [None, None]);
    // The walk leads round the ring, back into the first B.
    check("L3R1L4\nB2##R2\nL2R1L1\n####B1", [None, None]);
    // As in the first board, and there is a longer way round the R.
    check("##L1L2##\nB1R1L3##\n##B2R1L1\n##L1R1L1", [None, None]);
}

#[test]
fn running_out_of_time_is_not_a_proof() {
    let spec = Spec::size(30, 30).with("straights", 90).with("corners", 10);
    let expired = || Budget::unlimited().with_time(std::time::Duration::ZERO);
    for seed in 0..20 {
        let level =
            PipeMania::generate(&spec, &mut Random::new(seed)).expect("the knobs make sense");
        let report = paths::search(&level, "pieces", &Switches::all_on(), &expired());
        assert!(
            matches!(
                report.outcome,
                Outcome::GaveUp {
                    why: Limit::Time,
                    ..
                }
            ),
            "{:?}",
            report.outcome
        );
    }
}

/// A budget whose interrupt flag is raised after a number of progress reports.
fn interrupted(after: u64) -> Budget {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
    let flag = Arc::new(AtomicBool::new(false));
    let (checks, raise) = (AtomicU64::new(0), flag.clone());
    let budget = Budget::unlimited().with_interrupt(flag);
    budget.with_watch(move |_| {
        if checks.fetch_add(1, Relaxed) >= after {
            raise.store(true, Relaxed);
        }
    })
}

#[test]
fn an_interrupted_search_reports_a_valid_bound() {
    let mut interrupted_runs = 0;
    let spec = Spec::size(40, 40).with("straights", 90).with("corners", 10);
    for seed in [134, 448, 491, 563] {
        let level =
            PipeMania::generate(&spec, &mut Random::new(seed)).expect("the knobs make sense");
        let report = paths::search(&level, "pieces", &Switches::all_on(), &interrupted(0));
        match report.outcome {
            Outcome::GaveUp { at_least, why } => {
                assert_eq!(why, Limit::Interrupt);
                assert!(at_least > 0, "the cheapest walk was known");
                interrupted_runs += 1;
            }
            Outcome::Feasible {
                plan,
                cost,
                at_least,
                ..
            } => {
                assert!(at_least < cost);
                assert!(
                    matches!(judge(&level, "pieces", &plan), Ruling::Accepted { cost: judged, .. } if judged == cost)
                );
                interrupted_runs += 1;
            }
            Outcome::Optimal { .. } | Outcome::Unsolvable => {}
            Outcome::Contradiction(found) => panic!("{found}"),
        }
    }
    assert!(
        interrupted_runs > 0,
        "some of these levels take until the first progress report, a tenth of a second"
    );
}

#[test]
fn the_bound_on_turns_is_admissible() {
    let mut solvable = 0;
    for seed in 0..4000 {
        let level = random_level(seed);
        if level.turnable.len() > 4 {
            continue;
        }
        // Every state, with the turns that lead there; a goal state may have more turns than its
        // path needs.
        let switches = Switches::all_on();
        let mut guide = level.guide(&switches);
        let mut boards = vec![(level.start(), 0u32)];
        let mut least = None;
        let mut moves = Vec::new();
        level.moves(&level.start(), &mut moves);
        for mv in moves {
            for (mut state, turns) in std::mem::take(&mut boards) {
                for turn in 0..4 {
                    boards.push((state.clone(), turns + turn));
                    state = level.play(&state, mv).expect("it is turnable");
                }
            }
        }
        for (state, turns) in &boards {
            if level.is_goal(state) {
                assert_eq!(guide.lower_bound(state), Some(0), "a goal needs no turn");
                least = Some(least.map_or(*turns, |least: u32| least.min(*turns)));
            }
        }
        let bound = guide.lower_bound(&level.start());
        let text = Level::bare(level.clone()).print();
        if let Some(least) = least {
            solvable += 1;
            assert!(
                bound.is_some_and(|bound| bound <= least),
                "{bound:?} {least}\n{text}"
            );
        }
    }
    assert!(solvable > 100, "{solvable}");
}

#[test]
fn is_goal_agrees_with_shortfall_on_rings_with_all_options() {
    let rings = [
        "L3B1L4\nB2##R2\nL2R1L1",
        "L3B1B1L4\nB2####O4\nL2O3B1L1",
        "##L3L4\nB1X1L1\n##B2##",
    ];
    let mut goals = 0;
    for ring in rings {
        for (from, to) in [("", ""), ("from: 2 1\n", ""), ("", "to: 2 1\n")] {
            for join in ["", "join: yes\n"] {
                for through in [
                    "",
                    "through: 1 2\n",
                    "through: 1 3\n",
                    "through: 1 2\nthrough: 3 2\n",
                ] {
                    let text = format!("{from}{to}{through}{join}{ring}\n");
                    let document = Document::parse(&text).expect(&text);
                    let level = PipeMania::parse(&document).expect(&text);
                    let start = level.start();
                    let joined = level.shortfall(&start).is_none();
                    assert_eq!(level.is_goal(&start), joined, "{text}");
                    goals += usize::from(joined);
                }
            }
        }
    }
    assert!((20..72).contains(&goals), "{goals} of 72");
}
