//! A* with several guides that take turns: no guide is the best one for all tasks, and which one is
//! best for a task is not known beforehand.
//!
//! Each guide has an A* search of its own. The search that has done the least work has the next
//! turn. The first one that ends has the proof, so the whole takes about as many times as long as
//! the best of them alone as there are guides, whatever the others do. The searches share the best
//! plan, and the highest bound ends all of them as soon as it meets the plan. Work is counted, not
//! timed, so that the same run gives the same plan: one bound may cost a thousand times as much as
//! another, so each guide counts what its bounds cost.
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
/// The work for each state that is generated, without its bound.
const GENERATED: u64 = 200;

/// One of the guides.
pub struct Candidate<'a, G> {
    /// Makes a guide.
    pub make: Box<dyn Fn() -> G + Sync + 'a>,
    /// The guide adds to this what its bounds cost, in units of some nanoseconds.
    pub work: &'a AtomicU64,
}

/// One of the searches.
struct Player<'a, S: Space, G> {
    /// The number of its guide.
    guide: usize,
    search: Astar<'a, S, G>,
    work: &'a AtomicU64,
    spent: u64,
    /// The number of states of a turn.
    turn: u64,
}

/// A* with each of these guides, in turns; see the module's documentation. It stops when all searches
/// together have done more work than `most`; `Err`: it was stopped, after this effort.
pub fn turns<S: Space, G: Guide<S>>(
    space: &S,
    guides: &[Candidate<'_, G>],
    most: u64,
    budget: &Budget,
) -> Result<Report<S::Move>, Effort> {
    if budget.threads() > 1 && guides.len() > 1 {
        return at_the_same_time(space, guides, most, budget);
    }
    let player = |guide: usize| Player::new(guide, space, &guides[guide], budget);
    let mut players: Vec<_> = (0..guides.len()).map(player).collect();
    let mut dropped = Effort::default();
    loop {
        let next = (0..players.len()).min_by_key(|&at| players[at].spent);
        let next = next.expect("there is a guide, and the last search is not dropped");
        match players[next].take_turn() {
            Ok(Stage::Paused) => {
                share_plan(&mut players, next);
                let bounds = players.iter().map(|player| player.search.at_least());
                if bounds.max().unwrap_or(0) >= players[next].search.below() {
                    return Ok(joined(players, dropped, Limit::Incomplete));
                }
                if players.iter().map(|player| player.spent).sum::<u64>() > most {
                    return Err(joined(players, dropped, Limit::Incomplete).effort);
                }
            }
            Err(Limit::Memory) if players.len() > 1 => {
                let worst = (0..players.len())
                    .min_by_key(|&at| players[at].search.at_least())
                    .expect("there are several");
                share_plan(&mut players, next);
                let last = players.remove(worst).search.report(Err(Limit::Memory));
                dropped += last.effort;
            }
            Err(why) if players.len() > 1 => return Ok(joined(players, dropped, why)),
            ended => {
                let Player { guide, search, .. } = players.swap_remove(next);
                let mut report = search.finish(ended, &guides[guide].make);
                // The bounds of the others can only confirm the result, or show a defect.
                let others = joined(players, dropped, Limit::Incomplete);
                report.outcome = others.outcome.join(report.outcome);
                report.effort += others.effort;
                return Ok(report);
            }
        }
    }
}

impl<'a, S: Space, G: Guide<S>> Player<'a, S, G> {
    fn new(guide: usize, space: &'a S, of: &'a Candidate<'_, G>, budget: &'a Budget) -> Self {
        Self {
            guide,
            search: Astar::new(space, (of.make)(), budget),
            work: of.work,
            spent: 0,
            turn: 1 << 4,
        }
    }

    fn take_turn(&mut self) -> Result<Stage, Limit> {
        let stage = self.search.run(self.turn);
        let spent = self.work.load(SeqCst) + GENERATED * self.search.effort().generated;
        let turn = spent.saturating_sub(self.spent);
        if turn < TURN / 2 {
            self.turn = self.turn.saturating_mul(2);
        } else if turn > TURN * 2 {
            self.turn = (self.turn / 2).max(1);
        }
        self.spent = spent;
        stage
    }
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

/// The plans and bounds of all searches together.
fn joined<S: Space, G: Guide<S>>(
    players: Vec<Player<S, G>>,
    effort: Effort,
    why: Limit,
) -> Report<S::Move> {
    let nothing = Report {
        outcome: Outcome::GaveUp { at_least: 0, why },
        effort,
    };
    players.into_iter().fold(nothing, |mut all, player| {
        let one = player.search.report(Err(why));
        all.effort += one.effort;
        let outcome = all.outcome.join(one.outcome);
        Report { outcome, ..all }
    })
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
    /// Whether the bound has met the plan, or one search has ended.
    ended: AtomicBool,
}

/// Each search on a thread of its own.
fn at_the_same_time<S: Space, G: Guide<S>>(
    space: &S,
    guides: &[Candidate<'_, G>],
    most: u64,
    budget: &Budget,
) -> Result<Report<S::Move>, Effort> {
    let shared = Shared {
        plan: Mutex::new(None),
        below: AtomicU32::new(u32::MAX),
        at_least: AtomicU32::new(0),
        running: AtomicUsize::new(guides.len()),
        spent: AtomicU64::new(0),
        most,
        ended: AtomicBool::new(false),
    };
    let reports = run_each(0..guides.len(), |guide| {
        let player = Player::new(guide, space, &guides[guide], budget);
        run_beside_others(player, &guides[guide], &shared)
    });
    let mut reports = reports.into_iter();
    let first = reports.next().expect("there are several guides");
    let joined = reports.fold(first, |mut all, one| {
        all.effort += one.effort;
        // A search that only ended because another did has no limit of its own.
        let stopped = matches!(
            one.outcome,
            Outcome::GaveUp {
                why: Limit::Incomplete,
                ..
            } | Outcome::Feasible {
                why: Limit::Incomplete,
                ..
            }
        );
        let outcome = match stopped {
            true => one.outcome.join(all.outcome),
            false => all.outcome.join(one.outcome),
        };
        Report { outcome, ..all }
    });
    // Only the work stops all searches without a result.
    match joined.outcome {
        Outcome::GaveUp {
            why: Limit::Incomplete,
            ..
        }
        | Outcome::Feasible {
            why: Limit::Incomplete,
            ..
        } => Err(joined.effort),
        _ => Ok(joined),
    }
}

fn run_beside_others<S: Space, G: Guide<S>>(
    mut player: Player<S, G>,
    of: &Candidate<'_, G>,
    shared: &Shared<S::Move>,
) -> Report<S::Move> {
    loop {
        if shared.ended.load(SeqCst) {
            return player.search.report(Err(Limit::Incomplete));
        }
        let before = player.spent;
        match player.take_turn() {
            Ok(Stage::Paused) => {
                shared.exchange(&mut player.search);
                let work = player.spent.saturating_sub(before);
                if shared.spent.fetch_add(work, SeqCst).saturating_add(work) > shared.most {
                    shared.ended.store(true, SeqCst);
                }
            }
            Err(Limit::Memory) if shared.running.fetch_sub(1, SeqCst) > 1 => {
                shared.exchange(&mut player.search);
                return player.search.report(Err(Limit::Incomplete));
            }
            ended => {
                // At a limit the others reach it too.
                if matches!(ended, Ok(Stage::Exhausted)) {
                    shared.ended.store(true, SeqCst);
                }
                return player.search.finish(ended, &of.make);
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
