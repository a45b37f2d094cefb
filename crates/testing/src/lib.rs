//! Shared helpers of tests and benchmarks. Other crates use it as a dev-dependency only.

#![warn(missing_docs)]

pub mod counted;
#[cfg(feature = "eprime")]
pub mod eprime;
#[cfg(feature = "pddl")]
pub mod pddl;
