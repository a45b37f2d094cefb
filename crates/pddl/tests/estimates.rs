//! Estimates against the true cost, in every state of small problems.

use std::collections::HashMap;

use ployglot_base::{Budget, Guide, Space};
use ployglot_pddl::estimates::{
    AbstractionLimits, Abstractions, Ff, LandmarkCut, Max, Projections, RelaxedTask,
};
use ployglot_pddl::{Task, ground, ground_whole};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::random_task;

type State = <Task as Space>::State;
/// For each state, its cost; `None`: it is a dead end.
type Costs = HashMap<State, Option<u32>>;
/// A state, the cost of a step, and the state after it.
type Edge = (State, u32, State);

/// The cost from every reachable state to the nearest goal state, by relaxing all edges until
/// nothing changes.
fn true_costs(task: &Task) -> Option<(Costs, Vec<Edge>)> {
    let mut costs = Costs::new();
    let mut edges: Vec<Edge> = Vec::new();
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
            return Some((costs, edges));
        }
    }
}

/// In how many states a bound is not 0, and in how many it proves a dead end.
#[derive(Clone, Copy, Debug, Default)]
struct Useful {
    projections: usize,
    abstractions: usize,
    dead_ends: usize,
}

/// No bound is above the true cost in any state, and the abstractions are consistent: no step lowers
/// their bound by more than it costs.
fn check(task: &Task, name: &str, useful: &mut Useful) {
    let graph = RelaxedTask::new(task, &Budget::unlimited()).expect("no limit");
    let budget = Budget::unlimited();
    let mut max = Max::new(task, &graph, &budget);
    let mut cut = LandmarkCut::new(task, &graph, &budget);
    let tables = Projections::new(task, 5000, &Budget::unlimited());
    let abstractions = [AbstractionLimits::SMALL, AbstractionLimits::LARGE].map(|limits| {
        Abstractions::new(task, limits, &Budget::unlimited()).expect("there is no limit")
    });
    let mut guides = abstractions
        .each_ref()
        .map(|tables| tables.as_ref().map(Abstractions::guide));
    let Some((costs, edges)) = true_costs(task) else {
        return;
    };
    let mut abstract_bounds: HashMap<&State, [Option<u32>; 2]> = HashMap::new();
    for (state, cost) in &costs {
        let projected = tables.bound(state);
        useful.projections += usize::from(projected != Some(0));
        let [small, large] = guides.each_mut().map(|guide| match guide {
            Some(guide) => guide.lower_bound(state),
            None => Some(0),
        });
        useful.abstractions += usize::from(large != Some(0));
        useful.dead_ends += usize::from(large.is_none());
        abstract_bounds.insert(state, [small, large]);
        for (estimate, bound) in [
            ("max", max.lower_bound(state)),
            ("lmcut", cut.lower_bound(state)),
            ("projections", projected),
            ("small abstractions", small),
            ("large abstractions", large),
        ] {
            match (bound, cost) {
                (Some(bound), Some(cost)) => {
                    assert!(bound <= *cost, "{name}: {estimate} {bound} > {cost}")
                }
                (None, Some(cost)) => {
                    panic!("{name}: {estimate} reports a dead end at cost {cost}")
                }
                (_, None) => {}
            }
        }
    }
    for (before, cost, after) in &edges {
        for (before, after) in abstract_bounds[before].iter().zip(abstract_bounds[after]) {
            if let (Some(before), Some(after)) = (before, after) {
                assert!(
                    *before <= after + cost,
                    "{name}: {before} > {after} + {cost}"
                );
            }
        }
    }
}

#[test]
fn bounds_never_exceed_the_true_cost() {
    for (domain, problem, _) in FEATURES {
        let (domain, problem) = read(domain, problem);
        check(
            &ground(&domain, &problem).unwrap(),
            &problem.name,
            &mut Useful::default(),
        );
    }
    let mut useful = Useful::default();
    for seed in 0..300 {
        check_random(seed, &mut useful);
    }
    assert!(useful.projections > 100, "{useful:?}");
    assert!(
        useful.abstractions > 100 && useful.dead_ends > 10,
        "{useful:?}"
    );
}

fn check_random(seed: u64, useful: &mut Useful) {
    let (domain, problem) = random_task(seed);
    let (domain, problem) = read(&domain, &problem);
    let task = ground_whole(&domain, &problem).unwrap();
    check(&task, &format!("seed {seed}"), useful);
}

#[test]
#[ignore = "takes minutes"]
fn bounds_in_many_random_tasks() {
    (1000..20_000).for_each(|seed| check_random(seed, &mut Useful::default()));
}

/// A truck brings two parcels along a road. The costs of the parcels add up, where the largest
/// abstraction alone knows one of them.
#[test]
fn abstractions_add_up() {
    let domain = "(define (domain road)
        (:requirements :strips :typing)
        (:types place thing)
        (:predicates (next ?a ?b - place) (truck ?p - place) (at ?t - thing ?p - place) (in ?t - thing))
        (:action drive :parameters (?a ?b - place)
          :precondition (and (truck ?a) (next ?a ?b)) :effect (and (truck ?b) (not (truck ?a))))
        (:action load :parameters (?t - thing ?p - place)
          :precondition (and (at ?t ?p) (truck ?p)) :effect (and (in ?t) (not (at ?t ?p))))
        (:action unload :parameters (?t - thing ?p - place)
          :precondition (and (in ?t) (truck ?p)) :effect (and (at ?t ?p) (not (in ?t)))))";
    let problem = "(define (problem two) (:domain road)
        (:objects a b c d - place x y z - thing)
        (:init (next a b) (next b a) (next b c) (next c b) (next c d) (next d c)
               (truck a) (at x b) (at y c) (at z d))
        (:goal (and (at x d) (at y a) (at z b))))";
    let (domain, problem) = read(domain, problem);
    let task = ground(&domain, &problem).unwrap();
    let budget = Budget::unlimited();
    let tables = Abstractions::new(&task, AbstractionLimits::LARGE, &budget).unwrap();
    let tables = tables.expect("the goal has variables");
    let bound = tables.guide().lower_bound(&task.start());
    // Six loads and unloads, and the truck drives to d and back to a: twelve is optimal.
    assert!(
        bound.is_some_and(|bound| (10..=12).contains(&bound)),
        "{bound:?}"
    );
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
