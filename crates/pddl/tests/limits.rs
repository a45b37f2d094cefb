//! Limits in every phase. Each phase has a task that would take it minutes (or as long as the phase
//! may take at all); the interrupt flag is raised when the phase reports its progress, and then the
//! phase ends soon, with the right limit.

use std::fmt::{Debug, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use ployglot_base::{Budget, Guide, Limit, Outcome, Space};
use ployglot_pddl::estimates::{
    AbstractionLimits, Abstractions, LandmarkCut, Max, Projections, RelaxedTask,
};
use ployglot_pddl::pruning::Prunings;
use ployglot_pddl::sas::print_sas_within;
use ployglot_pddl::satplan::{Encoding, SatOptions, satplan, shorten};
use ployglot_pddl::symbolic::symbolic_search;
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{
    CannotGround, CannotRead, Compact, Task, ground, ground_whole, ground_within, parse_domain,
    parse_domain_within, parse_problem_within, validate_within,
};
use ployglot_testing::pddl::problems::read;

/// A phase must end within this time after its limit, also on a machine with other work.
const SOON: Duration = Duration::from_secs(10);

/// Interrupts the work when it is in this phase.
#[track_caller]
fn interrupt_in<T>(phase: &'static str, work: impl FnOnce(&Budget) -> T) -> T {
    let flag = Arc::new(AtomicBool::new(false));
    let raised_at = Arc::new(AtomicU64::new(u64::MAX));
    let (raise, at) = (flag.clone(), raised_at.clone());
    let budget = Budget::unlimited()
        .with_interrupt(flag.clone())
        .with_watch(move |progress| {
            if progress.phase == phase && !raise.swap(true, SeqCst) {
                at.store((progress.seconds * 1000.0) as u64, SeqCst);
            }
        });
    let result = work(&budget);
    assert!(flag.load(SeqCst), "the phase '{phase}' reports no progress");
    let raised_at = Duration::from_millis(raised_at.load(SeqCst));
    let late = budget.elapsed().saturating_sub(raised_at);
    assert!(late < SOON, "{phase}: {late:?}");
    result
}

/// Grounding is interrupted in this phase.
#[track_caller]
fn grounding_ends(phase: &'static str, domain: &str, problem: &str) {
    let (domain, problem) = read(domain, problem);
    let ended = interrupt_in(phase, |budget| {
        ground_within(&domain, &problem, budget).map(|task| task.operators.len())
    });
    assert_eq!(ended, Err(CannotGround::Limit(Limit::Interrupt)));
}

fn objects(count: usize) -> String {
    (0..count).map(|at| format!(" o{at}")).collect()
}

fn problem(count: usize, init: &str, goal: &str) -> String {
    let objects = objects(count);
    format!("(define (problem p) (:domain d) (:objects{objects}) (:init {init}) (:goal {goal}))")
}

fn domain(parts: &str) -> String {
    format!("(define (domain d) (:requirements :adl :derived-predicates) {parts})")
}

/// Half a million operators: everything can be moved from anywhere to anywhere.
fn moving(things: usize) -> Task {
    let domain = domain(
        "(:predicates (at ?a ?b)) (:action move :parameters (?a ?b ?c)
           :precondition (at ?a ?b) :effect (and (at ?a ?c) (not (at ?a ?b))))",
    );
    let mut init = String::new();
    (0..things).for_each(|at| write!(init, "(at o{at} o0)").unwrap());
    let (domain, problem) = read(&domain, &problem(things, &init, "(at o0 o1)"));
    ground_whole(&domain, &problem).unwrap()
}

/// A corridor of rooms with the goal at its end.
fn corridor(rooms: usize) -> Task {
    let domain = domain(
        "(:predicates (at ?a) (next ?a ?b)) (:action walk :parameters (?a ?b)
           :precondition (and (at ?a) (next ?a ?b)) :effect (and (at ?b) (not (at ?a))))",
    );
    let mut init = "(at o0)".to_string();
    for at in 1..rooms {
        write!(init, "(next o{} o{at})(next o{at} o{})", at - 1, at - 1).unwrap();
    }
    let goal = format!("(at o{})", rooms - 1);
    let (domain, problem) = read(&domain, &problem(rooms, &init, &goal));
    ground(&domain, &problem).unwrap()
}

