//! Runs a suite on a cluster: each run is an array task of a SLURM job array, guarded by a warden
//! on its node. (A SLURM *array task* is one element of a job array, not a planning task.)
//!
//! ```text
//! spool.rs (files) ─► queue.rs (sbatch, squeue) ─► array_task.rs (one run) ─► spool.rs ─► database
//! ```
//!
//! The command submits array tasks, collects their results and submits lost ones again; it makes no
//! run itself. When the command is killed, the jobs continue, and the same command later finds
//! their results. An array task is lost when SLURM no longer knows it and there is no result: its
//! node died, or its job was cancelled. Files on a network may appear late, so an array task counts
//! as lost only when it is missing several times in a row. It is then submitted again. A run that
//! is lost three times is reported, but not recorded, since its solver may not be the cause.

pub mod array_task;
mod queue;
mod spool;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use spool::{ArrayTask, Batch, Spool};

use super::Options;
use super::machine;
use super::progress::Progress;
use super::runner::Run;
use super::store::Store;
use super::suite::Suite;
use ployglot_io::failure::Failure;

/// How often a run is submitted before it is given up.
const MOST_TRIES: u32 = 3;
/// An array task is lost when it and its result are missing this many times in a row.
const LOST_AFTER: u32 = 3;
/// The time between two queries of the queue: short after a new result, growing while there is
/// none, because the queue is shared with other users.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Makes all runs; returns how many results were collected before an interrupt, and the runs that
/// were lost.
pub fn run_all(
    suite: &Suite,
    runs: &[Run<'_>],
    options: &Options,
    store: &Store,
    interrupt: &AtomicBool,
) -> Result<(usize, Vec<String>), Failure> {
    let spool = Spool::open(&options.database)?;
    let mut cluster = Cluster {
        suite,
        runs,
        options,
        store,
        progress: Progress::new(runs.len()),
        max_array_size: queue::max_array_size(),
        states: vec![State::Waiting; runs.len()],
        tries: vec![0; runs.len()],
        batches: BTreeMap::new(),
        sessions: BTreeMap::new(),
        lost: Vec::new(),
        made: 0,
        spool,
    };
    cluster.resume()?;
    let ended = cluster.run(interrupt);
    cluster.progress.finish();
    ended?;
    if interrupt.load(SeqCst) && !cluster.batches.is_empty() {
        let names: Vec<&str> = cluster.batches.keys().map(String::as_str).collect();
        anstream::eprintln!(
            "the jobs continue; to end them: scancel --name={}",
            names.join(",")
        );
    }
    Ok((cluster.made, cluster.lost))
}

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// To be submitted.
    Waiting,
    /// Submitted; `missed`: how many times in a row it has been missing.
    Submitted { missed: u32 },
    /// In the database, or given up.
    Ended,
}

struct Cluster<'a> {
    suite: &'a Suite,
    runs: &'a [Run<'a>],
    options: &'a Options,
    store: &'a Store,
    spool: Spool,
    progress: Progress,
    max_array_size: usize,
    /// The state of each run.
    states: Vec<State>,
    /// How often each run was submitted.
    tries: Vec<u32>,
    /// For each submitted job array, by name, the run of each array task. `None`: its result is not
    /// needed any more.
    batches: BTreeMap<String, Vec<Option<usize>>>,
    /// The session of each program and machine.
    sessions: BTreeMap<(String, String), i64>,
    lost: Vec<String>,
    made: usize,
}

