//! A process and its descendants, as `/proc` shows them: what they use, and how to end them all.
//!
//! Descent is the only relation that a solver cannot break. A process may leave its process group
//! (`setsid`), and its parent may end (a daemon does both); then it becomes a child of the nearest
//! ancestor that is a *subreaper*, which is the warden. So every process that a run has started is
//! a descendant of its warden, as long as it lives.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, SysconfVar, sysconf};

/// What a tree of processes uses now.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// CPU time of all living processes and of the children that they have reaped.
    pub cpu: Duration,
    /// Resident memory in bytes. Pages that several processes share count once for each process.
    pub memory: u64,
    /// The highest peak of resident memory of any single process.
    pub highest: u64,
    /// The number of processes.
    pub processes: usize,
}

/// The CPU time of all processes that were ever seen. Needed because the system drops the CPU time
/// of children that are never waited for, such as those of a solver that ignores SIGCHLD.
#[derive(Default)]
pub struct CpuAccount {
    /// The ticks of the processes that lived at the last sample, by process number and start time,
    /// because process numbers are used again.
    living: BTreeMap<(i32, u64), u64>,
    /// The ticks of the processes that have ended.
    ended: u64,
}

impl CpuAccount {
    /// Takes a new sample.
    fn add_sample(&mut self, now: BTreeMap<(i32, u64), u64>) {
        let has_ended = |(process, _): &(&(i32, u64), &u64)| !now.contains_key(process);
        self.ended += self
            .living
            .iter()
            .filter(has_ended)
            .map(|(_, ticks)| ticks)
            .sum::<u64>();
        self.living = now;
    }

    fn ticks(&self) -> u64 {
        self.ended + self.living.values().sum::<u64>()
    }
}

/// What all descendants of a process use, without the process itself. `reaped`: the CPU time of the
/// children that the process has reaped. CPU time is the larger of two sums, neither of which is
/// ever too high: the system's, which misses children that were not waited for, and that of our
/// samples, which misses processes that started and ended between two samples.
pub fn usage(root: Pid, account: &mut CpuAccount, reaped: Duration) -> Usage {
    let setting = |name, default| sysconf(name).ok().flatten().unwrap_or(default).max(1);
    let tick = setting(SysconfVar::CLK_TCK, 100) as f64;
    let page = setting(SysconfVar::PAGE_SIZE, 4096) as u64;
    let mut usage = Usage::default();
    let mut ticks = 0;
    let mut own = BTreeMap::new();
    for pid in descendants(root) {
        let Some(stat) = Stat::read(pid) else {
            continue;
        };
        ticks += stat.ticks + stat.reaped;
        own.insert((pid, stat.started), stat.ticks);
        usage.memory += stat.pages * page;
        usage.highest = usage.highest.max(highest(pid).unwrap_or(0));
        usage.processes += 1;
    }
    account.add_sample(own);
    let seconds = |ticks: u64| Duration::from_secs_f64(ticks as f64 / tick);
    usage.cpu = (seconds(ticks) + reaped).max(seconds(account.ticks()));
    usage
}

/// The memory of all descendants, where each shared page counts once in total (proportional set
/// size); slower than `usage`.
pub fn fair_memory(root: Pid) -> u64 {
    let share = |pid: &i32| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
        kilobytes(&text, "Pss:")
    };
    descendants(root).iter().filter_map(share).sum()
}

/// Sends a signal to all descendants.
pub fn signal(root: Pid, signal: Signal) {
    for pid in descendants(root) {
        let _ = kill(Pid::from_raw(pid), signal);
    }
}

