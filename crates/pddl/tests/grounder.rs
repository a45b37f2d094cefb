//! The grounded task against the judge, which knows nothing of grounding: the same steps can be taken, and lead to the same facts.

use std::collections::{BTreeMap, HashSet};

use ployglot_base::{Random, Space};
use ployglot_pddl::lifted::{Domain, ObjectId, Problem};
use ployglot_pddl::{Step, Task, Verdict, World, ground, validate};

mod common;
use common::{WORLDS, read};

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

/// Whether the bits of a state are the facts of a world. Facts that never change have no bit.
fn agree(task: &Task, state: &<Task as Space>::State, world: &World) -> bool {
    let mut words = vec![0; task.words()];
    task.pack(state, &mut words);
    task.facts
        .iter()
        .enumerate()
        .all(|(at, fact)| (words[at / 64] >> (at % 64) & 1 == 1) == world.facts().contains(fact))
}

#[test]
fn random_walks_meet_the_same_steps_and_facts() {
    for (world, (domain, problem, _)) in WORLDS.iter().enumerate() {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let steps = all_steps(&domain, &problem);
        for seed in 0..6 {
            let mut random = Random::new(seed);
            let (mut state, mut world_now) = (task.start(), World::start(&domain, &problem));
            for _ in 0..20 {
                assert!(agree(&task, &state, &world_now), "world {world}");
                assert_eq!(
                    task.is_goal(&state),
                    world_now.shortfall().is_none(),
                    "world {world}"
                );
                let mut moves = Vec::new();
                task.moves(&state, &mut moves);
                let listed: HashSet<&Step> = moves
                    .iter()
                    .map(|mv| &task.operators[mv.0 as usize].step)
                    .collect();
                assert_eq!(listed.len(), moves.len(), "no step is listed twice");
                for step in &steps {
                    let mut after = world_now.clone();
                    let can = after.take(step).is_ok();
                    // A step that never does anything has no operator.
                    let idle = can && after.facts() == world_now.facts();
                    assert!(
                        listed.contains(step) == can || idle,
                        "world {world}: {step:?}"
                    );
                }
                let Some(&mv) = (!moves.is_empty()).then(|| random.choose(&moves)) else {
                    break;
                };
                world_now
                    .take(&task.operators[mv.0 as usize].step)
                    .expect("it was listed");
                state = task.apply(&state, mv);
            }
        }
    }
}

/// Dijkstra's search, plain and slow.
fn best_plan(task: &Task) -> Option<(u32, Vec<Step>)> {
    let mut open: BTreeMap<(u32, usize), ()> = BTreeMap::from([((0, 0), ())]);
    let mut states = vec![(task.start(), None)];
    let mut known = std::collections::HashMap::from([(task.start(), (0, 0))]);
    while let Some(((cost, id), ())) = open.pop_first() {
        let state = states[id].0.clone();
        if known[&state].0 < cost {
            continue;
        }
        if task.is_goal(&state) {
            let mut plan = Vec::new();
            let mut at = id;
            while let Some((before, mv)) = states[at].1 {
                let step: &ployglot_pddl::task::OperatorId = &mv;
                plan.push(task.operators[step.0 as usize].step.clone());
                at = before;
            }
            plan.reverse();
            return Some((cost, plan));
        }
        let mut moves = Vec::new();
        task.moves(&state, &mut moves);
        for mv in moves {
            let after = task.apply(&state, mv);
            let next = cost + task.cost(&state, mv);
            if known.get(&after).is_none_or(|&(best, _)| next < best) {
                known.insert(after.clone(), (next, states.len()));
                open.insert((next, states.len()), ());
                states.push((after, Some((id, mv))));
            }
        }
    }
    None
}

#[test]
fn best_plans_cost_what_is_known_and_the_judge_agrees() {
    for (domain, problem, optimum) in WORLDS {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let found = best_plan(&task);
        assert_eq!(
            found.as_ref().map(|(cost, _)| *cost),
            *optimum,
            "{}",
            problem.name
        );
        if let Some((cost, plan)) = found {
            assert_eq!(
                validate(&domain, &problem, &plan),
                Verdict::Valid {
                    cost: f64::from(cost)
                }
            );
        }
    }
}

/// The goal "at most g lamps are lit", as PDDL must say it, is a count; and one that only looks like it is not.
#[test]
fn counts_in_disguise_are_recognised() {
    let (domain, problem) = read(WORLDS[1].0, WORLDS[1].1);
    let task = ground(&domain, &problem).unwrap();
    let at_most = task
        .circuit
        .nodes()
        .filter(|(_, node)| matches!(node, ployglot_pddl::circuit::Node::AtMost(..)));
    assert_eq!(at_most.count(), 1);
    assert!(task.circuit.choices.is_empty());
}
