//! Shared helpers of tests and benchmarks. Other crates use it as a dev-dependency only.
//!
//! [`counted`] counts instructions; [`program`] runs `ploy` and [`server`] runs `ploy serve`;
//! [`skip`] reports tests that cannot run here. Two modules are features: `eprime` has random models, `pddl` has problems and searches for tests of
//! planning.

#![warn(missing_docs)]

pub mod counted;
#[cfg(feature = "eprime")]
pub mod eprime;
#[cfg(feature = "pddl")]
pub mod pddl;
pub mod program;
pub mod server;
pub mod skip;
