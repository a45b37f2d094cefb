//! The warden: the process that guards one run. It starts the solver, measures it, holds it to its
//! limits, and ends it with every process that it started.
//!
//! The runner does not start solvers itself. For every run it starts this program again as a
//! *warden*, in a process group of its own, and writes to its standard input what to run; the
//! warden answers with one line of JSON. There are three reasons:
//!
//! - A warden is the *subreaper* of its run. So every process that the solver forks remains a
//!   descendant of the warden (see `process_tree.rs`), and the system's CPU time of reaped children
//!   is that of this run alone.
//! - A pipe leads from the runner to the warden. When the runner ends for any reason, the pipe
//!   closes, and the warden ends its run.
//! - When a warden is killed, its solver dies by the parent-death signal, and the processes that
//!   the solver had started become children of the runner, which is a subreaper too and kills them.
//!
//! A process has to request the parent-death signal itself. So a warden starts this program once
//! more as a *ward*, which requests the signal, binds itself to its core, and then becomes the
//! solver by `exec`.
//!
//! At a time limit all processes get SIGTERM first, so that a solver can use the grace time to
//! print its best bound. A run over the memory limit is killed at once. Memory is sampled every few
//! milliseconds: a process that allocates gigabytes between two samples is killed a little late,
//! but its peak is recorded.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl::{set_child_subreaper, set_pdeathsig};
use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use nix::sys::signal::Signal;
use nix::sys::time::TimeValLike;
use nix::sys::wait::WaitStatus;
use nix::unistd::{Pid, getppid};
use serde::{Deserialize, Serialize};

use super::process_tree;
use ployglot_io::failure::Failure;

/// What is to be run, and its limits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRequest {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The working directory; removed by the warden if the run is stopped.
    pub folder: PathBuf,
    /// The files for standard output and standard error.
    pub stdout: PathBuf,
    pub stderr: PathBuf,
    /// The limit of CPU time.
    pub cpu: Duration,
    /// The limit of wall-clock time.
    pub wall: Duration,
    /// The limit of memory, in bytes.
    pub memory: u64,
    /// The time from SIGTERM to SIGKILL at a time limit.
    pub grace: Duration,
    /// The core that the solver is bound to.
    pub core: Option<usize>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// By itself, with this exit code.
    Exit(i32),
    /// By a signal that the warden did not send.
    Signal(i32),
    /// Over the limit of CPU time.
    Cpu,
    /// Over the limit of wall-clock time.
    Wall,
    /// Over the limit of memory.
    Memory,
    /// It printed more than `MOST_OUTPUT`.
    Output,
    /// The runner stopped it.
    Stopped,
}

/// How a run ended and what it used.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub ended: Ended,
    pub cpu: Duration,
    pub wall: Duration,
    /// Peak memory of all its processes together, in bytes.
    pub memory: u64,
}

/// The most bytes that a solver may print to standard output or to standard error.
const MOST_OUTPUT: u64 = 256 << 20;

const WARDEN: &str = "--bench-warden";
const WARD: &str = "--bench-ward";

/// The running program, even where its file has been replaced since it started.
pub const SELF: &str = "/proc/self/exe";

/// Does the work of a warden or a ward, if the program was started as one.
pub fn run_as_warden_or_ward() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    match words.nth(1)?.to_str()? {
        WARDEN => Some(warden_main()),
        WARD => Some(become_solver(
            words
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
        )),
        _ => None,
    }
}

