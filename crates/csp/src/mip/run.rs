//! One call of a MIP solver: the program as MPS text to a process, and its solution back.
//!
//! HiGHS was a library of this program once. As a process it need not be built into it, it can be
//! killed in every phase (its presolve makes no callbacks, for seconds or minutes), and any other
//! solver can take its place. A process takes about ten milliseconds more for each call.

use ployglot_base::{Budget, Limit, RunEnd};

use super::mps::mps;
use super::program::{Form, Program, Row};
use super::solvers::{LogState, MipSolver};
use crate::outside::chosen_program;

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

/// Solves the program with additional rows. The objective is a form with the sign 1 to minimise
/// and -1 to maximise.
pub(super) fn run(
    solver: MipSolver,
    program: &Program,
    more: &[Row],
    objective: Option<&(Form, i64)>,
    tolerance: Tolerance,
    budget: &Budget,
) -> RunResult {
    match attempt(solver, program, more, objective, tolerance, budget) {
        Ok(result) => result,
        Err(limit) => RunResult {
            end: Status::Limit(limit),
            columns: None,
            bound: None,
            nodes: 0,
        },
    }
}

fn attempt(
    solver: MipSolver,
    program: &Program,
    more: &[Row],
    objective: Option<&(Form, i64)>,
    tolerance: Tolerance,
    budget: &Budget,
) -> Result<RunResult, Limit> {
    // Rows without columns hold, so a program without columns has one solution. Some solvers do not
    // take it for a program.
    if program.columns.is_empty() {
        return Ok(RunResult {
            end: Status::Optimal,
            columns: Some(Vec::new()),
            bound: None,
            nodes: 0,
        });
    }
    let text = budget.stoppable("mip", |poll| mps(program, more, objective, poll))?;
    let programs = budget.programs().ok_or(Limit::Incomplete)?;
    let (solver, path) = chosen_program(&**programs, solver, budget).map_err(|why| {
        programs.note(&why);
        Limit::Incomplete
    })?;
    let time = budget
        .time_left()
        .filter(|_| solver.takes_time(objective.is_some()));
    let mut call = solver.call(text.into_bytes(), tolerance, time);
    call.program = path;
    let called = budget.elapsed();
    let (constant, sign) = objective.map_or((0, 1), |(form, sign)| (form.constant, *sign));
    // The value of the objective, from that of the minimised form without its constant.
    let value = |minimised: f64| minimised * sign as f64 + constant as f64;
    let mut log = LogState::default();
    let shown = |number: f64| (number.round() as i64).clamp(0, i64::from(u32::MAX)) as u32;
    let ran = programs.run(&call, budget, "mip", &mut |line, progress| {
        solver.read_line(line, &mut log);
        progress.expanded = log.nodes.unwrap_or(0);
        progress.at_least = log.bound.map_or(0, |bound| shown(value(bound)));
        progress.best = log.best.map(|best| shown(value(best)));
    });
    let ran = ran.map_err(|why| {
        programs.note(&why);
        Limit::Incomplete
    })?;
    let solution = ran.results[0].as_deref();
    let mut result = solver.result(&log, solution, program.columns.len());
    result.bound = result.bound.map(value);
    if result.end == Status::Infeasible && !solver.refutes(time, budget.elapsed() - called) {
        result.end = Status::Limit(Limit::Time);
    }
    match ran.end {
        RunEnd::Exit(_) if result.end != Status::Limit(Limit::Incomplete) => {}
        // A solver may fail because it has no time left to read the program.
        RunEnd::Exit(_) if budget.time_left().is_some_and(|left| left.is_zero()) => {
            result.end = Status::Limit(Limit::Time);
        }
        RunEnd::Exit(_) | RunEnd::Signal(_) => {
            let name = solver.tool().name;
            programs.note(&format!("{name} failed: {}", ran.last_words()));
            result.end = Status::Limit(Limit::Incomplete);
        }
        // What it wrote before its end may be a part.
        RunEnd::Limit(limit) => result.end = Status::Limit(limit),
    }
    Ok(result)
}
