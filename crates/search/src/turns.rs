//! A* with several guides that take turns: no guide is the best one for all tasks, and which one is
//! best for a task is not known beforehand.
//!
//! Each guide has an A* search of its own. The first search that ends has the proof. The searches
//! share the best plan, and the highest bound ends all of them as soon as it meets the plan. Work is
//! counted, not timed, so that the same run gives the same plan: one bound may cost a thousand times as
//! much as another, so each guide counts what its bounds cost.
//!
//! Before each turn the searches are ranked by a forecast: how much more work each one needs to raise
//! the highest bound of all. The work of A* grows exponentially with its bound, so the forecast is
//! that, whenever the work is quadrupled, the bound rises by as much as in the last quadrupling. A
//! search that has done little work can catch up cheaply, so its forecast is low; so is that of a search
//! with a low bound that rises steadily. Where fewer than one new state is found for each that is
//! expanded, the search may end because no states are left; that is a second forecast, and the lower one
//! counts.
//!
//! The shares in the work depend on the rank (`SHARES`): of three searches the first has nearly three quarters. So
//! none is given up, and the whole takes not much more than a third longer than the best search alone, if that
//! one is the first from the start.
//!
//! A search whose bound is less than half of the highest one after about a second has a tenth of its share. In
//! Puzznic's `derived` model the bounds of `max` and landmark cuts are 10 and 12 when that of projections is 32.
//!
//! Searches can be paused, and guides added before they continue, to a search of their own or to a running one, where
//! the better guide's bounds are computed late (`astar`): an expensive guide is made when the others have worked
//! about as much as it takes to make it.
//!
//! When memory runs low, the search with the lowest bound is dropped, and the others go on.
//!
//! With several threads each search has a thread of its own, and shares plans and bounds at the end
//! of each turn. Then the whole takes as long as the best search alone.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Report, Space};

use crate::astar::{Astar, Stage};
use crate::plan::FoundPlan;
use crate::threads::run_each;

/// A turn should be between half of this work and twice as much: some hundredths of a second.
const TURN: u64 = 5_000_000;

/// The shares of the searches in the work, by rank; of any others, the last one.
const SHARES: [u64; 4] = [120, 30, 15, 8];

/// A search that lags has this part of its share.
const LAGGING: u64 = 10;

/// With less work than this no search lags: about a second.
const YOUNG: u64 = 200_000_000;

/// The forecast looks back to where the work was this part of what it is now.
const PAST: u64 = 4;

/// One of the guides.
pub struct Candidate<'a, G> {
    /// Makes a guide.
    pub make: Box<dyn Fn() -> G + Send + Sync + 'a>,
    /// The guide adds to this what its bounds cost, in units of some nanoseconds.
    pub work: &'a AtomicU64,
}

/// The number of a candidate, in the order in which they were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateId(usize);

/// Searches that take turns; see the module's documentation.
pub struct Turns<'a, S: Space, G> {
    space: &'a S,
    budget: &'a Budget,
    /// The work for each state that is generated, without its bound.
    generated: u64,
    players: Vec<Player<'a, S, G>>,
    /// The number of candidates so far.
    added: usize,
    /// The work, the effort and the highest bound of searches that were dropped.
    work: u64,
    effort: Effort,
    at_least: u32,
}

/// One of the searches.
struct Player<'a, S: Space, G> {
    id: CandidateId,
    search: Astar<'a, S, G>,
    /// Its guides, the best one last.
    candidates: Vec<Candidate<'a, G>>,
    generated: u64,
    spent: u64,
    /// The work when it got its best guide: how the bound rose before is no forecast.
    since: u64,
    /// The sum over all turns of the work, divided by the share at that time. The search with the least
    /// sum is next.
    progress: u64,
    /// The work since then after which the bound rose, and the bound.
    rises: Vec<(u64, u32)>,
    /// The states that were expanded and stored, each time a quarter more than before.
    growth: Vec<(u64, u64)>,
    /// The number of states of a turn.
    turn: u64,
}

impl<'a, S: Space, G: Guide<S> + Send> Turns<'a, S, G> {
    /// Without searches. `generated` is the work for each state that is generated, without its
    /// bound.
    pub fn new(space: &'a S, generated: u64, budget: &'a Budget) -> Self {
        Self {
            space,
            budget,
            generated,
            players: Vec::new(),
            added: 0,
            work: 0,
            effort: Effort::default(),
            at_least: 0,
        }
    }

