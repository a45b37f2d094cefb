//! Estimates against the true cost, in every state of the small worlds.

use std::collections::HashMap;

use ployglot_base::{Guide, Space};
use ployglot_pddl::estimates::{Ff, LandmarkCut, Max, Relaxed};
use ployglot_pddl::{Task, ground};

mod common;
use common::{WORLDS, read};

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

#[test]
fn bounds_never_exceed_the_true_cost() {
    for (domain, problem, _) in WORLDS {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let graph = Relaxed::new(&task);
        let (mut max, mut cut) = (Max::new(&task, &graph), LandmarkCut::new(&task, &graph));
        for (state, cost) in true_costs(&task) {
            for (name, bound) in [
                ("max", max.lower_bound(&state)),
                ("lmcut", cut.lower_bound(&state)),
            ] {
                match (bound, cost) {
                    (Some(bound), Some(cost)) => {
                        assert!(bound <= cost, "{}: {name} {bound} > {cost}", problem.name)
                    }
                    (None, Some(cost)) => {
                        panic!("{}: {name} gives up at cost {cost}", problem.name)
                    }
                    (_, None) => {}
                }
            }
        }
    }
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
