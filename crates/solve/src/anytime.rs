//! A good plan at once, then better ones, then the proof.
//!
//! Quick routes that prove nothing run first, each with a small share of the time; their plans are
//! refereed and reported. Then the requested route runs as usual, so the proof is as strong as
//! without them. Whatever ends the run, the best plan and the best bound are kept. If they meet,
//! the plan is proven optimal, even though no single route proved it.

use std::time::Duration;

use ployglot_base::{Budget, Effort};
use ployglot_games::Game;
use ployglot_search::Search;

use crate::answer::{Answer, Status};
use crate::route::Route;
use crate::{BadRequest, Request, check_switches, chosen_route, measure};

/// The searches that run first, where they optimise the measure, quickest first.
const QUICK: [Search; 2] = [Search::Greedy, Search::Beam];
/// Each quick search may take this part of the time that is left, and never more than `LONGEST`.
const SHARE: u32 = 10;
const LONGEST: Duration = Duration::from_secs(5);

/// Solves a level, and reports every plan that is better than those before it.
pub fn solve_anytime<G: Game>(
    level: &G,
    request: &Request,
    budget: &Budget,
    mut report: impl FnMut(&Answer<G>),
) -> Result<Answer<G>, BadRequest> {
    let started = budget.elapsed();
    let measure = measure::<G>(request.measure.as_deref())?;
    let route = chosen_route(level, request, measure)?;
    let switches = &request.switches;
    check_switches::<G>(switches)?;
    // Instead of A* by default, its anytime form: it proves the same, and improves plans meanwhile.
    let by_default = request.route.is_none() && route.is_search(Search::Astar);
    let route = match Route::of_search(Search::Anytime) {
        Some(anytime) if by_default => anytime,
        _ => route,
    };
    let mut best: Option<Answer<G>> = None;
    let mut effort = Effort::default();
    for search in QUICK {
        let quick = Route::of_search(search).filter(|quick| quick.measures.contains(&measure));
        let Some(quick) = quick.filter(|_| !route.is_search(search)) else {
            continue;
        };
        let left = budget.time_left();
        let share = left.map_or(LONGEST, |left| (left / SHARE).min(LONGEST));
        let answer = quick.solve(level, measure, switches, &budget.part(share))?;
        effort += answer.effort;
        if matches!(answer.status, Status::Optimal | Status::Unsolvable) {
            return Ok(answer);
        }
        if improves(&answer, best.as_ref()) {
            report(&answer);
            best = Some(answer);
        }
    }
    let last = route.solve(level, measure, switches, budget)?;
    effort += last.effort;
    let seconds = (budget.elapsed() - started).as_secs_f64();
    Ok(Answer {
        effort,
        seconds,
        ..join(last, best)
    })
}

/// Whether the referee accepts the plan, and it costs less than the best one so far.
fn improves<G: Game>(answer: &Answer<G>, best: Option<&Answer<G>>) -> bool {
    answer.checked && best.is_none_or(|best| answer.cost < best.cost)
}

/// The last answer; if it has no proof, with the better plan and the better bound of an earlier
/// one.
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
    fn the_final_answer_is_that_of_solve() {
        let document = Document::parse("game: template\n.X...T.\n").expect("a level");
        let level = Template::parse(&document).expect("a template level");
        let mut costs = Vec::new();
        let report = |answer: &Answer<Template>| costs.push(answer.cost);
        let answer = solve_anytime(&level, &Request::default(), &Budget::unlimited(), report)
            .expect("a route");
        assert_eq!((answer.status, answer.cost), (Status::Optimal, Some(4)));
        assert!(
            costs.is_sorted_by(|earlier, later| earlier > later),
            "{costs:?}"
        );
    }
}