    /// Adds a search with this guide. It has the next turn.
    pub fn add(&mut self, candidate: Candidate<'a, G>) -> CandidateId {
        let id = CandidateId(self.added);
        self.added += 1;
        let progress = self.players.iter().map(|player| player.progress);
        let progress = progress.min().unwrap_or(0);
        self.players.push(Player {
            id,
            search: Astar::new(self.space, (candidate.make)(), self.budget),
            candidates: vec![candidate],
            generated: self.generated,
            spent: 0,
            since: 0,
            progress,
            rises: Vec::new(),
            growth: Vec::new(),
            turn: 1,
        });
        if let Some(best) = best(&self.players) {
            share_plan(&mut self.players, best);
        }
        id
    }

    /// Gives a search a better guide, whose bounds are computed for the states that are the next to be expanded. If the
    /// search was dropped, a new one is added.
    pub fn improve(&mut self, id: CandidateId, candidate: Candidate<'a, G>) -> CandidateId {
        let Some(player) = self.players.iter_mut().find(|player| player.id == id) else {
            return self.add(candidate);
        };
        player.search.improve((candidate.make)());
        player.candidates.push(candidate);
        player.since = player.spent;
        player.rises = vec![(0, player.search.at_least())];
        id
    }

    fn drop_player(&mut self, at: usize) {
        let player = self.players.remove(at);
        self.work += player.spent;
        self.effort += player.search.effort();
        self.at_least = self.at_least.max(player.search.at_least());
    }

    /// The work of all searches so far.
    pub fn work(&self) -> u64 {
        let working = self.players.iter().map(|player| player.spent);
        self.work + working.sum::<u64>()
    }

    /// The highest bound of all searches.
    pub fn at_least(&self) -> u32 {
        let bounds = self.players.iter().map(|player| player.search.at_least());
        bounds.max().unwrap_or(0).max(self.at_least)
    }

    /// The cost of the best plan; `u32::MAX`: there is none yet.
    pub fn below(&self) -> u32 {
        let plans = self.players.iter().map(|player| player.search.below());
        plans.min().unwrap_or(u32::MAX)
    }

    /// Continues until a search ends, or until all searches together have done this much work since
    /// the first one. `Err`: they were paused.
    pub fn run(mut self, most: u64) -> Result<Report<S::Move>, Self> {
        assert!(!self.players.is_empty(), "there is a candidate");
        if self.budget.threads() > 1 && self.players.len() > 1 {
            return self.run_at_the_same_time(most);
        }
        loop {
            let (next, share) = self.next();
            match self.players[next].take_turn(share) {
                Ok(Stage::Paused) => {
                    share_plan(&mut self.players, next);
                    if self.bound_meets_plan() {
                        return Ok(self.stop(Limit::Incomplete));
                    }
                    if self.work() > most {
                        return Err(self);
                    }
                }
                Err(Limit::Memory) if self.players.len() > 1 => {
                    share_plan(&mut self.players, next);
                    let bounds = self.players.iter().map(|player| player.search.at_least());
                    let worst = (0..).zip(bounds).min_by_key(|(_, bound)| *bound);
                    self.drop_player(worst.expect("there are several").0);
                }
                Err(why) if self.players.len() > 1 => return Ok(self.stop(why)),
                ended => return Ok(self.finish(next, ended)),
            }
        }
    }

    /// The search with the least work for its share, and the share.
    fn next(&self) -> (usize, u64) {
        let ranked = self.ranked();
        let last = SHARES[SHARES.len() - 1];
        let shares = SHARES.into_iter().chain(std::iter::repeat(last));
        let highest = self.at_least();
        let shared = ranked.into_iter().zip(shares).map(|(at, share)| {
            let lags = self.players[at].lags(highest);
            (at, if lags { share / LAGGING } else { share })
        });
        let next = shared.min_by_key(|&(at, _)| self.players[at].progress);
        next.expect("there is a search")
    }

    /// The searches, the one with the least forecast first.
    fn ranked(&self) -> Vec<usize> {
        let bounds = self.players.iter().map(|player| player.search.at_least());
        let highest = bounds.max().unwrap_or(0);
        let target = highest.saturating_add(1);
        let mut ranked: Vec<(f64, usize)> = (self.players.iter())
            .map(|player| player.forecast(target))
            .zip(0..)
            .collect();
        ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
        ranked.into_iter().map(|(_, at)| at).collect()
    }

    /// Whether the highest bound proves that the best plan is optimal.
    fn bound_meets_plan(&self) -> bool {
        self.at_least() >= self.below()
    }

    /// The report after one search has ended.
    fn finish(mut self, ended: usize, how: Result<Stage, Limit>) -> Report<S::Move> {
        let Player {
            search, candidates, ..
        } = self.players.swap_remove(ended);
        let best = candidates.last().expect("a search has a guide");
        let mut report = search.finish(how, &best.make);
        // The bounds of the others can only confirm the result, or show a defect.
        let others = self.stop(Limit::Incomplete);
        report.outcome = others.outcome.join(report.outcome);
        report.effort += others.effort;
        report
    }

