//! The judge against mutated plans. Each is judged a second time by a replay on the grounded task, which shares no code with the judge.

use std::collections::HashMap;

use ployglot_base::{Random, Space};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Step, Task, Verdict, World, ground, validate};

mod common;
use common::{CLASSICS, WORLDS, read};

/// A plan, by breadth-first search.
fn some_plan(task: &Task) -> Option<Vec<OperatorId>> {
    let mut states = vec![(task.start(), Vec::new())];
    let mut seen = std::collections::HashSet::from([task.start()]);
    let mut next = 0;
    while next < states.len() && states.len() < 20_000 {
        let (state, plan) = states[next].clone();
        next += 1;
        if task.is_goal(&state) {
            return Some(plan);
        }
        let mut moves = Vec::new();
        task.moves(&state, &mut moves);
        for mv in moves {
            let after = task.apply(&state, mv);
            if seen.insert(after.clone()) {
                let mut longer = plan.clone();
                longer.push(mv);
                states.push((after, longer));
            }
        }
    }
    None
}

/// How a plan ends.
#[derive(Debug, PartialEq)]
enum End {
    FailsAt(usize),
    Misses,
    Costs(u32),
}

fn replay(task: &Task, operators: &HashMap<&Step, OperatorId>, plan: &[Step]) -> End {
    let mut state = task.start();
    let mut cost = 0;
    for (at, step) in plan.iter().enumerate() {
        let mut moves = Vec::new();
        task.moves(&state, &mut moves);
        let Some(id) = operators.get(step).filter(|id| moves.contains(id)) else {
            return End::FailsAt(at + 1);
        };
        cost += task.cost(&state, *id);
        state = task.apply(&state, *id);
    }
    if task.is_goal(&state) {
        End::Costs(cost)
    } else {
        End::Misses
    }
}

fn mutate(plan: &mut Vec<Step>, all: &[Step], random: &mut Random) {
    let at = random.below(plan.len().max(1));
    match random.below(5) {
        0 if !plan.is_empty() => {
            plan.remove(at);
        }
        1 if plan.len() > 1 => {
            let other = (at + 1) % plan.len();
            plan.swap(at, other);
        }
        2 if !plan.is_empty() => plan.insert(at, plan[at].clone()),
        3 if !plan.is_empty() => plan[at] = random.choose(all).clone(),
        _ => plan.insert(at.min(plan.len()), random.choose(all).clone()),
    }
}

#[test]
fn mutated_plans_get_the_verdict_of_a_replay() {
    let (mut valid, mut failing, mut missing) = (0, 0, 0);
    for (domain, problem, _) in WORLDS.iter().chain(CLASSICS) {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let Some(plan) = some_plan(&task) else {
            continue;
        };
        let all: Vec<Step> = task
            .operators
            .iter()
            .map(|operator| operator.step.clone())
            .collect();
        let operators = all
            .iter()
            .zip(0..)
            .map(|(step, id)| (step, OperatorId(id)))
            .collect();
        let plan: Vec<Step> = plan.iter().map(|id| all[id.0 as usize].clone()).collect();
        let mut random = Random::new(7);
        for _ in 0..25 {
            let mut mutant = plan.clone();
            for _ in 0..random.below(3) {
                mutate(&mut mutant, &all, &mut random);
            }
            let expected = replay(&task, &operators, &mutant);
            let found = match validate(&domain, &problem, &mutant) {
                Verdict::Valid { cost } => End::Costs(cost as u32),
                Verdict::Misses { .. } => End::Misses,
                Verdict::Fails { at, .. } => End::FailsAt(at),
            };
            assert_eq!(found, expected, "{}: {mutant:?}", problem.name);
            match found {
                End::Costs(_) => valid += 1,
                End::Misses => missing += 1,
                End::FailsAt(_) => failing += 1,
            }
        }
    }
    assert!(
        valid > 20 && failing > 20 && missing > 20,
        "{valid} {failing} {missing}"
    );
}

/// A step that fails leaves the world as it was.
#[test]
fn a_refused_step_changes_nothing() {
    for (domain, problem, _) in WORLDS.iter().chain(CLASSICS) {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let mut world = World::start(&domain, &problem);
        let before = world.facts().clone();
        for operator in task.operators.iter().take(60) {
            if world.clone().take(&operator.step).is_err() {
                assert!(world.take(&operator.step).is_err());
                assert_eq!(*world.facts(), before, "{}", problem.name);
            }
        }
    }
}