/// Kills all descendants of this process, except the processes of `except` and their descendants.
/// They are stopped until no new one appears, so that none can escape by forking, then killed and
/// reaped; this is repeated until there are none.
pub fn kill_descendants(except: &BTreeSet<i32>) {
    let own = Pid::this();
    // The number of rounds is limited, because a process of another user (by sudo) cannot be
    // killed.
    for _ in 0..MOST_ROUNDS {
        let mut stopped = BTreeSet::new();
        loop {
            let found: Vec<i32> = below(own, except)
                .into_iter()
                .filter(|pid| stopped.insert(*pid))
                .collect();
            if found.is_empty() {
                break;
            }
            for pid in found {
                let _ = kill(Pid::from_raw(pid), Signal::SIGSTOP);
            }
        }
        if stopped.is_empty() {
            return;
        }
        for pid in &stopped {
            let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
        }
        for pid in &stopped {
            // Some become our children only when their parents are reaped, in a later round.
            let _ = waitpid(Pid::from_raw(*pid), Some(WaitPidFlag::WNOHANG));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// About ten seconds, at a millisecond a round.
const MOST_ROUNDS: usize = 10_000;

/// Reaps all children that have ended, and returns the status of `child` if it is one of them.
pub fn reap(child: Pid) -> Option<WaitStatus> {
    let mut end = None;
    while let Ok(status) = waitpid(Pid::from_raw(-1), Some(WaitPidFlag::WNOHANG)) {
        match status.pid() {
            None => break,
            Some(pid) if pid == child => end = Some(status),
            Some(_) => {}
        }
    }
    end
}

fn descendants(root: Pid) -> Vec<i32> {
    below(root, &BTreeSet::new())
}

/// The descendants of a process, parents first, without the processes of `except` and their
/// descendants. Reads the kernel's lists of children or, on kernels without them, all processes.
fn below(root: Pid, except: &BTreeSet<i32>) -> Vec<i32> {
    let listed = std::fs::exists(format!("/proc/{root}/task/{root}/children")).unwrap_or(false);
    let parents = if listed { None } else { Some(by_parent()) };
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([root.as_raw()]);
    let mut open = vec![root.as_raw()];
    while let Some(pid) = open.pop() {
        let children = match &parents {
            Some(parents) => parents.get(&pid).cloned().unwrap_or_default(),
            None => children(pid),
        };
        for child in children {
            if !except.contains(&child) && seen.insert(child) {
                found.push(child);
                open.push(child);
            }
        }
    }
    found
}

/// The children of a process, by the kernel's lists.
fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let lists = threads
        .filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The children of every process, by reading all processes.
fn by_parent() -> BTreeMap<i32, Vec<i32>> {
    let mut parents: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return parents;
    };
    for entry in entries.flatten() {
        let pid = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        if let Some(pid) = pid
            && let Some(stat) = Stat::read(pid)
        {
            parents.entry(stat.parent).or_default().push(pid);
        }
    }
    parents
}

/// The fields of `/proc/PID/stat` that are used here.
struct Stat {
    parent: i32,
    /// CPU time in clock ticks.
    ticks: u64,
    /// CPU time of the children that it has reaped.
    reaped: u64,
    /// Start time, in ticks since the system started.
    started: u64,
    /// Resident memory, in pages.
    pages: u64,
}

impl Stat {
    fn read(pid: i32) -> Option<Stat> {
        Stat::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The fields are counted from the end of the name, which is in brackets and may itself contain
    /// blanks and brackets.
    fn parse(text: &str) -> Option<Stat> {
        let fields: Vec<&str> = text
            .get(text.rfind(')')? + 1..)?
            .split_whitespace()
            .collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        Some(Stat {
            parent: fields.get(1)?.parse().ok()?,
            ticks: number(11)? + number(12)?,
            reaped: number(13)? + number(14)?,
            started: number(19)?,
            pages: number(21)?,
        })
    }
}

/// The peak of resident memory of a process, in bytes.
fn highest(pid: i32) -> Option<u64> {
    kilobytes(
        &std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?,
        "VmHWM:",
    )
}

/// The figure of a line such as `VmHWM:  1234 kB`, in bytes.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(number << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_may_contain_brackets() {
        let text = "42 (a) R 1 (b) S 7 1 1 0 -1 0 0 0 0 0 10 20 30 40 20 0 1 0 99 1000 55 0";
        let stat = Stat::parse(text).expect("a line of stat");
        assert_eq!((stat.parent, stat.ticks, stat.reaped), (7, 30, 70));
        assert_eq!((stat.started, stat.pages), (99, 55));
        assert!(Stat::parse("").is_none() && Stat::parse("1 (x) R").is_none());
    }

    #[test]
    fn ticks_of_ended_processes_are_kept() {
        let mut account = CpuAccount::default();
        account.add_sample(BTreeMap::from([((7, 1), 10), ((8, 1), 5)]));
        account.add_sample(BTreeMap::from([((8, 1), 6)]));
        // The process number 7 is used again.
        account.add_sample(BTreeMap::from([((7, 2), 1), ((8, 1), 6)]));
        assert_eq!(account.ticks(), 17);
    }

    #[test]
    fn both_ways_to_find_children_agree() {
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .expect("sleep");
        let pid = child.id() as i32;
        let own = Pid::this().as_raw();
        // The kernel lists a child under the thread that started it.
        assert!(
            children(own).contains(&pid) || !std::fs::exists("/proc/self/task").unwrap_or(false)
        );
        assert!(by_parent()[&own].contains(&pid));
        assert!(usage(Pid::this(), &mut CpuAccount::default(), Duration::ZERO).processes >= 1);
        child.kill().expect("the child runs");
        child.wait().expect("the child ends");
    }
}
