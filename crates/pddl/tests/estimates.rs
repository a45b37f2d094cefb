//! Estimates against the true cost, in every state of the small worlds.

use std::collections::HashMap;

use ployglot_base::{Budget, Guide, Space};
use ployglot_pddl::estimates::{Ff, LandmarkCut, Max, Projections, Relaxed};
use ployglot_pddl::{Task, ground};

mod common;
#[path = "common/random_task.rs"]
mod random_task;
use common::{CLASSICS, WORLDS, read};
use random_task::random_task;

type State = <Task as Space>::State;

/// The cost from every state that can be reached to the nearest goal, by relaxing all edges until nothing changes.
fn true_costs(task: &Task) -> HashMap<State, Option<u32>> {
    let mut costs: HashMap<State, Option<u32>> = HashMap::new();
    let mut edges: Vec<(State, u32, State)> = Vec::new();
    let mut open = vec![task.start()];
    while let Some(state) = open.pop() {
        if costs.contains_key(&state) {
            continue;
        }
        costs.insert(state.clone(), task.is_goal(&state).then_some(0));
        let mut moves = Vec::new();
        task.moves(&state, &mut moves);
        for mv in moves {
            let after = task.apply(&state, mv);
            edges.push((state.clone(), task.cost(&state, mv), after.clone()));
            open.push(after);
        }
        assert!(costs.len() < 5000, "the worlds are small");
    }
    loop {
        let mut changed = false;
        for (before, cost, after) in &edges {
            let Some(through) = costs[after].map(|rest| rest + cost) else {
                continue;
            };
            if costs[before].is_none_or(|known| through < known) {
                costs.insert(before.clone(), Some(through));
                changed = true;
            }
        }
        if !changed {
            return costs;
        }
    }
}

/// No bound is above the true cost, in any state. Gives how often the projections knew more than nothing.
fn check(task: &Task, name: &str) -> usize {
    let graph = Relaxed::new(task);
    let (mut max, mut cut) = (Max::new(task, &graph), LandmarkCut::new(task, &graph));
    let tables = Projections::new(task, 5000, &Budget::unlimited());
    let mut knew = 0;
    for (state, cost) in true_costs(task) {
        let projected = tables.bound(&state);
        knew += usize::from(projected != Some(0));
        for (estimate, bound) in [
            ("max", max.lower_bound(&state)),
            ("lmcut", cut.lower_bound(&state)),
            ("projections", projected),
        ] {
            match (bound, cost) {
                (Some(bound), Some(cost)) => {
                    assert!(bound <= cost, "{name}: {estimate} {bound} > {cost}")
                }
                (None, Some(cost)) => panic!("{name}: {estimate} gives up at cost {cost}"),
                (_, None) => {}
            }
        }
    }
    knew
}

#[test]
fn bounds_never_exceed_the_true_cost() {
    for (domain, problem, _) in WORLDS {
        let (domain, problem) = read(domain, problem);
        check(&ground(&domain, &problem).unwrap(), &problem.name);
    }
    let mut knew = 0;
    for seed in 0..300 {
        let (domain, problem) = random_task(seed);
        let (domain, problem) = read(&domain, &problem);
        knew += check(&ground(&domain, &problem).unwrap(), &format!("seed {seed}"));
    }
    assert!(knew > 100, "{knew}");
}

/// Two stones must be pushed off their ledges; each is a part, and they add up.
#[test]
fn projections_add_up() {
    let (domain, problem, optimum) = CLASSICS[CLASSICS.len() - 1];
    let (domain, problem) = read(domain, problem);
    let task = ground(&domain, &problem).unwrap();
    let tables = Projections::new(&task, 5000, &Budget::unlimited());
    assert!(tables.are_complete());
    assert_eq!(tables.bound(&task.start()), optimum);
    let none = Projections::new(&task, 1, &Budget::unlimited());
    assert!(!none.are_complete());
    assert_eq!(none.bound(&task.start()), Some(0));
}

#[test]
fn bounds_say_something() {
    let (domain, problem) = read(WORLDS[0].0, WORLDS[0].1);
    let task = ground(&domain, &problem).unwrap();
    let graph = Relaxed::new(&task);
    // Take the ball, walk, drop it: hmax sees the dearest chain, and the cuts see every part.
    assert_eq!(Max::new(&task, &graph).lower_bound(&task.start()), Some(6));
    assert_eq!(
        LandmarkCut::new(&task, &graph).lower_bound(&task.start()),
        Some(7)
    );
    let plan = Ff::new(&task, &graph).relaxed_plan(&task.start()).unwrap();
    assert_eq!((plan.cost, plan.operators.len()), (7, 3));
}
