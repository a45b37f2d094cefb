//! For tests of planning: problems with known optima, random tasks, and slow searches.

pub mod problems;
mod random_task;
pub mod search;

pub use random_task::random_task;
