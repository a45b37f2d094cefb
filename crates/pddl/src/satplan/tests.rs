//! The parts of the encoding against direct evaluation, and small tasks.

use ployglot_base::Random;
use ployglot_csp::sat::SatResult;

use super::gates::Gates;
use super::layer::{Layer, Needs};
use super::*;
use crate::circuit::{Circuit, NodeId};
use crate::evaluate::Evaluation;
use crate::{ground, parse_domain, parse_problem};

fn task(domain: &str, problem: &str) -> Task {
    let domain = parse_domain(domain)
        .unwrap_or_else(|bad| panic!("{bad}"))
        .value;
    let problem = parse_problem(problem, &domain)
        .unwrap_or_else(|bad| panic!("{bad}"))
        .value;
    ground(&domain, &problem).unwrap_or_else(|bad| panic!("{bad}"))
}

/// Roads that open and close, with derived predicates that depend on themselves, some of them
/// through negations of others.
fn roads() -> Task {
    task(
        "(define (domain roads) (:requirements :adl :derived-predicates) (:types town)
           (:predicates (road ?a ?b - town) (reach ?a ?b - town) (cut-off ?a - town) (hub ?a - town) (quiet))
           (:derived (reach ?a ?b - town)
             (or (road ?a ?b) (exists (?c - town) (and (reach ?a ?c) (reach ?c ?b)))))
           (:derived (cut-off ?a - town) (forall (?b - town) (not (reach ?a ?b))))
           (:derived (hub ?a - town)
             (and (not (cut-off ?a)) (exists (?b - town) (and (road ?a ?b) (or (hub ?b) (cut-off ?b))))))
           (:derived (quiet) (not (exists (?a ?b - town) (and (not (= ?a ?b)) (road ?a ?b)))))
           (:action turn :parameters (?a ?b - town) :precondition (not (= ?a ?b))
             :effect (and (when (road ?a ?b) (not (road ?a ?b))) (when (not (road ?a ?b)) (road ?a ?b)))))",
        "(define (problem one) (:domain roads) (:objects a b c d - town) (:init)
           (:goal (and (reach a d) (reach d a) (cut-off b) (hub c) (not (quiet)))))",
    )
}

/// In random states the clauses give every formula, derived facts included, its value and not the
/// other.
fn check_formulas(task: &Task, nodes: &[NodeId], states: usize) {
    let budget = Budget::unlimited();
    let poll = Poll::new(&budget, "test");
    let (gates, edges) = Gates::new(task, nodes, &poll).unwrap();
    let mut random = Random::new(7);
    let mut solver = Counted::default();
    let top = solver.fresh();
    solver.clause(&[top]);
    let facts: Vec<Lit> = task.facts.iter().map(|_| solver.fresh()).collect();
    let mut layer = Layer::new(task, &gates, top, facts.clone(), &poll);
    // Each direction of the definitions alone, then both together.
    let hold: Vec<Lit> = edges
        .iter()
        .map(|&edge| layer.literal(edge, Needs::HOLD, &mut solver))
        .collect();
    layer.advance(facts.clone());
    let fail: Vec<Lit> = edges
        .iter()
        .map(|&edge| layer.literal(edge, Needs::FAIL, &mut solver))
        .collect();
    layer.advance(facts.clone());
    let both: Vec<Lit> = edges
        .iter()
        .map(|&edge| layer.literal(edge, Needs::BOTH, &mut solver))
        .collect();
    for _ in 0..states {
        let mut state = task.start();
        let mut world: Vec<Lit> = Vec::new();
        let dense = 1 + random.below(4);
        for (at, &fact) in facts.iter().enumerate() {
            let holds = random.below(4) < dense;
            state.0[at / 64] &= !(1 << (at % 64));
            state.0[at / 64] |= u64::from(holds) << (at % 64);
            world.push(if holds { fact } else { !fact });
        }
        let mut evaluation = Evaluation::new(task, &state);
        let mut can = |literal: Lit| {
            let assumptions: Vec<Lit> = world.iter().copied().chain([literal]).collect();
            let budget = Budget::unlimited();
            while let SatResult::Satisfiable =
                solver.raw.solve(&assumptions, &budget, Progress::default())
            {
                let loops = layer.loops(2, |literal| solver.raw.value(literal)).unwrap();
                if loops.is_empty() {
                    return true;
                }
                loops
                    .iter()
                    .for_each(|found| layer.forbid(found, &mut solver));
            }
            false
        };
        for (at, &node) in nodes.iter().enumerate() {
            let holds = evaluation.holds(node);
            assert_eq!((can(both[at]), can(!both[at])), (holds, !holds));
            assert_eq!(can(hold[at]), holds);
            assert_eq!(can(!fail[at]), !holds);
        }
    }
}

