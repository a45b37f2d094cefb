//! Compares levels with required properties with independent checks: another route must find the
//! required par, a depth-first walk over all plans by the slow rules must find only one, and a
//! recipe must make the same level again.

use std::collections::{BTreeSet, HashSet};

use ployglot_base::Budget;
use ployglot_games::*;
use ployglot_solve::{
    FoundLevel, LevelSearch, LevelSearchEnd, Request, Requirements, Status, find_levels, solve,
};

/// Runs a search to its end.
fn search<G: Game>(
    spec: &Spec,
    requirements: &Requirements,
    (seed, count, tries): (u64, usize, u64),
) -> (LevelSearchEnd, Vec<FoundLevel<G>>) {
    let options = LevelSearch {
        seed,
        count,
        tries,
        uniform: false,
    };
    let mut found = Vec::new();
    let unlimited = Budget::unlimited;
    let end = find_levels::<G>(
        spec,
        requirements,
        options,
        &unlimited(),
        unlimited,
        |level| {
            found.push(level);
            true
        },
    );
    (end, found)
}

fn par(from: u32, to: u32) -> Requirements {
    Requirements {
        par: Some(from..=to),
        ..Requirements::default()
    }
}

/// Finds one level, makes it again from its recipe, finds it again from the same seed, and solves
/// it by another route.
#[track_caller]
fn check<G: Game>(spec: &Spec, requirements: &Requirements, route: &str) -> FoundLevel<G> {
    let (end, mut found) = search::<G>(spec, requirements, (3, 1, 5_000));
    assert_eq!((end, found.len()), (LevelSearchEnd::Complete, 1));
    let found = found.remove(0);
    let text = |level: &G| Level::bare(level.clone()).print();
    let again: G = found
        .recipe
        .make(&found.spec, &Budget::unlimited())
        .expect("the search made it");
    assert_eq!(text(&again), text(&found.level), "from its recipe");
    let (_, found_again) = search::<G>(spec, requirements, (3, 1, 5_000));
    assert_eq!(
        text(&found_again[0].level),
        text(&found.level),
        "from the same seed"
    );
    let request = Request {
        route: Some(route.to_string()),
        ..Request::default()
    };
    let other = solve(&again, &request, &Budget::unlimited()).expect("the route takes it");
    match &requirements.par {
        Some(par) => {
            assert_eq!(other.status, Status::Optimal);
            assert!(
                other.cost.is_some_and(|cost| par.contains(&cost)),
                "{other:?}"
            );
        }
        None => assert_eq!(
            other.status == Status::Unsolvable,
            requirements.solvable == Some(false)
        ),
    }
    found
}

#[test]
fn sampling_finds_common_levels() {
    let requirements = Requirements {
        unique: true,
        ..par(5, 6)
    };
    let spec = Spec::size(4, 4).with("colours", 3).with("goal", 4);
    let (end, found) = search::<Plotting>(&spec, &requirements, (7, 3, 20_000));
    assert_eq!((end, found.len()), (LevelSearchEnd::Complete, 3));
    let texts: HashSet<String> = found
        .iter()
        .map(|found| Level::bare(found.level.clone()).print())
        .collect();
    assert_eq!(texts.len(), 3, "all are different");
    assert!(found.iter().all(|found| found.recipe.steps.is_empty()));
}

/// Few or no random levels of these sizes have such a par.
#[test]
fn another_route_proves_the_required_par() {
    let climbed = [
        check::<Plotting>(
            &Spec::size(4, 4).with("colours", 3).with("goal", 3),
            &par(11, 99),
            "pddl:natural",
        )
        .recipe,
        check::<Puzznic>(
            &Spec::size(5, 5).with("patterns", 2).with("fill", 30),
            &par(13, 99),
            "search:bfs",
        )
        .recipe,
        check::<PipeMania>(&Spec::size(5, 5), &par(14, 99), "eprime:path:sat").recipe,
        check::<LunarLockout>(
            &Spec::size(5, 5).with("craft", 5),
            &par(10, 99),
            "pddl:static",
        )
        .recipe,
        check::<Bombastic>(
            &Spec::size(5, 5).with("blocks", 1),
            &par(22, 99),
            "search:bfs",
        )
        .recipe,
    ];
    let climbs = climbed.iter().filter(|recipe| !recipe.steps.is_empty());
    assert!(climbs.count() >= 3, "{climbed:?}");
}

