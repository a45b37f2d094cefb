//! Makes all runs of a suite that the database does not have, in a fixed order, several at a time,
//! each bound to a core.
//!
//! The order is repeat, level, solver, so that an interrupted suite has results of every solver on
//! the levels that it reached. Workers take the next run from one list; only the thread that made
//! the list writes to the database.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

use super::answer;
use super::contradictions::contradictions;
use super::levels::{SuiteLevel, suite_levels};
use super::progress::Progress;
use super::run_folder::RunFolder;
use super::solver::AnySolver;
use super::store::{FinishedRun, Key, Store};
use super::suite::Suite;
use super::warden::{self, Ended, RunRequest, Wardens};
use super::{Engine, Finished, Options};
use super::{machine, slurm};
use ployglot_io::failure::Failure;
use ployglot_io::interrupt;

/// One run that is to be made.
pub struct Run<'a> {
    pub level: &'a SuiteLevel,
    pub solver: &'a AnySolver,
    pub key: Key,
}

/// Makes all runs of the suite that the database does not have, and marks those whose claims are
/// contradicted.
pub fn run(suite: &Suite, options: &Options) -> Result<Finished, Failure> {
    let levels = suite_levels(suite, options.first)?;
    let solvers = AnySolver::all(suite);
    let mut store = Store::open(&options.database)?;
    // Reports list levels by number. So all levels get their numbers in the order of the suite,
    // also where only the first ones of each family are run now.
    store.level_ids(&suite_levels(suite, None)?)?;
    let all = list_runs(suite, &levels, &solvers, &store)?;
    let mut finished = Finished {
        all: all.len(),
        ..Finished::default()
    };
    let mut missing = Vec::new();
    for run in all {
        if !store.contains(&run.key)? {
            missing.push(run);
        }
    }
    finished.before = finished.all - missing.len();
    let stop = interrupt::flag();
    finished.foreign = store.runs_of_other_builds(&machine::program())?;
    if !missing.is_empty() {
        match options.engine {
            Engine::Local => {
                let jobs = options.jobs.unwrap_or(1);
                run_locally(suite, &missing, jobs, &store, &stop, &mut finished)?;
            }
            Engine::Slurm => {
                (finished.now, finished.lost) =
                    slurm::run_all(suite, &missing, options, &store, &stop)?;
            }
        }
    }
    let ended = finished.before + finished.now + finished.lost.len() + finished.not_installed;
    finished.interrupted = ended < finished.all;
    let claims = store.claims()?;
    store.write_contradictions(&contradictions(&claims))?;
    let contradicted = store
        .records()?
        .into_iter()
        .filter_map(|record| Some((record.level, record.solver, record.contradiction?)));
    finished.contradicted = contradicted.collect();
    Ok(finished)
}

/// The most runs of a suite.
const MOST_RUNS: usize = 1_000_000;

/// All runs of a suite in their order. A solver that can solve no level of the suite is an error:
/// its name is probably misspelt.
fn list_runs<'a>(
    suite: &Suite,
    levels: &'a [SuiteLevel],
    solvers: &'a [AnySolver],
    store: &Store,
) -> Result<Vec<Run<'a>>, Failure> {
    let mut measures = BTreeMap::new();
    for (index, solver) in solvers.iter().enumerate() {
        for level in levels {
            let measure = || solver.measure(level.game, suite.measure.as_deref());
            measures.entry((index, level.game)).or_insert_with(measure);
        }
    }
    for (index, solver) in solvers.iter().enumerate() {
        let mut own = measures.iter().filter(|((of, _), _)| *of == index);
        if let Some((_, Err(why))) = own.clone().next()
            && own.all(|(_, measure)| measure.is_err())
        {
            let name = solver.name();
            return Err(Failure::Usage(format!(
                "'{name}' can solve no level of the suite: {why}"
            )));
        }
    }
    let count = (suite.repeats as usize).saturating_mul(levels.len() * solvers.len());
    if count > MOST_RUNS {
        return Err(Failure::Usage(format!(
            "the suite has {count} runs: {} repeats of {} solvers on {} levels; at most {MOST_RUNS} are possible",
            suite.repeats,
            solvers.len(),
            levels.len()
        )));
    }
    let ids = store.level_ids(levels)?;
    let mut runs = Vec::new();
    for repeat in 1..=suite.repeats {
        for (level, &id) in levels.iter().zip(&ids) {
            for (index, solver) in solvers.iter().enumerate() {
                let Ok(measure) = measures[&(index, level.game)] else {
                    continue;
                };
                let key = Key {
                    level: id,
                    solver: solver.name(),
                    definition: solver.definition(),
                    base: solver.base(),
                    measure: measure.to_string(),
                    repeat,
                    cpu: suite.limits.cpu,
                    wall: suite.limits.wall(),
                    memory: suite.limits.memory,
                };
                runs.push(Run { level, solver, key });
            }
        }
    }
    Ok(runs)
}

