//! Runs one program in a folder and a process group of its own, within a budget.
//!
//! The caller's thread checks the budget a hundred times a second, and reads the lines that another
//! thread takes from the program's output. At a limit the whole group is killed. A program that was
//! given the time limit itself has a moment (`GRACE`) to write its results first, because solvers
//! write their best solution at the end.
//!
//! On Linux the program gets a signal when the thread that started it ends, so that nothing is left
//! behind even if this process is killed. (A pipe that the program watches was no choice: solvers
//! do not read their input.)

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use ployglot_base::budget::memory_of_process;
use ployglot_base::programs::OnLine;
use ployglot_base::{Budget, Call, Limit, Progress, RunEnd, RunOutput};

/// How often the budget is checked.
const CHECK_EVERY: Duration = Duration::from_millis(10);
/// How many checks a program that was given the time limit may take longer.
const GRACE: u32 = 50;
/// How many checks pass between two readings of the program's memory.
const MEMORY_EVERY: u32 = 5;
/// The most output that is kept, in bytes, and the most of the error messages.
const MOST_OUTPUT: usize = 256 << 20;
const MOST_ERRORS: usize = 1 << 16;

/// Runs a program until it or the budget ends.
pub fn run(
    call: &Call,
    budget: &Budget,
    phase: &'static str,
    on_line: &mut OnLine,
) -> Result<RunOutput, String> {
    let name = call.program.display();
    let folder = tempfile::Builder::new().prefix("ploy-").tempdir();
    let folder = folder.map_err(|error| format!("no folder for {name}: {error}"))?;
    for (file, content) in &call.files {
        let written = std::fs::write(folder.path().join(file), content);
        written.map_err(|error| format!("{file} for {name}: {error}"))?;
    }
    let mut command = Command::new(&call.program);
    command
        .args(&call.arguments)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    own_group(&mut command);
    let mut child = command
        .spawn()
        .map_err(|error| format!("{name}: {error}"))?;
    let output = child.stdout.take().expect("it is piped");
    let errors = child.stderr.take().expect("it is piped");
    let (sender, lines) = mpsc::channel();
    // The threads end when the program and all that it started have closed their ends.
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            let text = String::from_utf8_lossy(&line).into_owned();
            line.clear();
            if sender.send(text).is_err() {
                break;
            }
        }
    });
    let errors = thread::spawn(move || last_bytes(errors));
    let mut reader = OutputReader {
        lines,
        kept: String::new(),
        on_line,
        progress: Progress {
            phase,
            ..Progress::default()
        },
    };
    let end = supervise(&mut child, call, budget, &mut reader);
    kill_group(&mut child);
    let _ = child.wait();
    while reader.next(CHECK_EVERY * 10).is_ok() {}
    let errors = errors.join().unwrap_or_default();
    let read = |file: &&str| {
        let bytes = std::fs::read(folder.path().join(file)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(RunOutput {
        end,
        output: reader.kept,
        errors: String::from_utf8_lossy(&errors).into_owned(),
        results: call.results.iter().map(read).collect(),
    })
}

/// The lines of a program, as they come.
struct OutputReader<'a, 'b> {
    lines: Receiver<String>,
    kept: String,
    on_line: &'a mut OnLine<'b>,
    progress: Progress,
}

impl OutputReader<'_, '_> {
    /// Takes the next line, waiting for it this long.
    fn next(&mut self, wait: Duration) -> Result<(), RecvTimeoutError> {
        let line = self.lines.recv_timeout(wait)?;
        (self.on_line)(line.trim_end(), &mut self.progress);
        if self.kept.len() + line.len() <= MOST_OUTPUT {
            self.kept.push_str(&line);
        }
        Ok(())
    }
}

/// Waits for the program, and says how it ended. At a limit it may still run.
fn supervise(child: &mut Child, call: &Call, budget: &Budget, reader: &mut OutputReader) -> RunEnd {
    let mut late = 0;
    let mut checks = 0u32;
    let mut next_check = budget.elapsed();
    loop {
        match reader.next(CHECK_EVERY) {
            Ok(()) if budget.elapsed() < next_check => continue,
            Err(RecvTimeoutError::Disconnected) => thread::sleep(CHECK_EVERY / 10),
            _ => {}
        }
        next_check = budget.elapsed() + CHECK_EVERY;
        match child.try_wait() {
            Ok(Some(status)) => return ended(status),
            Ok(None) => {}
            Err(_) => return RunEnd::Signal(0),
        }
        checks += 1;
        let progress = || reader.progress.clone();
        let mut checked = budget.check(progress);
        if checked.is_ok()
            && checks.is_multiple_of(MEMORY_EVERY)
            && !budget.affords(memory_of_process(child.id()))
        {
            checked = Err(Limit::Memory);
        }
        match checked {
            Ok(()) => {}
            Err(Limit::Time) if call.minds_time && late < GRACE => late += 1,
            Err(limit) => return RunEnd::Limit(limit),
        }
    }
}

/// Waits for a process while the check allows it; then kills its group.
pub fn wait_within(
    child: &mut Child,
    check: &mut dyn FnMut() -> Result<(), Limit>,
) -> Result<ExitStatus, Limit> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Ok(status);
        }
        if let Err(limit) = check() {
            kill_group(child);
            let _ = child.wait();
            return Err(limit);
        }
        thread::sleep(CHECK_EVERY);
    }
}

/// The last bytes of what is read.
fn last_bytes(mut from: impl Read) -> Vec<u8> {
    let mut kept = VecDeque::new();
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        kept.extend(&bytes[..read]);
        let surplus = kept.len().saturating_sub(MOST_ERRORS);
        kept.drain(..surplus);
    }
    kept.into()
}

#[cfg(unix)]
fn ended(status: ExitStatus) -> RunEnd {
    use std::os::unix::process::ExitStatusExt;
    let signal = || RunEnd::Signal(status.signal().unwrap_or(0));
    status.code().map_or_else(signal, RunEnd::Exit)
}

#[cfg(not(unix))]
fn ended(status: ExitStatus) -> RunEnd {
    RunEnd::Exit(status.code().unwrap_or(1))
}

/// The command starts a process group; on Linux, its process dies with the thread that starts it.
#[cfg(unix)]
#[allow(
    unsafe_code,
    reason = "a process can ask for the parent-death signal only between fork and exec"
)]
pub fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    #[cfg(target_os = "linux")]
    // SAFETY: `prctl` is a system call and allocates nothing, so it may be called after a fork.
    unsafe {
        command.pre_exec(|| {
            nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
            Ok(())
        });
    }
}

#[cfg(not(unix))]
pub fn own_group(_: &mut Command) {}

/// Kills the processes of the child's group.
#[cfg(unix)]
fn kill_group(child: &mut Child) {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    if let Ok(id) = i32::try_from(child.id()) {
        // The group may have ended already.
        let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    // It may have ended already.
    let _ = child.kill();
}
