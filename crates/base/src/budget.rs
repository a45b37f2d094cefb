//! What a solver may spend, and the only place that reads the clock and the memory.
//!
//! A search calls `check` now and then (every few hundred or thousand states). Reading the clock is
//! cheap and done each time; reading the memory is not, and is done at the first check and then about
//! twenty times a second.
//! `check` also passes the progress to the watcher, at most ten times a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::gate::Gate;
use crate::outcome::Limit;
use crate::phases::{Phase, PhaseClock, PhaseTimes};
use crate::programs::Programs;

/// What a solver may spend: time, memory and threads. Clones share their readings of the memory.
///
/// ```
/// use std::time::Duration;
/// use ployglot_base::{Budget, Limit, Progress};
///
/// /// Counts until the budget ends.
/// fn count(budget: &Budget) -> (u64, Limit) {
///     for expanded in 0.. {
///         let progress = || Progress { phase: "count", expanded, ..Progress::default() };
///         if let Err(limit) = budget.check(progress) {
///             return (expanded, limit);
///         }
///     }
///     unreachable!("the range has no end")
/// }
///
/// let budget = Budget::unlimited().with_time(Duration::from_millis(20));
/// let (expanded, limit) = count(&budget);
/// assert!(expanded > 0);
/// assert_eq!(limit, Limit::Time);
///
/// // A part of a budget never outlives the whole: no time is left for it.
/// assert_eq!(count(&budget.part(Duration::from_secs(60))), (0, Limit::Time));
/// ```
#[derive(Clone)]
pub struct Budget {
    started: Instant,
    deadline: Option<Instant>,
    memory: Option<u64>,
    threads: usize,
    /// Any of these flags ends the work.
    interrupts: Vec<Arc<AtomicBool>>,
    watcher: Option<Watcher>,
    programs: Option<Arc<dyn Programs>>,
    gate: Option<Arc<Gate>>,
    readings: Arc<Readings>,
    phases: Arc<PhaseClock>,
}

/// A callback that receives the progress.
type Watcher = Arc<dyn Fn(&Progress) + Send + Sync>;

/// What a search reports while it runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The current phase in one word: `layer`, `bound`, `beam`, `horizon`.
    pub phase: &'static str,
    /// The number that belongs to the phase, such as the depth of the layer.
    pub depth: u32,
    /// States expanded so far.
    pub expanded: u64,
    /// States stored now.
    pub stored: u64,
    /// The lower bound that is proven so far.
    pub at_least: u32,
    /// The cost of the best plan so far.
    pub best: Option<u32>,
    /// Memory of the whole process in bytes; filled in by the budget.
    pub memory: u64,
    /// Seconds since the budget was made; filled in by the budget.
    pub seconds: f64,
}

/// Readings of the clock and the memory, shared by all clones of a budget.
struct Readings {
    /// The last reading of the memory in bytes, and the largest.
    resident: AtomicU64,
    peak: AtomicU64,
    /// When the memory is to be read and the progress to be reported next, in milliseconds since the
    /// start.
    memory_due: AtomicU64,
    report_due: AtomicU64,
}

/// Milliseconds between two readings of the memory.
const MEMORY_INTERVAL: u64 = 50;
/// Milliseconds between two reports of the progress.
const REPORT_INTERVAL: u64 = 100;

impl Default for Readings {
    /// The first check reads the memory: work that ends within the first interval must notice a limit
    /// that is passed already.
    fn default() -> Self {
        Self {
            resident: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            memory_due: AtomicU64::new(0),
            report_due: AtomicU64::new(REPORT_INTERVAL),
        }
    }
}

impl Budget {
    /// No limit, one thread, no watcher.
    pub fn unlimited() -> Self {
        Self {
            started: Instant::now(),
            deadline: None,
            memory: None,
            threads: 1,
            interrupts: Vec::new(),
            watcher: None,
            programs: None,
            gate: None,
            readings: Arc::default(),
            phases: Arc::default(),
        }
    }

    /// The same budget with this much time, from now on.
    pub fn with_time(mut self, time: Duration) -> Self {
        self.deadline = Instant::now().checked_add(time);
        self
    }

    /// The same budget with a limit in bytes on the memory of the whole process.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// The same budget with this many threads, at least 1.
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The same budget with one more flag that ends the work once it is true. Earlier flags end it
    /// too.
    pub fn with_interrupt(mut self, interrupt: Arc<AtomicBool>) -> Self {
        self.interrupts.push(interrupt);
        self
    }

