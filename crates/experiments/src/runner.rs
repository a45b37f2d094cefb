//! Runs a suite: all its runs in a fixed order, some at a time, each bound to a core; what the database has already is
//! passed over.
//!
//! The order is repeat, level, solver: a suite that is ended half way has something to say about every solver on the levels
//! that it reached. Workers take the next run from one list; the only thread that writes is the one that made the list.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;
use std::time::Duration;

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

use super::answer;
use super::bar::Bar;
use super::entrant::{Entrant, Place};
use super::levels::{Entry, levels};
use super::lies::lies;
use super::store::{Done, Key, Store};
use super::suite::Suite;
use super::warden::{self, Ended, Order, Wardens};
use super::{Engine, Finished, Options};
use super::{machine, slurm};
use ployglot_io::failure::Failure;
use ployglot_io::interrupt;

/// One run that is to be made.
pub struct Run<'a> {
    pub entry: &'a Entry,
    pub entrant: &'a Entrant,
    pub key: Key,
}

pub fn run(suite: &Suite, options: &Options) -> Result<Finished, Failure> {
    let every = levels(suite, None)?;
    let entries = levels(suite, options.first)?;
    let entrants = Entrant::all(suite);
    let mut store = Store::open(&options.database)?;
    // Reports have the order of the suite, also when the first levels of each family are run first.
    store.levels(&every)?;
    let all = plan(suite, &entries, &entrants, &store)?;
    let mut finished = Finished {
        all: all.len(),
        ..Finished::default()
    };
    let mut open = Vec::new();
    for run in all {
        if !store.has(&run.key)? {
            open.push(run);
        }
    }
    finished.before = finished.all - open.len();
    let stop = interrupt::flag();
    finished.foreign = store.foreign(&machine::program())?;
    if !open.is_empty() {
        (finished.now, finished.lost) = match options.engine {
            Engine::Local => (
                run_here(suite, &open, options.jobs.unwrap_or(1), &store, &stop)?,
                Vec::new(),
            ),
            Engine::Slurm => slurm::run_all(suite, &open, options, &store, &stop)?,
        };
    }
    finished.interrupted = finished.before + finished.now + finished.lost.len() < finished.all;
    let said = store.said()?;
    store.mark(&lies(&said))?;
    let lying = store
        .records()?
        .into_iter()
        .filter_map(|record| Some((record.level, record.solver, record.lie?)));
    finished.lies = lying.collect();
    Ok(finished)
}

/// All runs of a suite in their order. A solver that fits none of its games is a slip of the pen.
fn plan<'a>(
    suite: &Suite,
    entries: &'a [Entry],
    entrants: &'a [Entrant],
    store: &Store,
) -> Result<Vec<Run<'a>>, Failure> {
    let mut measures = BTreeMap::new();
    for (index, entrant) in entrants.iter().enumerate() {
        for entry in entries {
            let measure = || entrant.measure(entry.game, suite.measure.as_deref());
            measures.entry((index, entry.game)).or_insert_with(measure);
        }
    }
    for (index, entrant) in entrants.iter().enumerate() {
        let mut of_it = measures.iter().filter(|((of, _), _)| *of == index);
        if let Some((_, Err(why))) = of_it.clone().next()
            && of_it.all(|(_, measure)| measure.is_err())
        {
            let name = entrant.name();
            return Err(Failure::Usage(format!(
                "'{name}' fits no level of the suite: {why}"
            )));
        }
    }
    let numbers = store.levels(entries)?;
    let mut runs = Vec::new();
    for repeat in 1..=suite.repeats {
        for (entry, &level) in entries.iter().zip(&numbers) {
            for (index, entrant) in entrants.iter().enumerate() {
                let Ok(measure) = measures[&(index, entry.game)] else {
                    continue;
                };
                let key = Key {
                    level,
                    solver: entrant.name(),
                    definition: entrant.definition(),
                    base: entrant.base(),
                    measure: measure.to_string(),
                    repeat,
                    cpu: suite.limits.cpu,
                    wall: suite.limits.wall(),
                    memory: suite.limits.memory,
                };
                runs.push(Run {
                    entry,
                    entrant,
                    key,
                });
            }
        }
    }
    Ok(runs)
}

