//! The number of states of a planning task that can be reached: the size of what a search has to
//! consider.

use std::collections::HashSet;

use ployglot_base::{Budget, Progress, Space};
use ployglot_pddl::Task;

/// How many states were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReachableStates {
    /// There are so many.
    All(usize),
    /// A limit ended the count.
    AtLeast(usize),
}

/// Counts the states that can be reached from the start.
pub fn count_states(task: &Task, budget: &Budget) -> ReachableStates {
    let start = task.start();
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    let mut moves = Vec::new();
    while let Some(state) = open.pop() {
        let progress = || Progress {
            stored: seen.len() as u64,
            ..Progress::default()
        };
        if budget.check(progress).is_err() {
            return ReachableStates::AtLeast(seen.len());
        }
        moves.clear();
        task.moves(&state, &mut moves);
        for &mv in &moves {
            let next = task.apply(&state, mv);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    ReachableStates::All(seen.len())
}
