//! What a level is like: how many best plans it has, how soon a player can go wrong, and how hard
//! it is.
//!
//! The figures come from graphs of the states around the start (`StateGraph`). The *full
//! graph*, if it is small enough, has the exact number of dead ends. The *par graph* keeps only
//! states from which the par may still be met; it is far smaller, and counts best plans even where
//! the full graph is too large. A figure that could not be computed is missing or a lower bound;
//! none is guessed.

mod comparison;
mod difficulty;
mod greedy;

use std::collections::{BTreeMap, BTreeSet};

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Switches};
use ployglot_engines::{Edge, StateGraph};
use ployglot_games::{Document, Game, Level};

use crate::answer::{Answer, Status, certify};
use crate::{BadRequest, Request, solve};
pub use comparison::{PlanComparison, compare_plans};
pub use difficulty::{Assessment, Difficulty};
pub use greedy::GreedyPlay;

/// What a level is like.
#[derive(Clone, Debug)]
pub struct Rating<G: Game> {
    /// The answer of the game's best route; an optimal cost is the par.
    pub answer: Answer<G>,
    /// The number of plans that cost the par; `None`: not known.
    pub best_plans: Option<u128>,
    /// The number of best plans, where plans with the same moves in another order count once;
    /// `None`: not known, or too many to list.
    pub distinct_plans: Option<usize>,
    /// The moves at the start.
    pub first_moves: FirstMoves,
    /// The dead ends among the states within par; `None`: not known.
    pub dead_ends: Option<DeadEndShare>,
    /// The longest run of moves in the plan to which there is no alternative that keeps the par;
    /// `None`: not known.
    pub forced: Option<u32>,
    /// The number of states that can be reached from the start.
    pub reachable: StateCount,
    /// How the greedy player's game ended; `None`: a limit ended it early.
    pub greedy: Option<GreedyPlay>,
    /// How hard the level is.
    pub assessment: Assessment,
    /// The limit that ended some figure early.
    pub limit: Option<Limit>,
}

/// A number of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateCount {
    /// All were counted.
    Exactly(u64),
    /// Counting ended early.
    AtLeast(u64),
}

/// The moves at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstMoves {
    /// The number of legal moves.
    pub all: usize,
    /// The number of moves that begin a best plan; `None`: not known.
    pub keep_par: Option<usize>,
    /// The number of moves after which there is no plan; `None`: not known.
    pub lose: Option<usize>,
}

/// The dead ends among the states that can be reached within par.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadEndShare {
    /// The number of dead ends.
    pub dead: u64,
    /// The number of states.
    pub of: u64,
    /// Every state was examined, and every dead end recognised.
    pub exact: bool,
}

impl DeadEndShare {
    /// The share in percent.
    pub fn percent(self) -> f64 {
        100.0 * self.dead as f64 / self.of.max(1) as f64
    }
}

/// How much of a level's state space a rating may examine.
#[derive(Clone, Copy, Debug)]
pub struct RatingLimits {
    /// States in a graph.
    pub states: usize,
    /// Best plans that are listed to compare their moves.
    pub plans: usize,
}

impl Default for RatingLimits {
    fn default() -> Self {
        Self {
            states: 200_000,
            plans: 5_000,
        }
    }
}

