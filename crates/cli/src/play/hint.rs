//! What the best move is, found on another thread by solving the level that starts in a state.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use ployglot_base::Budget;
use ployglot_games::{Document, Game, Level};
use ployglot_solve::{Request, Status, solve};

use super::session::Known;

/// What the solver says of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The next move of an optimal plan, and what that plan costs.
    Next {
        mv: String,
        cost: u32,
    },
    /// A plan, without a proof that it is the best.
    Perhaps {
        mv: String,
        cost: u32,
    },
    /// The best plan from here is to stop.
    Arrived,
    /// Proven: no plan is left.
    Lost,
    NotKnown {
        seconds: u64,
    },
}

impl Advice {
    /// The same about the start of a level, as its par.
    pub fn par(&self, cost_at_start: Option<u32>) -> Known {
        match self {
            Advice::Next { cost, .. } => Known::Cost(*cost),
            Advice::Arrived => cost_at_start.map_or(Known::Unknown, Known::Cost),
            Advice::Lost => Known::Unsolvable,
            Advice::Perhaps { .. } | Advice::NotKnown { .. } => Known::Unknown,
        }
    }
}

/// A question that is being thought about. Dropped, it is given up.
pub struct Question<S> {
    pub about: S,
    answer: Receiver<Advice>,
    stop: Arc<AtomicBool>,
}

impl<S> Drop for Question<S> {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

impl<S> Question<S> {
    /// The answer, as soon as there is one.
    pub fn answer(&self) -> Option<Advice> {
        match self.answer.try_recv() {
            Ok(advice) => Some(advice),
            Err(TryRecvError::Empty) => None,
            // The thread ended without an answer: a defect in a search must not end the game.
            Err(TryRecvError::Disconnected) => Some(Advice::NotKnown { seconds: 0 }),
        }
    }
}

/// Searches recurse as deep as their plans are long.
const STACK: usize = 256 << 20;

/// Asks for the best move in a state.
pub fn ask<G: Game>(
    level: &Level<G>,
    state: &G::State,
    measure: &'static str,
    time: Duration,
    memory: Option<u64>,
) -> std::io::Result<Question<G::State>> {
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
            // Nobody may be waiting any more.
            let _ = send.send(think::<G>(&text, measure, time, &budget));
        })?;
    Ok(Question {
        about: state.clone(),
        answer,
        stop,
    })
}

/// Solves the level of this text.
pub fn think<G: Game>(text: &str, measure: &str, time: Duration, budget: &Budget) -> Advice {
    let seconds = time.as_secs_f64().ceil() as u64;
    let document = Document::parse(text).expect("what we print can be read");
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
        (Status::Optimal, Some(Some(mv)), Some(cost)) => Advice::Next { mv, cost },
        (Status::Feasible(_), Some(Some(mv)), Some(cost)) => Advice::Perhaps { mv, cost },
        (Status::Optimal | Status::Feasible(_), Some(None), _) => Advice::Arrived,
        (Status::Unsolvable, ..) => Advice::Lost,
        _ => Advice::NotKnown { seconds },
    }
}
