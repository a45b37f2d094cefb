//! Experiments: a suite file says which levels are solved by which solvers within which limits; every run is a process
//! under guard; results go to a database as they come; reports are made from the database alone.
//!
//! ```text
//! suite.rs ─► levels.rs, entrant.rs ─► runner.rs ─► warden.rs (tree.rs) ─► answer.rs ─► store.rs ─► lies.rs
//!                                    └─► slurm/ (the same on a cluster) ────────────────────┘     └─► report/
//! ```

#[cfg(target_os = "linux")]
mod answer;
#[cfg(target_os = "linux")]
mod bar;
#[cfg(target_os = "linux")]
mod entrant;
mod levels;
mod lies;
mod machine;
pub mod report;
#[cfg(target_os = "linux")]
mod runner;
#[cfg(target_os = "linux")]
mod slurm;
pub mod store;
pub mod suite;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod warden;

#[cfg(target_os = "linux")]
pub use runner::run;

pub struct Options {
    pub database: String,
    /// Runs at a time; `None`: one here, and as many as there is room for on a cluster.
    pub jobs: Option<usize>,
    pub engine: Engine,
    /// More for `sbatch`.
    pub sbatch: Vec<String>,
    /// Only so many levels of each `[[levels]]`.
    pub first: Option<usize>,
}

/// Where runs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// On this machine
    Local,
    /// On a cluster, as a job array of SLURM
    Slurm,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Finished {
    /// Runs of the suite, those that were there already, and those that were made now.
    pub all: usize,
    pub before: usize,
    pub now: usize,
    /// Runs in the database that another build of the program made.
    pub foreign: usize,
    /// Runs that a cluster lost again and again.
    pub lost: Vec<String>,
    /// Level, solver, and what contradicts it.
    pub lies: Vec<(String, String, String)>,
    pub interrupted: bool,
}

/// If the program was started not by its user but by itself or by SLURM, as a part of an experiment: its whole work.
#[cfg(target_os = "linux")]
pub fn called() -> Option<std::process::ExitCode> {
    warden::called().or_else(slurm::node::called)
}