/// Rates a level by its default measure. Figures that a limit ends early are left out.
///
/// The graphs are searches too: what they say about the level must agree with the answer. If it does
/// not, the answer has a defect.
#[inline(never)]
pub fn rate<G: Game>(
    level: &G,
    limits: RatingLimits,
    budget: &Budget,
) -> Result<Rating<G>, BadRequest> {
    let mut answer = solve(level, &Request::default(), budget)?;
    let mut limit = None;
    let full = StateGraph::explore(level, limits.states, &mut |_, _| true, budget);
    limit = limit.or(full.limit);
    let complete = full.complete.then_some(&full);
    if let Some(graph) = complete {
        answer = join_with_graph(level, answer, graph, None, budget);
    }
    let additive = G::MEASURES[0].additive;
    let optimal = |answer: &Answer<G>| answer.cost.filter(|_| answer.status == Status::Optimal);
    let par_graph = optimal(&answer).filter(|_| additive).and_then(|par| {
        let graph = par_graph(level, par, limits, budget);
        limit = limit.or(graph.limit);
        graph.complete.then_some((par, graph))
    });
    if let Some((par, graph)) = &par_graph {
        answer = join_with_graph(level, answer, graph, Some(*par), budget);
    }
    let par_graph = par_graph.map(|(_, graph)| graph);
    let best_plans = par_graph.as_ref().and_then(|graph| {
        let counted = graph.count_best_plans(budget);
        known(counted.map(Some), &mut limit)
    });
    let distinct_plans = match (G::COUNT_PLANS, optimal(&answer)) {
        (Some(count), Some(cost)) => {
            let counted = count(level, cost, limits.plans, budget);
            known(
                budget.check(Progress::default).map(|()| None::<()>),
                &mut limit,
            );
            counted
        }
        _ => par_graph
            .as_ref()
            .zip(best_plans)
            .and_then(|(graph, plans)| {
                let counted = count_distinct_plans(level, graph, plans, limits, budget);
                known(counted, &mut limit)
            }),
    };
    let mut moves = Vec::new();
    level.moves(&level.start(), &mut moves);
    let lose = match count_losing_moves(level, &moves, complete, &answer, budget) {
        Ok(lose) => lose,
        Err(NoCount::Limit(why)) => known(Err(why), &mut limit),
        Err(NoCount::Defect(defect)) => {
            answer = *defect;
            None
        }
    };
    let par = optimal(&answer).filter(|_| additive);
    let dead_ends = par.and_then(|par| {
        let share = dead_ends(level, par, &full, limits, budget);
        known(share, &mut limit)
    });
    let greedy = greedy::play(level, most_greedy_moves(par), budget);
    let mut rating = Rating {
        best_plans,
        distinct_plans,
        first_moves: FirstMoves {
            all: moves.len(),
            keep_par: par_graph.as_ref().map(|graph| graph.best_edges(0).count()),
            lose,
        },
        dead_ends,
        forced: par_graph.as_ref().map(|graph| {
            longest_forced_run(level, graph, answer.plan.as_deref().unwrap_or_default())
        }),
        reachable: match complete {
            Some(full) => StateCount::Exactly(full.nodes.len() as u64),
            None => StateCount::AtLeast(full.nodes.len() as u64),
        },
        greedy: known(greedy.map(Some), &mut limit),
        assessment: Assessment::default(),
        limit,
        answer,
    };
    rating.assessment = difficulty::assess(&rating);
    Ok(rating)
}

/// A figure; if a limit ended it early, the limit is noted.
fn known<T>(figure: Result<Option<T>, Limit>, limit: &mut Option<Limit>) -> Option<T> {
    figure.unwrap_or_else(|why| {
        limit.get_or_insert(why);
        None
    })
}

/// The answer together with what a complete graph of states says: its best plan, or that there is
/// none. With `par`, the graph has only states from which the par may still be met, so it says
/// nothing about plans that cost more.
fn join_with_graph<G: Game>(
    level: &G,
    answer: Answer<G>,
    graph: &StateGraph<G>,
    par: Option<u32>,
    budget: &Budget,
) -> Answer<G> {
    let measure = &G::MEASURES[0];
    let outcome = match (graph.best_plan(level), par) {
        (None, None) => Outcome::Unsolvable,
        (None, Some(par)) => Outcome::at_limit(None, par.saturating_add(1), Limit::Incomplete),
        (Some(found), _) if measure.additive => Outcome::at_limit(
            Some((found.plan, found.cost)),
            found.cost,
            Limit::Incomplete,
        ),
        // The graph adds up the costs of moves, which is not what this measure does.
        (Some(found), _) => {
            let end = found.plan.iter();
            let end = end.fold(level.start(), |state, &mv| level.apply(&state, mv));
            let cost = level.plan_cost(measure.name, &found.plan, &end);
            Outcome::at_limit(Some((found.plan, cost)), 0, Limit::Incomplete)
        }
    };
    let report = Report {
        outcome,
        effort: Effort::default(),
    };
    let name = "the graph of all states".to_string();
    let (route, seconds) = (answer.route.clone(), answer.seconds);
    let graph = certify(level, measure.name, name, report, 0.0, budget);
    let joined = answer.join(graph);
    Answer {
        route,
        seconds,
        ..joined
    }
}

