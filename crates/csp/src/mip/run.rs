//! One call of HiGHS.
//!
//! HiGHS calls back now and then to ask whether to stop; the callback checks the budget. The safe
//! binding has no callbacks, and without them neither an interrupt nor the memory limit could end a
//! run, so this file calls the C interface directly.

use std::ffi::{c_char, c_int, c_void};

use highs::{HighsModelStatus, HighsSolutionStatus, Model, RowProblem, Sense};
use highs_sys::{
    HighsCallbackDataIn, HighsCallbackDataOut, kHighsCallbackIpmInterrupt,
    kHighsCallbackMipInterrupt, kHighsCallbackSimplexInterrupt,
};
use ployglot_base::{Budget, Limit, Progress};

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

/// What the callback needs: it checks the budget and remembers the limit.
struct BudgetWatch<'b> {
    budget: &'b Budget,
    ended: Option<Limit>,
    nodes: u64,
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
    let mut costs = vec![0i64; program.columns.len()];
    let sign = objective.map_or(1, |(_, sign)| *sign);
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
            let (cost, bounds) = (cost as f64, column.low as f64..=column.high as f64);
            match column.integer {
                true => problem.add_integer_column(cost, bounds),
                false => problem.add_column(cost, bounds),
            }
        })
        .collect();
    for row in program.rows.iter().chain(more) {
        let low = row.low.map_or(f64::NEG_INFINITY, |v| v as f64);
        let high = row.high.map_or(f64::INFINITY, |v| v as f64);
        let terms = row.terms.iter();
        problem.add_row(
            low..=high,
            terms.map(|&(column, weight)| (columns[column as usize], weight as f64)),
        );
    }
    let mut watch = BudgetWatch {
        budget,
        ended: None,
        nodes: 0,
    };
    let trouble = |watch: &BudgetWatch| RunResult {
        end: Status::Limit(watch.ended.unwrap_or(Limit::Incomplete)),
        columns: None,
        bound: None,
        nodes: watch.nodes,
    };
    let sense = if sign > 0 {
        Sense::Minimise
    } else {
        Sense::Maximise
    };
    let Ok(mut model) = problem.try_optimise(sense) else {
        return trouble(&watch);
    };
    model.make_quiet();
    model.set_option("parallel", "off");
    model.set_option("threads", 1);
    model.set_option("mip_rel_gap", 0.0);
    // The objective is an integer: a solution closer than this to the bound is optimal.
    model.set_option("mip_abs_gap", 0.9);
    if tolerance == Tolerance::Tight {
        model.set_option("presolve", "off");
        model.set_option("mip_feasibility_tolerance", 1e-9);
        model.set_option("primal_feasibility_tolerance", 1e-9);
    }
    if let Some(left) = budget.time_left() {
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
    let shift = objective.map_or(0, |(form, _)| form.constant);
    let bound = solved.double_info_value(c"mip_dual_bound").ok();
    RunResult {
        end,
        columns: found.then(|| solved.get_solution().columns().to_vec()),
        bound: bound
            .filter(|bound| bound.is_finite())
            .map(|bound| bound + shift as f64),
        nodes: watch.nodes.max(1),
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
