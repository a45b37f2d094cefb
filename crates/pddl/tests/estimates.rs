//! Estimates against the true cost, in every state of small problems.

use std::collections::HashMap;

use ployglot_base::{Budget, Guide, Space};
use ployglot_pddl::estimates::{Ff, LandmarkCut, Max, Projections, RelaxedTask};
use ployglot_pddl::{Task, ground};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::random_task;

type State = <Task as Space>::State;

/// The cost from every reachable state to the nearest goal state, by relaxing all edges until
/// nothing changes.
fn true_costs(task: &Task) -> Option<HashMap<State, Option<u32>>> {
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
        if costs.len() > 5000 {
            return None;
        }
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
            return Some(costs);
        }
    }
}

/// No bound is above the true cost in any state. Returns in how many states the bound of the
/// projections is not 0.
fn check(task: &Task, name: &str) -> usize {
    let graph = RelaxedTask::new(task, &Budget::unlimited()).expect("no limit");
    let budget = Budget::unlimited();
    let mut max = Max::new(task, &graph, &budget);
    let mut cut = LandmarkCut::new(task, &graph, &budget);
    let tables = Projections::new(task, 5000, &Budget::unlimited());
    let mut positive = 0;
    for (state, cost) in true_costs(task).into_iter().flatten() {
        let projected = tables.bound(&state);
        positive += usize::from(projected != Some(0));
        for (estimate, bound) in [
            ("max", max.lower_bound(&state)),
            ("lmcut", cut.lower_bound(&state)),
            ("projections", projected),
        ] {
            match (bound, cost) {
                (Some(bound), Some(cost)) => {
                    assert!(bound <= cost, "{name}: {estimate} {bound} > {cost}")
                }
                (None, Some(cost)) => {
                    panic!("{name}: {estimate} reports a dead end at cost {cost}")
                }
                (_, None) => {}
            }
        }
    }
    positive
}

#[test]
fn bounds_never_exceed_the_true_cost() {
    for (domain, problem, _) in FEATURES {
        let (domain, problem) = read(domain, problem);
        check(&ground(&domain, &problem).unwrap(), &problem.name);
    }
    let mut positive = 0;
    for seed in 0..300 {
        let (domain, problem) = random_task(seed);
        let (domain, problem) = read(&domain, &problem);
        positive += check(&ground(&domain, &problem).unwrap(), &format!("seed {seed}"));
    }
    assert!(positive > 100, "{positive}");
}

/// Two stones must be pushed off their ledges. Each stone is a part, and their costs add up.
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
fn bounds_have_their_known_values() {
    let (domain, problem) = read(FEATURES[0].0, FEATURES[0].1);
    let task = ground(&domain, &problem).unwrap();
    let budget = Budget::unlimited();
    let graph = RelaxedTask::new(&task, &budget).expect("no limit");
    // Take the ball, go, drop it: hmax finds the most expensive chain, and the cuts find every
    // part.
    assert_eq!(
        Max::new(&task, &graph, &budget).lower_bound(&task.start()),
        Some(6)
    );
    assert_eq!(
        LandmarkCut::new(&task, &graph, &budget).lower_bound(&task.start()),
        Some(7)
    );
    let plan = Ff::new(&task, &graph, &budget)
        .relaxed_plan(&task.start())
        .unwrap();
    assert_eq!((plan.cost, plan.operators.len()), (7, 3));
}
