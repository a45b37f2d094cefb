//! Compares the figures of a rating with brute force by the slow rules, and hints with the referee.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use ployglot_base::{Budget, Random};
use ployglot_games::*;
use ployglot_solve::{
    Hint, PlanComparison, RatingLimits, Request, StateCount, Status, compare_plans, hint, rate,
    solve, start_at,
};

/// All reachable states, by `play` alone, each with its distance from the start. Goals are not
/// expanded.
fn reach<G: Game>(level: &G, start: &G::State) -> HashMap<Vec<u64>, (G::State, u32)> {
    let mut seen = HashMap::from([(pack(level, start), (start.clone(), 0))]);
    let mut open = VecDeque::from([(start.clone(), 0)]);
    while let Some((state, distance)) = open.pop_front() {
        if level.shortfall(&state).is_none() {
            continue;
        }
        for next in successors_of(level, &state) {
            let packed = pack(level, &next);
            if let std::collections::hash_map::Entry::Vacant(entry) = seen.entry(packed) {
                entry.insert((next.clone(), distance + 1));
                open.push_back((next, distance + 1));
            }
        }
    }
    seen
}

/// The packed form, in which interchangeable pieces are not distinguished.
fn pack<G: Game>(level: &G, state: &G::State) -> Vec<u64> {
    let mut packed = vec![0; level.words()];
    level.pack(state, &mut packed);
    packed
}

fn successors_of<G: Game>(level: &G, state: &G::State) -> Vec<G::State> {
    let moves = level.writable_moves(state);
    let played = moves.iter().filter_map(|&mv| level.play(state, mv).ok());
    played.collect()
}

fn count_plans<G: Game>(level: &G, state: &G::State, left: u32) -> u128 {
    if level.shortfall(state).is_none() {
        return u128::from(left == 0);
    }
    match left {
        0 => 0,
        _ => successors_of(level, state)
            .iter()
            .map(|next| count_plans(level, next, left - 1))
            .sum(),
    }
}

/// The states from which a goal can be reached: marked in rounds until nothing changes.
fn solvable<G: Game>(level: &G, all: &HashMap<Vec<u64>, (G::State, u32)>) -> HashSet<Vec<u64>> {
    let is_goal = |state: &G::State| level.shortfall(state).is_none();
    let goals = all.iter().filter(|(_, (state, _))| is_goal(state));
    let mut marked: HashSet<Vec<u64>> = goals.map(|(packed, _)| packed.clone()).collect();
    let mut successors: Vec<(&Vec<u64>, Vec<Vec<u64>>)> = Vec::new();
    for (packed, (state, _)) in all {
        let next = successors_of(level, state);
        successors.push((packed, next.iter().map(|next| pack(level, next)).collect()));
    }
    loop {
        let before = marked.len();
        for (packed, next) in &successors {
            if next.iter().any(|next| marked.contains(next)) {
                marked.insert((*packed).clone());
            }
        }
        if marked.len() == before {
            return marked;
        }
    }
}

/// Checks random levels; returns how many had plans to count.
fn check<G: Game>(spec: &Spec, seeds: u64, longest: u32) -> usize {
    let mut counted = 0;
    for seed in 0..seeds {
        let level = G::generate(spec, &mut Random::new(seed)).expect("the knobs make sense");
        let text = Level::bare(level.clone()).print();
        let rating = rate(&level, RatingLimits::default(), &Budget::unlimited())
            .expect("the level can be rated");
        let all = reach(&level, &level.start());
        assert_eq!(
            rating.reachable,
            StateCount::Exactly(all.len() as u64),
            "{text}"
        );
        let Some(par) = rating.answer.cost else {
            assert_eq!(rating.answer.status, Status::Unsolvable, "{text}");
            continue;
        };
        let solvable = solvable(&level, &all);
        let start = level.start();
        let after = successors_of(&level, &start);
        if par > 0 {
            assert_eq!(rating.first_moves.all, after.len(), "{text}");
            let losing = after
                .iter()
                .filter(|state| !solvable.contains(&pack(&level, state)))
                .count();
            assert_eq!(rating.first_moves.lose, Some(losing), "{text}");
        }
        let near: Vec<_> = all
            .iter()
            .filter(|(_, (_, distance))| *distance <= par)
            .collect();
        let dead = near
            .iter()
            .filter(|(packed, _)| !solvable.contains(*packed))
            .count();
        let share = rating.dead_ends.expect("the space is small");
        assert_eq!(
            (share.dead, share.of),
            (dead as u64, near.len() as u64),
            "{text}"
        );
        if par == 0 || par > longest {
            continue;
        }
        counted += 1;
        assert_eq!(
            rating.best_plans,
            Some(count_plans(&level, &start, par)),
            "{text}"
        );
        let keep = after
            .iter()
            .filter(|state| count_plans(&level, state, par - 1) > 0);
        assert_eq!(rating.first_moves.keep_par, Some(keep.count()), "{text}");
    }
    counted
}

