//! Estimates against the true cost, in every state of small problems.

use std::collections::HashMap;

use ployglot_base::{Budget, Guide, Random, Space};
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

/// The bounds of landmark cuts that inherit landmarks, along random walks: the moves of some states are
/// listed together, then the bounds of the states after them are asked for. None is above the true
/// cost.
fn check_inheritance(task: &Task, costs: &Costs, name: &str) {
    let budget = Budget::unlimited();
    let graph = RelaxedTask::new(task, &budget).expect("no limit");
    let mut cut = LandmarkCut::inheriting(task, &graph, &budget);
    let mut random = Random::new(costs.len() as u64);
    let mut open = vec![task.start()];
    for _ in 0..200 {
        let expanded: Vec<State> = (0..random.below(3) + 1)
            .map(|_| open[random.below(open.len())].clone())
            .collect();
        let mut after = Vec::new();
        for state in &expanded {
            let mut moves = Vec::new();
            task.moves(state, &mut moves);
            cut.narrow(state, &mut moves);
            after.extend(moves.iter().map(|&mv| task.apply(state, mv)));
        }
        for state in after {
            match (cut.lower_bound(&state), costs[&state]) {
                (Some(bound), Some(cost)) => {
                    assert!(bound <= cost, "{name}: inherited {bound} > {cost}");
                }
                (None, Some(cost)) => panic!("{name}: inherited dead end at cost {cost}"),
                (_, None) => {}
            }
            open.push(state);
        }
    }
}

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
    check_inheritance(task, &costs, name);
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

/// A random task with numbers, all of whose actions stop at some value, so that it has few states.
fn numeric_task(seed: u64) -> (String, String) {
    let mut random = Random::new(seed);
    let mut pick = |from: &[&str]| from[random.below(from.len())].to_string();
    let term = |pick: &mut dyn FnMut(&[&str]) -> String| {
        let terms = [
            "(x)",
            "(y)",
            "(z)",
            "(+ (x) (y))",
            "(- (y) (z))",
            "(* 2 (x))",
            "(* (x) (y))",
            "(+ (x) (* 3 (z)))",
            "(/ (y) 2)",
            "(/ (x) (z))",
            "(- (x))",
            "0.5",
        ];
        pick(&terms)
    };
    let compare = |pick: &mut dyn FnMut(&[&str]) -> String| {
        let how = pick(&[">=", ">", "<=", "<", "="]);
        let right = match pick(&["term", "constant"]).as_str() {
            "term" => term(pick),
            _ => pick(&["0", "1", "2.5", "4", "6", "-1", "-2"]),
        };
        let comparison = format!("({how} {} {right})", term(pick));
        match pick(&["", "", "not"]).as_str() {
            "" => comparison,
            _ => format!("(not {comparison})"),
        }
    };
    let mut actions = String::new();
    for number in 0..4 {
        let of = pick(&["x", "y", "z"]);
        let how = pick(&[
            "increase", "increase", "increase", "decrease", "decrease", "scale-up", "assign",
        ]);
        let by = pick(&["1", "2", "3", "0.5", "(z)"]);
        let change = format!("({how} ({of}) {by})");
        let change = match pick(&["", "", "when", "both"]).as_str() {
            "when" => format!("(when (p) {change})"),
            "both" => format!("{change} (when {} (decrease (z) 1))", compare(&mut pick)),
            _ => change,
        };
        let condition = pick(&["(p)", "(not (p))", "(q)", "", "", "COMPARE"]);
        let condition = condition.replace("COMPARE", &compare(&mut pick));
        let more = pick(&["", "(p)", "(not (p))", "(q)"]);
        let cost = pick(&["0", "1", "2", "5"]);
        actions += &format!(
            "(:action a{number} :parameters () :precondition (and {condition}
               (<= (x) 7) (<= (y) 6) (<= (z) 5) (>= (x) -4) (>= (y) -4) (>= (z) -3))
              :effect (and {change} {more} (increase (total-cost) {cost})))\n"
        );
    }
    let goals = format!("{} {}", compare(&mut pick), pick(&["", "(p)", "(q)"]));
    let start = format!("{} {}", pick(&["", "(p)"]), pick(&["", "(q)"]));
    let z = pick(&["0", "2", "-1"]);
    let domain = format!(
        "(define (domain numbers) (:requirements :adl :fluents)
         (:predicates (p) (q)) (:functions (x) (y) (z) (total-cost))\n{actions})"
    );
    let problem = format!(
        "(define (problem one) (:domain numbers)
         (:init {start} (= (x) 0) (= (y) 1) (= (z) {z}) (= (total-cost) 0))
         (:goal (and {goals})) (:metric minimize (total-cost)))"
    );
    (domain, problem)
}

