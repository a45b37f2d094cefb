//! Slow and simple searches, to test faster ones against.

use std::collections::{BTreeSet, HashMap, HashSet};

use ployglot_base::Space;
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Step, Task};

/// An optimal plan with its cost; `None`: there is no plan.
pub type Plan<S> = Option<(u32, Vec<<S as Space>::Move>)>;

/// An optimal plan by Dijkstra's algorithm; `None` where there are more than `most` states.
pub fn best_plan<S: Space>(space: &S, most: usize) -> Option<Plan<S>> {
    let mut open = BTreeSet::from([(0u32, 0usize)]);
    // Each state with its parent and the move between them.
    let mut states = vec![(space.start(), None::<(usize, S::Move)>)];
    let mut costs = HashMap::from([(space.start(), 0u32)]);
    while let Some((cost, id)) = open.pop_first() {
        let state = states[id].0.clone();
        if costs[&state] < cost {
            continue;
        }
        if space.is_goal(&state) {
            let mut plan = Vec::new();
            let mut at = id;
            while let Some((parent, mv)) = states[at].1 {
                plan.push(mv);
                at = parent;
            }
            plan.reverse();
            return Some(Some((cost, plan)));
        }
        let mut moves = Vec::new();
        space.moves(&state, &mut moves);
        for mv in moves {
            let after = space.apply(&state, mv);
            let next = cost + space.cost(&state, mv);
            if costs.get(&after).is_none_or(|&known| next < known) {
                costs.insert(after.clone(), next);
                open.insert((next, states.len()));
                states.push((after, Some((id, mv))));
            }
        }
        if states.len() > most {
            return None;
        }
    }
    Some(None)
}

/// The operators as steps of a PDDL plan.
pub fn steps(task: &Task, plan: &[OperatorId]) -> Vec<Step> {
    let operators = plan.iter().map(|id| &task.operators[id.0 as usize]);
    operators.map(|operator| operator.step.clone()).collect()
}

/// The fewest steps of a plan, by breadth-first search; `None` where there is no plan, or none of
/// at most `longest` steps, or more than `most_states` states.
pub fn fewest_steps(task: &Task, longest: u32, most_states: usize) -> Option<u32> {
    let mut layer = vec![task.start()];
    let mut seen: HashSet<_> = layer.iter().cloned().collect();
    for steps in 0..=longest {
        if layer.iter().any(|state| task.is_goal(state)) {
            return Some(steps);
        }
        let mut next = Vec::new();
        for state in &layer {
            let mut moves = Vec::new();
            task.moves(state, &mut moves);
            let after = moves.into_iter().map(|mv| task.apply(state, mv));
            next.extend(after.filter(|state| seen.insert(state.clone())));
        }
        if next.is_empty() || seen.len() > most_states {
            return None;
        }
        layer = next;
    }
    None
}