impl Cluster<'_> {
    /// Finds the batches that an earlier command has submitted.
    fn resume(&mut self) -> Result<(), Failure> {
        let numbers: BTreeMap<ArrayTask, usize> = (0..self.runs.len())
            .map(|number| (self.task(number), number))
            .collect();
        for batch in self.spool.batches()? {
            let same = batch.same_limits(self.suite);
            let mut find = |task: &ArrayTask| {
                let number = *numbers.get(task).filter(|_| same)?;
                // A run that was submitted twice is awaited once.
                let first = self.states[number] == State::Waiting;
                self.states[number] = State::Submitted { missed: 0 };
                first.then_some(number)
            };
            let tasks: Vec<Option<usize>> = batch.tasks.iter().map(&mut find).collect();
            self.batches.insert(batch.name, tasks);
        }
        Ok(())
    }

    /// Submits and collects until all runs have ended or an interrupt comes.
    fn run(&mut self, interrupt: &AtomicBool) -> Result<(), Failure> {
        let mut wait = SHORTEST_WAIT;
        loop {
            // The queue is read before the files, so that an array task that ends in between does
            // not count as missing.
            let names: Vec<String> = self.batches.keys().cloned().collect();
            let queued = queue::queued(&names);
            let before = self.made;
            self.collect()?;
            match &queued {
                Ok(queued) => self.count_missing(queued),
                Err(Failure::Usage(why)) => return Err(Failure::Usage(why.clone())),
                // The controller may be down for a while; then we wait.
                Err(failure) => self.progress.message(&failure.line()),
            }
            self.remove_ended_batches();
            self.submit()?;
            if self.states.iter().all(|state| *state == State::Ended) {
                return Ok(());
            }
            wait = if self.made > before {
                SHORTEST_WAIT
            } else {
                (wait * 3 / 2).min(LONGEST_WAIT)
            };
            let until = Instant::now() + wait;
            while Instant::now() < until {
                if interrupt.load(SeqCst) {
                    return Ok(());
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    /// Writes all results that have arrived to the database.
    fn collect(&mut self) -> Result<(), Failure> {
        let submitted: Vec<(String, usize, usize)> = self.submitted();
        for (name, task, number) in submitted {
            let Some(result) = self.spool.result(&name, task) else {
                continue;
            };
            let origin = (result.program, result.machine);
            let session = match self.sessions.get(&origin) {
                Some(session) => *session,
                None => {
                    let session = self.store.add_session(
                        self.suite,
                        self.options.jobs.unwrap_or(0),
                        &origin.0,
                        &origin.1,
                    )?;
                    self.sessions.insert(origin, session);
                    session
                }
            };
            let run = &self.runs[number];
            self.store.add_run(session, &run.key, &result.done)?;
            self.states[number] = State::Ended;
            self.made += 1;
            self.progress.run_ended(run, &result.done);
        }
        Ok(())
    }

    /// The array tasks without a result yet: the name of the job, the number of the array task, and
    /// the run.
    fn submitted(&self) -> Vec<(String, usize, usize)> {
        let tasks = |(name, runs): (&String, &Vec<Option<usize>>)| {
            let runs = runs
                .iter()
                .enumerate()
                .filter_map(|(task, run)| Some((task, (*run)?)));
            runs.map(|(task, run)| (name.clone(), task, run))
                .collect::<Vec<_>>()
        };
        let mut submitted: Vec<_> = self.batches.iter().flat_map(tasks).collect();
        submitted.retain(|(_, _, number)| matches!(self.states[*number], State::Submitted { .. }));
        submitted
    }

    /// Counts how often array tasks are missing: neither in the queue nor ended. A run that is
    /// missing too often is to be submitted again, or given up.
    fn count_missing(&mut self, queued: &BTreeSet<(String, usize)>) {
        for (name, task, number) in self.submitted() {
            let missed = match self.states[number] {
                State::Submitted { missed } if !queued.contains(&(name.clone(), task)) => {
                    missed + 1
                }
                _ => 0,
            };
            self.states[number] = State::Submitted { missed };
            if missed < LOST_AFTER {
                continue;
            }
            if let Some(runs) = self.batches.get_mut(&name) {
                runs[task] = None;
            }
            self.states[number] = State::Waiting;
            if self.tries[number] >= MOST_TRIES {
                self.states[number] = State::Ended;
                let run = &self.runs[number];
                let log = self
                    .spool
                    .last_log_line(&name, task)
                    .unwrap_or_else(|| "its log is empty".to_string());
                self.lost
                    .push(format!("{} by {}: {log}", run.level.name, run.key.solver));
            }
        }
    }

    /// Removes the folders of batches whose results are all collected or not needed.
    fn remove_ended_batches(&mut self) {
        let needed: BTreeSet<String> = self
            .submitted()
            .into_iter()
            .map(|(name, _, _)| name)
            .collect();
        let ended: Vec<String> = self
            .batches
            .keys()
            .filter(|name| !needed.contains(*name))
            .cloned()
            .collect();
        for name in ended {
            self.spool.remove(&name);
            self.batches.remove(&name);
        }
    }

    /// Submits the waiting runs. Where SLURM accepts no more for now, the rest waits until others
    /// have ended.
    fn submit(&mut self) -> Result<(), Failure> {
        let waiting: Vec<usize> = (0..self.runs.len())
            .filter(|&number| self.states[number] == State::Waiting)
            .collect();
        for numbers in waiting.chunks(self.max_array_size) {
            let name = format!("ploy-{}-{}", machine::unique_name(), self.batches.len());
            let tasks = numbers.iter().map(|&number| self.task(number)).collect();
            let folder = self
                .spool
                .write(&Batch::new(name.clone(), self.suite, tasks))?;
            let limits = &self.suite.limits;
            let submitted = queue::submit(
                &name,
                &folder,
                numbers.len(),
                self.options.jobs,
                limits,
                &self.options.sbatch,
            );
            if let Err(failure) = submitted {
                self.spool.remove(&name);
                if self.batches.is_empty() {
                    return Err(failure);
                }
                self.progress.message(&failure.line());
                break;
            }
            for &number in numbers {
                self.states[number] = State::Submitted { missed: 0 };
                self.tries[number] += 1;
            }
            self.batches
                .insert(name, numbers.iter().copied().map(Some).collect());
        }
        Ok(())
    }

    /// The array task of a run.
    fn task(&self, number: usize) -> ArrayTask {
        let run = &self.runs[number];
        ArrayTask {
            level: run.level.name.clone(),
            text: run.level.text.clone(),
            solver: run.key.solver.clone(),
            definition: run.key.definition.clone(),
            measure: run.key.measure.clone(),
            repeat: run.key.repeat,
        }
    }
}
