//! The rating of a level as JSON; `docs/formats.md` describes the keys.

use ployglot_games::Game;
use ployglot_solve::{GreedyPlay, Rating, StateCount};
use serde_json::{Value, json};

/// The figures of a rating.
pub fn rating_json<G: Game>(rating: &Rating<G>) -> Value {
    let (states, exact) = match rating.reachable {
        StateCount::Exactly(count) => (count, true),
        StateCount::AtLeast(count) => (count, false),
    };
    let greedy = rating.greedy.map(|greedy| match greedy {
        GreedyPlay::Solved(made) => json!({ "end": "solved", "moves": made }),
        GreedyPlay::Stuck(made) => json!({ "end": "stuck", "moves": made }),
        GreedyPlay::Unfinished(made) => json!({ "end": "unfinished", "moves": made }),
    });
    json!({
        "status": rating.answer.status.word(), "measure": rating.answer.measure, "par": rating.answer.cost,
        "at_least": rating.answer.at_least,
        "best_plans": rating.best_plans.map(|count| count.to_string()),
        "distinct_plans": rating.distinct_plans,
        "first_moves": rating.first_moves.all, "first_moves_keep_par": rating.first_moves.keep_par,
        "first_moves_lose": rating.first_moves.lose,
        "dead_ends": rating.dead_ends.map(|share| json!({ "dead": share.dead, "of": share.of, "exact": share.exact })),
        "forced": rating.forced, "reachable": states, "reachable_exact": exact, "greedy": greedy,
        "limit": rating.limit.map(|limit| limit.to_string()),
        "difficulty": rating.assessment.difficulty.to_string(), "reasons": rating.assessment.reasons,
    })
}