#[test]
fn reading_a_problem() {
    let domain = parse_domain(&domain("(:predicates (p ?x))")).unwrap().value;
    let text = problem(3, &"(p o0) (p o1) ".repeat(4 << 20), "(p o2)");
    let ended = interrupt_in("read", |budget| {
        parse_problem_within(&text, &domain, budget).map(|read| read.value.facts.len())
    });
    assert_eq!(ended, Err(CannotRead::Limit(Limit::Interrupt)));
}

#[test]
fn reading_a_domain() {
    let action = |at: usize| {
        format!("(:action a{at} :parameters (?x) :precondition (p ?x) :effect (not (p ?x)))\n")
    };
    let actions: String = (0..400_000).map(action).collect();
    let text = domain(&format!("(:predicates (p ?x)) {actions}"));
    let ended = interrupt_in("read", |budget| {
        parse_domain_within(&text, budget).map(|read| read.value.actions.len())
    });
    assert_eq!(ended, Err(CannotRead::Limit(Limit::Interrupt)));
}

#[test]
fn reachable_atoms() {
    let domain = domain(
        "(:predicates (q ?a ?b ?c ?d)) (:action a :parameters (?a ?b ?c ?d) :effect (q ?a ?b ?c ?d))",
    );
    grounding_ends("reach", &domain, &problem(300, "", "(q o0 o1 o2 o3)"));
}

#[test]
fn instances_of_an_action() {
    let domain = domain(
        "(:predicates (q)) (:action a :parameters (?a ?b ?c ?d) :effect (when (not (q)) (q)))",
    );
    grounding_ends("ground", &domain, &problem(65, "", "(q)"));
}

/// Facts for all pairs of these objects.
fn pairs(count: usize) -> String {
    let mut init = String::new();
    for a in 0..count {
        (0..count).for_each(|b| write!(init, "(p o{a} o{b})").unwrap());
    }
    init
}

/// An action that may change all pairs.
const CLEAR: &str = "(:action clear :parameters (?a ?b) :effect (not (p ?a ?b)))";

#[test]
fn quantifiers_that_are_written_out() {
    let domain = domain(&format!(
        "(:predicates (p ?a ?b) (q)) {CLEAR} (:action a :parameters (?a ?b)
           :precondition (forall (?x ?y) (or (not (p ?a ?x)) (not (p ?b ?y)))) :effect (q))"
    ));
    grounding_ends("ground", &domain, &problem(130, &pairs(130), "(q)"));
}

#[test]
fn quantifiers_that_count() {
    let domain = domain(&format!(
        "(:predicates (p ?a ?b) (q)) {CLEAR} (:action a :parameters (?a)
           :precondition (exists (?x1 ?y1 ?z1 ?x2 ?y2 ?z2) (forall (?x ?y ?z)
             (or (and (= ?x ?x1) (= ?y ?y1) (= ?z ?z1)) (and (= ?x ?x2) (= ?y ?y2) (= ?z ?z2))
                 (p ?x ?y) (p ?z ?a)))) :effect (q))"
    ));
    grounding_ends("ground", &domain, &problem(200, &pairs(200), "(q)"));
}

#[test]
fn quantified_effects() {
    let domain = domain(
        "(:predicates (q ?x)) (:action a :parameters ()
           :effect (forall (?a ?b ?c ?d) (when (not (q ?a)) (q ?b))))",
    );
    grounding_ends("ground", &domain, &problem(200, "", "(q o0)"));
}

#[test]
fn derived_facts() {
    let domain = domain(&format!(
        "(:predicates (p ?a ?b) (d ?a ?b)) {CLEAR} (:derived (d ?a ?b)
           (forall (?x ?y) (or (not (p ?a ?x)) (not (p ?b ?y)))))"
    ));
    grounding_ends(
        "ground",
        &domain,
        &problem(130, &pairs(130), "(forall (?a ?b) (d ?a ?b))"),
    );
}

