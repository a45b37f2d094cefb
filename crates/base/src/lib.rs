//! The shared words: what a space is, what a search may spend, and what it answers.
//!
//! This crate knows no game, no file and no solver.

pub mod budget;
pub mod guide;
pub mod outcome;
pub mod pages;
pub mod random;
pub mod space;
pub mod text;

pub use budget::{Budget, Progress};
pub use guide::{Blind, Guide, Switches};
pub use outcome::{Effort, Limit, Outcome, Report};
pub use pages::prefer_large_pages;
pub use random::{Changes, Random};
pub use space::Space;
pub use text::BadText;
