//! Landmarks and their orders against all paths of small problems.

use std::collections::HashSet;

use ployglot_base::{Budget, Space};
use ployglot_pddl::circuit::FactId;
use ployglot_pddl::estimates::{LandmarkCount, RelaxedTask};
use ployglot_pddl::{Task, ground};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::random_task;

type State = <Task as Space>::State;
type Literals = [(FactId, bool)];

fn one_holds(literals: &Literals, state: &State) -> bool {
    literals
        .iter()
        .any(|&(fact, value)| state.holds(fact) == value)
}

/// Whether a state that is wanted can be reached without a state in which one of the literals holds.
fn avoidable(task: &Task, literals: &Literals, wanted: impl Fn(&State) -> bool) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![task.start()];
    while let Some(state) = open.pop() {
        if one_holds(literals, &state) || seen.len() > 3000 || !seen.insert(state.clone()) {
            continue;
        }
        if wanted(&state) {
            return true;
        }
        let mut moves = Vec::new();
        task.moves(&state, &mut moves);
        open.extend(moves.into_iter().map(|mv| task.apply(&state, mv)));
    }
    false
}

/// Whether a goal state can be reached from a state.
fn has_plan(task: &Task, state: &State) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![state.clone()];
    while let Some(state) = open.pop() {
        if seen.len() > 3000 || !seen.insert(state.clone()) {
            continue;
        }
        if task.is_goal(&state) {
            return true;
        }
        let mut moves = Vec::new();
        task.moves(&state, &mut moves);
        open.extend(moves.into_iter().map(|mv| task.apply(&state, mv)));
    }
    false
}

/// The number of landmarks that do not hold at the start, of those with several literals, and of
/// orders between them.
fn check(task: &Task, name: &str) -> [usize; 3] {
    let budget = Budget::unlimited();
    let graph = RelaxedTask::new(task, &budget).expect("no limit");
    let count = LandmarkCount::new(task, &graph, &budget).expect("no limit");
    let landmarks: Vec<_> = count.landmarks().collect();
    let start = task.start();
    let mut found = [0; 3];
    for literals in &landmarks {
        assert!(
            !avoidable(task, literals, |state| task.is_goal(state)),
            "{name}: {literals:?} is no landmark"
        );
        found[0] += usize::from(!one_holds(literals, &start));
        found[1] += usize::from(literals.len() > 1);
    }
    for (earlier, later) in count.orders() {
        found[2] += 1;
        let later = &landmarks[later];
        assert!(
            !avoidable(task, &landmarks[earlier], |state| {
                one_holds(later, state) && has_plan(task, state)
            }),
            "{name}: {:?} need not come before {later:?}",
            landmarks[earlier]
        );
    }
    found
}

#[test]
fn every_plan_reaches_the_landmarks_in_their_order() {
    let mut found = [0; 3];
    let by_hand = FEATURES.iter().chain(CLASSICS);
    let by_hand = by_hand.map(|(domain, problem, _)| read(domain, problem));
    let random = (0..250).map(|seed| {
        let (domain, problem) = random_task(seed);
        read(&domain, &problem)
    });
    for (domain, problem) in by_hand.chain(random) {
        let task = ground(&domain, &problem).expect("it is small");
        let more = check(&task, &problem.name);
        found
            .iter_mut()
            .zip(more)
            .for_each(|(all, more)| *all += more);
    }
    // The test would be empty if nothing were found.
    let [landmarks, disjunctions, orders] = found;
    assert!(
        landmarks > 50 && disjunctions > 3 && orders > 100,
        "{found:?}"
    );
}

/// The count after an operator, as it is foreseen without the state after it, is mostly the true one.
#[test]
fn the_change_of_the_count_is_foreseen() {
    let (mut right, mut all) = (0, 0);
    for (domain, problem, _) in CLASSICS {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).expect("it is small");
        let budget = Budget::unlimited();
        let graph = RelaxedTask::new(&task, &budget).expect("no limit");
        let mut landmarks = LandmarkCount::new(&task, &graph, &budget).expect("no limit");
        if landmarks.is_empty() {
            continue;
        }
        // A tree of paths, so that each state is reached in one way only.
        let mut states = vec![task.start()];
        landmarks.reach(&states[0], 0, None);
        let mut next = 0;
        while next < states.len() && states.len() < 300 {
            let state = states[next].clone();
            let mut moves = Vec::new();
            task.moves(&state, &mut moves);
            for mv in moves {
                let (_, count) = landmarks.count(&state, next);
                let change = landmarks.change(mv);
                let after = task.apply(&state, mv);
                landmarks.reach(&after, states.len(), Some(next));
                let (_, true_count) = landmarks.count(&after, states.len());
                states.push(after);
                let foreseen = count + change.lost - change.reached;
                right += usize::from(foreseen == true_count);
                all += 1;
            }
            next += 1;
        }
    }
    assert!(all > 1000 && right * 10 >= all * 9, "{right} of {all}");
}