fn most_greedy_moves(par: Option<u32>) -> u32 {
    par.map_or(500, |par| par.saturating_mul(5).saturating_add(50))
}

/// The graph of the states from which the par may still be met.
fn par_graph<G: Game>(level: &G, par: u32, limits: RatingLimits, budget: &Budget) -> StateGraph<G> {
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    let mut keep = |state: &G::State, cost: u32| cost <= par && guide.allows(state, par - cost);
    StateGraph::explore(level, limits.states, &mut keep, budget)
}

/// Lists the best plans, of which there are this many, and counts those that differ in more than
/// the order of their moves; `None`: too many to list.
fn count_distinct_plans<G: Game>(
    level: &G,
    par_graph: &StateGraph<G>,
    plans: u128,
    limits: RatingLimits,
    budget: &Budget,
) -> Result<Option<usize>, Limit> {
    if plans > limits.plans as u128 {
        return Ok(None);
    }
    // Moves are compared by their texts, each of which has a number.
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut found: BTreeSet<Vec<u32>> = BTreeSet::new();
    // The states of the plan that is being listed, each with the best edges that are left to try;
    // and its moves.
    let mut path = vec![(0, par_graph.best_edges(0).collect::<Vec<_>>())];
    let mut plan: Vec<u32> = Vec::new();
    while let Some((id, edges)) = path.last_mut() {
        budget.check(|| Progress {
            phase: "plans",
            stored: found.len() as u64,
            ..Progress::default()
        })?;
        let node = &par_graph.nodes[*id as usize];
        if node.is_goal {
            let mut moves = plan.clone();
            moves.sort_unstable();
            found.insert(moves);
        }
        match edges.pop() {
            Some(edge) => {
                let next = numbers.len() as u32;
                let text = level.print_move(&node.state, edge.mv);
                plan.push(*numbers.entry(text).or_insert(next));
                path.push((edge.to, par_graph.best_edges(edge.to).collect()));
            }
            None => {
                path.pop();
                plan.pop();
            }
        }
    }
    Ok(Some(found.len()))
}

/// Why the losing moves were not counted.
enum NoCount<G: Game> {
    Limit(Limit),
    /// The answer for the level has this defect.
    Defect(Box<Answer<G>>),
}

/// The number of first moves after which there is no plan: from the full graph if it is complete,
/// otherwise by solving the level after each move. `None`: not known.
fn count_losing_moves<G: Game>(
    level: &G,
    moves: &[G::Move],
    full: Option<&StateGraph<G>>,
    answer: &Answer<G>,
    budget: &Budget,
) -> Result<Option<usize>, NoCount<G>> {
    if let Some(full) = full {
        let loses = |edge: &&Edge<G>| full.nodes[edge.to as usize].to_goal.is_none();
        return Ok(Some(full.nodes[0].edges.iter().filter(loses).count()));
    }
    let mut losing = 0;
    for &mv in moves {
        let after = start_at(level, &level.apply(&level.start(), mv));
        let Ok(rest) = solve(&after, &Request::default(), budget) else {
            return Ok(None);
        };
        let broken = |why: &str| {
            let mv = level.print_move(&level.start(), mv);
            let defect = Answer {
                status: Status::Defect(format!("after the move '{mv}': {why}")),
                ..rest.clone()
            };
            Err(NoCount::Defect(Box::new(defect)))
        };
        match &rest.status {
            Status::Defect(why) => return broken(why),
            Status::Limit(Limit::Incomplete) => return Ok(None),
            Status::Limit(why) => return Err(NoCount::Limit(*why)),
            Status::Unsolvable => losing += 1,
            Status::Optimal | Status::Feasible(_) if answer.status == Status::Unsolvable => {
                return broken("there is a plan, but before it there is none");
            }
            Status::Optimal | Status::Feasible(_) => {}
        }
    }
    Ok(Some(losing))
}

/// The level that starts in this state.
#[inline(never)]
pub fn start_at<G: Game>(level: &G, state: &G::State) -> G {
    let text = Level::bare(level.clone()).print_at(state);
    let document = Document::parse(&text).expect("a level's own text can be parsed");
    G::parse(&document).expect("every state can be written as a level")
}

