//! One run, under guard: started, measured, held to its limits, and ended with everything it started.
//!
//! The runner does not start solvers itself. For every run it starts this program again as a *warden*, in a process group of
//! its own, and writes to its standard input what to run; the warden answers with one line of JSON. That has three reasons.
//! A warden is the *subreaper* of its run, so whatever the solver forks stays below it (see `tree.rs`) and the system's
//! account of buried children is the account of this run alone. A pipe leads from the runner to the warden: when the runner
//! ends, in whichever way, the pipe closes, and the warden ends its run. And when a warden is killed, its solver dies by the
//! parent-death signal, and what the solver had started falls to the runner, which is a subreaper too.
//!
//! The parent-death signal has to be asked for by the solver's process itself, before it becomes the solver. So a warden
//! starts this program once more as a *ward*, which asks for it, binds itself to its core, and then turns into the solver.
//!
//! Time limits are first told with SIGTERM: a solver that listens may use the grace to print its best bound. What is over
//! the memory limit is killed at once. Memory is looked at every few milliseconds, so a process that takes gigabytes in less
//! is caught a little late; its peak is in the account either way.

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

use super::tree;
use ployglot_io::failure::Failure;

/// What is to be run, and within what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    pub command: Vec<String>,
    /// Where it runs; goes with a run that is stopped.
    pub folder: PathBuf,
    /// Where its output goes.
    pub stdout: PathBuf,
    pub stderr: PathBuf,
    pub cpu: Duration,
    pub wall: Duration,
    /// In bytes.
    pub memory: u64,
    /// From the first warning to the end.
    pub grace: Duration,
    pub core: Option<usize>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    Exit(i32),
    Signal(i32),
    /// Over its CPU time, its wall time, its memory, or the most that it may print.
    Cpu,
    Wall,
    Memory,
    Output,
    /// The runner wanted no more of it.
    Stopped,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub ended: Ended,
    pub cpu: Duration,
    pub wall: Duration,
    /// The most memory that all its processes had at once, in bytes.
    pub memory: u64,
}

/// What a solver may print to each of its outputs.
const MOST_OUTPUT: u64 = 256 << 20;

const WARDEN: &str = "--bench-warden";
const WARD: &str = "--bench-ward";

/// This program, also when its file has been replaced since.
pub const SELF: &str = "/proc/self/exe";

/// If the program was started as a warden or a ward: its whole work.
pub fn called() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    match words.nth(1)?.to_str()? {
        WARDEN => Some(guard()),
        WARD => Some(become_solver(
            words
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
        )),
        _ => None,
    }
}

/// Runs what is ordered; `stop` ends it early. For the runner.
pub fn run(order: &Order, wardens: &Wardens, stop: &AtomicBool) -> Result<Measured, Failure> {
    let failed = |error| Failure::io("a warden", error);
    let mut warden = wardens.start().map_err(failed)?;
    let mut pipe = warden.stdin.take().expect("a pipe");
    let line = serde_json::to_string(order).expect("an order is plain data");
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
    let mut said = String::new();
    if let Some(mut out) = warden.stdout.take() {
        out.read_to_string(&mut said).map_err(failed)?;
    }
    serde_json::from_str(&said).map_err(|_| {
        // It was killed: what its solver had started has fallen to us.
        wardens.end_orphans();
        Failure::Defect(format!(
            "the warden of a run ended without a word ({status})"
        ))
    })
}

/// The wardens that live now, and what else the runner has started itself.
#[derive(Default)]
pub struct Wardens(std::sync::Mutex<BTreeSet<i32>>);

impl Wardens {
    pub fn new() -> Wardens {
        // Where the system has no such thing, only the killing of a warden leaves something behind.
        let _ = set_child_subreaper(true);
        Wardens::default()
    }

    fn living(&self) -> std::sync::MutexGuard<'_, BTreeSet<i32>> {
        self.0.lock().expect("no holder panics")
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

    /// Runs a helper of our own to its end; it is no orphan meanwhile.
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

    fn end_orphans(&self) {
        let living = self.living();
        tree::end_all(&living);
    }
}

