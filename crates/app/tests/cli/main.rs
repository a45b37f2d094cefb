//! The program as its users meet it: every command, by its exit code and what it prints.

mod agree;
mod check;
mod complete;
mod convert;
mod data;
mod design;
mod docs;
mod hostile;
mod limits;
mod lists;
mod many;
mod model;
mod planner;
mod serve;
mod show;
mod solve;
