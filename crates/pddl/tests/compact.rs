//! The compact form of a task against the task itself, which is slow and simple: the same optima,
//! plans that the validator accepts, and invariants that hold in every reachable state.

use std::collections::HashSet;

use ployglot_base::{Budget, Space};
use ployglot_pddl::circuit::{FactId, TRUE};
use ployglot_pddl::lifted::{Domain, Problem};
use ployglot_pddl::pruning::Prunings;
use ployglot_pddl::task::{Operator, OperatorId};
use ployglot_pddl::{Compact, Ruling, Task, ground, validate};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::random_task;
use ployglot_testing::pddl::search::{best_plan, steps};

fn compacted(task: &Task) -> Compact<'_> {
    Compact::new(task, Prunings::NONE, &Budget::unlimited()).expect("no limit")
}

/// At most `most` reachable states, in breadth-first order.
fn reachable(task: &Task, most: usize) -> Vec<<Task as Space>::State> {
    let mut seen = HashSet::from([task.start()]);
    let mut states = vec![task.start()];
    let mut next = 0;
    while next < states.len() && states.len() < most {
        let state = states[next].clone();
        next += 1;
        let mut moves = Vec::new();
        task.moves(&state, &mut moves);
        for mv in moves {
            let after = task.apply(&state, mv);
            if seen.insert(after.clone()) {
                states.push(after);
            }
        }
    }
    states
}

/// All small tasks, written by hand or random: name, domain, problem.
fn tasks() -> impl Iterator<Item = (String, Domain, Problem)> {
    let by_hand = FEATURES.iter().chain(CLASSICS).map(|(domain, problem, _)| {
        let (domain, problem) = read(domain, problem);
        (problem.name.clone(), domain, problem)
    });
    by_hand.chain(random_tasks(0..150))
}