#[test]
fn levels_without_a_plan_are_found_where_nearly_all_have_one() {
    let requirements = Requirements {
        solvable: Some(false),
        ..Requirements::default()
    };
    check::<Plotting>(
        &Spec::size(4, 4).with("colours", 3).with("goal", 4),
        &requirements,
        "search:bfs",
    );
    check::<Bombastic>(&Spec::size(4, 4), &requirements, "search:bfs");
    check::<LunarLockout>(
        &Spec::size(4, 4).with("craft", 4),
        &requirements,
        "search:bfs",
    );
    // A level that is built around a plan has one.
    let (end, _) = search::<Bombastic>(
        &Spec::size(4, 4).with("walk", 50),
        &requirements,
        (1, 1, 10),
    );
    assert!(
        matches!(end, LevelSearchEnd::Impossible(why) if why.contains("every level has a plan"))
    );
}

/// The moves of every plan of this length, sorted, by the slow rules alone.
fn plans<G: Game>(
    level: &G,
    state: &G::State,
    left: u32,
    plan: &mut Vec<String>,
    found: &mut BTreeSet<Vec<String>>,
) {
    if level.shortfall(state).is_none() {
        if left == 0 {
            let mut moves = plan.clone();
            moves.sort();
            found.insert(moves);
        }
        return;
    }
    if left == 0 {
        return;
    }
    for mv in level.writable_moves(state) {
        if let Ok(next) = level.play(state, mv) {
            plan.push(level.print_move(state, mv));
            plans(level, &next, left - 1, plan, found);
            plan.pop();
        }
    }
}

#[test]
fn brute_force_finds_one_plan_of_a_unique_level() {
    fn unique<G: Game>(spec: &Spec, from: u32, to: u32) {
        let requirements = Requirements {
            unique: true,
            ..par(from, to)
        };
        let (end, found) = search::<G>(spec, &requirements, (5, 2, 5_000));
        assert_eq!(end, LevelSearchEnd::Complete, "{}", G::NAME);
        for found in found {
            let cost = found
                .answer
                .and_then(|answer| answer.cost)
                .expect("it was solved");
            let (start, mut all) = (found.level.start(), BTreeSet::new());
            plans(&found.level, &start, cost, &mut Vec::new(), &mut all);
            assert_eq!(all.len(), 1, "{}", G::NAME);
        }
    }
    unique::<Plotting>(&Spec::size(4, 3).with("colours", 3).with("goal", 2), 5, 7);
    unique::<Puzznic>(&Spec::size(4, 4).with("patterns", 2).with("fill", 30), 3, 5);
    unique::<LunarLockout>(&Spec::size(5, 5).with("craft", 4), 4, 5);
    unique::<Bombastic>(&Spec::size(4, 4).with("blocks", 1), 6, 9);
}

#[test]
fn a_pipe_mania_level_can_be_unique() {
    let requirements = Requirements {
        unique: true,
        ..par(8, 99)
    };
    // The tests of Pipe Mania compare the counter of paths with brute force.
    let found = check::<PipeMania>(&Spec::size(5, 5), &requirements, "pddl:path");
    assert_eq!(
        found.rating.and_then(|rating| rating.distinct_plans),
        Some(1)
    );
}

#[test]
fn the_last_try_ends_with_the_nearest_level() {
    let spec = Spec::size(3, 4).with("colours", 2).with("goal", 2);
    let (end, found) = search::<Plotting>(&spec, &par(90, 99), (1, 1, 300));
    let LevelSearchEnd::TriesUsedUp {
        tries: 300,
        nearest: Some(nearest),
    } = end
    else {
        panic!("{end:?}");
    };
    assert!(nearest.starts_with("a par of "), "{nearest}");
    assert!(found.is_empty());
}
