//! A process and all that descend from it, as `/proc` shows them: what they use, and their end.
//!
//! Descent is the only tie that a solver cannot cut. It may leave its process group (`setsid`) or have its parent die
//! (a daemon does both); then it becomes a child of the nearest ancestor that asked to be a *subreaper*, and the warden
//! did. So whatever a run has started is below its warden, for as long as it lives.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, SysconfVar, sysconf};

/// What a tree of processes uses now.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Of all that live, and of those that they have buried.
    pub cpu: Duration,
    /// Resident, in bytes. Pages that several processes share count once for each.
    pub memory: u64,
    /// The most that any single one of them ever had.
    pub highest: u64,
    pub processes: usize,
}

/// CPU time that was seen and is over: a solver that ignores the death of its children has them buried by nobody, and the
/// system forgets what they used.
#[derive(Default)]
pub struct Ledger {
    /// By number and start, because numbers are used again: the ticks of those that lived at the last look.
    living: BTreeMap<(i32, u64), u64>,
    gone: u64,
}

impl Ledger {
    fn enter(&mut self, now: BTreeMap<(i32, u64), u64>) {
        let ended = |(process, _): &(&(i32, u64), &u64)| !now.contains_key(process);
        self.gone += self
            .living
            .iter()
            .filter(ended)
            .map(|(_, ticks)| ticks)
            .sum::<u64>();
        self.living = now;
    }

    fn ticks(&self) -> u64 {
        self.gone + self.living.values().sum::<u64>()
    }
}

/// What all descendants of a process use; the process itself is not counted. `buried`: the time of those that the process has
/// buried. There are two accounts of CPU time, neither of which is ever too high: the system's, which misses those that nobody
/// buried, and ours, which misses those that came and went between two looks.
pub fn usage(root: Pid, ledger: &mut Ledger, buried: Duration) -> Usage {
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
        ticks += stat.ticks + stat.buried;
        own.insert((pid, stat.started), stat.ticks);
        usage.memory += stat.pages * page;
        usage.highest = usage.highest.max(highest(pid).unwrap_or(0));
        usage.processes += 1;
    }
    ledger.enter(own);
    let seconds = |ticks: u64| Duration::from_secs_f64(ticks as f64 / tick);
    usage.cpu = (seconds(ticks) + buried).max(seconds(ledger.ticks()));
    usage
}

/// What all descendants hold when shared pages are shared out among those who share them; slower than `usage`.
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

/// Ends all descendants of this process, for certain: they are frozen until no new one appears, so that none can fork
/// away, then killed and buried, and it is looked again until there is none. `spare` and what descends from it is left alone.
pub fn end_all(spare: &BTreeSet<i32>) {
    let own = Pid::this();
    // A process of another user (by sudo, say) cannot be killed; it must not keep us here for ever.
    for _ in 0..MOST_ROUNDS {
        let mut frozen = BTreeSet::new();
        loop {
            let found: Vec<i32> = below(own, spare)
                .into_iter()
                .filter(|pid| frozen.insert(*pid))
                .collect();
            if found.is_empty() {
                break;
            }
            for pid in found {
                let _ = kill(Pid::from_raw(pid), Signal::SIGSTOP);
            }
        }
        if frozen.is_empty() {
            return;
        }
        for pid in &frozen {
            let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
        }
        for pid in &frozen {
            // Those that are not ours yet will be when their parents are buried.
            let _ = waitpid(Pid::from_raw(*pid), Some(WaitPidFlag::WNOHANG));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// About ten seconds.
const MOST_ROUNDS: usize = 10_000;

/// Buries whatever child has ended, and gives the end of `child` if it is among them.
pub fn bury(child: Pid) -> Option<WaitStatus> {
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

/// The descendants of a process, parents first, without those of `spare`. The kernel's own lists of children are the quick
/// way; where it keeps none, all processes are read.
fn below(root: Pid, spare: &BTreeSet<i32>) -> Vec<i32> {
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
            if !spare.contains(&child) && seen.insert(child) {
                found.push(child);
                open.push(child);
            }
        }
    }
    found
}

fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let lists =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect()
}

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

struct Stat {
    parent: i32,
    /// Its own, and those of the children that it has buried.
    ticks: u64,
    buried: u64,
    /// When, since the system started.
    started: u64,
    pages: u64,
}

impl Stat {
    fn read(pid: i32) -> Option<Stat> {
        Stat::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The name, in brackets, may itself have blanks and brackets: the fields are counted from its end.
    fn parse(text: &str) -> Option<Stat> {
        let fields: Vec<&str> = text
            .get(text.rfind(')')? + 1..)?
            .split_whitespace()
            .collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        Some(Stat {
            parent: fields.get(1)?.parse().ok()?,
            ticks: number(11)? + number(12)?,
            buried: number(13)? + number(14)?,
            started: number(19)?,
            pages: number(21)?,
        })
    }
}

/// The most that a process ever had, in bytes.
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
    fn a_name_with_brackets_is_no_trap() {
        let text = "42 (a) R 1 (b) S 7 1 1 0 -1 0 0 0 0 0 10 20 30 40 20 0 1 0 99 1000 55 0";
        let stat = Stat::parse(text).expect("a line of stat");
        assert_eq!((stat.parent, stat.ticks, stat.buried), (7, 30, 70));
        assert_eq!((stat.started, stat.pages), (99, 55));
        assert!(Stat::parse("").is_none() && Stat::parse("1 (x) R").is_none());
    }

    #[test]
    fn what_is_over_stays_in_the_account() {
        let mut ledger = Ledger::default();
        ledger.enter(BTreeMap::from([((7, 1), 10), ((8, 1), 5)]));
        ledger.enter(BTreeMap::from([((8, 1), 6)]));
        // The number 7 is used again.
        ledger.enter(BTreeMap::from([((7, 2), 1), ((8, 1), 6)]));
        assert_eq!(ledger.ticks(), 17);
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
        assert!(usage(Pid::this(), &mut Ledger::default(), Duration::ZERO).processes >= 1);
        child.kill().expect("it lives");
        child.wait().expect("it ends");
    }
}
