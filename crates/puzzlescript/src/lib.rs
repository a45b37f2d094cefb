//! PuzzleScript games: the language, two engines that play them, and their levels as state spaces.
//!
//! [`compile`] turns the text of a game into a [`Game`], and reports faults as the reference
//! compiler does. [`Slow`] plays by the book, cell by cell; [`Fast`] plays on bits. [`Play`] is a
//! session with either: input, undo, restart, and the next level after a win. [`LevelSpace`] is a
//! level for the searches, [`LevelGuide`] what they may know about it, and [`referee`] replays
//! plans by the slow engine.

#![warn(missing_docs)]

mod analysis;
mod colours;
mod compile;
mod engine;
mod fast;
mod fault;
mod game;
mod guide;
mod packing;
mod play;
mod random;
mod read;
mod referee;
mod set;
mod slow;
mod space;
mod symmetry;
mod text;

pub use compile::{Compiled, compile};
pub use engine::{Engine, Turn};
pub use fast::{Fast, FastBoard};
pub use fault::{Fault, MOST_ERRORS, MOST_FAULTS, Severity};
pub use game::*;
pub use guide::{DEAD_ENDS, DISTANCE, GONE, IDLE, LevelGuide, PUSHES, REMOVALS, RULES};
pub use play::{Play, Status};
pub use random::Random;
pub use referee::{Ruling, referee};
pub use set::Set;
pub use slow::{Slow, SlowBoard};
pub use space::{LevelSpace, Opening, PuzzleState, Refusal, STATIC, SYMMETRIC, UNSEEN};
pub use text::{GAMES, is_puzzlescript, parse_plan};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
