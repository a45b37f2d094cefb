//! What a solver is to the rest of the house. A back end follows a growing problem: `take_in` reads what was added since
//! the last time, `solve` asks under assumptions that hold for this one question.

use ployglot_base::{Budget, Limit};

use crate::problem::{Literal, Problem};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A value for each variable of the problem.
    Satisfiable(Vec<i32>),
    /// Proven, under these assumptions.
    Unsatisfiable,
    GaveUp(Limit),
}

/// How large the problem has become in the solver's own terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub variables: u64,
    /// Clauses for SAT, propagators for CP, rows for MIP.
    pub constraints: u64,
}

pub trait Backend {
    /// Reads the variables and rules that are new since the last call.
    fn take_in(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit>;

    /// Whether there is a solution under the assumptions. Takes in what is new first.
    fn solve(&mut self, problem: &Problem, assumptions: &[Literal], budget: &Budget) -> Verdict;

    fn size(&self) -> Size;

    /// What the last answer proved of the problem's objective under its assumptions, beyond its own solution: no solution is
    /// better. Solvers that know nothing of objectives prove nothing.
    fn bound(&self) -> Option<i32> {
        None
    }

    /// Conflicts, nodes: what the solver itself counts.
    fn effort(&self) -> u64;
}
