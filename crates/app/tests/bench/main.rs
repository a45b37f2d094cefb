//! Experiments as their users meet them: solvers that misbehave, runners that are killed, and reports.
//!
//! Nothing here depends on a run being quick: what must end is waited for, and limits of time are only given to what would
//! never end by itself.

#[cfg(target_os = "linux")]
mod bench;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod lies;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod resume;
#[cfg(target_os = "linux")]
mod slurm;