    /// The same budget with a callback that `check` calls with the progress, at most ten times a
    /// second.
    pub fn with_watch(mut self, watcher: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.watcher = Some(Arc::new(watcher));
        self
    }

    /// The same budget with the permission to run other programs.
    pub fn with_programs(mut self, programs: Arc<dyn Programs>) -> Self {
        self.programs = Some(programs);
        self
    }

    /// The same budget for work that takes turns with other work: each check waits at the gate.
    pub fn with_gate(mut self, gate: Arc<Gate>) -> Self {
        self.gate = Some(gate);
        self
    }

    /// The gate at which checks wait; `None`: they do not.
    pub fn gate(&self) -> Option<&Gate> {
        self.gate.as_deref()
    }

    /// What runs other programs; `None`: none may be run.
    pub fn programs(&self) -> Option<&Arc<dyn Programs>> {
        self.programs.as_ref()
    }

    /// A part of this budget: ends after `time`, or when this budget ends.
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

    /// The same budget, but the watcher receives `map(progress)`. So the progress of a part of some
    /// work can be reported as progress of the whole.
    pub fn map_progress(&self, map: impl Fn(Progress) -> Progress + Send + Sync + 'static) -> Self {
        let watcher = self.watcher.clone().map(|watcher| -> Watcher {
            Arc::new(move |progress: &Progress| watcher(&map(progress.clone())))
        });
        Self {
            watcher,
            ..self.clone()
        }
    }

    /// How many threads may run at once.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The time since the budget was made.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Does some work, and counts its time as that of a phase.
    pub fn timed<T>(&self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let started = self.started.elapsed();
        let done = work();
        self.phases.add(phase, self.started.elapsed() - started);
        done
    }

    /// The time that was counted for each phase so far, by all clones of this budget.
    pub fn phase_times(&self) -> PhaseTimes {
        self.phases.times()
    }

    /// The time until the deadline; `None`: no limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The limit in bytes on the memory of the whole process; `None`: no limit.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Bytes that may still be allocated; `None`: no limit.
    pub fn memory_left(&self) -> Option<u64> {
        self.memory
            .map(|limit| limit.saturating_sub(self.read_memory()))
    }

    /// Whether a table may grow by this many bytes. To be called before a large allocation, because
    /// the next `check` would come too late.
    pub fn affords(&self, bytes: u64) -> bool {
        self.memory_left().is_none_or(|left| bytes <= left)
    }

    /// The largest memory of the whole process that was read so far, in bytes.
    pub fn peak_memory(&self) -> u64 {
        self.read_memory();
        self.readings.peak.load(Relaxed)
    }

    /// `Err` if the work must end. Also reports the progress to the watcher if a report is due.
    pub fn check(&self, progress: impl FnOnce() -> Progress) -> Result<(), Limit> {
        let millis = self.check_limits()?;
        if let Some(watcher) = &self.watcher
            && due(&self.readings.report_due, millis, REPORT_INTERVAL)
        {
            let memory = self.readings.resident.load(Relaxed);
            watcher(&Progress {
                memory,
                seconds: millis as f64 / 1000.0,
                ..progress()
            });
        }
        Ok(())
    }

    /// Like `check` in the middle of a step, without a report.
    pub fn check_quietly(&self) -> Result<(), Limit> {
        self.check_limits().map(|_| ())
    }

    /// Like `check_quietly`, for work that can be ended for time or by an interrupt, but must be
    /// completed if memory runs out. It does not look at the memory.
    pub fn check_time(&self) -> Result<(), Limit> {
        if self.interrupts.iter().any(|flag| flag.load(Relaxed)) {
            return Err(Limit::Interrupt);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Limit::Time),
            _ => Ok(()),
        }
    }

    /// `Err` if the work must end; otherwise the milliseconds since the start.
    fn check_limits(&self) -> Result<u64, Limit> {
        if let Some(gate) = &self.gate {
            gate.pass();
        }
        self.check_time()?;
        let millis = self.elapsed().as_millis() as u64;
        if due(&self.readings.memory_due, millis, MEMORY_INTERVAL) {
            let resident = self.read_memory();
            if self.memory.is_some_and(|limit| resident > limit) {
                return Err(Limit::Memory);
            }
        }
        Ok(millis)
    }

    fn read_memory(&self) -> u64 {
        let resident = resident_bytes();
        self.readings.resident.store(resident, Relaxed);
        self.readings.peak.fetch_max(resident, Relaxed);
        resident
    }
}

