//! Satisfiability: the solvers.

mod solver;

pub use solver::{Answer, Cadical, Clauses, Kissat, Lit, SatSolver};
