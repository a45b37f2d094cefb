//! Solves levels of PuzzleScript games. Their rules are data, so they are not a `Game` with a type of
//! its own; searches are their only routes.

use ployglot_base::text::unknown;
use ployglot_base::{Budget, Effort, Outcome};
use ployglot_puzzlescript::{Game, Input, LevelGuide, LevelSpace, RULES, Ruling, referee};
use ployglot_search::Search;

use crate::{BEST, BadRequest, Refused, Request, Status};

/// The measure of plans: keys that are pressed.
pub const MEASURE: &str = "moves";
/// The route that is taken where none is asked for.
const DEFAULT: Search = Search::Astar;

/// The answer to a level of a PuzzleScript game, after the referee has replayed the plan.
#[derive(Clone, Debug)]
pub struct PuzzleAnswer {
    /// The name of the route.
    pub route: String,
    /// How it ended.
    pub status: Status,
    /// The cost of the plan; `None` if none was found.
    pub cost: Option<u32>,
    /// Proven: no plan costs less; `None` if it is proven that there is no plan.
    pub at_least: Option<u32>,
    /// The keys of the plan; `None` if none was found.
    pub plan: Option<Vec<Input>>,
    /// The referee replayed the plan, and it wins.
    pub checked: bool,
    /// The effort of the route.
    pub effort: Effort,
    /// The time that the route took.
    pub seconds: f64,
    /// The peak memory of the whole process, in bytes.
    pub peak_memory: u64,
}

/// Solves a level, given by its index among the levels and messages of the game.
pub fn solve_puzzlescript(
    game: &Game,
    entry: usize,
    request: &Request,
    budget: &Budget,
) -> Result<PuzzleAnswer, Refused> {
    let search = search(request)?;
    let started = budget.elapsed();
    let space = LevelSpace::new(game, entry, &request.switches)
        .map_err(|refusal| Refused::Unfit(refusal.to_string()))?;
    let guide = || LevelGuide::new(&space, &request.switches);
    let report = search.run(&space, &guide, budget);
    let outcome = report.outcome;
    let ruling = outcome.plan().map(|plan| referee(game, entry, plan));
    let status = match (&outcome, &ruling) {
        (Outcome::Unsolvable, _) => Status::Unsolvable,
        (Outcome::GaveUp { why, .. }, _) => Status::Limit(*why),
        (Outcome::Feasible { why, .. }, Some(Ruling::Wins)) => Status::Feasible(*why),
        (Outcome::Optimal { .. }, Some(Ruling::Wins)) => Status::Optimal,
        (_, ruling) => {
            let ruling = ruling.as_ref().unwrap_or(&Ruling::DoesNotWin);
            Status::Defect(format!(
                "the referee rejects the plan: {}",
                sentence(ruling)
            ))
        }
    };
    let checked = ruling == Some(Ruling::Wins);
    Ok(PuzzleAnswer {
        route: format!("search:{}", search.name()),
        cost: outcome.cost(),
        at_least: outcome.at_least(),
        plan: outcome.plan().map(<[Input]>::to_vec),
        status,
        checked,
        effort: report.effort,
        seconds: (budget.elapsed() - started).as_secs_f64(),
        peak_memory: budget.peak_memory(),
    })
}

/// A ruling in words.
pub fn sentence(ruling: &Ruling) -> String {
    match ruling {
        Ruling::Wins => "the last move wins the level".to_string(),
        Ruling::WinsEarlier(moves) => format!("the level is won after {moves} moves already"),
        Ruling::DoesNotWin => "the level is not won".to_string(),
        Ruling::NoLevel => "there is no such level".to_string(),
    }
}

/// The search of a request, whose measure and rules are checked.
fn search(request: &Request) -> Result<Search, BadRequest> {
    if let Some(measure) = request.measure.as_deref().filter(|name| *name != MEASURE) {
        return Err(BadRequest(unknown("measure", measure, [MEASURE])));
    }
    let rules = RULES.iter().map(|(name, _)| *name);
    let is_unknown = |off: &&String| rules.clone().all(|name| name != off.as_str());
    if let Some(off) = request.switches.off().iter().find(is_unknown) {
        return Err(BadRequest(unknown(
            "rule of PuzzleScript games",
            off,
            rules,
        )));
    }
    let Some(route) = request.route.as_deref().filter(|name| *name != BEST) else {
        return Ok(DEFAULT);
    };
    let known = route
        .strip_prefix("search:")
        .and_then(|name| name.parse().ok());
    known.ok_or_else(|| {
        let names: Vec<String> = Search::ALL
            .iter()
            .map(|search| format!("search:{}", search.name()))
            .collect();
        let message = unknown("route", route, names.iter().map(String::as_str));
        BadRequest(message)
    })
}
