//! Messages from the workers to the printing thread: finished levels, and with `--anytime` every
//! better plan and higher bound.

use std::sync::{Arc, Mutex, mpsc};

use ployglot_base::Progress;

use ployglot_io::failure::Failure;
use ployglot_io::row::Row;

/// The row of a finished level, and the failure if it ended in one.
pub type LevelResult = (Row, Option<Failure>);

/// A message from a worker.
pub enum Message {
    /// `--anytime`: what is known so far, and whether its plan was not printed before.
    Update { row: Box<Row>, plan_is_new: bool },
    /// The level with this index is finished.
    Done(usize, Box<LevelResult>),
}

/// Sends an update for one level each time that its plan gets better or its bound higher.
#[derive(Clone)]
pub struct Updates {
    messages: mpsc::Sender<Message>,
    last: Arc<Mutex<Row>>,
}

impl Updates {
    pub fn new(name: &str, game: &'static str, messages: mpsc::Sender<Message>) -> Self {
        let last = Arc::new(Mutex::new(Row::started(name, game)));
        Self { messages, last }
    }

    /// Reports a plan that the referee accepted.
    pub fn plan(&self, row: Row) {
        self.change(|last| {
            let at_least = row.at_least.max(last.at_least);
            let cost = row.cost.min(last.cost.or(row.cost));
            if cost == row.cost {
                *last = Row {
                    at_least,
                    last: false,
                    ..row
                };
            }
        });
    }

    /// Reports the bound of a running search and the cost of its best plan. The plan itself is
    /// reported by `plan`, after the referee has accepted it.
    pub fn progress(&self, progress: &Progress) {
        self.change(|last| {
            let seconds = progress.seconds;
            if last.at_least < Some(progress.at_least) {
                *last = Row {
                    at_least: Some(progress.at_least),
                    seconds,
                    ..last.clone()
                };
            }
            let better = |best: &u32| last.cost.is_none_or(|cost| *best < cost);
            if let Some(best) = progress.best.filter(better) {
                let (cost, plan) = (Some(best), None);
                *last = Row {
                    status: "feasible",
                    cost,
                    plan,
                    checked: false,
                    seconds,
                    ..last.clone()
                };
            }
        });
    }

    /// Applies a change, and sends an update if the bound, the cost or the plan changed. A send
    /// fails only when the printing thread has ended, which stops the workers anyway.
    fn change(&self, change: impl FnOnce(&mut Row)) {
        let mut last = self
            .last
            .lock()
            .expect("no thread panics while it holds this lock");
        let known = |row: &Row| (row.at_least, row.cost, row.plan.is_some());
        let before = known(&last);
        change(&mut last);
        if known(&last) != before {
            let plan_is_new = last.plan.is_some() && (last.cost, true) != (before.1, before.2);
            let _ = self.messages.send(Message::Update {
                row: Box::new(last.clone()),
                plan_is_new,
            });
        }
    }
}
