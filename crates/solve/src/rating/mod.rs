//! What a level is like: how many best plans there are, how soon one can go wrong, and a word for its difficulty.
//!
//! All figures come from maps of the states around the start (`atlas.rs`). The *whole* map, where it is small enough, tells
//! dead ends exactly; the *funnel*, which keeps only states from which the par may still be met, is far smaller and counts
//! best plans even where the whole space is out of reach. A figure that could not be had is missing or says `at least`;
//! none is guessed.

mod atlas;
mod difficulty;
mod greedy;
mod parting;

use ployglot_base::{Budget, Guide, Limit, Switches};
use ployglot_games::{Document, Game, Level};

use crate::answer::{Answer, Status};
use crate::{BadRequest, Request, solve};
use atlas::Atlas;
pub use difficulty::{Difficulty, Verdict};
pub use greedy::Fate;
pub use parting::{Parting, compare_plans};

#[derive(Clone, Debug)]
pub struct Rating<G: Game> {
    pub answer: Answer<G>,
    /// How many plans cost the par; `None` where they could not all be looked at.
    pub best_plans: Option<u128>,
    /// How many of them there are when the order of the same moves does not count; `None` where there are too many.
    pub distinct_plans: Option<usize>,
    pub first_moves: FirstMoves,
    pub dead_ends: Option<Share>,
    /// The longest run of moves of the plan at which every other move would miss the par.
    pub forced: Option<u32>,
    pub reachable: Amount,
    pub greedy: Option<Fate>,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    Exactly(u64),
    AtLeast(u64),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstMoves {
    pub all: usize,
    /// Those that begin a best plan; `None`: not known.
    pub keep_par: Option<usize>,
    /// Those after which there is no plan at all; `None`: not known.
    pub lose: Option<usize>,
}

/// Of the states that can be met within par.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    pub dead: u64,
    pub of: u64,
    /// Whether every state was looked at, and every dead one recognised.
    pub exact: bool,
}

impl Share {
    pub fn percent(self) -> f64 {
        100.0 * self.dead as f64 / self.of.max(1) as f64
    }
}

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// States on a map.
    pub states: usize,
    /// Best plans that are listed to compare their moves.
    pub plans: usize,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            states: 200_000,
            plans: 5_000,
        }
    }
}

/// Rates a level by its default measure. What ends early for a limit leaves its figures out.
pub fn rate<G: Game>(level: &G, scope: Scope, budget: &Budget) -> Result<Rating<G>, BadRequest> {
    let answer = solve(level, &Request::default(), budget)?;
    let additive = G::MEASURES[0].additive;
    let par = answer
        .cost
        .filter(|_| additive && answer.status == Status::Optimal);
    let whole = Atlas::explore(level, scope.states, |_, _| true, budget).ok();
    let funnel = par.and_then(|par| funnel(level, par, scope, budget).ok().flatten());
    let mut moves = Vec::new();
    level.moves(&level.start(), &mut moves);
    let plan = answer.plan.as_deref().unwrap_or_default();
    let mut rating = Rating {
        best_plans: funnel.as_ref().map(Atlas::plans),
        distinct_plans: match (G::COUNT_PLANS, answer.cost) {
            (Some(count), Some(cost)) if answer.status == Status::Optimal => {
                count(level, cost, scope.plans, budget)
            }
            _ => funnel
                .as_ref()
                .and_then(|funnel| distinct(level, funnel, scope)),
        },
        first_moves: FirstMoves {
            all: moves.len(),
            keep_par: funnel.as_ref().map(|funnel| funnel.best_ways(0).count()),
            lose: losing(level, &moves, whole.as_ref(), budget),
        },
        dead_ends: par.and_then(|par| dead_ends(level, par, whole.as_ref()?, scope, budget)),
        forced: funnel.as_ref().map(|funnel| forced(level, funnel, plan)),
        reachable: whole.as_ref().map_or(Amount::AtLeast(1), |whole| {
            let count = whole.states.len() as u64;
            match whole.complete {
                true => Amount::Exactly(count),
                false => Amount::AtLeast(count),
            }
        }),
        greedy: greedy::play(level, patience(par), budget).ok(),
        verdict: Verdict::default(),
        answer,
    };
    rating.verdict = difficulty::judge(&rating);
    Ok(rating)
}