/// Whether the time `next` has come. It is then set to `interval` milliseconds from now.
fn due(next: &AtomicU64, now: u64, interval: u64) -> bool {
    let seen = next.load(Relaxed);
    let later = now.saturating_add(interval);
    now >= seen && next.compare_exchange(seen, later, Relaxed, Relaxed).is_ok()
}

/// The resident memory of the process in bytes; 0 where the system does not report it.
fn resident_bytes() -> u64 {
    kilobytes("/proc/self/status", "VmRSS:").unwrap_or(0)
}

/// The value in bytes of a line such as `VmRSS:  1234 kB`. (`/proc/self/statm` is shorter, but
/// counts pages, whose size depends on the machine.)
fn kilobytes(file: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// The resident memory in bytes of another process and the processes that it started; 0 where the
/// system does not report it.
pub fn memory_of_process(id: u32) -> u64 {
    let own = kilobytes(&format!("/proc/{id}/status"), "VmRSS:").unwrap_or(0);
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_whitespace().filter_map(|id| id.parse().ok());
    own + children.map(memory_of_process).sum::<u64>()
}

/// The memory that the system could still give to this process, in bytes; `None` where it does not
/// report that. The limit of a container counts like that of the machine.
pub fn available_memory() -> Option<u64> {
    let machine = kilobytes("/proc/meminfo", "MemAvailable:");
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
    fn a_flag_ends_its_part_and_nothing_else() {
        let (all, one) = (Arc::new(AtomicBool::new(false)), Arc::default());
        let whole = Budget::unlimited().with_interrupt(all.clone());
        let part = whole.clone().with_interrupt(Arc::clone(&one));
        let other = whole.clone().with_interrupt(Arc::default());
        assert_eq!(part.check(Progress::default), Ok(()));
        one.store(true, Relaxed);
        assert_eq!(part.check(Progress::default), Err(Limit::Interrupt));
        assert_eq!(other.check(Progress::default), Ok(()));
        assert_eq!(whole.check(Progress::default), Ok(()));
        all.store(true, Relaxed);
        assert_eq!(other.check(Progress::default), Err(Limit::Interrupt));
    }

    #[test]
    fn the_progress_of_a_part_is_reported_as_progress_of_the_whole() {
        let reports = Arc::new(std::sync::Mutex::new(Vec::new()));
        let sink = reports.clone();
        let whole = Budget::unlimited().with_watch(move |progress| {
            sink.lock()
                .expect("no thread panics")
                .push(progress.clone());
        });
        let part = whole.map_progress(|part| Progress {
            best: Some(7),
            ..part
        });
        std::thread::sleep(Duration::from_millis(2 * REPORT_INTERVAL));
        let progress = || Progress {
            expanded: 3,
            ..Progress::default()
        };
        assert_eq!(part.check(progress), Ok(()));
        let reports = reports.lock().expect("no thread panics");
        assert_eq!((reports[0].expanded, reports[0].best), (3, Some(7)));
    }

    /// The judge counts pages (`/proc/self/statm`) and reads their size from the vector that the
    /// kernel gives to each program: pairs of machine words, and 6 is the key of the page size.
    #[test]
    #[cfg(target_os = "linux")]
    fn the_memory_is_the_number_of_pages_times_their_size() {
        const WORD: usize = size_of::<usize>();
        let vector = std::fs::read("/proc/self/auxv").expect("Linux has it");
        let word = |bytes: &[u8]| usize::from_ne_bytes(bytes.try_into().expect("one word"));
        let mut pairs = vector.chunks_exact(2 * WORD);
        let page = pairs.find_map(|pair| (word(&pair[..WORD]) == 6).then(|| word(&pair[WORD..])));
        // Without the black box, an optimised build never allocates the ballast.
        let ballast = std::hint::black_box(vec![1u8; 64 << 20]);
        let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
        let pages: u64 = (pages.split(' ').nth(1).expect("a field").parse()).expect("a number");
        let expected = pages * page.expect("a size") as u64;
        let read = resident_bytes();
        assert!(read >= ballast.len() as u64, "{read}");
        // Other tests run at the same time, and the kernel's counters lag a little.
        assert!(read.abs_diff(expected) < 16 << 20, "{read} and {expected}");
    }

    #[test]
    fn memory_is_a_limit() {
        let budget = Budget::unlimited().with_memory(1);
        assert!(!budget.affords(1));
        // The first check notices it; so does one after the interval.
        assert_eq!(budget.check(Progress::default), Err(Limit::Memory));
        std::thread::sleep(Duration::from_millis(2 * MEMORY_INTERVAL));
        assert_eq!(budget.check(Progress::default), Err(Limit::Memory));
    }
}
