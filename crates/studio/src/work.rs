//! Solver runs for the page, within bounds: so many at once, so long, so much memory. A run ends when its answer is no longer
//! wanted: its news goes to a channel, and when the other end is gone, the run's flag is raised.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use ployglot_base::{Budget, Progress};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_stream::Stream;

use super::guard::Refused;

const MOST_RUNS: usize = 8;
const LONGEST: Duration = Duration::from_secs(300);
const MEMORY: u64 = 3 << 30;
/// Depth-first searches recurse as deep as their plans are long.
const STACK: usize = 64 << 20;

pub struct Works {
    running: Arc<AtomicUsize>,
    /// The whole server is to stop.
    stop: Arc<AtomicBool>,
}

/// What a run tells while it goes on, as server-sent events.
pub struct News {
    events: UnboundedSender<Event>,
}

impl News {
    pub fn tell(&self, kind: &str, value: &Value) {
        let event = Event::default().event(kind).data(value.to_string());
        let _ = self.events.send(event);
    }
}

/// Raised when whoever waits for a run goes away.
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// One of the runs that may go on at once.
struct Seat(Arc<AtomicUsize>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Works {
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self {
            running: Arc::default(),
            stop,
        }
    }

    fn seat(&self) -> Result<Seat, Refused> {
        if self.running.fetch_add(1, SeqCst) >= MOST_RUNS || self.stop.load(SeqCst) {
            self.running.fetch_sub(1, SeqCst);
            let why = format!("{MOST_RUNS} solvers are running already; end one first");
            return Err(Refused(StatusCode::SERVICE_UNAVAILABLE, why));
        }
        Ok(Seat(self.running.clone()))
    }

    /// Runs `work` on a thread of its own; its last word is the answer. It is told to stop when the request goes away.
    pub async fn ask<T: Send + 'static>(
        &self,
        time: Duration,
        work: impl FnOnce(Budget) -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let seat = self.seat()?;
        let flag = Arc::new(AtomicBool::new(false));
        let wanted = Wanted(flag.clone());
        let (send, receive) = tokio::sync::oneshot::channel();
        let budget = budget(time, flag);
        spawn(move || {
            let _ = send.send(work(budget));
            drop(seat);
        })?;
        let answer = receive.await;
        drop(wanted);
        answer.map_err(|_| broken())
    }

    /// Runs `work`, and streams its progress and whatever it tells.
    pub fn stream(
        &self,
        time: Duration,
        work: impl FnOnce(Budget, &News) + Send + 'static,
    ) -> Result<Response, Refused> {
        let seat = self.seat()?;
        let flag = Arc::new(AtomicBool::new(false));
        let (events, receive) = unbounded_channel();
        let progress = events.clone();
        let budget = budget(time, flag.clone()).with_watch(move |told: &Progress| {
            let event = Event::default()
                .event("progress")
                .data(describe(told).to_string());
            let _ = progress.send(event);
        });
        spawn(move || {
            work(budget, &News { events });
            drop(seat);
        })?;
        let stream = Wire {
            receive,
            _wanted: Wanted(flag),
        };
        Ok(Sse::new(stream)
            .keep_alive(KeepAlive::default())
            .into_response())
    }
}

fn describe(told: &Progress) -> Value {
    json!({
        "phase": told.phase, "depth": told.depth, "expanded": told.expanded, "stored": told.stored,
        "at_least": told.at_least, "best": told.best, "mb": told.memory >> 20, "seconds": told.seconds,
    })
}

fn budget(time: Duration, flag: Arc<AtomicBool>) -> Budget {
    Budget::unlimited()
        .with_time(time.min(LONGEST))
        .with_memory(ployglot_io::limits::default_memory().map_or(MEMORY, |free| free.min(MEMORY)))
        .with_interrupt(flag)
}

/// A panic in a solver must not take the server along; the channel's other end notices that nobody will answer.
fn spawn(work: impl FnOnce() + Send + 'static) -> Result<(), Refused> {
    let started = std::thread::Builder::new().stack_size(STACK).spawn(work);
    started.map(drop).map_err(|_| broken())
}

fn broken() -> Refused {
    let why = "the solver ended without an answer: a defect of the program".to_string();
    Refused(StatusCode::INTERNAL_SERVER_ERROR, why)
}

/// The events of one run; while it exists, they are wanted.
struct Wire {
    receive: UnboundedReceiver<Event>,
    _wanted: Wanted,
}

impl Stream for Wire {
    type Item = Result<Event, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.receive.poll_recv(context).map(|event| event.map(Ok))
    }
}
