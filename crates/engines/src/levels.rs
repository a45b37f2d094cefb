//! Searches through the states of a level, with the guide of its game.

use ployglot_base::{Budget, Effort, Guide, Report, Switches};
use ployglot_games::Game;
use ployglot_search::Search;
use ployglot_search::beam::{BeamRequest, BeamResult, beam};
use ployglot_search::plan::FoundPlan;

/// Searches a level, without the rules of its guide that are switched off.
#[inline(never)]
pub fn search_level<G: Game>(
    level: &G,
    search: Search,
    switches: &Switches,
    budget: &Budget,
) -> Report<G::Move> {
    search.run(level, &|| level.guide(switches), budget)
}

/// The best plan of some beam searches. They are fast compared with solving any model, and the last
/// beam is wide enough for most levels that a model can solve.
#[inline(never)]
pub fn plan_by_beams<G: Game>(level: &G, budget: &Budget) -> Option<Vec<G::Move>> {
    const WIDTHS: [usize; 3] = [100, 1_000, 10_000];
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    let at_least = guide.lower_bound(&level.start())?;
    let mut best: Option<FoundPlan<G::Move>> = None;
    for width in WIDTHS {
        let below = best.as_ref().map_or(u32::MAX, |best| best.cost);
        let request = BeamRequest {
            width,
            below,
            at_least,
        };
        match beam(level, &mut guide, &request, budget, &mut Effort::default()) {
            Ok(BeamResult::Found(found)) if found.cost > at_least => best = Some(found),
            Ok(BeamResult::Found(found)) => return Some(found.plan),
            Ok(BeamResult::TooNarrow) => {}
            Ok(BeamResult::Exhausted) | Err(_) => break,
        }
    }
    best.map(|best| best.plan)
}
