//! The types that games, searches and solvers share: a state space ([`Space`]), knowledge about it
//! ([`Guide`]), what a solver may spend ([`Budget`]), and what it answers ([`Outcome`]).
//!
//! This crate does not depend on any game, file format or solver.

#![warn(missing_docs)]

pub mod budget;
pub mod gate;
pub mod guide;
pub mod large_pages;
pub mod outcome;
pub mod phases;
pub mod poll;
pub mod programs;
pub mod random;
pub mod space;
pub mod text;

pub use budget::{Budget, Progress};
pub use gate::Gate;
pub use guide::{Blind, Guide, Switches};
pub use large_pages::prefer_large_pages;
pub use outcome::{Contradiction, Effort, Limit, Outcome, Report};
pub use phases::{Phase, PhaseTimes};
pub use poll::Poll;
pub use programs::{Call, Programs, RunEnd, RunOutput, Tool};
pub use random::{Changes, Random};
pub use space::Space;
pub use text::BadText;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