fn random_tasks(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (String, Domain, Problem)> {
    seeds.map(|seed| {
        let (domain, problem) = random_task(seed);
        let (domain, problem) = read(&domain, &problem);
        (format!("random {seed}"), domain, problem)
    })
}

#[test]
fn the_optimum_is_the_same_and_the_plan_is_valid() {
    let [solved, unsolvable, forced] = compare_optima(tasks());
    assert!(solved > 40 && unsolvable > 10, "{solved} {unsolvable}");
    assert!(forced > 0);
}

#[test]
#[ignore = "takes minutes"]
fn the_optimum_of_many_random_tasks_is_the_same() {
    let [solved, unsolvable, _] = compare_optima(random_tasks(1000..31_000));
    assert!(solved > 4000 && unsolvable > 1000, "{solved} {unsolvable}");
}

/// The number of tasks with and without a plan, and of forced operators.
fn compare_optima(tasks: impl Iterator<Item = (String, Domain, Problem)>) -> [usize; 3] {
    let (mut solved, mut unsolvable, mut forced) = (0, 0, 0);
    for (name, domain, problem) in tasks {
        let task = ground(&domain, &problem).unwrap();
        let compact = compacted(&task);
        forced += compact.forced();
        let Some(expected) = best_plan(&task, 6000) else {
            continue;
        };
        let found = best_plan(&compact, 6000).expect("it has no more states than the task");
        let cost = |plan: &Option<(u32, Vec<OperatorId>)>| plan.as_ref().map(|(cost, _)| *cost);
        assert_eq!(cost(&found), cost(&expected), "{name}");
        let Some((cost, plan)) = found else {
            unsolvable += 1;
            continue;
        };
        solved += 1;
        let steps = steps(&task, &compact.unfold(&plan));
        let cost = f64::from(cost);
        assert_eq!(
            validate(&domain, &problem, &steps),
            Ruling::Valid { cost },
            "{name}"
        );
    }
    [solved, unsolvable, forced]
}

#[test]
fn classical_problems_have_their_known_costs() {
    for (domain, problem, optimum) in CLASSICS {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let found = best_plan(&compacted(&task), 20_000).expect("the problems are small");
        assert_eq!(found.map(|(cost, _)| cost), *optimum, "{}", problem.name);
    }
}

#[test]
fn at_most_one_fact_of_a_group_holds_and_states_pack_back() {
    for (name, domain, problem) in tasks() {
        let task = ground(&domain, &problem).unwrap();
        let compact = compacted(&task);
        let mut packed = HashSet::new();
        for state in reachable(&task, 400) {
            for group in &task.groups {
                let held = group.iter().filter(|&&fact| state.holds(fact)).count();
                assert!(held <= 1, "{name}: {group:?}");
            }
            let mut words = vec![0; compact.words()];
            compact.pack(&state, &mut words);
            assert_eq!(compact.unpack(&words), state, "{name}");
            assert!(packed.insert(words), "{name}: two states pack alike");
        }
    }
}

/// Where no operator is forced, the network lists the operators that the task lists; and each
/// operator has the same successor.
#[test]
fn the_network_lists_the_same_operators() {
    for (name, domain, problem) in tasks() {
        let task = ground(&domain, &problem).unwrap();
        let compact = compacted(&task);
        for state in reachable(&task, 200) {
            assert_eq!(compact.is_goal(&state), task.is_goal(&state), "{name}");
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            compact.moves(&state, &mut fast);
            task.moves(&state, &mut slow);
            fast.sort();
            assert!(fast.iter().all(|mv| slow.contains(mv)), "{name}");
            assert!(fast.len() == slow.len() || compact.forced() > 0, "{name}");
            // Where no operator can be free, no chain is followed.
            let certain = |operator: &Operator| {
                let costs = operator.costs.iter();
                costs
                    .filter(|(condition, _)| *condition == TRUE)
                    .map(|(_, cost)| cost)
                    .sum::<u32>()
            };
            if task.operators.iter().all(|operator| certain(operator) > 0) {
                for &mv in &fast {
                    assert_eq!(compact.apply(&state, mv), task.apply(&state, mv), "{name}");
                }
            }
        }
    }
}

/// The tests above would be empty if nothing were found.
#[test]
fn mutex_groups_and_forced_operators_are_found() {
    let of = |name: &str| {
        let all = CLASSICS
            .iter()
            .map(|(domain, problem, _)| read(domain, problem));
        let found = all.into_iter().find(|(_, problem)| problem.name == name);
        let (domain, problem) = found.expect("it is in the list");
        ground(&domain, &problem).unwrap()
    };
    let sizes = |task: &Task| {
        let mut sizes: Vec<usize> = task.groups.iter().map(Vec::len).collect();
        sizes.sort();
        sizes
    };
    // The robot is in one room; each ball in one of two rooms or two hands; a hand is empty or
    // holds one of four balls.
    assert_eq!(sizes(&of("gripper-4")), [2, 4, 4, 4, 4, 5, 5]);
    // Each block: on one of three (the relaxation does not exclude that a block is on itself), on
    // the table or in the hand; and clear, under one of three, or in the hand. And the hand.
    assert_eq!(sizes(&of("sussman")), [4, 5, 5, 5, 5, 5, 5]);
    // Each tile is in one cell; each cell has one of eight tiles or is blank; one cell is blank.
    let tiles = of("tiles-8");
    assert_eq!(sizes(&tiles), [9; 18]);
    assert!(compacted(&tiles).words() < tiles.words());
    let falling = of("falling-1");
    assert!(compacted(&falling).forced() > 0);
    assert!(
        falling
            .groups
            .iter()
            .any(|group| group.contains(&FactId(0)))
    );
}

/// Groups with facts of several predicates: where an order is, and what a worker does.
#[test]
fn mutex_groups_of_several_predicates_are_found() {
    let domain = "(define (domain orders)
        (:predicates (order ?o) (worker ?w) (waiting ?o) (begun ?o) (done ?o ?w) (sent ?o) (free ?w))
        (:action begin :parameters (?o) :precondition (and (order ?o) (waiting ?o))
          :effect (and (not (waiting ?o)) (begun ?o)))
        (:action do :parameters (?o ?w) :precondition (and (begun ?o) (worker ?w) (free ?w))
          :effect (and (not (begun ?o)) (not (free ?w)) (done ?o ?w)))
        (:action send :parameters (?o ?w) :precondition (done ?o ?w)
          :effect (and (not (done ?o ?w)) (free ?w) (sent ?o))))";
    let problem = "(define (problem orders-3) (:domain orders) (:objects a b c x y)
        (:init (order a) (order b) (order c) (worker x) (worker y) (free x) (free y)
          (waiting a) (waiting b) (waiting c))
        (:goal (and (sent a) (sent b) (sent c))))";
    let (domain, problem) = read(domain, problem);
    let task = ground(&domain, &problem).unwrap();
    let mut groups: Vec<Vec<String>> = (task.groups.iter())
        .map(|group| {
            let name = |fact: &FactId| {
                let fact = &task.facts[fact.0 as usize];
                let objects = fact.arguments.iter();
                let arguments =
                    objects.map(|object| problem.objects[object.0 as usize].name.as_str());
                let words = [domain.predicates[fact.predicate.0 as usize].name.as_str()];
                words
                    .into_iter()
                    .chain(arguments)
                    .collect::<Vec<&str>>()
                    .join(" ")
            };
            let mut names: Vec<String> = group.iter().map(name).collect();
            names.sort();
            names
        })
        .collect();
    groups.sort();
    let expected = [
        vec!["begun a", "done a x", "done a y", "sent a", "waiting a"],
        vec!["begun b", "done b x", "done b y", "sent b", "waiting b"],
        vec!["begun c", "done c x", "done c y", "sent c", "waiting c"],
        vec!["done a x", "done b x", "done c x", "free x"],
        vec!["done a y", "done b y", "done c y", "free y"],
    ];
    assert_eq!(groups, expected);
}