#[test]
fn bounds_of_numeric_tasks_never_exceed_the_true_cost() {
    let (mut informed, mut tasks) = (0, 0);
    for seed in 0..400 {
        let (domain, problem) = numeric_task(seed);
        let (domain, problem) = read(&domain, &problem);
        let task = ground(&domain, &problem).unwrap();
        check(&task, &format!("seed {seed}"), &mut Useful::default());
        let budget = Budget::unlimited();
        let graph = RelaxedTask::new(&task, &budget).expect("no limit");
        let bound = Max::new(&task, &graph, &budget).lower_bound(&task.start());
        tasks += 1;
        informed += usize::from(bound.is_none_or(|bound| bound > 0));
    }
    assert!(informed * 5 > tasks, "{informed} of {tasks}");
}

/// A tank is filled by one unit a step, or by ten at a cost of 15. The tap must be opened first.
#[test]
fn numbers_have_to_be_changed_often_enough() {
    let domain = "(define (domain tank) (:requirements :adl :fluents)
        (:predicates (open)) (:functions (level) (total-cost))
        (:action open :parameters () :precondition (not (open))
          :effect (and (open) (increase (total-cost) 1)))
        (:action drip :parameters () :precondition (open)
          :effect (and (increase (level) 1) (increase (total-cost) 2)))
        (:action pour :parameters () :precondition (open)
          :effect (and (increase (level) 10) (increase (total-cost) 15))))";
    let problem = "(define (problem fill) (:domain tank) (:init (= (level) 3) (= (total-cost) 0))
        (:goal (>= (level) 40)) (:metric minimize (total-cost)))";
    let (domain, problem) = read(domain, problem);
    let task = ground(&domain, &problem).unwrap();
    let budget = Budget::unlimited();
    let graph = RelaxedTask::new(&task, &budget).expect("no limit");
    // 37 units at 1.5 each; the true cost is 1 + 3 * 15 + 7 * 2 = 60.
    let bound = Max::new(&task, &graph, &budget).lower_bound(&task.start());
    assert_eq!(bound, Some(56));
    // The tap, and then one of the two ways.
    let cuts = LandmarkCut::new(&task, &graph, &budget).lower_bound(&task.start());
    assert_eq!(cuts, Some(3));
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

/// Cars at curbs and one behind another. By the text, a car may move behind itself.
const PARKING: [&str; 2] = [
    "(define (domain parking)
       (:requirements :typing)
       (:types car curb)
       (:predicates (at-curb ?c - car) (on ?c - car ?k - curb) (behind ?c ?d - car)
                    (clear ?c - car) (free ?k - curb))
       (:action curb-to-car :parameters (?c - car ?k - curb ?d - car)
         :precondition (and (clear ?c) (clear ?d) (on ?c ?k) (at-curb ?d))
         :effect (and (not (clear ?d)) (free ?k) (behind ?c ?d) (not (on ?c ?k)) (not (at-curb ?c))))
       (:action car-to-curb :parameters (?c ?d - car ?k - curb)
         :precondition (and (clear ?c) (free ?k) (behind ?c ?d))
         :effect (and (not (free ?k)) (clear ?d) (on ?c ?k) (not (behind ?c ?d)) (at-curb ?c))))",
    "(define (problem swap) (:domain parking)
       (:objects a b - car k l - curb)
       (:init (at-curb a) (on a k) (behind b a) (clear b) (free l))
       (:goal (and (on b l) (behind a b))))",
];

/// The number of hopeless operators that are applicable in some state. After each of them there is no plan.
fn check_hopeless(task: &Task, name: &str) -> usize {
    let graph = RelaxedTask::new(task, &Budget::unlimited()).expect("no limit");
    let Some((costs, _)) = true_costs(task) else {
        return 0;
    };
    let mut found = 0;
    for state in costs.keys() {
        let mut moves = Vec::new();
        task.moves(state, &mut moves);
        moves.retain(|&mv| graph.is_hopeless(mv));
        found += moves.len();
        for mv in moves {
            let after = costs[&task.apply(state, mv)];
            assert_eq!(after, None, "{name}: a plan after operator {}", mv.0);
        }
    }
    found
}

#[test]
fn no_plan_has_a_hopeless_operator() {
    let (domain, problem) = read(PARKING[0], PARKING[1]);
    let task = ground(&domain, &problem).expect("it is small");
    // Each car can be moved behind itself.
    assert!(check_hopeless(&task, "parking") >= 2);
    let (costs, _) = true_costs(&task).expect("it is small");
    assert_eq!(costs[&task.start()], Some(2));
    for (domain, problem, _) in FEATURES.iter().chain(CLASSICS) {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).expect("it is small");
        check_hopeless(&task, &problem.name);
    }
    let mut found = 0;
    for seed in 0..1000 {
        let (domain, problem) = random_task(seed);
        let (domain, problem) = read(&domain, &problem);
        let task = ground(&domain, &problem).expect("it is small");
        found += check_hopeless(&task, &format!("seed {seed}"));
    }
    assert!(
        found > 0,
        "none of the random tasks has a hopeless operator"
    );
}
