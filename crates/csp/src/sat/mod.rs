//! Satisfiability: how rules become clauses, and the solvers.

mod adder;
mod backend;
mod counting;
mod diagram;
mod dimacs;
mod encoder;
mod functions;
mod kissat;
mod lrat;
mod order;
mod proof;
mod solver;
mod sums;
mod tables;
mod unequal;
mod views;

pub use backend::SatBackend;
pub use dimacs::{Cnf, Dimacs};
pub use encoder::{Encoder, TooLarge};
pub use kissat::Kissat;
pub use lrat::{BadProof, check_lrat};
pub use proof::{ProofFormat, prove};
pub use solver::{Answer, Cadical, Clauses, Lit, SatSolver};