#[test]
fn figures_agree_with_brute_force() {
    let mut counted = 0;
    counted += check::<Plotting>(&Spec::size(3, 3).with("goal", 3).with("colours", 3), 25, 6);
    counted += check::<Puzznic>(
        &Spec::size(5, 5).with("fill", 40).with("patterns", 2),
        25,
        5,
    );
    counted += check::<LunarLockout>(&Spec::size(4, 4).with("craft", 4).with("edge", 1), 8, 4);
    counted += check::<LunarLockout>(&Spec::size(5, 5).with("craft", 5), 25, 5);
    counted += check::<Bombastic>(&Spec::size(4, 5).with("blocks", 1).with("walk", 20), 12, 7);
    assert!(counted > 30, "{counted} levels had plans to count");
}

#[test]
fn following_hints_meets_the_par() {
    for seed in 0..12 {
        let spec = Spec::size(4, 4).with("colours", 3).with("goal", 4);
        let level =
            Plotting::generate(&spec, &mut Random::new(seed)).expect("the knobs make sense");
        let budget = Budget::unlimited();
        let par = solve(&level, &Request::default(), &budget)
            .expect("it can be solved")
            .cost;
        let mut state = level.start();
        let mut made = 0;
        loop {
            match hint(&level, &state, &budget).expect("there is a route") {
                Hint::Done => break assert_eq!(Some(made), par),
                Hint::Lost => break assert_eq!(par, None),
                Hint::Solvable {
                    left, proven, mv, ..
                } => {
                    assert!(proven);
                    assert_eq!(Some(made + left), par);
                    state = level.play(&state, mv).expect("hints are legal");
                    made += 1;
                }
                Hint::Unknown(limit) => panic!("no limit was set, but it gave up: {limit}"),
                Hint::Defect(why) => panic!("{why}"),
            }
        }
    }
}