#[test]
fn mutex_groups() {
    let domain = domain(
        "(:predicates (at ?a ?b)) (:action move :parameters (?a ?b ?c)
           :precondition (at ?a ?b) :effect (and (at ?a ?c) (not (at ?a ?b))))",
    );
    let mut init = String::new();
    (0..80).for_each(|at| write!(init, "(at o{at} o0)").unwrap());
    let goal = "(forall (?a) (at ?a o1))";
    grounding_ends("mutex", &domain, &problem(80, &init, goal));
}

#[test]
fn grounding_keeps_the_time() {
    let domain_text = domain(
        "(:predicates (q ?a ?b ?c ?d)) (:action a :parameters (?a ?b ?c ?d) :effect (q ?a ?b ?c ?d))",
    );
    let (domain, problem) = read(&domain_text, &problem(300, "", "(q o0 o1 o2 o3)"));
    let ground = |budget: &Budget| ground_within(&domain, &problem, budget).map(|_| ());
    let budget = Budget::unlimited().with_time(Duration::from_millis(300));
    assert_eq!(ground(&budget), Err(CannotGround::Limit(Limit::Time)));
    assert!(budget.elapsed() < SOON);
}

#[track_caller]
fn is_interrupted<T: Debug>(result: Result<T, Limit>) {
    assert_eq!(result.map(|_| ()), Err(Limit::Interrupt));
}

#[test]
fn phases_after_grounding() {
    let task = moving(80);
    is_interrupted(interrupt_in("compact", |budget| {
        Compact::new(&task, Prunings::default(), budget).map(|compact| compact.forced())
    }));
    // The relaxation reads the operators only. There must be enough of them that the phase takes
    // longer than the time between two reports of the progress.
    let mut larger = task.clone();
    (0..3).for_each(|_| larger.operators.extend_from_slice(&task.operators));
    is_interrupted(interrupt_in("relax", |budget| {
        RelaxedTask::new(&larger, budget).map(|graph| graph.len())
    }));
    drop(larger);
    is_interrupted(interrupt_in("abstract", |budget| {
        let tables = Abstractions::new(&task, AbstractionLimits::LARGE, budget);
        tables.map(|tables| tables.map(|tables| tables.size()))
    }));
    for encoding in Encoding::ALL {
        let options = SatOptions {
            encoding,
            ..SatOptions::default()
        };
        let found = interrupt_in("encode", |budget| satplan(&task, options, budget));
        let outcome = found.expect("the task can be encoded").report.outcome;
        let why = Limit::Interrupt;
        assert_eq!(outcome, Outcome::GaveUp { at_least: 0, why });
    }
    let found = interrupt_in("symbolic", |budget| {
        symbolic_search(&task, budget, &mut |_, _| ())
    });
    let outcome = found.expect("the task is supported").outcome;
    let why = Limit::Interrupt;
    assert_eq!(outcome, Outcome::GaveUp { at_least: 0, why });
    let (domain, problem) = read(
        &domain("(:predicates (at ?a ?b)) (:action move :parameters (?a ?b ?c))"),
        &problem(80, "", "(and)"),
    );
    let printed = interrupt_in("print", |budget| {
        print_sas_within(&task, &domain, &problem, budget)
    });
    assert_eq!(printed, Err(CannotGround::Limit(Limit::Interrupt)));
}

#[test]
fn estimates_of_one_state() {
    let task = corridor(20_000);
    let all = Budget::unlimited();
    let graph = RelaxedTask::new(&task, &all).expect("no limit");
    // The cuts that were found before the limit are a bound.
    let mut cut = None;
    interrupt_in("estimate", |budget| {
        cut = LandmarkCut::new(&task, &graph, budget).lower_bound(&task.start());
    });
    assert!(
        cut.is_some_and(|bound| (1..19_999).contains(&bound)),
        "{cut:?}"
    );
    let ended = Budget::unlimited().with_time(Duration::ZERO);
    let mut max = Max::new(&task, &graph, &ended);
    assert_eq!(max.lower_bound(&task.start()), Some(0));
    let mut max = Max::new(&task, &graph, &all);
    assert_eq!(max.lower_bound(&task.start()), Some(19_999));
}