/// Starts a warden and waits for its result; `stop` ends the run early. Called by the runner.
pub fn run(
    request: &RunRequest,
    wardens: &Wardens,
    stop: &AtomicBool,
) -> Result<Measured, Failure> {
    let failed = |error| Failure::io("the guard of a run", error);
    let mut warden = wardens.start().map_err(failed)?;
    let mut pipe = warden.stdin.take().expect("standard input is a pipe");
    let line = serde_json::to_string(request).expect("a request is plain data");
    // A warden that died before reading is noticed below.
    let _ = writeln!(pipe, "{line}");
    let mut pipe = Some(pipe);
    let status = loop {
        if let Some(status) = warden.try_wait().map_err(failed)? {
            break status;
        }
        if stop.load(SeqCst) {
            pipe = None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    drop(pipe);
    wardens.ended(&warden);
    let mut answer = String::new();
    if let Some(mut out) = warden.stdout.take() {
        out.read_to_string(&mut answer).map_err(failed)?;
    }
    serde_json::from_str(&answer).map_err(|_| {
        // The warden was killed, so this process is now the parent of what its solver had started.
        wardens.kill_orphans();
        Failure::Defect(format!(
            "the guard of a run ended without a result ({status})"
        ))
    })
}

/// The living wardens and other children that the runner has started itself.
#[derive(Default)]
pub struct Wardens(std::sync::Mutex<BTreeSet<i32>>);

impl Wardens {
    /// Makes this process a subreaper.
    pub fn new() -> Wardens {
        // Without subreapers, processes can survive only where a warden is killed.
        let _ = set_child_subreaper(true);
        Wardens::default()
    }

    fn living(&self) -> std::sync::MutexGuard<'_, BTreeSet<i32>> {
        self.0
            .lock()
            .expect("no thread panics while it holds this lock")
    }

    fn start(&self) -> std::io::Result<Child> {
        let mut living = self.living();
        let mut command = Command::new(SELF);
        command.arg0("ploy").arg(WARDEN).process_group(0);
        let warden = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        living.insert(warden.id() as i32);
        Ok(warden)
    }

    fn ended(&self, warden: &Child) {
        self.living().remove(&(warden.id() as i32));
    }

    /// Runs a command to its end, registered so that `kill_orphans` does not kill it.
    pub fn output(&self, command: &mut Command) -> std::io::Result<Output> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut living = self.living();
        let child = command.spawn()?;
        let pid = child.id() as i32;
        living.insert(pid);
        drop(living);
        let output = child.wait_with_output();
        self.living().remove(&pid);
        output
    }

    /// Kills all descendants of this process but the registered children and their descendants.
    fn kill_orphans(&self) {
        let living = self.living();
        process_tree::kill_descendants(&living);
    }
}

