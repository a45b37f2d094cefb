//! The same suite on a cluster: each run is a task of a SLURM job array, guarded on its node as it would be here.
//!
//! ```text
//! spool.rs (files that all see) ─► queue.rs (sbatch, squeue) ─► node.rs (one run) ─► spool.rs ─► the database
//! ```
//!
//! This command submits, collects and resubmits; it does no run itself. When it is killed, the jobs go on, and the same
//! command later finds what they left. A task is lost when SLURM no longer knows it and there is no result, seen several
//! times in a row because files of a network appear late: a node that died, a job that was cancelled. It is submitted
//! again. What is lost three times is told, and not recorded, since nobody can say that its solver is to blame.

pub mod node;
mod queue;
mod spool;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use spool::{Batch, Spool, Task};

use super::Options;
use super::bar::Bar;
use super::machine;
use super::runner::Run;
use super::store::Store;
use super::suite::Suite;
use ployglot_io::failure::Failure;

/// How often a run is submitted before it is given up.
const MOST_TRIES: u32 = 3;
/// So many looks in a row find neither the task nor its result.
const LOST_AFTER: u32 = 3;
/// Between two looks: soon after something came, and seldom when nothing does. The queue is everybody's.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Makes all runs, and says how many results came before an interrupt, and what was lost.
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
        bar: Bar::new(runs.len()),
        most_tasks: queue::most_tasks(),
        states: vec![State::Open; runs.len()],
        tries: vec![0; runs.len()],
        batches: BTreeMap::new(),
        sessions: BTreeMap::new(),
        lost: Vec::new(),
        made: 0,
        spool,
    };
    cluster.remember()?;
    let worked = cluster.work(interrupt);
    cluster.bar.finish();
    worked?;
    if interrupt.load(SeqCst) && !cluster.batches.is_empty() {
        let names: Vec<&str> = cluster.batches.keys().map(String::as_str).collect();
        anstream::eprintln!(
            "the jobs go on; to end them: scancel --name={}",
            names.join(",")
        );
    }
    Ok((cluster.made, cluster.lost))
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It waits to be submitted.
    Open,
    /// Some batch has it; it was missed so often in a row.
    Away { missed: u32 },
    /// In the database, or given up.
    Over,
}

struct Cluster<'a> {
    suite: &'a Suite,
    runs: &'a [Run<'a>],
    options: &'a Options,
    store: &'a Store,
    spool: Spool,
    bar: Bar,
    most_tasks: usize,
    /// By the numbers of `runs`.
    states: Vec<State>,
    tries: Vec<u32>,
    /// What is on its way: for each job, the runs of its tasks. `None`: nobody asks for that one any more.
    batches: BTreeMap<String, Vec<Option<usize>>>,
    /// By program and machine.
    sessions: BTreeMap<(String, String), i64>,
    lost: Vec<String>,
    made: usize,
}

