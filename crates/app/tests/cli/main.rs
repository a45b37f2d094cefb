//! Tests of the whole program: every command, by its exit code and its output.

mod agree;
mod check;
mod complete;
mod config;
mod convert;
mod data;
mod design;
mod docs;
mod essence;
mod exits;
mod files;
mod hostile;
mod limits;
mod lists;
mod many;
mod model;
mod planner;
mod puzzlescript;
mod serve;
mod show;
mod solve;