/// The main function of a warden.
fn warden_main() -> ExitCode {
    match guard_run() {
        Ok(measured) => {
            let answer = serde_json::to_string(&measured).expect("a measurement is plain data");
            // The write fails where the runner has ended.
            let _ = writeln!(std::io::stdout(), "{answer}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("ploy bench: a run could not be started: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Reads a request from standard input and runs it.
fn guard_run() -> std::io::Result<Measured> {
    set_child_subreaper(true)?;
    let mut input = BufReader::new(std::io::stdin());
    let mut line = String::new();
    input.read_line(&mut line)?;
    let request: RunRequest = serde_json::from_str(&line)?;
    let stop = Arc::new(AtomicBool::new(false));
    let closed = stop.clone();
    std::thread::spawn(move || {
        // The runner writes nothing more: the copy ends when the runner closes the pipe or ends.
        let _ = std::io::copy(&mut input, &mut std::io::sink());
        closed.store(true, SeqCst);
    });
    let started = Instant::now();
    let core = request
        .core
        .map_or("-".to_string(), |core| core.to_string());
    let child = Command::new(SELF)
        .arg0("ploy")
        .args([WARD, &std::process::id().to_string(), &core])
        .args(&request.command)
        .current_dir(&request.folder)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&request.stdout)?)
        .stderr(std::fs::File::create(&request.stderr)?)
        .spawn()?;
    let measured = watch(&request, Pid::from_raw(child.id() as i32), started, &stop);
    if measured.ended == Ended::Stopped {
        // The files are not needed any more, and a runner that was killed cannot remove them.
        let _ = std::fs::remove_dir_all(&request.folder);
    }
    Ok(measured)
}

/// Waits for the end of the solver, measures its processes and enforces the limits.
fn watch(request: &RunRequest, child: Pid, started: Instant, stop: &AtomicBool) -> Measured {
    let own = Pid::this();
    let (mut cpu, mut memory) = (Duration::ZERO, 0);
    let mut account = process_tree::CpuAccount::default();
    let mut over: Option<(Ended, Instant)> = None;
    let ended = loop {
        if let Some(status) = process_tree::reap(child) {
            break match (over, status) {
                (Some((why, _)), _) => why,
                (None, WaitStatus::Exited(_, code)) => Ended::Exit(code),
                (None, WaitStatus::Signaled(_, signal, _)) => Ended::Signal(signal as i32),
                (None, _) => Ended::Signal(0),
            };
        }
        let usage = process_tree::usage(own, &mut account, reaped().0);
        cpu = cpu.max(usage.cpu);
        let now = if usage.processes > 1 && usage.memory > request.memory {
            process_tree::fair_memory(own)
        } else {
            usage.memory
        };
        memory = memory.max(now).max(usage.highest);
        if stop.load(SeqCst) {
            break Ended::Stopped;
        }
        if memory > request.memory {
            break Ended::Memory;
        }
        if [&request.stdout, &request.stderr]
            .into_iter()
            .any(|file| length(file) > MOST_OUTPUT)
        {
            break Ended::Output;
        }
        let late = if cpu > request.cpu {
            Some(Ended::Cpu)
        } else {
            Some(Ended::Wall).filter(|_| started.elapsed() > request.wall)
        };
        match (over, late) {
            (Some((why, at)), _) if at.elapsed() >= request.grace => break why,
            (None, Some(why)) => {
                over = Some((why, Instant::now()));
                process_tree::signal(own, Signal::SIGTERM);
            }
            _ => {}
        }
        // Short runs are sampled more often than long ones.
        let age = started.elapsed();
        std::thread::sleep((age / 20).clamp(Duration::from_millis(2), Duration::from_millis(20)));
    };
    process_tree::kill_descendants(&BTreeSet::new());
    let wall = started.elapsed();
    // Processes that started and ended between two samples are in the usage of reaped children.
    let (reaped_cpu, reaped_memory) = reaped();
    cpu = cpu.max(reaped_cpu);
    memory = memory.max(reaped_memory);
    let ended = match ended {
        Ended::Exit(_) | Ended::Signal(_) if memory > request.memory => Ended::Memory,
        Ended::Exit(_) | Ended::Signal(_) if cpu > request.cpu => Ended::Cpu,
        ended => ended,
    };
    Measured {
        ended,
        cpu,
        wall,
        memory,
    }
}

/// The CPU time of all reaped children, and the peak memory of the largest one. A child starts with
/// the memory of this program, so a peak that is not above our own is not the solver's.
fn reaped() -> (Duration, u64) {
    let Ok(children) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
        return (Duration::ZERO, 0);
    };
    let micros = (children.user_time() + children.system_time()).num_microseconds();
    let own = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |own| own.max_rss());
    let highest = if children.max_rss() > own {
        children.max_rss() as u64
    } else {
        0
    };
    (Duration::from_micros(micros.max(0) as u64), highest << 10)
}

fn length(file: &std::path::Path) -> u64 {
    std::fs::metadata(file).map_or(0, |file| file.len())
}

/// The main function of a ward. The arguments are the warden's process, the core, and the command;
/// on success it does not return.
fn become_solver(words: Vec<String>) -> ExitCode {
    let [warden, core, command @ ..] = &words[..] else {
        return ExitCode::FAILURE;
    };
    let _ = set_pdeathsig(Signal::SIGKILL);
    // The warden may have ended before the signal was requested.
    if getppid().to_string() != *warden {
        return ExitCode::FAILURE;
    }
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    if let Ok(core) = core.parse() {
        let mut set = CpuSet::new();
        let _ = set
            .set(core)
            .and_then(|()| sched_setaffinity(Pid::this(), &set));
    }
    let [program, arguments @ ..] = command else {
        return ExitCode::FAILURE;
    };
    let error = Command::new(program).args(arguments).exec();
    // The exit codes are those of shells.
    if error.kind() == std::io::ErrorKind::NotFound {
        let place = if program.contains('/') {
            ""
        } else {
            " in PATH"
        };
        eprintln!("there is no program '{program}'{place}");
        return ExitCode::from(127);
    }
    eprintln!("{program}: {error}");
    ExitCode::from(126)
}