/// Makes all runs on this machine, and says how many were made before an interrupt.
fn run_here(
    suite: &Suite,
    runs: &[Run<'_>],
    jobs: usize,
    store: &Store,
    interrupt: &AtomicBool,
) -> Result<usize, Failure> {
    let session = store.session(
        suite,
        jobs,
        &machine::program(),
        &machine::machine().to_string(),
    )?;
    let wardens = Wardens::new();
    let stop = AtomicBool::new(false);
    let cores = cores();
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for job in 0..jobs.min(runs.len()) {
            let (wardens, stop, next, send) = (&wardens, &stop, &next, send.clone());
            // More jobs than cores share them.
            let core = (!cores.is_empty()).then(|| cores[job % cores.len()]);
            scope.spawn(move || {
                while !stop.load(SeqCst) {
                    let index = next.fetch_add(1, SeqCst);
                    let Some(run) = runs.get(index) else { break };
                    let (entry, measure) = (run.entry, &run.key.measure);
                    let done = make(
                        suite,
                        &entry.text,
                        run.entrant,
                        measure,
                        core,
                        wardens,
                        stop,
                    );
                    if send.send((index, done)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let bar = Bar::new(runs.len());
        let mut made = 0;
        let mut collect = || {
            loop {
                match receive.recv_timeout(Duration::from_millis(50)) {
                    Ok((index, done)) => {
                        if let Some(done) = done? {
                            store.write(session, &runs[index].key, &done)?;
                            made += 1;
                            bar.tell(&runs[index], &done);
                        }
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
                }
                if interrupt.load(SeqCst) {
                    stop.store(true, SeqCst);
                }
            }
        };
        let collected = collect();
        // After a failure the workers need not go on; what they run is ended.
        stop.store(true, SeqCst);
        bar.finish();
        collected.map(|()| made)
    })
}

/// Makes one run on the level of this text; `None`: it was stopped.
pub fn make(
    suite: &Suite,
    text: &str,
    entrant: &Entrant,
    measure: &str,
    core: Option<usize>,
    wardens: &Wardens,
    stop: &AtomicBool,
) -> Result<Option<Done>, Failure> {
    let started = machine::now();
    let place = Place::new(text)?;
    let command = match place.command(entrant, measure, suite, wardens) {
        Ok(command) => command,
        Err(Failure::Unsupported(why)) => {
            return Ok(Some(Done {
                started,
                core,
                ended: "refused".to_string(),
                answer: answer::silent(&why),
                ..Done::default()
            }));
        }
        Err(failure) => return Err(failure),
    };
    let order = Order {
        command,
        folder: place.folder().to_path_buf(),
        stdout: place.file("stdout"),
        stderr: place.file("stderr"),
        cpu: suite.limits.cpu,
        wall: suite.limits.wall(),
        memory: suite.limits.memory,
        grace: suite.limits.grace,
        core,
    };
    let measured = warden::run(&order, wardens, stop)?;
    let (ended, code) = match measured.ended {
        Ended::Exit(code) => ("exit", Some(code)),
        Ended::Signal(signal) => ("signal", Some(signal)),
        Ended::Cpu => ("cpu", None),
        Ended::Wall => ("wall", None),
        Ended::Memory => ("memory", None),
        Ended::Output => ("output", None),
        Ended::Stopped => return Ok(None),
    };
    let exit = code.filter(|_| ended == "exit");
    Ok(Some(Done {
        started,
        core,
        ended: ended.to_string(),
        code,
        cpu: measured.cpu.as_secs_f64(),
        wall: measured.wall.as_secs_f64(),
        memory: measured.memory,
        answer: answer::read(entrant, &place, measure, exit),
    }))
}

/// The cores that this process may use.
pub fn cores() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(Pid::this()) else {
        return Vec::new();
    };
    (0..CpuSet::count())
        .filter(|&core| set.is_set(core).unwrap_or(false))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The suites that come with the project: each can be read, makes its levels, and has no solver that fits none of them.
    #[test]
    fn every_suite_of_ours_can_be_run() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../suites");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("suites") {
            let file = entry.expect("a file").path();
            if file.extension().is_none_or(|ending| ending != "toml") {
                continue;
            }
            count += 1;
            let suite = Suite::read(&file.display().to_string())
                .unwrap_or_else(|bad| panic!("{}", bad.line()));
            let entries = levels(&suite, Some(2)).unwrap_or_else(|bad| panic!("{}", bad.line()));
            for entrant in Entrant::all(&suite) {
                let fits = |entry: &Entry| {
                    entrant
                        .measure(entry.game, suite.measure.as_deref())
                        .is_ok()
                };
                assert!(
                    entries.iter().any(fits),
                    "{}: {}",
                    file.display(),
                    entrant.name()
                );
            }
        }
        assert!(count >= 6);
    }
}
