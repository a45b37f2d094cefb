//! The slow truth about steps: breadth-first search, layer by layer.

use std::collections::HashSet;

use ployglot_base::Space;
use ployglot_pddl::Task;

/// The fewest actions that lead to the goal; `None` where there is no way, more than `longest`, or too many states.
pub fn fewest(task: &Task, longest: u32, most_states: usize) -> Option<u32> {
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
