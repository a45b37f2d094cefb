//! A* with several guides that take turns: no guide is the best one for all tasks, and which one is
//! best for a task is not known beforehand.
//!
//! Each guide has an A* search of its own. The search that has spent the least time has the next
//! turn. The first one that ends has the proof, so the whole takes about as many times as long as
//! the best of them alone as there are guides, whatever the others do. The searches share the best
//! plan, and the highest bound ends all of them as soon as it meets the plan. Measuring time and not
//! states is on purpose: one estimate may take a thousand times as long as another. The cost of the
//! plan is that of an optimal one in any case, but which optimal plan it is may differ between runs.
//!
//! When memory runs low, the search with the lowest bound is dropped, and the others go on.

use std::time::Duration;

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Report, Space};

use crate::astar::{Astar, Stage};

/// A turn should take between half of this and twice as long.
const TURN: Duration = Duration::from_millis(20);

/// Makes the guide of one search.
pub type MakeGuide<'a, G> = Box<dyn Fn() -> G + Sync + 'a>;

/// One of the searches.
struct Player<'a, S: Space, G> {
    /// The number of its guide.
    guide: usize,
    search: Astar<'a, S, G>,
    spent: Duration,
    /// The number of states of a turn.
    turn: u64,
}

/// A* with each of these guides, in turns; see the module's documentation.
pub fn turns<S: Space, G: Guide<S>>(
    space: &S,
    guides: &[MakeGuide<'_, G>],
    budget: &Budget,
) -> Report<S::Move> {
    let player = |(guide, make): (usize, &MakeGuide<'_, G>)| Player {
        guide,
        search: Astar::new(space, make(), budget),
        spent: Duration::ZERO,
        turn: 1 << 4,
    };
    let mut players: Vec<_> = guides.iter().enumerate().map(player).collect();
    let mut dropped = Effort::default();
    loop {
        let next = (0..players.len()).min_by_key(|&at| players[at].spent);
        let next = next.expect("there is a guide, and the last search is not dropped");
        match players[next].take_turn(budget) {
            Ok(Stage::Paused) => {
                share_plan(&mut players, next);
                let bounds = players.iter().map(|player| player.search.at_least());
                if bounds.max().unwrap_or(0) >= players[next].search.below() {
                    return joined(players, dropped, Limit::Incomplete);
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
            Err(why) if players.len() > 1 => return joined(players, dropped, why),
            ended => {
                let Player { guide, search, .. } = players.swap_remove(next);
                let mut report = search.finish(ended, &guides[guide]);
                // The bounds of the others can only confirm the result, or show a defect.
                let others = joined(players, dropped, Limit::Incomplete);
                report.outcome = others.outcome.join(report.outcome);
                report.effort += others.effort;
                return report;
            }
        }
    }
}

impl<S: Space, G: Guide<S>> Player<'_, S, G> {
    fn take_turn(&mut self, budget: &Budget) -> Result<Stage, Limit> {
        let before = budget.elapsed();
        let stage = self.search.run(self.turn);
        let took = budget.elapsed().saturating_sub(before);
        if took < TURN / 2 {
            self.turn = self.turn.saturating_mul(2);
        } else if took > TURN * 2 {
            self.turn = (self.turn / 2).max(1);
        }
        self.spent += took;
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
