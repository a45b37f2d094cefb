//! Levels as wished, against those who share nothing with the hunt: another route must find the wanted par, a walk over all plans
//! by the slow rules must find only one, and a recipe must make the same level again.

use std::collections::{BTreeSet, HashSet};

use ployglot_base::Budget;
use ployglot_games::*;
use ployglot_solve::{Found, Hunt, Quest, Request, Status, Wish, hunt, solve};

/// Hunts to the end, whatever it is.
fn hunted<G: Game>(
    spec: &Spec,
    wish: &Wish,
    (seed, count, tries): (u64, usize, u64),
) -> (Hunt, Vec<Found<G>>) {
    let quest = Quest {
        seed,
        count,
        tries,
        uniform: false,
    };
    let mut found = Vec::new();
    let unlimited = Budget::unlimited;
    let end = hunt::<G>(spec, wish, quest, &unlimited(), unlimited, |level| {
        found.push(level);
        true
    });
    (end, found)
}

fn par(from: u32, to: u32) -> Wish {
    Wish {
        par: Some(from..=to),
        ..Wish::default()
    }
}

/// Finds one level, makes it again from its recipe, hunts it again from its seed, and solves it by another route.
#[track_caller]
fn check<G: Game>(spec: &Spec, wish: &Wish, route: &str) -> Found<G> {
    let (end, mut found) = hunted::<G>(spec, wish, (3, 1, 5_000));
    assert_eq!((end, found.len()), (Hunt::Complete, 1));
    let found = found.remove(0);
    let text = |level: &G| Level::bare(level.clone()).print();
    let again: G = found.recipe.make(&found.spec).expect("as before");
    assert_eq!(text(&again), text(&found.level), "from its recipe");
    let (_, hunted_again) = hunted::<G>(spec, wish, (3, 1, 5_000));
    assert_eq!(
        text(&hunted_again[0].level),
        text(&found.level),
        "from the same seed"
    );
    let request = Request {
        route: Some(route.to_string()),
        ..Request::default()
    };
    let other = solve(&again, &request, &Budget::unlimited()).expect("the route takes it");
    match &wish.par {
        Some(par) => {
            assert_eq!(other.status, Status::Optimal);
            assert!(
                other.cost.is_some_and(|cost| par.contains(&cost)),
                "{other:?}"
            );
        }
        None => assert_eq!(
            other.status == Status::Unsolvable,
            wish.solvable == Some(false)
        ),
    }
    found
}

#[test]
fn luck_finds_what_is_common() {
    let wish = Wish {
        unique: true,
        ..par(5, 6)
    };
    let spec = Spec::size(4, 4).with("colours", 3).with("goal", 4);
    let (end, found) = hunted::<Plotting>(&spec, &wish, (7, 3, 20_000));
    assert_eq!((end, found.len()), (Hunt::Complete, 3));
    let texts: HashSet<String> = found
        .iter()
        .map(|found| Level::bare(found.level.clone()).print())
        .collect();
    assert_eq!(texts.len(), 3, "all are different");
    assert!(found.iter().all(|found| found.recipe.steps.is_empty()));
}

/// Of random levels of these sizes, few or none have such a par.
#[test]
fn a_wanted_par_holds_by_another_route() {
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
    let wish = Wish {
        solvable: Some(false),
        ..Wish::default()
    };
    check::<Plotting>(
        &Spec::size(4, 4).with("colours", 3).with("goal", 4),
        &wish,
        "search:bfs",
    );
    check::<Bombastic>(&Spec::size(4, 4), &wish, "search:bfs");
    check::<LunarLockout>(&Spec::size(4, 4).with("craft", 4), &wish, "search:bfs");
    // What is built around a plan has one.
    let (end, _) = hunted::<Bombastic>(&Spec::size(4, 4).with("walk", 50), &wish, (1, 1, 10));
    assert!(matches!(end, Hunt::Bad(why) if why.contains("every level has a plan")));
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
fn what_is_unique_has_one_plan_by_brute_force() {
    fn unique<G: Game>(spec: &Spec, from: u32, to: u32) {
        let wish = Wish {
            unique: true,
            ..par(from, to)
        };
        let (end, found) = hunted::<G>(spec, &wish, (5, 2, 5_000));
        assert_eq!(end, Hunt::Complete, "{}", G::NAME);
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
fn a_pipe_is_unique_or_not() {
    let wish = Wish {
        unique: true,
        ..par(8, 99)
    };
    // The counter of paths is held to brute force where it stands.
    let found = check::<PipeMania>(&Spec::size(5, 5), &wish, "pddl:path");
    assert_eq!(
        found.rating.and_then(|rating| rating.distinct_plans),
        Some(1)
    );
}

#[test]
fn the_cap_on_tries_ends_with_what_came_nearest() {
    let spec = Spec::size(3, 4).with("colours", 2).with("goal", 2);
    let (end, found) = hunted::<Plotting>(&spec, &par(90, 99), (1, 1, 300));
    let Hunt::Tried(300, Some(nearest)) = end else {
        panic!("{end:?}");
    };
    assert!(nearest.starts_with("a par of "), "{nearest}");
    assert!(found.is_empty());
}