/// A detour is found at the right move: before it the plan could still meet the par, after it not.
#[test]
fn a_shortcut_is_shown_where_the_plans_diverge() {
    let budget = Budget::unlimited();
    let mut shortcuts = 0;
    for seed in 0..40 {
        let spec = Spec::size(4, 4).with("colours", 2).with("goal", 4);
        let level =
            Plotting::generate(&spec, &mut Random::new(seed)).expect("the knobs make sense");
        let greedy = Request {
            route: Some("search:greedy".to_string()),
            ..Request::default()
        };
        let answer = solve(&level, &greedy, &budget).expect("there is such a route");
        let Some(plan) = answer.plan else { continue };
        let best = solve(&level, &Request::default(), &budget).expect("it can be solved");
        let best = best.cost.expect("greedy found a plan");
        match compare_plans(&level, &plan, &budget).expect("there is a route") {
            PlanComparison::Best { cost } => assert_eq!(cost, best),
            PlanComparison::Shortcut {
                cost,
                best: reported,
                common,
                state,
                better,
            } => {
                shortcuts += 1;
                assert_eq!((cost as usize, reported), (plan.len(), best));
                let mut moves = plan[..common].to_vec();
                moves.extend(better);
                let ruling = judge(&level, "shots", &moves);
                assert!(matches!(ruling, Ruling::Accepted { cost, .. } if cost == best));
                let next = level.play(&state, plan[common]).expect("the plan is legal");
                let rest = solve(&start_at(&level, &next), &Request::default(), &budget);
                let rest = rest.expect("it can be solved").cost;
                assert!(rest.is_none_or(|rest| common as u32 + 1 + rest > best));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(shortcuts > 3, "{shortcuts} shortcuts");
}

/// Mirrored levels have the same canonical form and, by breadth-first search, the same cost.
fn check_mirror_images<G: Game>(spec: &Spec, seeds: u64, mirrors: usize) {
    let bfs = Request {
        route: Some("search:bfs".to_string()),
        ..Request::default()
    };
    let mut different = HashSet::new();
    let mut mirrored = 0;
    for seed in 0..seeds {
        let level = G::generate(spec, &mut Random::new(seed)).expect("the knobs make sense");
        let cost = |level: &G| {
            solve(level, &bfs, &Budget::unlimited())
                .expect("any level")
                .cost
        };
        let (own, par) = (canonical_form(&level), cost(&level));
        let images = symmetry::images(&level);
        assert!(images.len() == mirrors || images.len() == 1);
        mirrored += usize::from(images.len() == mirrors);
        for (options, rows) in images {
            let options = options
                .iter()
                .map(|(key, value)| format!("{key}: {value}\n"));
            let text = format!(
                "game: {}\n{}\n{}\n",
                G::NAME,
                options.collect::<String>(),
                rows.join("\n")
            );
            let document = Document::parse(&text).expect("a level's text");
            let image = G::parse(&document).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
            assert_eq!(canonical_form(&image), own, "{text}");
            assert_eq!(cost(&image), par, "{text}");
        }
        different.insert(own);
    }
    assert!(different.len() as u64 > seeds / 2, "levels differ");
    assert!(
        mirrored as u64 > seeds / 2,
        "only levels with an option that names a cell have no mirror images"
    );
}

#[test]
fn mirrored_levels_are_the_same_puzzle() {
    check_mirror_images::<Plotting>(&Spec::size(3, 4).with("goal", 3), 20, 1);
    check_mirror_images::<Puzznic>(&Spec::size(4, 4).with("patterns", 2), 20, 2);
    check_mirror_images::<LunarLockout>(&Spec::size(4, 5).with("craft", 4), 20, 8);
    check_mirror_images::<Bombastic>(&Spec::size(4, 5).with("blocks", 1).with("walk", 20), 10, 8);
}

/// Renaming colours makes no other puzzle; rearranging them does.
#[test]
fn names_of_colours_do_not_matter() {
    let read = |board: &str| {
        let document = Document::parse(&format!("game: plotting\ngoal: 1\n\n{board}\n"));
        canonical_form(&Plotting::parse(&document.expect("a text")).expect("a level"))
    };
    assert_eq!(read("RG\nGB"), read("BR\nRG"));
    assert_ne!(read("RG\nGB"), read("RG\nBG"));
}

/// The word in the text of a built-in level is the word of its rating. Returns how many were
/// compared; a level whose rating takes longer is left out.
fn compare_words(time: Duration) -> usize {
    struct Compare(Duration, usize);
    impl GameVisitor for Compare {
        fn visit<G: Game>(&mut self) {
            for builtin in G::LEVELS {
                let document = Document::parse(builtin.text).expect("a level text");
                let level = Level::<G>::parse(&document).expect("a level");
                let budget = Budget::unlimited().with_time(self.0);
                let rating = rate(&level.game, RatingLimits::default(), &budget).expect("a rating");
                if rating.limit.is_some()
                    || !matches!(rating.answer.status, Status::Optimal | Status::Unsolvable)
                {
                    continue;
                }
                let word = level.common("difficulty").unwrap_or("");
                let rated = rating.assessment.difficulty.to_string();
                assert_eq!(word, rated, "{}/{}", G::NAME, builtin.name);
                self.1 += 1;
            }
        }
    }
    let mut compare = Compare(time, 0);
    visit_games(&mut compare);
    compare.1
}

#[test]
fn built_in_levels_state_the_difficulty_of_their_rating() {
    let compared = compare_words(Duration::from_millis(500));
    assert!(compared >= 30, "{compared}");
}

#[test]
#[ignore = "the hardest levels take a minute to rate"]
fn all_built_in_levels_state_the_difficulty_of_their_rating() {
    let compared = compare_words(Duration::from_secs(300));
    assert!(compared >= 75, "{compared}");
}
