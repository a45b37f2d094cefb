//! Tests of `ploy bench` and `ploy report`: solvers that misbehave, runners that are killed,
//! reports.
//!
//! No test depends on the speed of a run: the tests wait for what must end, and only runs that
//! would never end have a limit of time.

#![cfg(target_os = "linux")]

mod bench;

mod contradictions;
mod guard;
mod papers;
mod report;
mod resume;
mod slurm;
mod tasks;
