//! The grounded task against the validator, which does not ground: the same steps are applicable,
//! and lead to the same facts.

use std::collections::HashSet;

use ployglot_base::{Budget, Guide, Random, Space};
use ployglot_pddl::estimates::{Max, Projections, RelaxedTask};
use ployglot_pddl::lifted::{Domain, ObjectId, Problem};
use ployglot_pddl::pruning::Prunings;
use ployglot_pddl::sas::print_sas;
use ployglot_pddl::satplan::{SatOptions, satplan};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Compact, LiftedState, Ruling, Step, Task, ground, ground_whole, validate};
use ployglot_testing::pddl::problems::{FEATURES, read};
use ployglot_testing::pddl::random_task;
use ployglot_testing::pddl::search::{best_plan, steps};

/// Every action with every list of objects, of whatever type.
fn all_steps(domain: &Domain, problem: &Problem) -> Vec<Step> {
    let mut steps = Vec::new();
    for (action, schema) in domain.actions.iter().enumerate() {
        let objects = problem.objects.len();
        for index in 0..objects.pow(schema.parameters.len() as u32) {
            let mut rest = index;
            let arguments = schema.parameters.iter().map(|_| {
                let object = ObjectId((rest % objects) as u32);
                rest /= objects;
                object
            });
            steps.push(Step {
                action,
                arguments: arguments.collect(),
            });
        }
    }
    steps
}

/// Whether both states have the same facts. Facts that never change have no bit in a task.
fn agree(task: &Task, state: &<Task as Space>::State, lifted: &LiftedState) -> bool {
    let mut words = vec![0; task.words()];
    task.pack(state, &mut words);
    task.facts
        .iter()
        .enumerate()
        .all(|(at, fact)| (words[at / 64] >> (at % 64) & 1 == 1) == lifted.facts().contains(fact))
}

/// Walks through the task and compares each state with the validator's.
fn walk(name: &str, domain: &Domain, problem: &Problem, walks: u64, length: usize) {
    let task = ground_whole(domain, problem).unwrap();
    let steps = all_steps(domain, problem);
    for seed in 0..walks {
        let mut random = Random::new(seed);
        let mut state = task.start();
        let mut lifted = LiftedState::initial(domain, problem);
        for _ in 0..length {
            assert!(agree(&task, &state, &lifted), "{name}");
            let unmet = lifted.unmet_goal();
            assert_eq!(task.is_goal(&state), unmet.is_none(), "{name}: {unmet:?}");
            let mut moves = Vec::new();
            task.moves(&state, &mut moves);
            let listed: HashSet<&Step> = moves
                .iter()
                .map(|mv| &task.operators[mv.0 as usize].step)
                .collect();
            assert_eq!(listed.len(), moves.len(), "no step is listed twice");
            for step in &steps {
                let mut after = lifted.clone();
                let applicable = after.apply(step).is_ok();
                // A step that never changes anything has no operator.
                let idle = applicable && after.facts() == lifted.facts();
                assert!(
                    listed.contains(step) == applicable || idle,
                    "{name}: {step:?}"
                );
            }
            let Some(&mv) = (!moves.is_empty()).then(|| random.choose(&moves)) else {
                break;
            };
            lifted
                .apply(&task.operators[mv.0 as usize].step)
                .expect("it was listed");
            state = task.apply(&state, mv);
        }
    }
}

#[test]
fn random_walks_have_the_same_steps_and_facts() {
    for (domain, problem, _) in FEATURES {
        let (domain, problem) = read(domain, problem);
        walk(&problem.name, &domain, &problem, 6, 20);
    }
}

fn walk_random_tasks(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let (domain, problem) = random_task(seed);
        let (domain, problem) = read(&domain, &problem);
        walk(&format!("seed {seed}"), &domain, &problem, 2, 5);
    }
}

#[test]
fn random_walks_through_random_tasks() {
    walk_random_tasks(0..100);
}

#[test]
#[ignore = "takes minutes"]
fn random_walks_through_many_random_tasks() {
    walk_random_tasks(1000..31_000);
}

#[test]
fn optimal_plans_are_valid_and_have_their_known_costs() {
    for (domain, problem, optimum) in FEATURES {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let found = best_plan(&task, usize::MAX).expect("there is no limit");
        assert_eq!(
            found.as_ref().map(|(cost, _)| *cost),
            *optimum,
            "{}",
            problem.name
        );
        if let Some((cost, plan)) = found {
            assert_eq!(
                validate(&domain, &problem, &steps(&task, &plan)),
                Ruling::Valid {
                    cost: f64::from(cost)
                }
            );
        }
    }
}

