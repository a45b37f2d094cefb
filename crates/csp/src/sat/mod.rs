//! Satisfiability: the encoding of constraints as clauses, the SAT solvers, DIMACS text and proofs.

mod adder;
mod arithmetic;
mod backend;
mod counting;
mod decider;
mod decision_order;
mod diagram;
mod dimacs;
mod encoder;
mod functions;
mod kissat;
mod ladders;
mod linear;
mod lrat;
mod proof;
mod solver;
mod sums;
mod tables;
mod unequal;
mod views;

pub use backend::SatBackend;
pub use decider::{Decider, Values};
pub use dimacs::{Cnf, Dimacs};
pub use encoder::{Encoder, TooLarge};
pub use kissat::Kissat;
pub use lrat::{BadProof, check_lrat};
pub use proof::{ProofFormat, prove};
pub use solver::{Cadical, Clauses, Lit, SatResult, SatSolver};
