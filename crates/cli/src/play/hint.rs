//! Finds the best move in a state on another thread, by solving the level that starts in that
//! state.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use ployglot_base::{Budget, Limit};
use ployglot_games::{Document, Game, Level};
use ployglot_solve::{Request, Status, solve};

use super::session::Par;

/// The solver's answer for a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The next move of an optimal plan, and what that plan costs.
    Best { mv: String, cost: u32 },
    /// The next move of a plan without a proof that it is optimal, and what that plan costs.
    Unproven { mv: String, cost: u32 },
    /// The state is a goal.
    AtGoal,
    /// Proven: there is no plan.
    Lost,
    /// There is no answer, for this reason.
    Unknown(String),
}

impl Advice {
    /// The par of a level, from the answer for its start.
    pub fn par(&self, cost_at_start: Option<u32>) -> Par {
        match self {
            Advice::Best { cost, .. } => Par::Cost(*cost),
            Advice::AtGoal => cost_at_start.map_or(Par::Unknown, Par::Cost),
            Advice::Lost => Par::Unsolvable,
            Advice::Unproven { .. } | Advice::Unknown(_) => Par::Unknown,
        }
    }
}

/// A running solver; dropping it stops the solver.
pub struct Job<S> {
    /// The state that it solves.
    pub state: S,
    answer: Receiver<Advice>,
    stop: Arc<AtomicBool>,
}

impl<S> Drop for Job<S> {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

impl<S> Job<S> {
    /// The answer, as soon as there is one.
    pub fn answer(&self) -> Option<Advice> {
        match self.answer.try_recv() {
            Ok(advice) => Some(advice),
            Err(TryRecvError::Empty) => None,
            // The thread panicked: a defect in a search must not end the game.
            Err(TryRecvError::Disconnected) => {
                Some(Advice::Unknown("the solver failed".to_string()))
            }
        }
    }
}

/// The stack of the solver's thread. Depth-first searches recurse as deep as their plans are long.
const STACK: usize = 256 << 20;

/// Starts a search for the best move in a state.
pub fn start<G: Game>(
    level: &Level<G>,
    state: &G::State,
    measure: &'static str,
    time: Duration,
    memory: Option<u64>,
) -> std::io::Result<Job<G::State>> {
    let text = level.print_at(state);
    let stop = Arc::new(AtomicBool::new(false));
    let mut budget = Budget::unlimited()
        .with_time(time)
        .with_interrupt(stop.clone());
    if let Some(memory) = memory {
        budget = budget.with_memory(memory);
    }
    let (send, answer) = channel();
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            // The receiver may be dropped already.
            let _ = send.send(advise::<G>(&text, measure, time, &budget));
        })?;
    Ok(Job {
        state: state.clone(),
        answer,
        stop,
    })
}

/// Solves the level of this text, and returns the first move of the plan.
pub fn advise<G: Game>(text: &str, measure: &str, time: Duration, budget: &Budget) -> Advice {
    let document = Document::parse(text).expect("printed levels can be read");
    let level = Level::<G>::parse(&document).expect("a state is a level that starts there");
    let request = Request {
        measure: Some(measure.to_string()),
        ..Request::default()
    };
    let answer = solve(&level.game, &request, budget).expect("the game has its measure and route");
    let start = level.game.start();
    let next = answer
        .plan
        .as_deref()
        .map(|plan| plan.first().map(|&mv| level.game.print_move(&start, mv)));
    match (answer.status, next, answer.cost) {
        (Status::Optimal, Some(Some(mv)), Some(cost)) => Advice::Best { mv, cost },
        (Status::Feasible(_), Some(Some(mv)), Some(cost)) => Advice::Unproven { mv, cost },
        (Status::Optimal | Status::Feasible(_), Some(None), _) => Advice::AtGoal,
        (Status::Unsolvable, ..) => Advice::Lost,
        (Status::Limit(Limit::Time), ..) => Advice::Unknown(format!(
            "no plan found within {:.0} s",
            time.as_secs_f64().ceil()
        )),
        (Status::Limit(limit), ..) => Advice::Unknown(format!("no plan found ({limit})")),
        (Status::Defect(why), ..) => Advice::Unknown(why),
        (Status::Optimal | Status::Feasible(_), ..) => {
            Advice::Unknown("the solver gave no plan".to_string())
        }
    }
}
