//! One question to HiGHS.
//!
//! HiGHS asks a callback now and then whether to go on; that is where the budget is looked at, and the only place where
//! this crate speaks to C by hand: the safe binding has no callbacks, and without them neither an interrupt nor the memory
//! could end a run.

use std::ffi::{c_char, c_int, c_void};

use highs::{HighsModelStatus, HighsSolutionStatus, Model, RowProblem, Sense};
use highs_sys::{
    HighsCallbackDataIn, HighsCallbackDataOut, kHighsCallbackIpmInterrupt,
    kHighsCallbackMipInterrupt, kHighsCallbackSimplexInterrupt,
};
use ployglot_base::{Budget, Limit, Progress};

use super::program::{Form, Program, Row};

/// How a run is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    Usual,
    /// Tighter tolerances, and no presolve.
    Great,
}

/// How a run ended, a solution aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The solution is the best.
    Optimal,
    Infeasible,
    Limit(Limit),
}

pub(super) struct Ran {
    pub end: End,
    /// A value for each column, if there is a solution.
    pub columns: Option<Vec<f64>>,
    /// Proven of the objective.
    pub bound: Option<f64>,
    pub nodes: u64,
}

/// Whoever is asked whether to go on.
struct Watch<'b> {
    budget: &'b Budget,
    ended: Option<Limit>,
    nodes: u64,
}

/// Solves the program with some rows more. The objective is a form and 1 for the least, -1 for the most.
pub(super) fn run(
    program: &Program,
    more: &[Row],
    objective: Option<&(Form, i64)>,
    care: Care,
    budget: &Budget,
) -> Ran {
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
    let mut watch = Watch {
        budget,
        ended: None,
        nodes: 0,
    };
    let trouble = |watch: &Watch| Ran {
        end: End::Limit(watch.ended.unwrap_or(Limit::Incomplete)),
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
    // The objective is whole: what is closer than this to the bound is the best.
    model.set_option("mip_abs_gap", 0.9);
    if care == Care::Great {
        model.set_option("presolve", "off");
        model.set_option("mip_feasibility_tolerance", 1e-9);
        model.set_option("primal_feasibility_tolerance", 1e-9);
    }
    if let Some(left) = budget.time_left() {
        model.set_option("time_limit", left.as_secs_f64());
    }
    listen(&mut model, &mut watch);
    let Ok(solved) = model.try_solve() else {
        return trouble(&watch);
    };
    let end = match solved.status() {
        HighsModelStatus::Optimal | HighsModelStatus::ModelEmpty => End::Optimal,
        HighsModelStatus::Infeasible => End::Infeasible,
        HighsModelStatus::ReachedTimeLimit => End::Limit(watch.ended.unwrap_or(Limit::Time)),
        HighsModelStatus::ReachedMemoryLimit => End::Limit(Limit::Memory),
        _ => End::Limit(watch.ended.unwrap_or(Limit::Incomplete)),
    };
    let found = end == End::Optimal
        || end != End::Infeasible
            && solved.primal_solution_status() == HighsSolutionStatus::Feasible;
    let shift = objective.map_or(0, |(form, _)| form.constant);
    let bound = solved.double_info_value(c"mip_dual_bound").ok();
    Ran {
        end,
        columns: found.then(|| solved.get_solution().columns().to_vec()),
        bound: bound
            .filter(|bound| bound.is_finite())
            .map(|bound| bound + shift as f64),
        nodes: watch.nodes.max(1),
    }
}

/// Makes HiGHS ask the watch, which must outlive the run.
#[allow(
    unsafe_code,
    reason = "the safe binding of HiGHS has no callbacks, and nothing else can interrupt a run"
)]
fn listen(model: &mut Model, watch: &mut Watch) {
    let highs = model.as_mut_ptr();
    let watch: *mut Watch = watch;
    // SAFETY: `highs` is the live instance behind `model`, and `ask` gets back the pointer that is handed over here.
    unsafe {
        highs_sys::Highs_setCallback(highs, Some(ask), watch.cast());
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
unsafe extern "C" fn ask(
    kind: c_int,
    _message: *const c_char,
    out: *const HighsCallbackDataOut,
    into: *mut HighsCallbackDataIn,
    watch: *mut c_void,
) {
    // SAFETY: the pointer is the `Watch` of `run`, which waits for HiGHS; `out` and `into` are null or live.
    let (watch, out, into) = unsafe { (&mut *watch.cast::<Watch>(), out.as_ref(), into.as_mut()) };
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
