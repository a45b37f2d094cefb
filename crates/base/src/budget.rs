//! What a solver may spend, and the only place that reads the clock and the memory.
//!
//! A search calls `check` now and then (every few hundred or thousand states). Looking at the clock is
//! cheap and done each time; looking at the memory is not, and is done about twenty times a second.
//! `check` also hands the progress to whoever watches, at most ten times a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::outcome::Limit;

#[derive(Clone)]
pub struct Budget {
    started: Instant,
    deadline: Option<Instant>,
    memory: Option<u64>,
    threads: usize,
    /// Any of them ends the work.
    interrupts: Vec<Arc<AtomicBool>>,
    watch: Option<Watch>,
    gauge: Arc<Gauge>,
}

/// Whoever wants to see the progress.
type Watch = Arc<dyn Fn(&Progress) + Send + Sync>;

/// What a search tells while it runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// What it is doing, in a word: `layer`, `bound`, `beam`, `horizon`.
    pub phase: &'static str,
    /// The number that goes with the phase.
    pub depth: u32,
    pub expanded: u64,
    pub stored: u64,
    /// Proven so far.
    pub at_least: u32,
    /// The cost of the best plan so far.
    pub best: Option<u32>,
    /// Bytes, of the whole process; filled in by the budget.
    pub memory: u64,
    /// Since the budget was made; filled in by the budget.
    pub seconds: f64,
}

/// What was read of the clock and the memory, shared by all clones.
#[derive(Default)]
struct Gauge {
    resident: AtomicU64,
    peak: AtomicU64,
    /// In milliseconds since the start.
    memory_read: AtomicU64,
    told: AtomicU64,
}

const MEMORY_EVERY: u64 = 50;
const TELL_EVERY: u64 = 100;

impl Budget {
    /// No limit, one thread, nobody watching.
    pub fn unlimited() -> Self {
        Self {
            started: Instant::now(),
            deadline: None,
            memory: None,
            threads: 1,
            interrupts: Vec::new(),
            watch: None,
            gauge: Arc::default(),
        }
    }

    pub fn with_time(mut self, time: Duration) -> Self {
        self.deadline = Instant::now().checked_add(time);
        self
    }

    /// In bytes, for the whole process.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Whoever holds the flag may raise it to end the work.
    pub fn with_interrupt(mut self, interrupt: Arc<AtomicBool>) -> Self {
        self.interrupts = vec![interrupt];
        self
    }

    pub fn with_watch(mut self, watch: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.watch = Some(Arc::new(watch));
        self
    }

    /// A share of this budget: ends after `time`, or when this one ends.
    pub fn part(&self, time: Duration) -> Self {
        let end = Instant::now().checked_add(time);
        let deadline = match (self.deadline, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self {
            deadline,
            ..self.clone()
        }
    }

    /// A share of this budget: ends when the flag is raised, as by an interrupt, or when this one ends. The flag ends nothing
    /// but the share, and who raises it knows best what to make of that.
    pub fn until(&self, flag: Arc<AtomicBool>) -> Self {
        let mut share = self.clone();
        share.interrupts.push(flag);
        share
    }

    /// The same budget, whose watcher is told what `retell` makes of the progress: a part of the work knows nothing of the whole.
    pub fn retold(&self, retell: impl Fn(Progress) -> Progress + Send + Sync + 'static) -> Self {
        let watch = self.watch.clone().map(|watch| -> Watch {
            Arc::new(move |progress: &Progress| watch(&retell(progress.clone())))
        });
        Self {
            watch,
            ..self.clone()
        }
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// `None`: no limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Bytes that may still be taken; `None`: no limit.
    pub fn memory_left(&self) -> Option<u64> {
        self.memory
            .map(|limit| limit.saturating_sub(self.read_memory()))
    }

    /// Whether a table may grow by this many bytes. Ask before a large allocation, because by the
    /// next `check` it would be too late.
    pub fn affords(&self, bytes: u64) -> bool {
        self.memory_left().is_none_or(|left| bytes <= left)
    }

    /// The largest memory seen so far, in bytes, of the whole process.
    pub fn peak_memory(&self) -> u64 {
        self.read_memory();
        self.gauge.peak.load(Relaxed)
    }

    /// Whether to go on; and the progress to whoever watches, if it is time to tell.
    pub fn check(&self, progress: impl FnOnce() -> Progress) -> Result<(), Limit> {
        if self.interrupts.iter().any(|flag| flag.load(Relaxed)) {
            return Err(Limit::Interrupt);
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Limit::Time);
        }
        let millis = now.duration_since(self.started).as_millis() as u64;
        if due(&self.gauge.memory_read, millis, MEMORY_EVERY) {
            let resident = self.read_memory();
            if self.memory.is_some_and(|limit| resident > limit) {
                return Err(Limit::Memory);
            }
        }
        if let Some(watch) = &self.watch
            && due(&self.gauge.told, millis, TELL_EVERY)
        {
            let memory = self.gauge.resident.load(Relaxed);
            watch(&Progress {
                memory,
                seconds: millis as f64 / 1000.0,
                ..progress()
            });
        }
        Ok(())
    }

    fn read_memory(&self) -> u64 {
        let resident = resident_bytes();
        self.gauge.resident.store(resident, Relaxed);
        self.gauge.peak.fetch_max(resident, Relaxed);
        resident
    }
}

/// Whether `every` milliseconds have gone by since the last time this was true.
fn due(last: &AtomicU64, now: u64, every: u64) -> bool {
    let seen = last.load(Relaxed);
    now >= seen + every && last.compare_exchange(seen, now, Relaxed, Relaxed).is_ok()
}

/// What the process occupies; 0 where the system does not tell.
fn resident_bytes() -> u64 {
    const PAGE: u64 = 4096;
    std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok())
        .map_or(0, |pages| pages * PAGE)
}

