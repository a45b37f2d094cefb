//! Symbolic search against Dijkstra's algorithm: the same optima, and plans that the validator accepts.

use std::fmt::Write;
use std::time::Duration;

use ployglot_base::{Budget, Limit, Outcome, Random};
use ployglot_pddl::lifted::{Domain, Problem};
use ployglot_pddl::symbolic::{Unsupported, symbolic_search};
use ployglot_pddl::{Ruling, ground, ground_whole, validate};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::random_task;
use ployglot_testing::pddl::search::{best_plan, steps};

/// What the search says, after the validator has judged its plans: the cost, or `None` if there is no plan.
#[track_caller]
fn solve(domain: &Domain, problem: &Problem, name: &str) -> Result<Option<u32>, Unsupported> {
    let task = ground(domain, problem).expect("it can be grounded");
    let mut reported = Vec::new();
    let mut report = |plan: &[_], cost: u32| reported.push((plan.to_vec(), cost));
    let found = symbolic_search(&task, &Budget::unlimited(), &mut report)?;
    for (plan, cost) in &reported {
        let ruling = validate(domain, problem, &steps(&task, plan));
        let cost = f64::from(*cost);
        assert_eq!(ruling, Ruling::Valid { cost }, "{name}");
    }
    assert!(reported.is_sorted_by(|one, next| one.1 > next.1), "{name}");
    match found.outcome {
        Outcome::Optimal { plan, cost } => {
            assert_eq!(reported.pop(), Some((plan, cost)), "{name}");
            Ok(Some(cost))
        }
        Outcome::Unsolvable => {
            assert_eq!(reported, [], "{name}");
            Ok(None)
        }
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn known_problems_have_their_known_costs() {
    for (domain, problem, cost) in CLASSICS.iter().chain(FEATURES) {
        let (domain, problem) = read(domain, problem);
        match solve(&domain, &problem, &problem.name) {
            Ok(found) => assert_eq!(found, *cost, "{}", problem.name),
            Err(why) => {
                assert_eq!(why, Unsupported::Numbers);
                assert!(["jugs-1", "counter-1"].contains(&&*problem.name));
            }
        }
    }
}

/// Axioms, conditional effects, costs with conditions, free operators, goals that hold at the start, and
/// tasks without a plan: random tasks have all of them.
#[test]
fn random_tasks_have_the_optima_of_dijkstra() {
    let (mut solved, mut unsolvable, mut longest) = (0, 0, 0);
    for seed in 0..600 {
        let name = format!("seed {seed}");
        let (domain, problem) = random_task(seed);
        let (domain, problem) = read(&domain, &problem);
        let task = ground(&domain, &problem).expect("it can be grounded");
        let Some(truth) = best_plan(&task, 20_000) else {
            continue;
        };
        let found = solve(&domain, &problem, &name).expect("the task has no numbers");
        match truth {
            Some((cost, plan)) => {
                assert_eq!(found, Some(cost), "{name}");
                longest = longest.max(plan.len());
                solved += 1;
            }
            None => {
                assert_eq!(found, None, "{name}");
                unsolvable += 1;
            }
        }
    }
    let enough = solved > 200 && unsolvable > 200 && longest > 1;
    assert!(enough, "{solved} {unsolvable} {longest}");
}

/// A domain of rooms: a step costs what the door costs.
const DOORS: &str = "(define (domain doors) (:requirements :action-costs)
  (:predicates (at ?r) (door ?r ?s) (broken ?r) (lit))
  (:functions (total-cost) (price ?r ?s))
  (:action walk :parameters (?r ?s)
    :precondition (and (at ?r) (door ?r ?s))
    :effect (and (at ?s) (not (at ?r)) (broken ?r) (increase (total-cost) (price ?r ?s)))))";

/// The cheapest way through rooms with these doors, from the first room to the last.
fn walk(rooms: usize, doors: &[(usize, usize, u32)]) -> Option<u32> {
    let names: String = (0..rooms).map(|room| format!(" r{room}")).collect();
    let mut init = "(at r0) ".to_string();
    for (from, to, price) in doors {
        write!(
            init,
            "(door r{from} r{to}) (= (price r{from} r{to}) {price}) "
        )
        .unwrap();
    }
    let goal = rooms - 1;
    let problem = format!(
        "(define (problem p) (:domain doors) (:objects{names}) (:init {init})
           (:goal (at r{goal})) (:metric minimize (total-cost)))"
    );
    let (domain, problem) = read(DOORS, &problem);
    solve(&domain, &problem, "doors").expect("no numbers")
}

#[test]
fn a_cheap_detour_is_better_than_the_plan_that_is_found_first() {
    assert_eq!(
        walk(4, &[(0, 3, 10), (0, 1, 3), (1, 2, 3), (2, 3, 3)]),
        Some(9)
    );
    assert_eq!(
        walk(4, &[(0, 3, 9), (0, 1, 3), (1, 2, 3), (2, 3, 3)]),
        Some(9)
    );
    assert_eq!(
        walk(4, &[(0, 3, 8), (0, 1, 3), (1, 2, 3), (2, 3, 3)]),
        Some(8)
    );
}

