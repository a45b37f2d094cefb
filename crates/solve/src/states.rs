//! The number of states of a planning model that can be reached from the start of a level: the size
//! of what a search through the model has to consider.

use ployglot_base::{Budget, Phase};
use ployglot_engines::{ReachableStates, count_states};
use ployglot_games::{Game, PlanningModel};
use ployglot_pddl::{CannotGround, ground_within, parse_domain, parse_problem};

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
        Ok(task) => Ok(count_states(&task, budget)),
        Err(CannotGround::Limit(_)) => Ok(ReachableStates::AtLeast(0)),
        Err(CannotGround::Unsupported(why) | CannotGround::TooLarge(why)) => Err(why),
    }
}
