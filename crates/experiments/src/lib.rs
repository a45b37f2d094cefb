//! Experiments: levels and planning tasks solved by solvers within limits.
//!
//! A [`suite`] file names the levels, the solvers and the limits. [`run`] makes every run of the
//! suite in a process that is measured and held to its limits, and writes each result to a database
//! ([`store`]) as soon as the run has ended. A [`report()`](report::report) is made from the
//! database alone. Runs need Linux; reports do not.
//!
//! ```text
//! suite ─► levels, solver ─► runner ─► warden ─► answer ─► store ─► contradictions
//!                               └────► slurm/ (a cluster) ───┘ └──► report/
//! ```
//!
//! A run starts the embedding program again, as a guard and as a solver of its own routes. So the
//! `main` function of that program must begin with [`run_as_part_of_experiment`], and its command
//! line must have the commands `solve --json` and `export` of `ploy`.

#![warn(missing_docs)]

#[cfg(target_os = "linux")]
mod answer;
mod contradictions;
mod globs;
mod levels;
mod machine;
pub mod paper;
#[cfg(target_os = "linux")]
mod process_tree;
#[cfg(target_os = "linux")]
mod progress;
pub mod report;
#[cfg(target_os = "linux")]
mod run_folder;
#[cfg(target_os = "linux")]
mod runner;
#[cfg(target_os = "linux")]
mod slurm;
#[cfg(target_os = "linux")]
mod solver;
pub mod store;
pub mod suite;
pub mod tasks;
#[cfg(target_os = "linux")]
mod warden;

#[cfg(target_os = "linux")]
pub use runner::run;

/// How a suite is run.
pub struct Options {
    /// The file of the database. Runs that it already has are not made again.
    pub database: String,
    /// Runs at a time; `None`: one on this machine, and no limit of our own on a cluster.
    pub jobs: Option<usize>,
    /// Where runs are made.
    pub engine: Engine,
    /// Additional options for `sbatch`.
    pub sbatch: Vec<String>,
    /// How many levels of each `[[levels]]` are run, from the first; `None`: all.
    pub first: Option<usize>,
    /// How many levels of the whole suite are run, evenly spread; `None`: all.
    pub levels: Option<usize>,
    /// Globs of the families whose levels are run; empty: all.
    pub families: Vec<String>,
    /// Globs of the solvers that are run; empty: all.
    pub solvers: Vec<String>,
}

/// Where runs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// On this machine
    Local,
    /// On a cluster, as a job array of SLURM
    Slurm,
}

/// What [`run`] has done.
#[derive(Clone, Debug, Default)]
pub struct Finished {
    /// The number of runs of the suite.
    pub all: usize,
    /// Runs that were in the database before.
    pub before: usize,
    /// Runs that were made now.
    pub now: usize,
    /// Runs in the database that another build of the program made.
    pub foreign: usize,
    /// Runs that a cluster lost too often and that were given up, each with the last line of its
    /// log.
    pub lost: Vec<String>,
    /// The solvers that are not installed: for each, where the suite names it and how to install
    /// it.
    pub absent: Vec<String>,
    /// Runs of these solvers, which were not made.
    pub not_installed: usize,
    /// The runs whose claims are contradicted: level, solver, and what contradicts the claim.
    pub contradicted: Vec<(String, String, String)>,
    /// Where the levels came from, in a line for the user.
    pub levels: String,
    /// An interrupt ended the experiment before all runs were made.
    pub interrupted: bool,
}

/// Does the work of a process that an experiment has started: a guard of a run, the start of a
/// solver, or a run on a cluster. `None`: the user started this process.
#[cfg(target_os = "linux")]
pub fn run_as_part_of_experiment() -> Option<std::process::ExitCode> {
    warden::run_as_warden_or_ward().or_else(slurm::array_task::run_array_task)
}

/// Compiles the example of the README as a test.
#[cfg(all(doctest, target_os = "linux"))]
#[doc = include_str!("../README.md")]
struct Readme;
