//! Abstractions of a task: small transition systems whose plans cost no more than those of the task.
//! `factored` is the task in the form that they are made from, `patterns` and `cartesian` make them,
//! and `estimates/abstractions.rs` adds up their costs. `pairs` finds literals that never hold
//! together, which makes all of them sharper.

pub(crate) mod cartesian;
pub(crate) mod factored;
pub(crate) mod pairs;
pub(crate) mod patterns;
mod transitions;

pub(crate) use factored::Factored;
pub(crate) use transitions::{Abstraction, INFINITE};