    /// Ends all searches: their plans and bounds together.
    pub fn stop(self, why: Limit) -> Report<S::Move> {
        let at_least = self.at_least;
        let nothing = Report {
            outcome: Outcome::GaveUp { at_least, why },
            effort: self.effort,
        };
        self.players.into_iter().fold(nothing, |mut all, player| {
            let one = player.search.report(Err(why));
            all.effort += one.effort;
            let outcome = all.outcome.join(one.outcome);
            Report { outcome, ..all }
        })
    }

    /// What the searches have done so far.
    pub fn effort(&self) -> Effort {
        let mut effort = self.effort;
        for player in &self.players {
            effort += player.search.effort();
        }
        effort
    }

    /// Each search on a thread of its own.
    fn run_at_the_same_time(mut self, most: u64) -> Result<Report<S::Move>, Self> {
        let shared = Shared {
            plan: Mutex::new(None),
            below: AtomicU32::new(u32::MAX),
            at_least: AtomicU32::new(0),
            running: AtomicUsize::new(self.players.len()),
            spent: AtomicU64::new(self.work()),
            most,
            ended: AtomicBool::new(false),
        };
        let players = std::mem::take(&mut self.players);
        let ends = run_each(players, |player| run_beside_others(player, &shared));
        let mut how = Vec::new();
        for end in ends {
            match end {
                Ok((player, end)) => {
                    self.players.push(player);
                    how.push(end);
                }
                Err((work, effort)) => {
                    self.work += work;
                    self.effort += effort;
                }
            }
        }
        self.at_least = self.at_least.max(shared.at_least.load(SeqCst));
        // The plan of a search that was dropped, or one that was found last. A search that has ended
        // does not get it: if its result denies the plan, that must be seen.
        let exhausted = how.iter().position(|end| *end == Ok(Stage::Exhausted));
        let plan = shared.plan.into_inner();
        if let Some(plan) = plan.unwrap_or_else(PoisonError::into_inner) {
            let players = self.players.iter_mut().zip(&how);
            for (player, _) in players.filter(|(_, end)| **end != Ok(Stage::Exhausted)) {
                player.search.add_plan(plan.clone());
            }
        }
        if let Some(ended) = exhausted {
            return Ok(self.finish(ended, how[ended]));
        }
        match how.iter().position(Result::is_err) {
            Some(ended) if self.players.len() == 1 => Ok(self.finish(ended, how[ended])),
            Some(ended) => {
                let why = how[ended].expect_err("it was found by that");
                Ok(self.stop(why))
            }
            None if self.bound_meets_plan() => Ok(self.stop(Limit::Incomplete)),
            None => Err(self),
        }
    }
}

impl<S: Space, G: Guide<S>> Player<'_, S, G> {
    /// One turn of a search with this share.
    fn take_turn(&mut self, share: u64) -> Result<Stage, Limit> {
        let stage = self.search.run(self.turn);
        let works = self.candidates.iter().map(|guide| guide.work.load(SeqCst));
        let spent = works.sum::<u64>() + self.generated * self.search.effort().generated;
        let turn = spent.saturating_sub(self.spent);
        if turn < TURN / 2 {
            self.turn = self.turn.saturating_mul(2);
        } else if turn > TURN * 2 {
            self.turn = (self.turn / 2).max(1);
        }
        self.spent = spent;
        self.progress += (turn / share).max(1);
        let bound = self.search.at_least();
        if self.rises.last().is_none_or(|&(_, last)| bound > last) {
            self.rises.push((spent - self.since, bound));
        }
        let Effort {
            expanded, stored, ..
        } = self.search.effort();
        let last = self.growth.last();
        if last.is_none_or(|&(last, _)| expanded > last + last / 4) {
            self.growth.push((expanded, stored));
        }
        stage
    }

    /// Whether its bound is less than half of the highest one, after some work with its guide.
    fn lags(&self, highest: u32) -> bool {
        self.spent - self.since > YOUNG && self.search.at_least() < highest / 2
    }

    /// How much more work the search needs to raise its bound to the target, or to end.
    fn forecast(&self, target: u32) -> f64 {
        self.forecast_of_bound(target)
            .min(self.forecast_of_states())
    }

    /// How much more work the search needs to expand all states, if as many new ones are found for each
    /// as during the second half of the expansions.
    fn forecast_of_states(&self) -> f64 {
        let Effort {
            expanded, stored, ..
        } = self.search.effort();
        let half = self
            .growth
            .partition_point(|&(then, _)| then <= expanded / 2);
        let Some(&(then, stored_then)) = self.growth.get(half.saturating_sub(1)) else {
            return f64::INFINITY;
        };
        let (found, by) = (stored - stored_then, expanded - then);
        if found >= by {
            return f64::INFINITY;
        }
        let open = stored.saturating_sub(expanded) as f64;
        let remaining = open * by as f64 / (by - found) as f64;
        remaining * self.spent as f64 / expanded.max(1) as f64
    }

    /// How much more work the search needs to raise its bound to the target, if whenever the work is
    /// quadrupled the bound rises by half a unit more than in the last quadrupling.
    fn forecast_of_bound(&self, target: u32) -> f64 {
        let bound = self.search.at_least();
        let spent = self.spent - self.since;
        let past = spent / PAST;
        let reached = self.rises.partition_point(|&(spent, _)| spent <= past);
        let before = self.rises.get(reached.saturating_sub(1));
        let before = before.map_or(bound, |&(_, bound)| bound);
        let rise = f64::from(bound - before) + 0.5;
        let times = f64::from(target.saturating_sub(bound)) / rise;
        // Between two powers the growth is linear, so that the result is the same on all machines.
        let whole = times.floor().min(100.0);
        let part = 1.0 + (PAST - 1) as f64 * (times.min(100.0) - whole);
        let growth = (PAST as f64).powi(whole as i32) * part;
        spent as f64 * (growth - 1.0)
    }
}

