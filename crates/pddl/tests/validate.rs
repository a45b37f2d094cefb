//! The validator on mutated plans, compared with a replay on the grounded task, which shares no
//! code with it.

use std::collections::HashMap;

use ployglot_base::{Random, Space};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{LiftedState, Ruling, Step, Task, ground, validate};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::search::best_plan;

/// The result of executing a plan.
#[derive(Debug, PartialEq)]
enum End {
    FailsAt(usize),
    Misses,
    Costs(u32),
}

/// Executes a plan on the grounded task.
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

/// Removes, swaps, repeats, replaces or inserts a step.
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
fn rulings_on_mutated_plans_agree_with_a_replay() {
    let (mut valid, mut failing, mut missing) = (0, 0, 0);
    for (domain, problem, _) in FEATURES.iter().chain(CLASSICS) {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let Some(Some((_, plan))) = best_plan(&task, 20_000) else {
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
                Ruling::Valid { cost } => End::Costs(cost as u32),
                Ruling::Misses { .. } => End::Misses,
                Ruling::Fails { at, .. } => End::FailsAt(at),
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

#[test]
fn a_step_that_is_not_applicable_changes_nothing() {
    for (domain, problem, _) in FEATURES.iter().chain(CLASSICS) {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let mut state = LiftedState::initial(&domain, &problem);
        let before = state.facts().clone();
        for operator in task.operators.iter().take(60) {
            if state.clone().apply(&operator.step).is_err() {
                assert!(state.apply(&operator.step).is_err());
                assert_eq!(*state.facts(), before, "{}", problem.name);
            }
        }
    }
}
