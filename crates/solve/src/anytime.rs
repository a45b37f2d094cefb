//! A good plan at once, then better ones, then the proof.
//!
//! Quick routes that prove nothing go first, each with a small share of the time; what they find is refereed and told. Then
//! the route that was asked for runs as ever, so the proof is no weaker for the haste. Whatever ends it, the best plan and
//! the best bound are kept; and where they meet, the plan is proven optimal, even though no single route proved it.

use std::time::Duration;

use ployglot_base::{Budget, Effort};
use ployglot_games::Game;

use crate::answer::{Answer, Status};
use crate::{BadRequest, Request, measure, routes, solve};

/// The routes that go first, where the game has them, quickest first.
const QUICK: [&str; 2] = ["search:greedy", "search:beam"];
/// Each quick route may take this part of the time that is left, and never more than `LONGEST`.
const SHARE: u32 = 10;
const LONGEST: Duration = Duration::from_secs(5);

/// Solves a level, and tells every plan that is better than those before it.
pub fn solve_anytime<G: Game>(
    level: &G,
    request: &Request,
    budget: &Budget,
    mut tell: impl FnMut(&Answer<G>),
) -> Result<Answer<G>, BadRequest> {
    let started = budget.elapsed();
    let known = routes::<G>();
    let mut best: Option<Answer<G>> = None;
    let mut effort = Effort::default();
    for quick in QUICK {
        let asked = request.route.as_deref() == Some(quick);
        if asked || known.iter().all(|route| route.name != quick) {
            continue;
        }
        let left = budget.time_left();
        let share = left.map_or(LONGEST, |left| (left / SHARE).min(LONGEST));
        let first = Request {
            route: Some(quick.to_string()),
            ..request.clone()
        };
        // A quick route that does not fit the measure is no reason to fail.
        let Ok(answer) = solve(level, &first, &budget.part(share)) else {
            continue;
        };
        effort += answer.effort;
        if matches!(answer.status, Status::Optimal | Status::Unsolvable) {
            return Ok(answer);
        }
        if improves(&answer, best.as_ref()) {
            tell(&answer);
            best = Some(answer);
        }
    }
    // Where A* would be chosen, its anytime form proves the same, and looks for better plans on the way.
    let measure = measure::<G>(request.measure.as_deref())?;
    let chosen = request.route.is_none() && level.best_route(measure) == "search:astar";
    let route = if chosen {
        Some("search:anytime".to_string())
    } else {
        request.route.clone()
    };
    let last = solve(
        level,
        &Request {
            route,
            ..request.clone()
        },
        budget,
    )?;
    effort += last.effort;
    let seconds = (budget.elapsed() - started).as_secs_f64();
    Ok(Answer {
        effort,
        seconds,
        ..join(last, best)
    })
}

/// Whether the referee accepts this plan and it costs less than the best so far.
fn improves<G: Game>(answer: &Answer<G>, best: Option<&Answer<G>>) -> bool {
    answer.checked && best.is_none_or(|best| answer.cost < best.cost)
}

/// What the last answer says, with the better plan of an earlier one where it has no proof of its own.
fn join<G: Game>(last: Answer<G>, best: Option<Answer<G>>) -> Answer<G> {
    let (Status::Feasible(why) | Status::Limit(why)) = last.status else {
        return last;
    };
    let Some(best) = best.filter(|best| last.cost.is_none_or(|cost| best.cost < Some(cost))) else {
        return last;
    };
    let met = best.cost.is_some() && last.at_least.max(best.at_least) >= best.cost;
    Answer {
        status: if met {
            Status::Optimal
        } else {
            Status::Feasible(why)
        },
        cost: best.cost,
        plan: best.plan,
        checked: best.checked,
        at_least: if met {
            best.cost
        } else {
            last.at_least.max(best.at_least)
        },
        ..last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::Limit;
    use ployglot_games::template::Template;
    use ployglot_games::{Document, Text};

    fn answer(cost: Option<u32>, at_least: u32, status: Status) -> Answer<Template> {
        Answer {
            route: "search:astar".to_string(),
            measure: "steps",
            variant: String::new(),
            checked: cost.is_some(),
            plan: cost.map(|_| Vec::new()),
            cost,
            at_least: Some(at_least),
            status,
            effort: Effort::default(),
            seconds: 0.0,
            peak_memory: 0,
        }
    }

    #[test]
    fn a_plan_that_meets_the_bound_is_optimal() {
        let quick = answer(Some(7), 0, Status::Feasible(Limit::Incomplete));
        let last = answer(None, 7, Status::Limit(Limit::Memory));
        let joined = join(last, Some(quick));
        assert_eq!(
            (joined.status, joined.cost, joined.at_least),
            (Status::Optimal, Some(7), Some(7))
        );
    }

    #[test]
    fn the_better_plan_and_the_bound_are_kept() {
        let quick = || Some(answer(Some(9), 0, Status::Feasible(Limit::Incomplete)));
        let joined = join(answer(None, 5, Status::Limit(Limit::Time)), quick());
        assert_eq!(
            (joined.status, joined.cost, joined.at_least, joined.checked),
            (Status::Feasible(Limit::Time), Some(9), Some(5), true)
        );
        let joined = join(answer(Some(8), 5, Status::Feasible(Limit::Time)), quick());
        assert_eq!(joined.cost, Some(8));
        let joined = join(answer(Some(6), 6, Status::Optimal), quick());
        assert_eq!((joined.status, joined.cost), (Status::Optimal, Some(6)));
    }

    #[test]
    fn in_the_end_it_says_what_solve_says() {
        let document = Document::parse("game: template\n.X...T.\n").expect("a level");
        let level = Template::parse(&document).expect("a template level");
        let mut costs = Vec::new();
        let tell = |answer: &Answer<Template>| costs.push(answer.cost);
        let answer = solve_anytime(&level, &Request::default(), &Budget::unlimited(), tell)
            .expect("a route");
        assert_eq!((answer.status, answer.cost), (Status::Optimal, Some(4)));
        assert!(
            costs.is_sorted_by(|earlier, later| earlier > later),
            "{costs:?}"
        );
    }
}