/// The cost of an optimal plan is the same with and without what no plan needs, and the plan is valid.
fn compare_with_the_whole_task(seed: u64, smaller: &mut usize) {
    const MOST: usize = 20_000;
    let (domain, problem) = random_task(seed);
    let (domain, problem) = read(&domain, &problem);
    let [task, whole] = [ground, ground_whole].map(|ground| ground(&domain, &problem).unwrap());
    assert!(task.facts.len() <= whole.facts.len() && task.operators.len() <= whole.operators.len());
    *smaller += usize::from(task.facts.len() < whole.facts.len());
    let (Some(found), Some(true_plan)) = (best_plan(&task, MOST), best_plan(&whole, MOST)) else {
        return;
    };
    let cost = found.as_ref().map(|(cost, _)| *cost);
    assert_eq!(cost, true_plan.map(|(cost, _)| cost), "seed {seed}");
    if let Some((cost, plan)) = found {
        let ruling = validate(&domain, &problem, &steps(&task, &plan));
        let cost = f64::from(cost);
        assert_eq!(ruling, Ruling::Valid { cost }, "seed {seed}");
    }
}

#[test]
fn what_no_plan_needs_is_dropped() {
    let mut smaller = 0;
    (0..300).for_each(|seed| compare_with_the_whole_task(seed, &mut smaller));
    assert!(smaller > 50, "{smaller}");
}

#[test]
#[ignore = "takes minutes"]
fn what_no_plan_needs_is_dropped_in_many_random_tasks() {
    (1000..20_000).for_each(|seed| compare_with_the_whole_task(seed, &mut 0));
}

/// A channel is occupied and free again in one step, so it is always free. A note that the goal does
/// not mention is of no use, and neither is writing it. A box is empty or full.
#[test]
fn a_small_task_is_reduced() {
    let domain = "(define (domain post) (:requirements :strips :typing) (:types box note)
        (:predicates (free) (empty ?b - box) (full ?b - box) (written ?n - note) (sent ?b - box))
        (:action fill :parameters (?b - box) :precondition (empty ?b)
          :effect (and (full ?b) (not (empty ?b))))
        (:action write :parameters (?n - note ?b - box) :precondition (and (free) (full ?b))
          :effect (and (written ?n) (not (free)) (free)))
        (:action send :parameters (?b - box) :precondition (and (free) (full ?b))
          :effect (and (sent ?b) (empty ?b) (not (full ?b)) (not (free)) (free))))";
    let problem = "(define (problem two) (:domain post) (:objects x y - box n - note)
        (:init (free) (empty x) (empty y)) (:goal (and (sent x) (sent y))))";
    let (domain, problem) = read(domain, problem);
    let whole = ground_whole(&domain, &problem).unwrap();
    assert_eq!((whole.facts.len(), whole.operators.len()), (8, 6));
    let task = ground(&domain, &problem).unwrap();
    // Empty, full and sent of each box; fill and send of each box.
    assert_eq!((task.facts.len(), task.operators.len()), (6, 4));
    assert_eq!(task.groups.len(), 2, "{:?}", task.groups);
}

/// The order of the facts in the file of a problem has no influence on the operators, and so none on ties in a search.
#[test]
fn operators_do_not_depend_on_the_order_of_facts() {
    let domain = "(define (domain roads) (:predicates (at ?p) (road ?p ?q))
        (:action go :parameters (?p ?q) :precondition (and (at ?p) (road ?p ?q))
          :effect (and (not (at ?p)) (at ?q))))";
    let roads = [
        "(road a b)",
        "(road b c)",
        "(road c a)",
        "(road a d)",
        "(road d b)",
    ];
    let steps = |roads: &[&str]| {
        let problem = format!(
            "(define (problem four) (:domain roads) (:objects a b c d)
             (:init {} (at a)) (:goal (at c)))",
            roads.join(" ")
        );
        let (domain, problem) = read(domain, &problem);
        let task = ground(&domain, &problem).unwrap();
        let steps = task.operators.iter();
        steps
            .map(|operator| operator.step.arguments.clone())
            .collect::<Vec<_>>()
    };
    let mut turned = roads;
    let expected = steps(&roads);
    assert_eq!(expected.len(), roads.len());
    assert!(expected.is_sorted());
    for by in 0..roads.len() {
        turned.rotate_left(by);
        assert_eq!(steps(&turned), expected);
    }
}

/// The goal "at most g lamps are lit", written with quantifiers, becomes one counting node.
#[test]
fn cardinality_constraints_are_recognised() {
    let (domain, problem) = read(FEATURES[1].0, FEATURES[1].1);
    let task = ground(&domain, &problem).unwrap();
    let at_most = task
        .circuit
        .nodes()
        .filter(|(_, node)| matches!(node, ployglot_pddl::circuit::Node::AtMost(..)));
    assert_eq!(at_most.count(), 1);
    assert!(task.circuit.choices.is_empty());
}

