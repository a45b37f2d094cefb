//! The number of states of a planning model that can be reached from the start of a level: the size
//! of what a search through the model has to consider.

use std::collections::HashSet;

use ployglot_base::{Budget, Phase, Progress, Space};
use ployglot_games::{Game, PlanningModel};
use ployglot_pddl::{CannotGround, Task, ground_within, parse_domain, parse_problem};

/// How many states were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReachableStates {
    /// There are so many.
    All(usize),
    /// A limit ended the count.
    AtLeast(usize),
}

/// Counts the states of a level's planning task that can be reached. The error is the reason why the
/// model cannot express the level.
#[inline(never)]
pub fn reachable_states<G: Game>(
    level: &G,
    model: &PlanningModel<G>,
    budget: &Budget,
) -> Result<ReachableStates, String> {
    let problem = (model.problem)(level)?;
    let domain = parse_domain(model.domain).map_err(|bad| bad.to_string())?;
    let problem = parse_problem(&problem, &domain.value).map_err(|bad| bad.to_string())?;
    let ground = || ground_within(&domain.value, &problem.value, budget);
    match budget.timed(Phase::Unrolling, ground) {
        Ok(task) => Ok(count(&task, budget)),
        Err(CannotGround::Limit(_)) => Ok(ReachableStates::AtLeast(0)),
        Err(CannotGround::Unsupported(why) | CannotGround::TooLarge(why)) => Err(why),
    }
}

fn count(task: &Task, budget: &Budget) -> ReachableStates {
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
