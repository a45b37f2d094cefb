//! Runs work for Python: in a thread of its own, within limits, with progress, Ctrl-C and panics
//! turned into what Python expects.
//!
//! Python runs signal handlers and callbacks in the thread that called us. So the work runs in
//! another thread, and the calling thread waits for it without the interpreter's lock: it passes the
//! progress on, and looks for signals twenty times a second. A callback that raises an exception, or
//! Ctrl-C, raises the interrupt flag of the budget; the work ends, and the exception is passed on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ployglot_base::text::panic_message;
use ployglot_base::{Budget, Progress};
use ployglot_io::limits;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How often signals are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The stack of the working thread: as deep as that of the program's main thread, and more.
const STACK: usize = 64 << 20;

/// What Python allows the work.
pub struct Allowance {
    pub time: Option<f64>,
    pub memory: Option<u64>,
    pub threads: usize,
    pub progress: Option<Py<PyAny>>,
}

/// A message between the threads.
enum Message<T> {
    Progress(Progress),
    /// A better plan: its steps and its cost.
    Plan(Vec<String>, u32),
    Done(Result<T, String>),
}

/// Runs the work, and returns its result or raises what ended it.
pub fn run<T: Send + 'static>(
    py: Python,
    allowed: Allowance,
    work: impl FnOnce(&Budget) -> T + Send + 'static,
) -> PyResult<T> {
    run_improving(py, allowed, None, |budget, _| work(budget))
}

/// The same for work that passes on better and better plans, with which `improved` is called.
pub fn run_improving<T: Send + 'static>(
    py: Python,
    allowed: Allowance,
    improved: Option<Py<PyAny>>,
    work: impl FnOnce(&Budget, &mut dyn FnMut(Vec<String>, u32)) -> T + Send + 'static,
) -> PyResult<T> {
    let time = match allowed.time {
        None => None,
        Some(seconds) => Some(
            Duration::try_from_secs_f64(seconds)
                .map_err(|_| PyValueError::new_err("time is a number of seconds, 0 or more"))?,
        ),
    };
    let flag = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel::<Message<T>>();
    let mut budget = limits::budget(time, allowed.memory)
        .with_threads(allowed.threads)
        .with_interrupt(flag.clone());
    if allowed.progress.is_some() {
        let reports = sender.clone();
        budget = budget.with_watch(move |progress| {
            // The receiver is gone only after the end of the work.
            let _ = reports.send(Message::Progress(progress.clone()));
        });
    }
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let mut pass_on = |plan, cost| {
                let _ = sender.send(Message::Plan(plan, cost));
            };
            let done = catch_unwind(AssertUnwindSafe(|| work(&budget, &mut pass_on)));
            let done = done.map_err(|panic| panic_message(&*panic).to_string());
            let _ = sender.send(Message::Done(done));
        })
        .map_err(|error| PyRuntimeError::new_err(format!("no thread for the work: {error}")))?;
    let mut raised: Option<PyErr> = None;
    // Without the interpreter's lock, the thread may only touch what threads can share.
    let receiver = Mutex::new(receiver);
    loop {
        let message = py.allow_threads(|| {
            let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(LOOK_EVERY)
        });
        let heard = match message {
            Ok(Message::Done(done)) => {
                if let Some(error) = raised {
                    return Err(error);
                }
                return done.map_err(|why| {
                    PyRuntimeError::new_err(format!("ployglot has a defect: {why}"))
                });
            }
            Ok(Message::Progress(progress)) if raised.is_none() => match &allowed.progress {
                Some(callback) => report(py, callback, &progress),
                None => Ok(()),
            },
            Ok(Message::Plan(plan, cost)) if raised.is_none() => match &improved {
                Some(callback) => callback.call1(py, (plan, cost)).map(|_| ()),
                None => Ok(()),
            },
            Ok(Message::Progress(_) | Message::Plan(..)) => Ok(()),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("ployglot has a defect: no result"));
            }
        };
        if raised.is_none() {
            raised = heard.and_then(|()| py.check_signals()).err();
        }
        if raised.is_some() {
            flag.store(true, SeqCst);
        }
    }
}

/// Calls the callback with the progress as a dictionary.
fn report(py: Python, callback: &Py<PyAny>, progress: &Progress) -> PyResult<()> {
    let values = PyDict::new(py);
    values.set_item("phase", progress.phase)?;
    values.set_item("depth", progress.depth)?;
    values.set_item("expanded", progress.expanded)?;
    values.set_item("stored", progress.stored)?;
    values.set_item("at_least", progress.at_least)?;
    values.set_item("best", progress.best)?;
    values.set_item("memory", progress.memory)?;
    values.set_item("seconds", progress.seconds)?;
    callback.call1(py, (values,))?;
    Ok(())
}
