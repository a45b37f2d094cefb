//! What the workers tell while they work: levels that are done, and with `--anytime` all that is known on the way.

use std::sync::{Arc, Mutex, mpsc};

use ployglot_base::Progress;

use crate::failure::Failure;
use crate::row::Row;

/// What became of one level, and the failure if that is what became of it.
pub type Told = (Row, Option<Failure>);

/// What the workers tell.
pub enum News {
    /// `--anytime`: so much is known by now.
    Row(Box<Row>),
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
    pub fn new(name: &str, news: mpsc::Sender<News>) -> Self {
        let last = Arc::new(Mutex::new(Row::begun(name)));
        Self { news, last }
    }

    /// A plan that is better than those before it.
    pub fn plan(&self, row: Row) {
        self.change(|last| {
            let at_least = row.at_least.max(last.at_least);
            *last = Row { at_least, last: false, ..row };
        });
    }

    /// What is proven by now.
    pub fn bound(&self, progress: &Progress) {
        let at_least = Some(progress.at_least);
        self.change(|last| {
            if last.at_least < at_least {
                last.at_least = at_least;
                last.seconds = progress.seconds;
                last.expanded = progress.expanded;
                last.stored = progress.stored;
            }
        });
    }

    /// Tells if something worth telling changed. If nobody listens any more, the work is about to end.
    fn change(&self, change: impl FnOnce(&mut Row)) {
        let mut last = self.last.lock().expect("no teller panics");
        let before = (last.at_least, last.cost);
        change(&mut last);
        if (last.at_least, last.cost) != before {
            let _ = self.news.send(News::Row(Box::new(last.clone())));
        }
    }
}
