//! Satisfiability: how rules become clauses, and the solvers.

mod adder;
mod backend;
mod counting;
mod diagram;
mod dimacs;
mod encoder;
mod functions;
mod solver;
mod sums;
mod tables;
mod unequal;
mod views;

pub use backend::SatBackend;
pub use dimacs::{Cnf, Dimacs};
pub use encoder::{Encoder, TooLarge};
pub use solver::{Answer, Cadical, Clauses, Kissat, Lit, SatSolver};