#[test]
fn derived_facts_are_the_least_fixed_point() {
    let task = roads();
    assert!(task.axioms.cycles.len() >= 2, "{:?}", task.axioms.cycles);
    let nodes: Vec<NodeId> = task.circuit.nodes().map(|(id, _)| id).collect();
    check_formulas(&task, &nodes, 12);
}

#[test]
fn counts_have_their_values() {
    let mut task = roads();
    let mut circuit: Circuit = task.circuit.clone();
    let facts: Vec<NodeId> = (0..task.facts.len() as u32)
        .map(|at| circuit.fact(crate::circuit::FactId(at)))
        .collect();
    let mut nodes = Vec::new();
    for count in [1, 2, 5, 7] {
        for most in 0..count {
            let mut parts = facts[..count].to_vec();
            // A part that is listed twice counts twice.
            parts.push(facts[0]);
            let negated = circuit.not(facts[1]);
            parts.push(negated);
            let node = circuit.at_most(most, parts);
            nodes.push(node);
            let negated = circuit.not(node);
            nodes.push(negated);
        }
    }
    task.circuit = circuit;
    check_formulas(&task, &nodes, 20);
}

fn solve(task: &Task, options: SatOptions) -> SatReport {
    satplan(task, options, &Budget::unlimited()).unwrap()
}

#[test]
fn axioms_in_both_encodings() {
    let task = roads();
    let sequential = solve(&task, SatOptions::default());
    assert_eq!(
        sequential.report.outcome.cost(),
        sequential.report.outcome.at_least()
    );
    let exists = solve(
        &task,
        SatOptions {
            encoding: Encoding::Exists,
            ..SatOptions::default()
        },
    );
    assert!(
        exists.steps <= sequential.steps,
        "{exists:?} {sequential:?}"
    );
}

#[test]
fn an_unreachable_goal_is_unsolvable() {
    let task = task(
        "(define (domain one-way) (:requirements :adl) (:predicates (a) (b) (c) (d))
           (:action go :parameters () :precondition (a) :effect (and (not (a)) (b)))
           (:action on :parameters () :precondition (b) :effect (and (not (b)) (c)))
           (:action never :parameters () :precondition (and (a) (c)) :effect (d)))",
        "(define (problem one) (:domain one-way) (:init (a)) (:goal (d)))",
    );
    // Proven by the clauses: no third step is possible, and no plan has two steps.
    for encoding in [Encoding::Sequential, Encoding::Exists] {
        let report = solve(
            &task,
            SatOptions {
                encoding,
                ..SatOptions::default()
            },
        );
        assert_eq!(report.report.outcome, Outcome::Unsolvable);
    }
}

#[test]
fn actions_that_can_be_ordered_share_a_step() {
    // All three actions fit in one step.
    let task = task(
        "(define (domain row) (:requirements :strips :typing) (:types place)
           (:predicates (full ?p - place) (free ?p - place) (next ?a ?b - place) (was ?p - place))
           (:action shift :parameters (?a ?b - place) :precondition (and (full ?a) (next ?a ?b))
             :effect (and (not (full ?a)) (was ?a))))",
        "(define (problem one) (:domain row) (:objects p q r s - place)
           (:init (full p) (full q) (full r) (next p q) (next q r) (next r s))
           (:goal (and (was p) (was q) (was r))))",
    );
    let report = solve(
        &task,
        SatOptions {
            encoding: Encoding::Exists,
            ..SatOptions::default()
        },
    );
    assert_eq!(
        (
            report.steps,
            report.report.outcome.cost(),
            report.at_least_steps
        ),
        (Some(1), Some(3), 1)
    );
    assert!(matches!(
        report.report.outcome,
        Outcome::Feasible { at_least: 1, .. }
    ));
}
