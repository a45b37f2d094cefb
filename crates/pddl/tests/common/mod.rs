//! Shared by the tests: problems, random tasks, and slow searches.

#![allow(dead_code, reason = "each test program uses only a part")]

pub mod problems;
pub mod random_task;
pub mod search;
