//! One call of HiGHS, in a thread of its own.
//!
//! HiGHS calls back now and then to ask whether to stop; the callback checks the budget. The safe
//! binding has no callbacks, and without them neither an interrupt nor the memory limit could end a
//! run, so this file calls the C interface directly.
//!
//! In its presolve HiGHS makes no callbacks, for seconds or minutes. So it runs in a thread, and the
//! caller checks the budget itself. If HiGHS does not hear of a limit soon, its thread is left
//! alone: it owns all it uses, and ends by itself at its next callback. Until then it keeps its core
//! and its memory, which does not matter to a program that ends with the limit. In one that continues,
//! such as the studio, a new call waits while there are too many of such threads.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use highs::{HighsModelStatus, HighsSolutionStatus, Model, RowProblem, Sense};
use highs_sys::{
    HighsCallbackDataIn, HighsCallbackDataOut, kHighsCallbackIpmInterrupt,
    kHighsCallbackMipInterrupt, kHighsCallbackSimplexInterrupt,
};
use ployglot_base::{Budget, Limit, Poll, Progress};

use super::program::{Form, Program, Row};

/// How exact a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tolerance {
    Default,
    /// Tighter tolerances, and no presolve.
    Tight,
}

/// How a run ended; there may be a solution besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// The solution is optimal.
    Optimal,
    Infeasible,
    Limit(Limit),
}

pub(super) struct RunResult {
    pub end: Status,
    /// A value for each column, if there is a solution.
    pub columns: Option<Vec<f64>>,
    /// The proven bound of the objective.
    pub bound: Option<f64>,
    pub nodes: u64,
}

/// How often the caller checks the budget.
const CHECK_EVERY: Duration = Duration::from_millis(10);
/// How long the caller waits for HiGHS to hear of a limit.
const GRACE: Duration = Duration::from_millis(300);
/// With this many threads left alone, a new call waits for one of them to end.
const MOST_ABANDONED: usize = 4;
/// Stack size of the thread.
const STACK: usize = 64 << 20;

/// How many threads were left alone and have not ended.
static ABANDONED: AtomicUsize = AtomicUsize::new(0);

/// The states of a call: HiGHS runs, the caller has left it alone, it has ended.
const RUNS: u8 = 0;
const LEFT_ALONE: u8 = 1;
const ENDED: u8 = 2;

/// What the callback needs: it checks the budget and remembers the limit.
struct BudgetWatch<'b> {
    budget: &'b Budget,
    ended: Option<Limit>,
    nodes: u64,
}

/// A program for HiGHS, with all that a run needs.
struct Job {
    problem: RowProblem,
    sense: Sense,
    /// The constant of the objective.
    constant: i64,
    tolerance: Tolerance,
    budget: Budget,
}

/// Solves the program with additional rows. The objective is a form with the sign 1 to minimise
/// and -1 to maximise.
pub(super) fn run(
    program: &Program,
    more: &[Row],
    objective: Option<&(Form, i64)>,
    tolerance: Tolerance,
    budget: &Budget,
) -> RunResult {
    let loaded = budget.stoppable("mip", |poll| load(program, more, objective, poll));
    let problem = match loaded.and_then(|problem| wait_for_others(budget).map(|()| problem)) {
        Ok(problem) => problem,
        Err(limit) => return ended(limit, 0),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let job = Job {
        problem,
        sense: match objective {
            Some((_, ..=0)) => Sense::Maximise,
            _ => Sense::Minimise,
        },
        constant: objective.map_or(0, |(form, _)| form.constant),
        tolerance,
        // The caller passes interrupts on.
        budget: budget.clone().with_interrupt(stop.clone()),
    };
    // The job is shared, so that the caller still has it if there is no thread for it.
    let job = Arc::new(Mutex::new(Some(job)));
    let take = |job: &Mutex<Option<Job>>| job.lock().unwrap_or_else(PoisonError::into_inner).take();
    let state = Arc::new(AtomicU8::new(RUNS));
    let (sender, receiver) = mpsc::channel();
    let (shared, seen) = (job.clone(), state.clone());
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let result = take(&shared).map(Job::run);
            // The caller may have gone.
            let _ = sender.send(result);
            if seen.swap(ENDED, SeqCst) == LEFT_ALONE {
                ABANDONED.fetch_sub(1, SeqCst);
            }
        });
    if thread.is_err() {
        let result = take(&job).map(Job::run);
        return result.unwrap_or_else(|| ended(Limit::Incomplete, 0));
    }
    wait(&receiver, &state, &stop, budget)
}