impl Cluster<'_> {
    /// Takes up what an earlier command has submitted.
    fn remember(&mut self) -> Result<(), Failure> {
        let numbers: BTreeMap<Task, usize> = (0..self.runs.len())
            .map(|number| (self.task(number), number))
            .collect();
        for batch in self.spool.batches()? {
            let same = batch.same_limits(self.suite);
            let mut find = |task: &Task| {
                let number = *numbers.get(task).filter(|_| same)?;
                // What was submitted twice is waited for once.
                let open = self.states[number] == State::Open;
                self.states[number] = State::Away { missed: 0 };
                open.then_some(number)
            };
            let tasks: Vec<Option<usize>> = batch.tasks.iter().map(&mut find).collect();
            self.batches.insert(batch.name, tasks);
        }
        Ok(())
    }

    fn work(&mut self, interrupt: &AtomicBool) -> Result<(), Failure> {
        let mut wait = SHORTEST_WAIT;
        loop {
            // First the queue and then the files: a task that ends between the two is not missed.
            let names: Vec<String> = self.batches.keys().cloned().collect();
            let alive = queue::alive(&names);
            let before = self.made;
            self.collect()?;
            match &alive {
                Ok(alive) => self.miss(alive),
                Err(Failure::Usage(why)) => return Err(Failure::Usage(why.clone())),
                // The controller may be down for a while; nothing is lost by waiting.
                Err(failure) => self.bar.say(&failure.line()),
            }
            self.clear();
            self.submit()?;
            if self.states.iter().all(|state| *state == State::Over) {
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

    /// Takes every result that is there.
    fn collect(&mut self) -> Result<(), Failure> {
        let away: Vec<(String, usize, usize)> = self.away();
        for (name, task, number) in away {
            let Some(left) = self.spool.left(&name, task) else {
                continue;
            };
            let origin = (left.program, left.machine);
            let session = match self.sessions.get(&origin) {
                Some(session) => *session,
                None => {
                    let session = self.store.session(
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
            self.store.write(session, &run.key, &left.done)?;
            self.states[number] = State::Over;
            self.made += 1;
            self.bar.tell(run, &left.done);
        }
        Ok(())
    }

    /// The tasks that are waited for: job, task and run.
    fn away(&self) -> Vec<(String, usize, usize)> {
        let tasks = |(name, runs): (&String, &Vec<Option<usize>>)| {
            let runs = runs
                .iter()
                .enumerate()
                .filter_map(|(task, run)| Some((task, (*run)?)));
            runs.map(|(task, run)| (name.clone(), task, run))
                .collect::<Vec<_>>()
        };
        let mut away: Vec<_> = self.batches.iter().flat_map(tasks).collect();
        away.retain(|(_, _, number)| matches!(self.states[*number], State::Away { .. }));
        away
    }

    /// Counts what is neither in the queue nor done; what is missed for too long is open again.
    fn miss(&mut self, alive: &BTreeSet<(String, usize)>) {
        for (name, task, number) in self.away() {
            let missed = match self.states[number] {
                State::Away { missed } if !alive.contains(&(name.clone(), task)) => missed + 1,
                _ => 0,
            };
            self.states[number] = State::Away { missed };
            if missed < LOST_AFTER {
                continue;
            }
            if let Some(runs) = self.batches.get_mut(&name) {
                runs[task] = None;
            }
            self.states[number] = State::Open;
            if self.tries[number] >= MOST_TRIES {
                self.states[number] = State::Over;
                let run = &self.runs[number];
                let words = self
                    .spool
                    .last_words(&name, task)
                    .unwrap_or_else(|| "without a word".to_string());
                self.lost
                    .push(format!("{} by {}: {words}", run.entry.name, run.key.solver));
            }
        }
    }

    /// Removes the folders of batches that nobody waits for.
    fn clear(&mut self) {
        let waited: BTreeSet<String> = self.away().into_iter().map(|(name, _, _)| name).collect();
        let over: Vec<String> = self
            .batches
            .keys()
            .filter(|name| !waited.contains(*name))
            .cloned()
            .collect();
        for name in over {
            self.spool.remove(&name);
            self.batches.remove(&name);
        }
    }

    /// Submits what is open. Where SLURM takes no more for now, the rest waits until something has come back.
    fn submit(&mut self) -> Result<(), Failure> {
        let open: Vec<usize> = (0..self.runs.len())
            .filter(|&number| self.states[number] == State::Open)
            .collect();
        for numbers in open.chunks(self.most_tasks) {
            let name = format!("ploy-{}-{}", machine::unique(), self.batches.len());
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
                self.bar.say(&failure.line());
                break;
            }
            for &number in numbers {
                self.states[number] = State::Away { missed: 0 };
                self.tries[number] += 1;
            }
            self.batches
                .insert(name, numbers.iter().copied().map(Some).collect());
        }
        Ok(())
    }

    fn task(&self, number: usize) -> Task {
        let run = &self.runs[number];
        Task {
            level: run.entry.name.clone(),
            text: run.entry.text.clone(),
            solver: run.key.solver.clone(),
            definition: run.key.definition.clone(),
            measure: run.key.measure.clone(),
            repeat: run.key.repeat,
        }
    }
}
