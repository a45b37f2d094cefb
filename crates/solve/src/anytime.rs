//! A good plan at once, then better ones, then the proof.
//!
//! Quick routes that prove nothing run first, each with a small share of the time; their plans are
//! refereed and reported. Then the requested route runs as usual, so the proof is as strong as
//! without them. Whatever ends the run, the best plan and the best bound are kept. If they meet,
//! the plan is proven optimal, even though no single route proved it; if the bound of one route is
//! above the plan of another, or denies it, that is a defect ([`Answer::join`]).

use std::time::Duration;

use ployglot_base::{Budget, Switches};
use ployglot_games::Game;
use ployglot_search::Search;

use crate::answer::{Answer, Status};
use crate::route::Route;
use crate::{BEST, Refused, Request, check_switches, chosen_route, measure};

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
) -> Result<Answer<G>, Refused> {
    solve_and_report(level, request, budget, &mut report)
}

#[inline(never)]
pub(crate) fn solve_and_report<G: Game>(
    level: &G,
    request: &Request,
    budget: &Budget,
    report: &mut dyn FnMut(&Answer<G>),
) -> Result<Answer<G>, Refused> {
    let measure = measure::<G>(request.measure.as_deref())?;
    let route = chosen_route(level, request, measure)?;
    let switches = &request.switches;
    check_switches::<G>(switches)?;
    // Where the game chooses A*, its anytime form: it proves the same, and improves plans meanwhile.
    let asked = request.route.as_deref().filter(|&name| name != BEST);
    let by_default = asked.is_none() && route.is_search(Search::Astar);
    let last = match Route::of_search(Search::Anytime) {
        Some(anytime) if by_default => anytime,
        _ => route,
    };
    let optimises = |quick: &Route<G>| quick.measures.contains(&measure) && quick.name != last.name;
    let quick = QUICK.into_iter().filter_map(Route::of_search);
    let quick: Vec<_> = quick.filter(optimises).collect();
    solve_in_turn(level, measure, switches, &quick, &last, budget, report)
}