/// Ten thousand derived facts that depend on each other in a chain: no recursion goes through them.
#[test]
fn long_chains_of_derived_facts() {
    const CELLS: usize = 10_000;
    let objects: String = (0..CELLS).map(|at| format!(" o{at}")).collect();
    let next: String = (1..CELLS)
        .map(|at| format!("(next o{} o{at})", at - 1))
        .collect();
    let free: String = (0..CELLS)
        .filter(|&at| at != 777)
        .map(|at| format!("(free o{at})"))
        .collect();
    let (domain, problem) = read(
        "(define (domain d) (:requirements :adl :derived-predicates)
           (:predicates (next ?a ?b) (free ?a) (last ?a) (open ?a))
           (:derived (open ?a) (or (and (last ?a) (free ?a))
             (exists (?b) (and (next ?a ?b) (free ?a) (open ?b)))))
           (:action clear :parameters (?a) :precondition (not (free ?a)) :effect (free ?a))
           (:action block :parameters (?a) :precondition (open ?a) :effect (not (free ?a))))",
        &format!(
            "(define (problem p) (:domain d) (:objects{objects})
               (:init (last o{}) {next} {free}) (:goal (open o0)))",
            CELLS - 1
        ),
    );
    let task = ground(&domain, &problem).unwrap();
    let start = task.start();
    assert!(!task.is_goal(&start));
    let clear = clears(&task, 777);
    assert!(task.is_goal(&task.apply(&start, clear)));
    every_form_of(&task, &domain, &problem, clear);
    check_sat(&task);
}

/// The same with facts that all depend on each other.
#[test]
fn large_cycles_of_derived_facts() {
    let (domain, problem) = open_path(3_000);
    let task = ground(&domain, &problem).unwrap();
    assert_eq!(task.axioms.cycles.len(), 1);
    every_form_of(&task, &domain, &problem, clears(&task, 777));
    check_sat(&task);
}

/// A path of cells in both directions, of which one is blocked.
fn open_path(cells: usize) -> (Domain, Problem) {
    let objects: String = (0..cells).map(|at| format!(" o{at}")).collect();
    let links: String = (1..cells)
        .map(|at| format!("(link o{0} o{at}) (link o{at} o{0})", at - 1))
        .collect();
    let free: String = (0..cells)
        .filter(|&at| at != 777)
        .map(|at| format!("(free o{at})"))
        .collect();
    read(
        "(define (domain d) (:requirements :adl :derived-predicates)
           (:predicates (link ?a ?b) (free ?a) (first ?a) (open ?a))
           (:derived (open ?a) (and (free ?a)
             (or (first ?a) (exists (?b) (and (link ?a ?b) (open ?b))))))
           (:action clear :parameters (?a) :precondition (not (free ?a)) :effect (free ?a))
           (:action block :parameters (?a) :precondition (open ?a) :effect (not (free ?a))))",
        &format!(
            "(define (problem p) (:domain d) (:objects{objects})
               (:init (first o0) {links} {free}) (:goal (open o{})))",
            cells - 1
        ),
    )
}

/// The operator that clears this cell.
fn clears(task: &Task, cell: u32) -> OperatorId {
    let clear = task.operators.iter().position(|operator| {
        operator.step.action == 0 && operator.step.arguments == [ObjectId(cell)]
    });
    OperatorId(clear.expect("an operator") as u32)
}

/// Every form of the task but clauses, on the small stack of a test. The operator is the best plan.
fn every_form_of(task: &Task, domain: &Domain, problem: &Problem, operator: OperatorId) {
    let start = task.start();
    let budget = Budget::unlimited();
    let compact = Compact::new(task, Prunings::default(), &budget).expect("no limit");
    assert!(compact.is_goal(&compact.apply(&start, operator)));
    let graph = RelaxedTask::new(task, &budget).expect("no limit");
    let bound = Max::new(task, &graph, &budget).lower_bound(&start);
    assert_eq!(bound, Some(1));
    assert!(Projections::new(task, 100, &budget).bound(&start).is_some());
    assert!(print_sas(task, domain, problem).is_ok());
}

/// Planning as satisfiability finds the plan of one step.
fn check_sat(task: &Task) {
    let budget = Budget::unlimited();
    let found = satplan(task, SatOptions::default(), &budget).expect("it can be encoded");
    assert_eq!(found.report.outcome.cost(), Some(1));
}

/// Each derived fact reads two others, and each of these the same two: the number of paths doubles
/// with each level.
#[test]
fn derived_facts_that_share_others() {
    const LEVELS: usize = 60;
    let predicates: String = (0..=LEVELS).map(|at| format!("(d{at} ?x)")).collect();
    let axiom = |at: usize| {
        let below = at - 1;
        format!("(:derived (d{at} ?x) (forall (?y) (and (d{below} ?y) (p ?x))))")
    };
    let axioms: String = (1..=LEVELS).map(axiom).collect();
    let (domain, problem) = read(
        &format!(
            "(define (domain d) (:requirements :adl :derived-predicates)
               (:predicates (p ?x) {predicates}) (:derived (d0 ?x) (p ?x)) {axioms}
               (:action set :parameters (?x) :precondition (not (d{LEVELS} ?x)) :effect (p ?x))
               (:action end :parameters (?x) :precondition (d{LEVELS} ?x) :effect (not (p ?x))))"
        ),
        &format!("(define (problem p) (:domain d) (:objects a b) (:init) (:goal (d{LEVELS} a)))"),
    );
    let task = ground(&domain, &problem).unwrap();
    let found = best_plan(&compact_of(&task), 100).expect("a small task");
    assert_eq!(found.map(|(cost, _)| cost), Some(2));
}

fn compact_of(task: &Task) -> Compact<'_> {
    Compact::new(task, Prunings::default(), &Budget::unlimited()).expect("no limit")
}