/// Waits for the result, or until the budget ends.
fn wait(
    receiver: &Receiver<Option<RunResult>>,
    state: &AtomicU8,
    stop: &AtomicBool,
    budget: &Budget,
) -> RunResult {
    let progress = || Progress {
        phase: "mip",
        ..Progress::default()
    };
    let limit = loop {
        match receiver.recv_timeout(CHECK_EVERY) {
            Ok(Some(result)) => return result,
            Err(RecvTimeoutError::Timeout) => {
                if let Err(limit) = budget.check(progress) {
                    break limit;
                }
            }
            Ok(None) | Err(RecvTimeoutError::Disconnected) => panic!("the thread of HiGHS failed"),
        }
    };
    stop.store(true, SeqCst);
    match receiver.recv_timeout(GRACE) {
        Ok(Some(mut result)) => {
            // Which limit HiGHS names depends on when it heard of it.
            if let Status::Limit(named) = &mut result.end {
                *named = limit;
            }
            result
        }
        _ => {
            ABANDONED.fetch_add(1, SeqCst);
            if state.swap(LEFT_ALONE, SeqCst) == ENDED {
                ABANDONED.fetch_sub(1, SeqCst);
            }
            ended(limit, 0)
        }
    }
}

/// Waits while too many threads were left alone.
fn wait_for_others(budget: &Budget) -> Result<(), Limit> {
    while ABANDONED.load(SeqCst) >= MOST_ABANDONED {
        budget.check(Progress::default)?;
        std::thread::sleep(CHECK_EVERY);
    }
    Ok(())
}

/// The result of a run that a limit ended.
fn ended(limit: Limit, nodes: u64) -> RunResult {
    RunResult {
        end: Status::Limit(limit),
        columns: None,
        bound: None,
        nodes,
    }
}

/// The program in the form of the binding.
fn load(
    program: &Program,
    more: &[Row],
    objective: Option<&(Form, i64)>,
    poll: &Poll,
) -> RowProblem {
    let mut costs = vec![0i64; program.columns.len()];
    if let Some((form, _)) = objective {
        for &(column, weight) in &form.terms {
            costs[column as usize] += weight;
        }
    }
    let mut problem = RowProblem::new();
    let columns: Vec<highs::Col> = program
        .columns
        .iter()
        .zip(&costs)
        .map(|(column, &cost)| {
            poll.step();
            let (cost, bounds) = (cost as f64, column.low as f64..=column.high as f64);
            match column.integer {
                true => problem.add_integer_column(cost, bounds),
                false => problem.add_column(cost, bounds),
            }
        })
        .collect();
    for row in program.rows.iter().chain(more) {
        poll.steps(1 + row.terms.len());
        let low = row.low.map_or(f64::NEG_INFINITY, |v| v as f64);
        let high = row.high.map_or(f64::INFINITY, |v| v as f64);
        let terms = row.terms.iter();
        problem.add_row(
            low..=high,
            terms.map(|&(column, weight)| (columns[column as usize], weight as f64)),
        );
    }
    problem
}