/// Random doors with random prices, some of them free: where the proof ends too early, or a side loses a state, the
/// cost is not that of the slow search.
#[test]
fn the_cheapest_ways_through_random_doors_are_found() {
    let (mut ways, mut none) = (0, 0);
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let rooms = 3 + random.below(8);
        let mut doors: Vec<(usize, usize, u32)> = Vec::new();
        for _ in 0..2 * rooms {
            let (from, to) = (random.below(rooms), random.below(rooms));
            if doors.iter().all(|door| (door.0, door.1) != (from, to)) {
                doors.push((from, to, random.below(7) as u32));
            }
        }
        // Each round may make one more way cheaper.
        let mut costs = vec![None; rooms];
        costs[0] = Some(0);
        for _ in 0..rooms {
            for &(from, to, price) in &doors {
                let through = costs[from].map(|cost: u32| cost + price);
                costs[to] = [costs[to], through].into_iter().flatten().min();
            }
        }
        let truth = costs[rooms - 1];
        ways += usize::from(truth.is_some());
        none += usize::from(truth.is_none());
        assert_eq!(walk(rooms, &doors), truth, "seed {seed}: {doors:?}");
    }
    assert!(ways > 50 && none > 10, "{ways} {none}");
}

#[test]
fn free_operators_make_layers_of_the_same_cost() {
    let free = [
        (0, 1, 0),
        (1, 2, 0),
        (2, 0, 0),
        (2, 3, 0),
        (3, 1, 0),
        (3, 4, 0),
    ];
    assert_eq!(walk(5, &free), Some(0));
    let one = [
        (0, 1, 0),
        (1, 2, 1),
        (2, 0, 0),
        (2, 3, 0),
        (3, 1, 0),
        (3, 4, 2),
    ];
    assert_eq!(walk(5, &one), Some(3));
    assert_eq!(walk(5, &one[..5]), None);
}

#[test]
fn a_goal_that_holds_at_the_start_needs_no_step() {
    assert_eq!(walk(1, &[]), Some(0));
    for (goal, cost) in [("(and)", Some(0)), ("(at r1)", Some(2)), ("(lit)", None)] {
        let problem = format!(
            "(define (problem p) (:domain doors) (:objects r0 r1)
               (:init (at r0) (door r0 r1) (= (price r0 r1) 2))
               (:goal {goal}) (:metric minimize (total-cost)))"
        );
        let (domain, problem) = read(DOORS, &problem);
        assert_eq!(solve(&domain, &problem, goal), Ok(cost), "{goal}");
    }
}

/// As many switches as a state may have bits, each of them a level of the diagrams: no stack overflows, also on
/// a thread with a small one. One more is refused.
#[test]
fn the_most_bits_need_no_stack_of_the_caller() {
    let switches = |count: usize| {
        let names: String = (0..count).map(|at| format!(" s{at}")).collect();
        // Half of the switches are on, so that each of them is a bit, and all of them must be flipped once.
        let on: String = (0..count / 2).map(|at| format!("(on s{at})")).collect();
        let goal: String = (0..count).map(|at| format!("(seen s{at})")).collect();
        let domain = "(define (domain d) (:requirements :adl) (:predicates (on ?s) (seen ?s))
            (:action flip-all :effect (forall (?s) (and (seen ?s)
              (when (on ?s) (not (on ?s))) (when (not (on ?s)) (on ?s))))))";
        let problem = format!(
            "(define (problem p) (:domain d) (:objects{names}) (:init {on}) (:goal (and {goal})))"
        );
        let (domain, problem) = read(domain, &problem);
        let task = ground_whole(&domain, &problem).expect("it can be grounded");
        let budget = Budget::unlimited();
        symbolic_search(&task, &budget, &mut |_, _| {}).map(|found| found.outcome.cost())
    };
    let small = std::thread::Builder::new().stack_size(512 << 10);
    let small = small.spawn(move || (switches(2_500), switches(2_501)));
    let (most, too_many) = small.expect("a thread").join().expect("no panic");
    assert_eq!(most, Ok(Some(1)));
    assert_eq!(too_many, Err(Unsupported::Bits));
}

/// Sliding tiles: the diagrams of the 4 by 4 puzzle grow beyond any limit.
fn tiles(side: usize) -> (Domain, Problem) {
    let domain = "(define (domain tiles) (:predicates (on ?t ?p) (free ?p) (near ?p ?q))
      (:action slide :parameters (?t ?p ?q)
        :precondition (and (on ?t ?p) (free ?q) (near ?p ?q))
        :effect (and (on ?t ?q) (free ?p) (not (on ?t ?p)) (not (free ?q)))))";
    let places = side * side;
    let (mut objects, mut init, mut goal) = (String::new(), String::new(), String::new());
    for at in 0..places {
        write!(objects, " p{at}").unwrap();
        let (row, column) = (at / side, at % side);
        for (other, near) in [(at + 1, column + 1 < side), (at + side, row + 1 < side)] {
            if near {
                write!(init, "(near p{at} p{other})(near p{other} p{at})").unwrap();
            }
        }
    }
    for tile in 1..places {
        write!(objects, " t{tile}").unwrap();
        write!(init, "(on t{tile} p{})", (tile * 7 + 3) % places).unwrap();
        write!(goal, "(on t{tile} p{tile})").unwrap();
    }
    write!(init, "(free p3)").unwrap();
    let problem = format!(
        "(define (problem p) (:domain tiles) (:objects{objects}) (:init {init}) (:goal (and {goal})))"
    );
    read(domain, &problem)
}

#[test]
fn a_limit_of_time_ends_the_search() {
    let (domain, problem) = tiles(4);
    let task = ground(&domain, &problem).expect("it can be grounded");
    let budget = Budget::unlimited().with_time(Duration::from_secs(2));
    let found = symbolic_search(&task, &budget, &mut |_, _| {}).expect("no numbers");
    // A second is enough, but the machine may have other work.
    assert!(budget.elapsed() < Duration::from_secs(7));
    let ended = matches!(
        found.outcome,
        Outcome::GaveUp {
            why: Limit::Time,
            ..
        }
    );
    assert!(ended, "{:?}", found.outcome);
}