#[test]
fn projections_of_many_parts() {
    let domain = domain(
        "(:predicates (on ?s)) (:action press :parameters (?s)
           :precondition (not (on ?s)) :effect (on ?s))",
    );
    let goal = "(forall (?s) (on ?s))";
    let (domain, problem) = read(&domain, &problem(20_000, "", goal));
    let task = ground(&domain, &problem).unwrap();
    let tables = interrupt_in("project", |budget| Projections::new(&task, 1000, budget));
    assert!(!tables.are_complete());
    assert!(
        tables
            .bound(&task.start())
            .is_some_and(|bound| bound < 20_000)
    );
}

#[test]
fn validating() {
    let domain = domain(
        "(:predicates (road ?a ?b) (reach ?a ?b)) (:derived (reach ?a ?b)
           (or (road ?a ?b) (exists (?c) (and (reach ?a ?c) (reach ?c ?b)))))
         (:action build :parameters (?a ?b) :effect (road ?a ?b))",
    );
    let mut init = String::new();
    (1..400).for_each(|at| write!(init, "(road o{} o{at})", at - 1).unwrap());
    let (domain, problem) = read(&domain, &problem(400, &init, "(reach o0 o399)"));
    is_interrupted(interrupt_in("validate", |budget| {
        validate_within(&domain, &problem, &[], budget)
    }));
}

/// One evaluation of the goal would take hours: a path through eight different objects, in a graph
/// where every path of that length would need four of the three hubs.
#[test]
fn evaluating_a_quantifier_by_search() {
    let domain =
        domain("(:predicates (p ?a ?b)) (:action a :parameters (?a ?b) :effect (not (p ?a ?b)))");
    let names: Vec<String> = (0..8).map(|at| format!("?v{at}")).collect();
    let mut goal = format!("(exists ({}) (and", names.join(" "));
    for pair in names.windows(2) {
        write!(goal, " (or (p {0} {1}) (p {1} {0}))", pair[0], pair[1]).unwrap();
    }
    for (at, one) in names.iter().enumerate() {
        let others = names[..at].iter();
        others.for_each(|other| write!(goal, " (not (= {one} {other}))").unwrap());
    }
    goal += "))";
    let edge = |at: usize| format!("(p o0 o{at}) (p o1 o{at}) (p o2 o{at})");
    let init: String = (3..60).map(edge).collect();
    let (domain, problem) = read(&domain, &problem(60, &init, &goal));
    let budget = Budget::unlimited().with_time(Duration::from_secs(2));
    let task = ground_within(&domain, &problem, &budget).expect("grounding is fast");
    assert!(!task.is_goal(&task.start()));
    assert_eq!(task.cut_off(), Some(Limit::Time));
    assert!(budget.elapsed() < SOON);
}

#[test]
fn a_plan_that_could_be_shortened() {
    let task = corridor(3);
    let mut moves = Vec::new();
    task.moves(&task.start(), &mut moves);
    let there = moves[0];
    let mut at = task.apply(&task.start(), there);
    let mut plan = vec![there];
    // Back and forth a hundred times, then to the end.
    let step = |at: &mut <Task as Space>::State, plan: &mut Vec<OperatorId>, last: bool| {
        let mut moves = Vec::new();
        task.moves(at, &mut moves);
        let is_last = |mv: &OperatorId| task.is_goal(&task.apply(at, *mv)) == last;
        let mv = *moves
            .iter()
            .find(|mv| is_last(mv))
            .expect("there are two moves");
        *at = task.apply(at, mv);
        plan.push(mv);
    };
    (0..100).for_each(|_| step(&mut at, &mut plan, false));
    step(&mut at, &mut plan, true);
    let ended = Budget::unlimited().with_time(Duration::ZERO);
    assert_eq!(shorten(&task, &plan, &ended), Some((plan.clone(), 102)));
    let (short, cost) = shorten(&task, &plan, &Budget::unlimited()).expect("it is a plan");
    assert_eq!((short.len(), cost), (2, 2));
}
