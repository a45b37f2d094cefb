//! Action elimination (Nakhost and Müller 2010): plans of ∃-step encodings and of greedy searches
//! often have redundant actions. Each action is tried, from the first to the last: the plan without
//! it, and without the later actions that are then not applicable, replaces the plan if it still
//! reaches the goal at no higher cost.

use ployglot_base::{Budget, Progress, Space};

use crate::evaluate::Evaluation;
use crate::task::{OperatorId, Task};

/// Longer plans are not changed, because the plan is executed once for each of its actions.
const MAX_LENGTH: usize = 2000;

/// The plan without its redundant actions, and its cost. `None`: it is not a plan of the task. At a
/// limit of the budget, the shortest plan so far.
pub fn shorten(
    task: &Task,
    plan: &[OperatorId],
    budget: &Budget,
) -> Option<(Vec<OperatorId>, u32)> {
    let mut best = (plan.to_vec(), execute(task, plan, None)?.1);
    let mut at = 0;
    let progress = || Progress {
        phase: "shorten",
        ..Progress::default()
    };
    while at < best.0.len() && best.0.len() <= MAX_LENGTH && budget.check(progress).is_ok() {
        match execute(task, &best.0, Some(at)) {
            Some((shorter, cost)) if cost <= best.1 => best = (shorter, cost),
            _ => at += 1,
        }
    }
    Some(best)
}

/// Whether every action is applicable in turn, and the goal holds after them.
pub(super) fn is_plan(task: &Task, plan: &[OperatorId]) -> bool {
    execute(task, plan, None).is_some()
}

/// Executes the plan without the action at `skip`, and without later actions that are then not
/// applicable. `None`: it misses the goal. Without `skip` every action must be applicable.
fn execute(
    task: &Task,
    plan: &[OperatorId],
    skip: Option<usize>,
) -> Option<(Vec<OperatorId>, u32)> {
    let mut state = task.start();
    let (mut taken, mut cost) = (Vec::new(), 0u32);
    for (at, &id) in plan.iter().enumerate() {
        if skip == Some(at) {
            continue;
        }
        if !is_applicable(task, &state, id) {
            skip?;
            continue;
        }
        cost = cost.saturating_add(task.cost(&state, id));
        state = task.apply(&state, id);
        taken.push(id);
    }
    task.is_goal(&state).then_some((taken, cost))
}

fn is_applicable(task: &Task, state: &<Task as Space>::State, id: OperatorId) -> bool {
    let operator = &task.operators[id.0 as usize];
    if operator.changes.is_empty() {
        return Evaluation::new(task, state).holds(operator.precondition);
    }
    // Numbers must also keep finite values, which `moves` checks.
    let mut moves = Vec::new();
    task.moves(state, &mut moves);
    moves.contains(&id)
}
