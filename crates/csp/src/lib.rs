//! Finite-domain problems, and the solvers that satisfy them: by SAT, by constraint propagation, by integer programming.
//!
//! [`Problem`] is the waist: front ends write it, back ends read it, [`check`](check::check) judges every solution.

pub mod backend;
pub mod check;
pub mod cp;
mod domain;
pub mod filter;
pub mod flatzinc;
#[cfg(feature = "mip")]
pub mod mip;
pub mod optimise;
pub mod probe;
pub mod problem;
mod rewrite;
pub mod sat;

pub use backend::{Backend, Size, Verdict};
pub use domain::Domain;
pub use optimise::{Enumerated, Optimum, optimise, solutions};
pub use problem::{
    Comparison, Constraint, Goal, Literal, Objective, Operand, Problem, Quantity, Rule, VarId,
    Variable,
};
