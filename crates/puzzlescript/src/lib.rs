//! PuzzleScript games: the language, two engines that play them, and their levels as state spaces.
//!
//! [`compile`] turns the text of a game into a [`Game`], and reports faults as the reference
//! compiler does. [`Slow`] plays by the book, cell by cell; [`Fast`] plays on bits. [`Play`] is a
//! session with either: input, undo, restart, and the next level after a win.

#![warn(missing_docs)]

mod compile;
mod fault;
mod game;
mod random;
mod read;
mod set;

pub use compile::{Compiled, compile};
pub use fault::{Fault, MOST_ERRORS, MOST_FAULTS, Severity};
pub use game::*;
pub use random::Random;
pub use set::Set;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
