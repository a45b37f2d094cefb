//! Shared helpers of tests and benchmarks. Other crates use it as a dev-dependency only.
//!
//! [`counted`] counts instructions; [`program`] runs `ploy` and [`server`] runs `ploy serve`;
//! [`skip`] reports tests that cannot run here. Four modules are
//! features: `fuzz` has mutated texts, `eprime` has random models, `pddl` has problems and searches for tests of planning,
//! `programs` has budgets for solvers that are programs of their own.

#![warn(missing_docs)]

pub mod counted;
#[cfg(feature = "eprime")]
pub mod eprime;
#[cfg(feature = "fuzz")]
pub mod fuzz;
#[cfg(feature = "pddl")]
pub mod pddl;
pub mod program;
#[cfg(feature = "programs")]
pub mod programs;
pub mod server;
pub mod skip;
