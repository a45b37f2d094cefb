//! The work of requests, off the threads that serve connections, and limited in number, time and
//! memory.
//!
//! There are two kinds. A *query*, such as the board after some moves, usually takes milliseconds;
//! it waits for a free thread if many are in work. A *run* of a solver may take minutes; if there
//! are too many, a further one is refused.
//!
//! Work ends when its result is no longer needed: when its request is dropped or the receiver of
//! its events is gone, the interrupt flag of its budget is set.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use ployglot_base::{Budget, Progress};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_stream::Stream;

use super::guard::ApiError;

/// The largest number of runs at the same time.
const MAX_RUNS: usize = 8;
/// The largest number of queries that are in work at the same time. More than there are cores, so
/// that a short query is not held up by long ones.
const MAX_QUERIES: usize = 32;
/// The longest time that a page can ask for.
const MAX_TIME: Duration = Duration::from_secs(300);
/// The time limit of a query.
const QUERY_TIME: Duration = Duration::from_secs(60);
/// The largest memory limit of a job, in bytes.
const MAX_MEMORY: u64 = 3 << 30;
/// The stack of a job's thread: depth-first searches recurse as deep as their plans are long.
const STACK: usize = 64 << 20;

/// Starts jobs, which are queries and runs, and bounds their number.
pub struct Jobs {
    runs: Arc<Semaphore>,
    queries: Arc<Semaphore>,
    /// Set when the server shuts down.
    stop: Arc<AtomicBool>,
}

/// Sends the events of a job to the page, as server-sent events.
pub struct Events {
    sender: UnboundedSender<Event>,
}

impl Events {
    /// Sends an event with this name and data.
    pub fn send(&self, kind: &str, value: &Value) {
        let event = Event::default().event(kind).data(value.to_string());
        // The receiver may be gone; then the job's interrupt flag is set, and the job ends soon.
        let _ = self.sender.send(event);
    }
}

/// When dropped, sets the interrupt flag of a job.
struct InterruptOnDrop(Arc<AtomicBool>);

impl Drop for InterruptOnDrop {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

impl Jobs {
    /// No job is running yet. After `stop` is set, all jobs end, and none is started.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self {
            runs: Arc::new(Semaphore::new(MAX_RUNS)),
            queries: Arc::new(Semaphore::new(MAX_QUERIES)),
            stop,
        }
    }

    /// The place of a run, freed when it is dropped.
    fn slot(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let unavailable = |message: String| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, message);
        if self.stop.load(SeqCst) {
            return Err(unavailable("the server is shutting down".to_string()));
        }
        self.runs.clone().try_acquire_owned().map_err(|_| {
            unavailable(format!(
                "{MAX_RUNS} solvers are running already; end one first"
            ))
        })
    }

    /// Answers a query. It is interrupted when the request is dropped.
    pub async fn query<T: Send + 'static>(
        &self,
        job: impl FnOnce(Budget) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let slot = self.queries.clone().acquire_owned().await;
        let slot = slot.expect("the semaphore is never closed");
        self.result(slot, QUERY_TIME, job).await
    }

    /// Runs `job` on a thread of its own and returns its result. The job is interrupted when the
    /// request is dropped.
    pub async fn run<T: Send + 'static>(
        &self,
        time: Duration,
        job: impl FnOnce(Budget) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        self.result(self.slot()?, time, job).await
    }

    async fn result<T: Send + 'static>(
        &self,
        slot: OwnedSemaphorePermit,
        time: Duration,
        job: impl FnOnce(Budget) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let flag = Arc::new(AtomicBool::new(false));
        let interrupt = InterruptOnDrop(flag.clone());
        let (send, receive) = tokio::sync::oneshot::channel();
        let budget = self.budget(time, flag);
        spawn(move || {
            let _ = send.send(job(budget));
            drop(slot);
        })?;
        let result = receive.await;
        drop(interrupt);
        result.map_err(|_| no_result())
    }

    fn budget(&self, time: Duration, flag: Arc<AtomicBool>) -> Budget {
        let free = ployglot_io::limits::default_memory();
        Budget::unlimited()
            .with_programs(ployglot_io::programs())
            .with_time(time.min(MAX_TIME))
            .with_memory(free.map_or(MAX_MEMORY, |free| free.min(MAX_MEMORY)))
            .with_interrupt(flag)
            .with_interrupt(self.stop.clone())
    }

    /// Runs `job` on a thread of its own and streams its progress and the events that it sends.
    pub fn stream(
        &self,
        time: Duration,
        job: impl FnOnce(Budget, &Events) + Send + 'static,
    ) -> Result<Response, ApiError> {
        let slot = self.slot()?;
        let flag = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = unbounded_channel();
        let events = Events {
            sender: sender.clone(),
        };
        let budget = self
            .budget(time, flag.clone())
            .with_watch(move |progress: &Progress| {
                events.send("progress", &progress_json(progress))
            });
        spawn(move || {
            job(budget, &Events { sender });
            drop(slot);
        })?;
        let stream = EventStream {
            receiver,
            _interrupt: InterruptOnDrop(flag),
        };
        Ok(Sse::new(stream)
            .keep_alive(KeepAlive::default())
            .into_response())
    }
}

fn progress_json(progress: &Progress) -> Value {
    json!({
        "phase": progress.phase, "depth": progress.depth, "expanded": progress.expanded,
        "stored": progress.stored, "at_least": progress.at_least, "best": progress.best,
        "mb": progress.memory >> 20, "seconds": progress.seconds,
    })
}

/// Starts a thread. A panic in a solver does not end the server: the sender is dropped, and the
/// receiver reports that there is no result.
fn spawn(job: impl FnOnce() + Send + 'static) -> Result<(), ApiError> {
    let started = std::thread::Builder::new().stack_size(STACK).spawn(job);
    started.map(drop).map_err(|_| no_result())
}

fn no_result() -> ApiError {
    let message = "the solver ended without an answer: a defect of the program";
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, message)
}

/// The events of one job. Dropping the stream interrupts the job.
struct EventStream {
    receiver: UnboundedReceiver<Event>,
    _interrupt: InterruptOnDrop,
}

impl Stream for EventStream {
    type Item = Result<Event, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context).map(|event| event.map(Ok))
    }
}