fn guard() -> ExitCode {
    match guarded() {
        Ok(measured) => {
            let said = serde_json::to_string(&measured).expect("it is plain data");
            // A runner that is gone needs no answer.
            let _ = writeln!(std::io::stdout(), "{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("ploy bench: a run could not be started: {error}");
            ExitCode::FAILURE
        }
    }
}

fn guarded() -> std::io::Result<Measured> {
    set_child_subreaper(true)?;
    let mut input = BufReader::new(std::io::stdin());
    let mut line = String::new();
    input.read_line(&mut line)?;
    let order: Order = serde_json::from_str(&line)?;
    let stop = Arc::new(AtomicBool::new(false));
    let raised = stop.clone();
    std::thread::spawn(move || {
        // Nothing more is ever written: this ends when the runner drops the pipe, or dies.
        let _ = std::io::copy(&mut input, &mut std::io::sink());
        raised.store(true, SeqCst);
    });
    let started = Instant::now();
    let core = order.core.map_or("-".to_string(), |core| core.to_string());
    let child = Command::new(SELF)
        .arg0("ploy")
        .args([WARD, &std::process::id().to_string(), &core])
        .args(&order.command)
        .current_dir(&order.folder)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&order.stdout)?)
        .stderr(std::fs::File::create(&order.stderr)?)
        .spawn()?;
    let measured = watch(&order, Pid::from_raw(child.id() as i32), started, &stop);
    if measured.ended == Ended::Stopped {
        // Nobody will read what is there, and a runner that was killed cannot clear it away.
        let _ = std::fs::remove_dir_all(&order.folder);
    }
    Ok(measured)
}

fn watch(order: &Order, child: Pid, started: Instant, stop: &AtomicBool) -> Measured {
    let own = Pid::this();
    let (mut cpu, mut memory) = (Duration::ZERO, 0);
    let mut ledger = tree::Ledger::default();
    let mut over: Option<(Ended, Instant)> = None;
    let ended = loop {
        if let Some(status) = tree::bury(child) {
            break match (over, status) {
                (Some((why, _)), _) => why,
                (None, WaitStatus::Exited(_, code)) => Ended::Exit(code),
                (None, WaitStatus::Signaled(_, signal, _)) => Ended::Signal(signal as i32),
                (None, _) => Ended::Signal(0),
            };
        }
        let usage = tree::usage(own, &mut ledger, buried().0);
        cpu = cpu.max(usage.cpu);
        let now = if usage.processes > 1 && usage.memory > order.memory {
            tree::fair_memory(own)
        } else {
            usage.memory
        };
        memory = memory.max(now).max(usage.highest);
        if stop.load(SeqCst) {
            break Ended::Stopped;
        }
        if memory > order.memory {
            break Ended::Memory;
        }
        if [&order.stdout, &order.stderr]
            .into_iter()
            .any(|file| length(file) > MOST_OUTPUT)
        {
            break Ended::Output;
        }
        let late = if cpu > order.cpu {
            Some(Ended::Cpu)
        } else {
            Some(Ended::Wall).filter(|_| started.elapsed() > order.wall)
        };
        match (over, late) {
            (Some((why, at)), _) if at.elapsed() >= order.grace => break why,
            (None, Some(why)) => {
                over = Some((why, Instant::now()));
                tree::signal(own, Signal::SIGTERM);
            }
            _ => {}
        }
        // Short runs are looked at often, long ones are left in peace.
        let age = started.elapsed();
        std::thread::sleep((age / 20).clamp(Duration::from_millis(2), Duration::from_millis(20)));
    };
    tree::end_all(&BTreeSet::new());
    let wall = started.elapsed();
    // What lived and died between two looks is in the system's account of the buried.
    let (buried_cpu, buried_memory) = buried();
    cpu = cpu.max(buried_cpu);
    memory = memory.max(buried_memory);
    let ended = match ended {
        Ended::Exit(_) | Ended::Signal(_) if memory > order.memory => Ended::Memory,
        Ended::Exit(_) | Ended::Signal(_) if cpu > order.cpu => Ended::Cpu,
        ended => ended,
    };
    Measured {
        ended,
        cpu,
        wall,
        memory,
    }
}

/// CPU time of all that were buried, and the most memory that one of them had. A process begins its life in the memory of
/// this program, so a figure that is not above our own says nothing.
fn buried() -> (Duration, u64) {
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

/// The warden's process, the core, and the command; on success it does not return.
fn become_solver(words: Vec<String>) -> ExitCode {
    let [warden, core, command @ ..] = &words[..] else {
        return ExitCode::FAILURE;
    };
    let _ = set_pdeathsig(Signal::SIGKILL);
    // The warden may have died before the signal was asked for.
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
    eprintln!("{program}: {error}");
    ExitCode::from(127)
}
