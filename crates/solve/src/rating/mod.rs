//! What a level is like: how many best plans it has, how soon a player can go wrong, and how hard
//! it is.
//!
//! The figures come from graphs of the states around the start (`state_graph.rs`). The *full
//! graph*, if it is small enough, has the exact number of dead ends. The *par graph* keeps only
//! states from which the par may still be met; it is far smaller, and counts best plans even where
//! the full graph is too large. A figure that could not be computed is missing or a lower bound;
//! none is guessed.

mod comparison;
mod difficulty;
mod greedy;
mod state_graph;

use ployglot_base::{Budget, Guide, Limit, Switches};
use ployglot_games::{Document, Game, Level};

use crate::answer::{Answer, Status};
use crate::{BadRequest, Request, solve};
pub use comparison::{PlanComparison, compare_plans};
pub use difficulty::{Assessment, Difficulty};
pub use greedy::GreedyPlay;
use state_graph::{Edge, StateGraph};

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
pub fn rate<G: Game>(
    level: &G,
    limits: RatingLimits,
    budget: &Budget,
) -> Result<Rating<G>, BadRequest> {
    let answer = solve(level, &Request::default(), budget)?;
    let additive = G::MEASURES[0].additive;
    let par = answer
        .cost
        .filter(|_| additive && answer.status == Status::Optimal);
    let full = StateGraph::explore(level, limits.states, |_, _| true, budget).ok();
    let par_graph = par.and_then(|par| par_graph(level, par, limits, budget).ok().flatten());
    let mut moves = Vec::new();
    level.moves(&level.start(), &mut moves);
    let plan = answer.plan.as_deref().unwrap_or_default();
    let mut rating = Rating {
        best_plans: par_graph.as_ref().map(StateGraph::count_best_plans),
        distinct_plans: match (G::COUNT_PLANS, answer.cost) {
            (Some(count), Some(cost)) if answer.status == Status::Optimal => {
                count(level, cost, limits.plans, budget)
            }
            _ => par_graph
                .as_ref()
                .and_then(|graph| count_distinct_plans(level, graph, limits)),
        },
        first_moves: FirstMoves {
            all: moves.len(),
            keep_par: par_graph.as_ref().map(|graph| graph.best_edges(0).count()),
            lose: count_losing_moves(level, &moves, full.as_ref(), budget),
        },
        dead_ends: par.and_then(|par| dead_ends(level, par, full.as_ref()?, limits, budget)),
        forced: par_graph
            .as_ref()
            .map(|graph| longest_forced_run(level, graph, plan)),
        reachable: full.as_ref().map_or(StateCount::AtLeast(1), |full| {
            let count = full.nodes.len() as u64;
            match full.complete {
                true => StateCount::Exactly(count),
                false => StateCount::AtLeast(count),
            }
        }),
        greedy: greedy::play(level, most_greedy_moves(par), budget).ok(),
        assessment: Assessment::default(),
        answer,
    };
    rating.assessment = difficulty::assess(&rating);
    Ok(rating)
}

fn most_greedy_moves(par: Option<u32>) -> u32 {
    par.map_or(500, |par| 5 * par + 50)
}

/// The graph of the states from which the par may still be met; `None` if there are too many.
fn par_graph<G: Game>(
    level: &G,
    par: u32,
    limits: RatingLimits,
    budget: &Budget,
) -> Result<Option<StateGraph<G>>, Limit> {
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    let keep = |state: &G::State, cost: u32| cost <= par && guide.allows(state, par - cost);
    let graph = StateGraph::explore(level, limits.states, keep, budget)?;
    Ok(graph.complete.then_some(graph))
}

/// Lists the best plans, and counts those that differ in more than the order of their moves.
fn count_distinct_plans<G: Game>(
    level: &G,
    par_graph: &StateGraph<G>,
    limits: RatingLimits,
) -> Option<usize> {
    if par_graph.count_best_plans() > limits.plans as u128 {
        return None;
    }
    let mut found = std::collections::BTreeSet::new();
    let mut plan = Vec::new();
    list_best_plans(level, par_graph, 0, &mut plan, &mut |plan| {
        let mut moves = plan.to_vec();
        moves.sort();
        found.insert(moves);
    });
    Some(found.len())
}

/// Reports every best plan from a state once, as the texts of its moves. `plan` holds the moves so
/// far.
fn list_best_plans<G: Game>(
    level: &G,
    par_graph: &StateGraph<G>,
    id: u32,
    plan: &mut Vec<String>,
    report: &mut impl FnMut(&[String]),
) {
    let node = &par_graph.nodes[id as usize];
    if node.is_goal {
        return report(plan);
    }
    for edge in par_graph.best_edges(id) {
        plan.push(level.print_move(&node.state, edge.mv));
        list_best_plans(level, par_graph, edge.to, plan, report);
        plan.pop();
    }
}

/// The number of first moves after which there is no plan: from the full graph if it is complete,
/// otherwise by solving the level after each move.
fn count_losing_moves<G: Game>(
    level: &G,
    moves: &[G::Move],
    full: Option<&StateGraph<G>>,
    budget: &Budget,
) -> Option<usize> {
    if let Some(full) = full.filter(|full| full.complete) {
        let loses = |edge: &&Edge<G>| full.nodes[edge.to as usize].to_goal.is_none();
        return Some(full.nodes[0].edges.iter().filter(loses).count());
    }
    let mut losing = 0;
    for &mv in moves {
        let after = start_at(level, &level.apply(&level.start(), mv));
        match solve(&after, &Request::default(), budget).ok()?.status {
            Status::Unsolvable => losing += 1,
            Status::Optimal | Status::Feasible(_) => {}
            Status::Limit(_) | Status::Defect(_) => return None,
        }
    }
    Some(losing)
}

/// The level that starts in this state.
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
) -> Option<DeadEndShare> {
    if full.complete {
        let within_par = full.nodes.iter().filter(|node| node.cost <= par);
        let dead = within_par.clone().filter(|node| node.to_goal.is_none());
        return Some(DeadEndShare {
            dead: dead.count() as u64,
            of: within_par.count() as u64,
            exact: true,
        });
    }
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    let keep = |_: &G::State, cost: u32| cost <= par;
    let within_par = StateGraph::explore(level, limits.states, keep, budget).ok()?;
    let dead = within_par
        .nodes
        .iter()
        .filter(|node| guide.lower_bound(&node.state).is_none());
    Some(DeadEndShare {
        dead: dead.count() as u64,
        of: within_par.nodes.len() as u64,
        exact: false,
    })
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
