//! The grounded task against the validator, which does not ground: the same steps are applicable,
//! and lead to the same facts.

use std::collections::HashSet;

use ployglot_base::{Random, Space};
use ployglot_pddl::lifted::{Domain, ObjectId, Problem};
use ployglot_pddl::{LiftedState, Ruling, Step, Task, ground, validate};
use ployglot_testing::pddl::problems::{FEATURES, read};
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

#[test]
fn random_walks_have_the_same_steps_and_facts() {
    for (domain, problem, _) in FEATURES {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let steps = all_steps(&domain, &problem);
        for seed in 0..6 {
            let mut random = Random::new(seed);
            let mut state = task.start();
            let mut lifted = LiftedState::initial(&domain, &problem);
            for _ in 0..20 {
                assert!(agree(&task, &state, &lifted), "{}", problem.name);
                assert_eq!(
                    task.is_goal(&state),
                    lifted.unmet_goal().is_none(),
                    "{}",
                    problem.name
                );
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
                        "{}: {step:?}",
                        problem.name
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
