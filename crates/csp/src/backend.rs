//! The interface of a solver. A back end follows a growing problem: `update` reads what was added
//! since the last call, `solve` searches under assumptions that hold for this one call.

use ployglot_base::{Budget, Limit};

use crate::problem::{Literal, Problem};

/// The answer of a back end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolveResult {
    /// A value for each variable of the problem.
    Satisfiable(Vec<i32>),
    /// Proven: there is no solution under the assumptions.
    Unsatisfiable,
    /// Neither was shown within this limit.
    GaveUp(Limit),
}

/// The size of the problem in the solver's own terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Variables of the solver.
    pub variables: u64,
    /// Clauses for SAT, propagators for CP, rows for MIP.
    pub constraints: u64,
}

/// What a search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Decisions.
    pub nodes: u64,
    /// Dead ends.
    pub failures: u64,
    /// Returns to the root.
    pub restarts: u64,
}

/// A solver for problems that grow.
///
/// ```
/// use ployglot_base::Budget;
/// use ployglot_csp::cp::CpBackend;
/// use ployglot_csp::{Backend, Constraint, Domain, Literal, Problem, SolveResult};
///
/// let mut problem = Problem::default();
/// let x = problem.add_variable(Domain::range(0, 9), None);
/// let mut backend: Box<dyn Backend> = Box::<CpBackend>::default();
/// let budget = Budget::unlimited();
///
/// // An assumption holds for one call only.
/// let found = backend.solve(&problem, &[Literal::Is(x, 7)], &budget);
/// assert_eq!(found, SolveResult::Satisfiable(vec![7]));
///
/// // Constraints may be added between calls; the back end reads the new ones.
/// problem.post(Constraint::Clause(vec![Literal::AtMost(x, 3)]));
/// let found = backend.solve(&problem, &[Literal::Is(x, 7)], &budget);
/// assert_eq!(found, SolveResult::Unsatisfiable);
/// let found = backend.solve(&problem, &[Literal::AtLeast(x, 3)], &budget);
/// assert_eq!(found, SolveResult::Satisfiable(vec![3]));
/// ```
pub trait Backend {
    /// Reads the variables and constraints that were added since the last call.
    fn update(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit>;

    /// Looks for a solution under the assumptions. Calls [`update`](Self::update) first.
    fn solve(&mut self, problem: &Problem, assumptions: &[Literal], budget: &Budget)
    -> SolveResult;

    /// The size of what was read so far.
    fn size(&self) -> Size;

    /// A bound on the problem's objective that the last call proved under its assumptions: no
    /// solution is better; also where a limit ended the call. `None` for solvers that do not optimise.
    fn bound(&self) -> Option<i32> {
        None
    }

    /// Conflicts or search nodes, as the solver counts them.
    fn effort(&self) -> u64;

    /// Nodes, failures and restarts of all calls; `None` for solvers that do not report them.
    fn counts(&self) -> Option<Counts> {
        None
    }
}