fn patience(par: Option<u32>) -> u32 {
    par.map_or(500, |par| 5 * par + 50)
}

/// The states from which the par may still be met; `None` where there are too many.
fn funnel<G: Game>(
    level: &G,
    par: u32,
    scope: Scope,
    budget: &Budget,
) -> Result<Option<Atlas<G>>, Limit> {
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    let keep = |state: &G::State, cost: u32| cost <= par && guide.allows(state, par - cost);
    let atlas = Atlas::explore(level, scope.states, keep, budget)?;
    Ok(atlas.complete.then_some(atlas))
}

/// Lists the best plans, and counts those that differ in more than the order of their moves.
fn distinct<G: Game>(level: &G, funnel: &Atlas<G>, scope: Scope) -> Option<usize> {
    if funnel.plans() > scope.plans as u128 {
        return None;
    }
    let mut found = std::collections::BTreeSet::new();
    let mut plan = Vec::new();
    list(level, funnel, 0, &mut plan, &mut |plan| {
        let mut moves = plan.to_vec();
        moves.sort();
        found.insert(moves);
    });
    Some(found.len())
}

/// Every best plan once, as the texts of its moves.
fn list<G: Game>(
    level: &G,
    funnel: &Atlas<G>,
    id: u32,
    plan: &mut Vec<String>,
    tell: &mut impl FnMut(&[String]),
) {
    let place = &funnel.states[id as usize];
    if place.is_goal {
        return tell(plan);
    }
    for way in funnel.best_ways(id) {
        plan.push(level.print_move(&place.state, way.mv));
        list(level, funnel, way.to, plan, tell);
        plan.pop();
    }
}

/// How many first moves leave no plan: read off the whole map, or asked one by one.
fn losing<G: Game>(
    level: &G,
    moves: &[G::Move],
    whole: Option<&Atlas<G>>,
    budget: &Budget,
) -> Option<usize> {
    if let Some(whole) = whole.filter(|whole| whole.complete) {
        let lost = |way: &&atlas::Way<G>| whole.states[way.to as usize].to_goal.is_none();
        return Some(whole.states[0].ways.iter().filter(lost).count());
    }
    let mut lost = 0;
    for &mv in moves {
        let after = start_at(level, &level.apply(&level.start(), mv));
        match solve(&after, &Request::default(), budget).ok()?.status {
            Status::Unsolvable => lost += 1,
            Status::Optimal | Status::Feasible(_) => {}
            Status::Limit(_) | Status::Defect(_) => return None,
        }
    }
    Some(lost)
}

/// The level that starts in this state.
pub fn start_at<G: Game>(level: &G, state: &G::State) -> G {
    let text = Level::bare(level.clone()).print_at(state);
    let document = Document::parse(&text).expect("a level's own text");
    G::parse(&document).expect("every state is writable as a level")
}

fn dead_ends<G: Game>(
    level: &G,
    par: u32,
    whole: &Atlas<G>,
    scope: Scope,
    budget: &Budget,
) -> Option<Share> {
    if whole.complete {
        let met = whole.states.iter().filter(|place| place.cost <= par);
        let dead = met.clone().filter(|place| place.to_goal.is_none());
        return Some(Share {
            dead: dead.count() as u64,
            of: met.count() as u64,
            exact: true,
        });
    }
    // What the guide gives up is surely dead; what it does not give up may be.
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    let keep = |_: &G::State, cost: u32| cost <= par;
    let near = Atlas::explore(level, scope.states, keep, budget).ok()?;
    let dead = near
        .states
        .iter()
        .filter(|place| guide.lower_bound(&place.state).is_none());
    Some(Share {
        dead: dead.count() as u64,
        of: near.states.len() as u64,
        exact: false,
    })
}

fn forced<G: Game>(level: &G, funnel: &Atlas<G>, plan: &[G::Move]) -> u32 {
    let mut state = level.start();
    let (mut longest, mut run) = (0, 0);
    for &mv in plan {
        let ways = funnel
            .find(level, &state)
            .map_or(0, |id| funnel.best_ways(id).count());
        run = if ways == 1 { run + 1 } else { 0 };
        longest = longest.max(run);
        state = level.apply(&state, mv);
    }
    longest
}
