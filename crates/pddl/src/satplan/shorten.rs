//! Plans of several actions a step, or of a greedy walk, often have actions that nobody needs. Whatever can be left out is left out, the
//! later ones first, one after the other (action elimination, after Nakhost and Müller 2010, without their costs: each action is tried
//! with all that depends on it).

use ployglot_base::Space;

use crate::evaluate::Evaluation;
use crate::task::{OperatorId, Task};

/// Longer plans are left as they are: trying every action means to walk the plan as often as it has actions.
const LONGEST: usize = 2000;

/// The plan without what it does not need, and its cost. `None`: it is no plan.
pub fn shorten(task: &Task, plan: &[OperatorId]) -> Option<(Vec<OperatorId>, u32)> {
    let mut best = (plan.to_vec(), walk(task, plan, None)?.1);
    let mut at = 0;
    while at < best.0.len() && best.0.len() <= LONGEST {
        match walk(task, &best.0, Some(at)) {
            Some((shorter, cost)) if cost <= best.1 => best = (shorter, cost),
            _ => at += 1,
        }
    }
    Some(best)
}

/// Walks the plan without one action, and without those that then cannot be taken. `None`: it misses the goal. Without `skip` every
/// action must be possible.
fn walk(task: &Task, plan: &[OperatorId], skip: Option<usize>) -> Option<(Vec<OperatorId>, u32)> {
    let mut state = task.start();
    let (mut taken, mut cost) = (Vec::new(), 0u32);
    for (at, &id) in plan.iter().enumerate() {
        if skip == Some(at) {
            continue;
        }
        if !possible(task, &state, id) {
            skip?;
            continue;
        }
        cost = cost.saturating_add(task.cost(&state, id));
        state = task.apply(&state, id);
        taken.push(id);
    }
    task.is_goal(&state).then_some((taken, cost))
}

fn possible(task: &Task, state: &<Task as Space>::State, id: OperatorId) -> bool {
    let operator = &task.operators[id.0 as usize];
    if operator.changes.is_empty() {
        return Evaluation::new(task, state).holds(operator.precondition);
    }
    // Whether numbers keep a value is the task's to say.
    let mut moves = Vec::new();
    task.moves(state, &mut moves);
    moves.contains(&id)
}