/// Makes all runs on this machine, until an interrupt. The runs of a solver that is not installed
/// are counted, but not made: a later command makes them.
fn run_locally(
    suite: &Suite,
    runs: &[Run<'_>],
    jobs: usize,
    store: &Store,
    interrupt: &AtomicBool,
    finished: &mut Finished,
) -> Result<(), Failure> {
    let session = store.add_session(
        suite,
        jobs,
        &machine::program(),
        &machine::machine().to_string(),
    )?;
    let wardens = Wardens::new();
    let stop = AtomicBool::new(false);
    let cores = cores();
    let next = AtomicUsize::new(0);
    // The solvers that are not installed, by name, each with a message.
    let absent: Mutex<BTreeMap<String, String>> = Mutex::default();
    let absent = || absent.lock().unwrap_or_else(PoisonError::into_inner);
    let (send, receive) = mpsc::channel();
    let ended = std::thread::scope(|scope| {
        for job in 0..jobs.min(runs.len()) {
            let (wardens, stop, next, send) = (&wardens, &stop, &next, send.clone());
            let absent = &absent;
            // Where there are more jobs than cores, several jobs share a core.
            let core = (!cores.is_empty()).then(|| cores[job % cores.len()]);
            scope.spawn(move || {
                while !stop.load(SeqCst) {
                    let index = next.fetch_add(1, SeqCst);
                    let Some(run) = runs.get(index) else { break };
                    let known = absent().get(&run.key.solver).cloned();
                    let run_now = || {
                        let text = &run.level.text;
                        let measure = &run.key.measure;
                        run_solver(suite, text, run.solver, measure, core, wardens, stop)
                    };
                    let done = known.map_or_else(run_now, |why| Ok(RunEnd::NotInstalled(why)));
                    if let Ok(RunEnd::NotInstalled(why)) = &done {
                        absent().insert(run.key.solver.clone(), why.clone());
                    }
                    if send.send((index, done)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let progress = Progress::new(runs.len());
        let mut collect = || {
            loop {
                match receive.recv_timeout(Duration::from_millis(50)) {
                    Ok((index, done)) => match done? {
                        RunEnd::Finished(done) => {
                            store.add_run(session, &runs[index].key, &done)?;
                            finished.now += 1;
                            progress.run_ended(&runs[index], &done);
                        }
                        RunEnd::NotInstalled(_) => finished.not_installed += 1,
                        RunEnd::Stopped => {}
                    },
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
                }
                if interrupt.load(SeqCst) {
                    stop.store(true, SeqCst);
                }
            }
        };
        let collected = collect();
        // After a failure the workers stop and end their runs.
        stop.store(true, SeqCst);
        progress.finish();
        collected
    });
    finished.absent = absent().values().cloned().collect();
    ended
}

/// How a run ended.
pub enum RunEnd {
    Finished(Box<FinishedRun>),
    /// The runner stopped it.
    Stopped,
    /// Its program is missing; the message for the user.
    NotInstalled(String),
}

/// The exit code of shells for a program that does not exist.
const NOT_FOUND: i32 = 127;

/// Makes one run on the level of this text.
pub fn run_solver(
    suite: &Suite,
    text: &str,
    solver: &AnySolver,
    measure: &str,
    core: Option<usize>,
    wardens: &Wardens,
    stop: &AtomicBool,
) -> Result<RunEnd, Failure> {
    let started = machine::unix_time();
    let folder = RunFolder::new(text)?;
    let command = match folder.command(solver, measure, suite, wardens) {
        Ok(command) => command,
        Err(Failure::Unsupported(why)) => {
            return Ok(RunEnd::Finished(Box::new(FinishedRun {
                started,
                core,
                ended: "refused".to_string(),
                answer: answer::error_answer(&why),
                ..FinishedRun::default()
            })));
        }
        Err(failure) => return Err(failure),
    };
    let request = RunRequest {
        command,
        folder: folder.path().to_path_buf(),
        stdout: folder.file("stdout"),
        stderr: folder.file("stderr"),
        cpu: suite.limits.cpu,
        wall: suite.limits.wall(),
        memory: suite.limits.memory,
        grace: suite.limits.grace,
        core,
    };
    let measured = warden::run(&request, wardens, stop)?;
    let (ended, code) = match measured.ended {
        Ended::Exit(code) => ("exit", Some(code)),
        Ended::Signal(signal) => ("signal", Some(signal)),
        Ended::Cpu => ("cpu", None),
        Ended::Wall => ("wall", None),
        Ended::Memory => ("memory", None),
        Ended::Output => ("output", None),
        Ended::Stopped => return Ok(RunEnd::Stopped),
    };
    let exit = code.filter(|_| ended == "exit");
    if let (AnySolver::External(solver), Some(NOT_FOUND)) = (solver, exit) {
        let why = folder.last_line("stderr").unwrap_or_default();
        let install = solver.install.as_ref();
        let install = install.map_or(String::new(), |how| format!("; to install it: {how}"));
        let message = format!("'{}' is not installed: {why}{install}", solver.name);
        let failure = suite.failure(solver.command.span(), message);
        return Ok(RunEnd::NotInstalled(failure.line()));
    }
    let answer = answer::read(solver, &folder, measure, exit);
    if answer.status == "error" {
        folder.check_space()?;
    }
    Ok(RunEnd::Finished(Box::new(FinishedRun {
        started,
        core,
        ended: ended.to_string(),
        code,
        cpu: measured.cpu.as_secs_f64(),
        wall: measured.wall.as_secs_f64(),
        memory: measured.memory,
        answer,
    })))
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

    /// Each suite of the project can be read, its levels can be made, and each of its solvers can
    /// solve some of them.
    #[test]
    fn every_suite_of_the_project_can_be_run() {
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
            let levels =
                suite_levels(&suite, Some(2)).unwrap_or_else(|bad| panic!("{}", bad.line()));
            for solver in AnySolver::all(&suite) {
                let fits = |level: &SuiteLevel| {
                    solver.measure(level.game, suite.measure.as_deref()).is_ok()
                };
                assert!(
                    levels.iter().any(fits),
                    "{}: {}",
                    file.display(),
                    solver.name()
                );
            }
        }
        assert!(count >= 6);
    }
}
