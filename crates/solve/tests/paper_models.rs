//! The planning models of the papers, and the thesis' searches, agree with native search on random
//! levels, each by its own measure. The constraint models of the papers are tested with ours, in
//! `constraint_models.rs`.

use std::time::Duration;

use ployglot_games::*;
use ployglot_solve::{ReachableStates, Request, Status, reachable_states, solve};

/// Solves a level by a route; `None`: the route cannot take it.
fn by<G: Game>(level: &G, route: Option<&str>, measure: &str) -> Option<(Status, Option<u32>)> {
    let request = Request {
        route: route.map(str::to_string),
        measure: Some(measure.to_string()),
        ..Request::default()
    };
    let budget = Budget::unlimited().with_time(Duration::from_secs(120));
    let answer = solve(level, &request, &budget).ok()?;
    assert!(!matches!(answer.status, Status::Defect(_)), "{answer:?}");
    Some((answer.status, answer.cost))
}

/// Compares the planning models of the papers with the best native route, and returns how many
/// pairs of level and model were compared.
fn check<G: Game>(spec: &Spec, seeds: std::ops::Range<u64>) -> usize {
    let mut checked = 0;
    for seed in seeds {
        let Ok(level) = G::generate(spec, &mut Random::new(seed)) else {
            continue;
        };
        let papers = G::PLANNING.iter().filter(|model| is_of_a_paper(model.name));
        for model in papers {
            let route = format!("pddl:{}", model.name);
            let Some(found) = by(&level, Some(&route), model.measure) else {
                continue;
            };
            let native = by(&level, None, model.measure);
            assert_eq!(Some(found), native, "{route}, seed {seed}");
            checked += 1;
        }
    }
    checked
}

fn plotting(rows: usize, cols: usize, goal: u32) -> Spec {
    Spec::size(rows, cols).with("colours", 3).with("goal", goal)
}

fn puzznic(rows: usize, cols: usize) -> Spec {
    Spec::size(rows, cols).with("patterns", 2).with("fill", 45)
}

#[test]
fn the_papers_planning_models_agree_with_native_search() {
    assert!(check::<Plotting>(&plotting(2, 3, 1), 0..10) >= 10);
    assert!(check::<Plotting>(&plotting(3, 2, 1), 10..20) >= 10);
    assert!(check::<Puzznic>(&puzznic(3, 4), 0..12) >= 8);
    assert!(check::<PipeMania>(&Spec::size(3, 4), 0..20) >= 12);
    assert!(check::<LunarLockout>(&Spec::size(4, 4).with("craft", 4), 0..12) >= 20);
    assert!(check::<LunarLockout>(&Spec::size(3, 5).with("craft", 3), 20..28) >= 6);
}

#[test]
#[ignore = "takes minutes: hundreds of levels"]
fn the_papers_planning_models_agree_on_hundreds_of_levels() {
    let mut checked = check::<Plotting>(&plotting(3, 3, 2), 100..130);
    checked += check::<Plotting>(&plotting(2, 4, 2), 200..230);
    checked += check::<Puzznic>(&puzznic(4, 4), 100..200);
    checked += check::<PipeMania>(&Spec::size(4, 5), 100..200);
    checked += check::<LunarLockout>(&Spec::size(5, 5).with("craft", 5), 100..160);
    assert!(checked > 400, "{checked}");
}

/// The thesis' searches never claim more than they know.
#[test]
fn the_searches_of_the_thesis_agree_with_the_exact_one() {
    let (mut optimal, mut crossed, mut unsolvable) = (0, 0, 0);
    for seed in 0..300 {
        let (rows, cols) = [(3, 4), (4, 4), (5, 3), (4, 6)][seed as usize % 4];
        let level = PipeMania::generate(&Spec::size(rows, cols), &mut Random::new(seed));
        let Ok(level) = level else { continue };
        let best = by(&level, Some("search:paths"), "pieces").expect("it takes all levels");
        let walk = by(&level, Some("search:bfs"), "pieces").expect("it takes all levels");
        let first = by(&level, Some("search:dfs"), "pieces").expect("it takes all levels");
        match walk.0 {
            Status::Optimal | Status::Unsolvable => assert_eq!(walk, best, "seed {seed}"),
            _ => assert!(walk.1.is_none() || walk.1 >= best.1, "seed {seed}"),
        }
        // Every path has at least one piece after the first B; nothing else is claimed.
        assert!(
            first.0 != Status::Optimal || first.1 == Some(1),
            "seed {seed}"
        );
        assert_eq!(
            first.0 == Status::Unsolvable,
            best.0 == Status::Unsolvable,
            "seed {seed}"
        );
        assert!(first.1.is_none() || first.1 >= best.1, "seed {seed}");
        optimal += usize::from(walk.0 == Status::Optimal);
        unsolvable += usize::from(walk.0 == Status::Unsolvable);
        crossed += usize::from(matches!(walk.0, Status::Limit(_)));
    }
    println!("{optimal} optimal, {crossed} walks that are no paths, {unsolvable} unsolvable");
    assert!(optimal > 50, "{optimal}");
}

/// The report's figures for five spacecraft on a 5×5 board, and its formula bounds what can be
/// reached.
#[test]
fn the_states_of_lunar_lockout_are_those_of_the_report() {
    let spec = Spec::size(5, 5).with("craft", 5);
    let level = (0..20).find_map(|seed| LunarLockout::generate(&spec, &mut Random::new(seed)).ok());
    let level = level.expect("some seed makes a level");
    let models = LunarLockout::PLANNING.iter();
    for (model, expected) in models.filter_map(|model| match model.name {
        "paper-2.1" => Some((model, 133_887_600)),
        "paper-2.2" => Some((model, 6_375_600)),
        _ => None,
    }) {
        let states = (model.states)(&level).expect("there is a formula");
        assert_eq!(states, expected, "{}", model.name);
        // On a busy machine, the first time may be too short to count any.
        let reached = [2, 60].into_iter().find_map(|seconds| {
            let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
            let reached = reachable_states(&level, model, &budget).expect("the model takes it");
            let (ReachableStates::All(reached) | ReachableStates::AtLeast(reached)) = reached;
            (reached > 0).then_some(reached)
        });
        assert!(
            reached.is_some_and(|reached| reached as u128 <= states),
            "{reached:?}"
        );
    }
    // The board is drawn at the top of the problem file.
    let text = LunarLockout::LEVELS[0].text;
    let first = LunarLockout::parse(&Document::parse(text).expect("a text")).expect("a level");
    let model = LunarLockout::PLANNING
        .iter()
        .find(|model| model.name == "paper-2.1")
        .expect("it is listed");
    let problem = (model.problem)(&first).expect("the model takes it");
    let drawn: Vec<&str> = problem
        .lines()
        .take_while(|line| line.starts_with(';'))
        .collect();
    assert_eq!(drawn, ["; . . . . .", "; 0 . + 2 .", "; . . . . 1"]);
}