/// Solves a level by quick routes, each with a small share of the time, and then by the last one.
fn solve_in_turn<G: Game>(
    level: &G,
    measure: &'static str,
    switches: &Switches,
    quick: &[Route<G>],
    last: &Route<G>,
    budget: &Budget,
    report: &mut dyn FnMut(&Answer<G>),
) -> Result<Answer<G>, Refused> {
    let started = budget.elapsed();
    let mut joined: Option<Answer<G>> = None;
    let mut routes = quick
        .iter()
        .map(|route| (route, true))
        .chain([(last, false)]);
    loop {
        let (route, is_quick) = routes.next().expect("the last route ends the loop");
        let left = budget.time_left();
        let share = left.map_or(LONGEST, |left| (left / SHARE).min(LONGEST));
        let part = if is_quick {
            budget.part(share)
        } else {
            budget.clone()
        };
        let answer = route.solve(level, measure, switches, &part)?;
        let known = joined.as_ref().and_then(|joined| joined.cost);
        let now = match joined.take() {
            Some(earlier) => earlier.join(answer),
            None => answer,
        };
        // The last route's answer is the final one, and any proof or defect ends the run.
        if !is_quick || !matches!(now.status, Status::Feasible(_) | Status::Limit(_)) {
            let seconds = (budget.elapsed() - started).as_secs_f64();
            return Ok(Answer { seconds, ..now });
        }
        if now.cost.is_some() && now.cost != known {
            report(&now);
        }
        joined = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::{Effort, Limit, Outcome, PhaseTimes, Report, Space};
    use ployglot_games::template::Template;
    use ployglot_games::{Document, Rules, Text};

    use crate::route::invented::route;

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
            phases: PhaseTimes::default(),
            peak_memory: 0,
        }
    }

    #[test]
    fn a_plan_that_meets_the_bound_is_optimal() {
        let quick = answer(Some(7), 0, Status::Feasible(Limit::Incomplete));
        let last = answer(None, 7, Status::Limit(Limit::Memory));
        let joined = quick.join(last);
        assert_eq!(
            (joined.status, joined.cost, joined.at_least),
            (Status::Optimal, Some(7), Some(7))
        );
    }

    #[test]
    fn the_better_plan_and_the_bound_are_kept() {
        let quick = || answer(Some(9), 0, Status::Feasible(Limit::Incomplete));
        let joined = quick().join(answer(None, 5, Status::Limit(Limit::Time)));
        assert_eq!(
            (joined.status, joined.cost, joined.at_least, joined.checked),
            (Status::Feasible(Limit::Time), Some(9), Some(5), true)
        );
        let joined = quick().join(answer(Some(8), 5, Status::Feasible(Limit::Time)));
        assert_eq!(joined.cost, Some(8));
        let joined = quick().join(answer(Some(6), 6, Status::Optimal));
        assert_eq!((joined.status, joined.cost), (Status::Optimal, Some(6)));
    }

    /// The level `T..X` of the tests; its best plan takes 3 steps.
    fn level() -> Template {
        let document = Document::parse("game: template\nT..X\n").expect("a level text");
        Template::parse(&document).expect("a level")
    }

    type Move = <Template as Space>::Move;

    fn report(outcome: Outcome<Move>) -> Report<Move> {
        let effort = Effort::default();
        Report { outcome, effort }
    }

    /// The best plan of the level, by breadth-first search.
    fn plan(level: &Template) -> Vec<Move> {
        let search = Search::BreadthFirst;
        let found = search.run(level, &|| ployglot_base::Blind, &Budget::unlimited());
        found.outcome.plan().expect("a plan").to_vec()
    }

    fn finds_plan(level: &Template, _: &str, _: &Switches, _: &Budget) -> Report<Move> {
        report(Outcome::at_limit(
            Some((plan(level), 3)),
            0,
            Limit::Incomplete,
        ))
    }

    fn finds_nothing(_: &Template, _: &str, _: &Switches, _: &Budget) -> Report<Move> {
        report(Outcome::at_limit(None, 2, Limit::Incomplete))
    }

    fn denies_plans(_: &Template, _: &str, _: &Switches, _: &Budget) -> Report<Move> {
        report(Outcome::Unsolvable)
    }

    fn claims_bound(_: &Template, _: &str, _: &Switches, _: &Budget) -> Report<Move> {
        report(Outcome::at_limit(None, 4, Limit::Time))
    }

    fn goes_back_and_forth(level: &Template, _: &str, _: &Switches, _: &Budget) -> Report<Move> {
        let mut moves = Vec::new();
        let after = level.apply(&level.start(), plan(level)[0]);
        level.moves(&after, &mut moves);
        let back = moves
            .into_iter()
            .find(|&mv| level.apply(&after, mv) == level.start());
        let detour = [plan(level)[0], back.expect("a way back")];
        let plan = [&detour[..], &plan(level)[..]].concat();
        report(Outcome::Optimal { plan, cost: 5 })
    }

    fn claims_wrong_cost(level: &Template, _: &str, _: &Switches, _: &Budget) -> Report<Move> {
        let plan = plan(level);
        report(Outcome::Optimal { plan, cost: 2 })
    }

    fn panics(_: &Template, _: &str, _: &Switches, _: &Budget) -> Report<Move> {
        panic!("on purpose")
    }

    /// Whatever a route lies about, and whether it comes before or after an honest one: the answer
    /// is a defect that names it.
    #[test]
    fn a_lie_of_any_route_is_a_defect() {
        let run = |first: &Route<Template>, last: &Route<Template>| {
            let (level, switches) = (level(), Switches::all_on());
            let (quick, budget) = (std::slice::from_ref(first), Budget::unlimited());
            let measure = Template::MEASURES[0].name;
            solve_in_turn(
                &level,
                measure,
                &switches,
                quick,
                last,
                &budget,
                &mut |_| (),
            )
            .expect("an answer")
        };
        let honest = route("honest", finds_plan);
        let unknowing = route("unknowing", finds_nothing);
        let answer = run(&honest, &unknowing);
        assert_eq!(
            (answer.status, answer.cost),
            (Status::Feasible(Limit::Incomplete), Some(3))
        );
        type Liar = fn(&Template, &str, &Switches, &Budget) -> Report<Move>;
        let liars: [Liar; 5] = [
            denies_plans,
            claims_bound,
            goes_back_and_forth,
            claims_wrong_cost,
            panics,
        ];
        for (number, lie) in liars.into_iter().enumerate() {
            let liar = route("liar", lie);
            let alone = [run(&liar, &unknowing), run(&unknowing, &liar)];
            // A lie beside nothing but a bound cannot be seen, unless the referee sees it.
            assert_eq!(alone.iter().all(Answer::is_defect), number > 2, "{number}");
            for answer in [run(&honest, &liar), run(&liar, &honest)] {
                // A claimed proof that comes first ends the run.
                let ended_first = number != 1 && answer.route == "liar" && !answer.is_defect();
                assert!(answer.is_defect() || ended_first, "{number}: {answer:?}");
                if let Status::Defect(why) = &answer.status {
                    assert!(why.contains("liar") || answer.route == "liar", "{why}");
                }
            }
            assert!(run(&honest, &liar).is_defect(), "{number}");
        }
    }

    #[test]
    fn the_named_best_route_is_the_default_route() {
        let solve = |route: Option<&str>| {
            let request = Request {
                route: route.map(str::to_string),
                ..Request::default()
            };
            let answer = solve_anytime(&level(), &request, &Budget::unlimited(), |_| ());
            answer.expect("a route").route
        };
        assert_eq!(solve(Some(BEST)), solve(None));
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