/// The search with the best plan.
fn best<S: Space, G: Guide<S>>(players: &[Player<S, G>]) -> Option<usize> {
    let plans = players.iter().map(|player| player.search.below());
    let least = (0..).zip(plans).min_by_key(|(_, below)| *below);
    least.map(|(at, _)| at)
}

/// Gives the plan of one search to the others, if it is better than theirs.
fn share_plan<S: Space, G: Guide<S>>(players: &mut [Player<S, G>], from: usize) {
    let below = players[from].search.below();
    if players.iter().all(|player| player.search.below() <= below) {
        return;
    }
    let Some(found) = players[from].search.best() else {
        return;
    };
    for player in players {
        player.search.add_plan(found.clone());
    }
}

/// What searches on several threads share.
struct Shared<M> {
    /// The best plan, and its cost.
    plan: Mutex<Option<FoundPlan<M>>>,
    below: AtomicU32,
    /// The highest bound.
    at_least: AtomicU32,
    /// The number of searches that are not dropped.
    running: AtomicUsize,
    /// The work of all searches, and how much they may do.
    spent: AtomicU64,
    most: u64,
    /// Whether all searches are to stop.
    ended: AtomicBool,
}

/// A search, and how it ended; or the work and the effort of one that was dropped.
type Beside<'a, S, G> = Result<(Player<'a, S, G>, Result<Stage, Limit>), (u64, Effort)>;

fn run_beside_others<'a, S: Space, G: Guide<S>>(
    mut player: Player<'a, S, G>,
    shared: &Shared<S::Move>,
) -> Beside<'a, S, G> {
    loop {
        if shared.ended.load(SeqCst) {
            return Ok((player, Ok(Stage::Paused)));
        }
        let before = player.spent;
        match player.take_turn(1) {
            Ok(Stage::Paused) => {
                shared.exchange(&mut player.search);
                let work = player.spent.saturating_sub(before);
                if shared.spent.fetch_add(work, SeqCst).saturating_add(work) > shared.most {
                    shared.ended.store(true, SeqCst);
                }
            }
            Err(Limit::Memory) if shared.running.fetch_sub(1, SeqCst) > 1 => {
                shared.exchange(&mut player.search);
                return Err((player.spent, player.search.effort()));
            }
            ended => {
                // At a limit of time the others reach it too.
                if matches!(ended, Ok(Stage::Exhausted)) {
                    shared.ended.store(true, SeqCst);
                }
                return Ok((player, ended));
            }
        }
    }
}

impl<M: Copy + Eq> Shared<M> {
    /// Gives plan and bound of the search to the others, and theirs to it.
    fn exchange<S: Space<Move = M>, G: Guide<S>>(&self, search: &mut Astar<S, G>) {
        let (own, known) = (search.below(), self.below.load(SeqCst));
        if own != known {
            let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(found) = search.best()
                && plan.as_ref().is_none_or(|plan| found.cost < plan.cost)
            {
                self.below.store(found.cost, SeqCst);
                *plan = Some(found);
            }
            if let Some(plan) = &*plan {
                search.add_plan(plan.clone());
            }
        }
        let at_least = self.at_least.fetch_max(search.at_least(), SeqCst);
        if at_least.max(search.at_least()) >= self.below.load(SeqCst) {
            self.ended.store(true, SeqCst);
        }
    }
}
