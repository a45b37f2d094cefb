//! Solvers that are programs of their own, and where they are.
//!
//! A back end asks its budget for [`Programs`] at each call, so a back end is made without knowing
//! whether its program exists. [`missing`] says so before the work begins.
//!
//! `mip/` writes MPS; the back ends here write FlatZinc and DIMACS. Every solution is read by name
//! and judged by the callers like that of any other back end.

mod dimacs;
mod flatzinc;

use std::path::PathBuf;

use ployglot_base::{Budget, Programs, Tool};

pub use self::dimacs::{DimacsBackend, DimacsSolver};
pub use self::flatzinc::{FlatzincBackend, FlatzincSolver};
use crate::mip::MipSolver;

/// The solver and its program: for [`MipSolver::Any`] the first that is installed.
pub(crate) fn chosen_program(
    programs: &dyn Programs,
    solver: MipSolver,
    budget: &Budget,
) -> Result<(MipSolver, PathBuf), String> {
    if solver == MipSolver::Any {
        let searched = MipSolver::SEARCHED.iter();
        let found = searched.filter_map(|&each| Some((each, programs.find(&each.tool())?)));
        if let Some(found) = found.into_iter().next() {
            return Ok(found);
        }
        return Ok((MipSolver::Highs, programs.obtain(&solver.tool(), budget)?));
    }
    Ok((solver, programs.obtain(&solver.tool(), budget)?))
}

/// Why a tool cannot be used within this budget; builds it where that is possible.
pub fn missing(tool: &Tool, budget: &Budget) -> Result<(), String> {
    let Some(programs) = budget.programs() else {
        return Err(format!(
            "{} is another program, and none may be run here",
            tool.name
        ));
    };
    programs.obtain(tool, budget).map(|_| ())
}

/// Why a MIP solver cannot be used within this budget.
pub fn missing_mip(solver: MipSolver, budget: &Budget) -> Result<(), String> {
    match budget.programs() {
        Some(programs) => chosen_program(&**programs, solver, budget).map(|_| ()),
        None => missing(&solver.tool(), budget),
    }
}