impl Job {
    /// Calls HiGHS, in this thread.
    fn run(self) -> RunResult {
        let mut watch = BudgetWatch {
            budget: &self.budget,
            ended: None,
            nodes: 0,
        };
        let trouble =
            |watch: &BudgetWatch| ended(watch.ended.unwrap_or(Limit::Incomplete), watch.nodes);
        let Ok(mut model) = self.problem.try_optimise(self.sense) else {
            return trouble(&watch);
        };
        model.make_quiet();
        model.set_option("parallel", "off");
        model.set_option("threads", 1);
        model.set_option("mip_rel_gap", 0.0);
        // The objective is an integer: a solution closer than this to the bound is optimal.
        model.set_option("mip_abs_gap", 0.9);
        if self.tolerance == Tolerance::Tight {
            model.set_option("presolve", "off");
            model.set_option("mip_feasibility_tolerance", 1e-9);
            model.set_option("primal_feasibility_tolerance", 1e-9);
        }
        if let Some(left) = self.budget.time_left() {
            model.set_option("time_limit", left.as_secs_f64());
        }
        register(&mut model, &mut watch);
        let Ok(solved) = model.try_solve() else {
            return trouble(&watch);
        };
        let end = match solved.status() {
            HighsModelStatus::Optimal | HighsModelStatus::ModelEmpty => Status::Optimal,
            HighsModelStatus::Infeasible => Status::Infeasible,
            HighsModelStatus::ReachedTimeLimit => Status::Limit(watch.ended.unwrap_or(Limit::Time)),
            HighsModelStatus::ReachedMemoryLimit => Status::Limit(Limit::Memory),
            _ => Status::Limit(watch.ended.unwrap_or(Limit::Incomplete)),
        };
        let found = end == Status::Optimal
            || end != Status::Infeasible
                && solved.primal_solution_status() == HighsSolutionStatus::Feasible;
        let bound = solved.double_info_value(c"mip_dual_bound").ok();
        RunResult {
            end,
            columns: found.then(|| solved.get_solution().columns().to_vec()),
            bound: bound
                .filter(|bound| bound.is_finite())
                .map(|bound| bound + self.constant as f64),
            nodes: watch.nodes.max(1),
        }
    }
}

/// Registers the callback; the watch must outlive the run.
#[allow(
    unsafe_code,
    reason = "the safe binding of HiGHS has no callbacks, and nothing else can interrupt a run"
)]
fn register(model: &mut Model, watch: &mut BudgetWatch) {
    let highs = model.as_mut_ptr();
    let watch: *mut BudgetWatch = watch;
    // SAFETY: `highs` is the live instance behind `model`, and `callback` gets the pointer passed
    // here.
    unsafe {
        highs_sys::Highs_setCallback(highs, Some(callback), watch.cast());
        for kind in [
            kHighsCallbackSimplexInterrupt,
            kHighsCallbackIpmInterrupt,
            kHighsCallbackMipInterrupt,
        ] {
            highs_sys::Highs_startCallback(highs, kind);
        }
    }
}

#[allow(
    unsafe_code,
    reason = "called by HiGHS, in the thread that runs it, with pointers that live for the call"
)]
unsafe extern "C" fn callback(
    kind: c_int,
    _message: *const c_char,
    out: *const HighsCallbackDataOut,
    into: *mut HighsCallbackDataIn,
    watch: *mut c_void,
) {
    // SAFETY: the pointer is the `BudgetWatch` of `run`, which waits for HiGHS; `out` and `into`
    // are null or valid.
    let (watch, out, into) = unsafe {
        (
            &mut *watch.cast::<BudgetWatch>(),
            out.as_ref(),
            into.as_mut(),
        )
    };
    if let Some(out) = out.filter(|_| kind == kHighsCallbackMipInterrupt) {
        watch.nodes = u64::try_from(out.mip_node_count).unwrap_or(0);
    }
    let progress = || Progress {
        phase: "mip",
        expanded: watch.nodes,
        ..Progress::default()
    };
    if watch.ended.is_none() {
        watch.ended = watch.budget.check(progress).err();
    }
    if let Some(into) = into {
        into.user_interrupt = c_int::from(watch.ended.is_some());
    }
}
