//! What the workers tell while they work: levels that are done, and with `--anytime` all that is known on the way.

use std::sync::{Arc, Mutex, mpsc};

use ployglot_base::Progress;

use ployglot_io::failure::Failure;
use ployglot_io::row::Row;

/// What became of one level, and the failure if that is what became of it.
pub type Told = (Row, Option<Failure>);

/// What the workers tell.
pub enum News {
    /// `--anytime`: so much is known by now; and whether its plan was not told before.
    Row(Box<Row>, bool),
    /// The level of this number is done.
    Done(usize, Box<Told>),
}

/// What `--anytime` tells of one level, each time that a plan is better or the bound is higher.
#[derive(Clone)]
pub struct Feed {
    news: mpsc::Sender<News>,
    last: Arc<Mutex<Row>>,
}

impl Feed {
    pub fn new(name: &str, game: &'static str, news: mpsc::Sender<News>) -> Self {
        let last = Arc::new(Mutex::new(Row::started(name, game)));
        Self { news, last }
    }

    /// A plan that is better than those before it, refereed.
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

    /// How far a search is: what it has proven, and the cost of the best plan that it knows. The plan itself comes when the
    /// search ends, and the referee has seen it.
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

    /// Tells if something worth telling changed. If nobody listens any more, the work is about to end.
    fn change(&self, change: impl FnOnce(&mut Row)) {
        let mut last = self.last.lock().expect("no teller panics");
        let known = |row: &Row| (row.at_least, row.cost, row.plan.is_some());
        let before = known(&last);
        change(&mut last);
        if known(&last) != before {
            let plan_is_new = last.plan.is_some() && (last.cost, true) != (before.1, before.2);
            let _ = self
                .news
                .send(News::Row(Box::new(last.clone()), plan_is_new));
        }
    }
}
