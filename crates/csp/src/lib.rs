//! Finite-domain constraint problems, and back ends that solve them: SAT, constraint programming
//! with lazy clause generation, integer programming.
//!
//! [`Problem`] is the common form: front ends write it, back ends ([`Backend`]) read it, and
//! [`check`](check::check) judges every solution.

#![warn(missing_docs)]

pub mod backend;
pub mod check;
pub mod cp;
mod domain;
pub mod filter;
pub mod flatzinc;
pub mod mip;
pub mod optimise;
pub mod outside;
pub mod probe;
pub mod problem;
pub mod relax;
mod rewrite;
pub mod sat;
mod visitor;

pub use backend::{Backend, Counts, Size, SolveResult};
pub use domain::Domain;
pub use optimise::{Enumerated, Optimum, optimise, solutions};
pub use problem::{
    Comparison, ConditionalConstraint, Constraint, Goal, Heuristic, Literal, Objective, Operand,
    Problem, Quantity, VarId, Variable,
};