/// What the system could still give to this process, in bytes; `None` where it does not tell. A container's limit counts
/// like the machine's own.
pub fn available_memory() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let line = text
                .lines()
                .find(|line| line.starts_with("MemAvailable:"))?;
            let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
            Some(kilobytes << 10)
        });
    let number =
        |path: &str| -> Option<u64> { std::fs::read_to_string(path).ok()?.trim().parse().ok() };
    let left = |limit: &str, used: &str| Some(number(limit)?.saturating_sub(number(used)?));
    let containers = [
        left("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        left(
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ),
    ];
    containers.into_iter().chain([machine]).flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_ends_the_work() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_interrupt(flag.clone());
        assert_eq!(budget.check(Progress::default), Ok(()));
        flag.store(true, Relaxed);
        assert_eq!(budget.check(Progress::default), Err(Limit::Interrupt));
    }

    #[test]
    fn a_part_never_outlives_the_whole() {
        let whole = Budget::unlimited().with_time(Duration::ZERO);
        assert_eq!(
            whole.part(Duration::from_secs(60)).check(Progress::default),
            Err(Limit::Time)
        );
        let part = Budget::unlimited().part(Duration::ZERO);
        assert_eq!(part.check(Progress::default), Err(Limit::Time));
    }

    #[test]
    fn a_flag_ends_its_share_and_nothing_else() {
        let (all, one) = (Arc::new(AtomicBool::new(false)), Arc::default());
        let whole = Budget::unlimited().with_interrupt(all.clone());
        let (share, other) = (whole.until(Arc::clone(&one)), whole.until(Arc::default()));
        assert_eq!(share.check(Progress::default), Ok(()));
        one.store(true, Relaxed);
        assert_eq!(share.check(Progress::default), Err(Limit::Interrupt));
        assert_eq!(other.check(Progress::default), Ok(()));
        assert_eq!(whole.check(Progress::default), Ok(()));
        all.store(true, Relaxed);
        assert_eq!(other.check(Progress::default), Err(Limit::Interrupt));
    }

    #[test]
    fn the_watcher_of_a_part_is_told_of_the_whole() {
        let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
        let ears = heard.clone();
        let whole = Budget::unlimited().with_watch(move |progress| {
            ears.lock().expect("nobody panics").push(progress.clone());
        });
        let part = whole.retold(|part| Progress {
            best: Some(7),
            ..part
        });
        std::thread::sleep(Duration::from_millis(2 * TELL_EVERY));
        let progress = || Progress {
            expanded: 3,
            ..Progress::default()
        };
        assert_eq!(part.check(progress), Ok(()));
        let heard = heard.lock().expect("nobody panics");
        assert_eq!((heard[0].expanded, heard[0].best), (3, Some(7)));
    }

    #[test]
    fn memory_is_a_limit() {
        std::thread::sleep(Duration::from_millis(1));
        let budget = Budget::unlimited().with_memory(1);
        assert!(!budget.affords(1));
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(budget.check(Progress::default), Err(Limit::Memory));
    }
}