/// The dead ends among the states within par: exact if the full graph is complete, otherwise those
/// that the guide recognises.
fn dead_ends<G: Game>(
    level: &G,
    par: u32,
    full: &StateGraph<G>,
    limits: RatingLimits,
    budget: &Budget,
) -> Result<Option<DeadEndShare>, Limit> {
    if full.complete {
        let within_par = full.nodes.iter().filter(|node| node.cost <= par);
        let dead = within_par.clone().filter(|node| node.to_goal.is_none());
        return Ok(Some(DeadEndShare {
            dead: dead.count() as u64,
            of: within_par.count() as u64,
            exact: true,
        }));
    }
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    let mut keep = |_: &G::State, cost: u32| cost <= par;
    let within_par = StateGraph::explore(level, limits.states, &mut keep, budget);
    if let Some(limit) = within_par.limit {
        return Err(limit);
    }
    let mut dead = 0;
    for (done, node) in within_par.nodes.iter().enumerate() {
        budget.check(|| Progress {
            phase: "dead ends",
            expanded: done as u64,
            ..Progress::default()
        })?;
        dead += u64::from(guide.lower_bound(&node.state).is_none());
    }
    Ok(Some(DeadEndShare {
        dead,
        of: within_par.nodes.len() as u64,
        exact: false,
    }))
}

/// The longest run of moves of a best plan in whose states only one move begins a best plan.
fn longest_forced_run<G: Game>(level: &G, par_graph: &StateGraph<G>, plan: &[G::Move]) -> u32 {
    let mut state = level.start();
    let (mut longest, mut run) = (0, 0);
    for &mv in plan {
        let choices = par_graph
            .find(level, &state)
            .map_or(0, |id| par_graph.best_edges(id).count());
        run = if choices == 1 { run + 1 } else { 0 };
        longest = longest.max(run);
        state = level.apply(&state, mv);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::Space;
    use ployglot_games::Text;
    use ployglot_games::template::Template;

    /// The graph of all states is a judge of the answer: whatever the answer claims against it is a
    /// defect.
    #[test]
    fn an_answer_that_contradicts_the_graph_is_a_defect() {
        let document = Document::parse("game: template\nT..X\n").expect("a level text");
        let level = Template::parse(&document).expect("a level");
        let budget = Budget::unlimited();
        let graph = StateGraph::explore(&level, 1000, &mut |_, _| true, &budget);
        assert!(graph.complete);
        let found = graph.best_plan(&level).expect("a plan");
        assert_eq!((found.cost, found.plan.len()), (3, 3));
        let (first, why) = (found.plan[0], Limit::Time);
        let detour = {
            let after = level.apply(&level.start(), first);
            let mut moves = Vec::new();
            level.moves(&after, &mut moves);
            let back = moves
                .into_iter()
                .find(|&mv| level.apply(&after, mv) == level.start());
            [&[first, back.expect("a way back")][..], &found.plan].concat()
        };
        let join = |outcome, par| {
            let effort = Effort::default();
            let report = Report { outcome, effort };
            let answer = certify(&level, "steps", "r".to_string(), report, 0.0, &budget);
            assert!(!answer.is_defect(), "the referee sees nothing wrong");
            join_with_graph(&level, answer, &graph, par, &budget)
        };
        let best = || Some((found.plan.clone(), 3));
        for honest in [
            Outcome::proven(best(), 0),
            Outcome::at_limit(best(), 2, why),
            Outcome::at_limit(None, 3, why),
        ] {
            let joined = join(honest, None);
            assert_eq!((joined.status, joined.cost), (Status::Optimal, Some(3)));
            assert_eq!(joined.route, "r");
        }
        for lie in [
            Outcome::Unsolvable,
            Outcome::at_limit(None, 4, why),
            Outcome::proven(Some((detour, 5)), 0),
        ] {
            assert!(join(lie.clone(), None).is_defect(), "{lie:?}");
        }
        // A graph of the states within a par that has no goal denies every plan of that par.
        let empty = StateGraph::explore(&level, 1000, &mut |_, cost| cost < 3, &budget);
        assert!(empty.complete && empty.best_plan(&level).is_none());
        let effort = Effort::default();
        let outcome = Outcome::proven(best(), 0);
        let report = Report { outcome, effort };
        let answer = certify(&level, "steps", "r".to_string(), report, 0.0, &budget);
        let joined = join_with_graph(&level, answer, &empty, Some(3), &budget);
        assert!(joined.is_defect());
    }
}
