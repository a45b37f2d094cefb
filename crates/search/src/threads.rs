//! Threads for searches: several jobs that do not depend on each other, or a team that works in
//! step.
//!
//! The calling thread takes part. Where the system starts no more threads, those that were started
//! do all the work. If a thread panics, the caller panics too, after all threads have ended; no
//! thread waits for one that is gone.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Does each job, on as many threads as there are jobs, and gives the results in their order.
pub(crate) fn run_each<J: Send, R: Send>(
    jobs: impl IntoIterator<Item = J>,
    work: impl Fn(J) -> R + Sync,
) -> Vec<R> {
    let jobs: Vec<_> = jobs.into_iter().map(|job| Mutex::new(Some(job))).collect();
    let results: Vec<_> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some((job, result)) = {
            let index = next.fetch_add(1, Relaxed);
            jobs.get(index).zip(results.get(index))
        } {
            let job = lock(job).take().expect("each job is taken once");
            *lock(result) = Some(work(job));
        }
    };
    on_threads(jobs.len(), &mut |_| (), &|_| run());
    let results = results.into_iter().map(unlocked);
    results
        .map(|result| result.expect("every job was done"))
        .collect()
}

/// Does the work on up to `most` threads at once. `prepare` makes what they share, from the number
/// of threads that could be started; each thread also gets its index. Gives what they shared and
/// their results.
pub(crate) fn run_team<T: Send + Sync, R: Send>(
    most: usize,
    prepare: impl FnOnce(usize) -> T,
    work: impl Fn(&T, usize) -> R + Sync,
) -> (T, Vec<R>) {
    // The threads wait here until their number is known. It stays `None` if `prepare` panics.
    let shared: OnceLock<Option<T>> = OnceLock::new();
    let results: Vec<_> = (0..most.max(1)).map(|_| Mutex::new(None)).collect();
    let mut prepare = Some(prepare);
    let mut started = |threads| {
        let opened = OpenOnDrop(&shared);
        let prepare = prepare.take().expect("it is called once");
        let _ = shared.set(Some(prepare(threads)));
        drop(opened);
    };
    on_threads(most, &mut started, &|index| {
        if let Some(shared) = shared.wait() {
            *lock(&results[index]) = Some(work(shared, index));
        }
    });
    let results = results.into_iter().filter_map(unlocked).collect();
    let shared = shared.into_inner().flatten();
    (shared.expect("it was prepared above"), results)
}

/// Does the work on up to `most` threads, each with its index; `started` gets their number. It is not
/// generic, because starting threads is much code, which each search of each game would compile again.
fn on_threads(most: usize, started: &mut dyn FnMut(usize), work: &(dyn Fn(usize) + Sync)) {
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..most)
            .map_while(|index| start(scope, move || work(index)).ok())
            .collect();
        started(helpers.len() + 1);
        work(0);
        helpers.into_iter().for_each(join);
    });
}

/// Lets the waiting threads go, even if there is nothing for them to do.
struct OpenOnDrop<'a, T>(&'a OnceLock<Option<T>>);

impl<T> Drop for OpenOnDrop<'_, T> {
    fn drop(&mut self) {
        let _ = self.0.set(None);
    }
}

/// Separates the steps of a team: each thread waits until all have come. It breaks when a thread
/// panics, so that the others do not wait for it.
pub(crate) struct Barrier {
    members: usize,
    state: Mutex<BarrierState>,
    changed: Condvar,
}

#[derive(Default)]
struct BarrierState {
    waiting: usize,
    /// How many times all threads have come.
    passed: u64,
    broken: bool,
}

/// A thread of the team has panicked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

impl Barrier {
    pub(crate) fn new(members: usize) -> Self {
        Self {
            members,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Waits until all threads have come, or one has panicked.
    pub(crate) fn wait(&self) -> Result<(), Broken> {
        let mut state = lock(&self.state);
        let passed = state.passed;
        state.waiting += 1;
        if state.waiting == self.members {
            state.waiting = 0;
            state.passed += 1;
            self.changed.notify_all();
        }
        while state.passed == passed && !state.broken {
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        if state.passed == passed {
            return Err(Broken);
        }
        Ok(())
    }

    /// To be held by each thread while it takes part.
    pub(crate) fn break_on_panic(&self) -> BreakOnPanic<'_> {
        BreakOnPanic(self)
    }
}

pub(crate) struct BreakOnPanic<'a>(&'a Barrier);

impl Drop for BreakOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.0.state).broken = true;
            self.0.changed.notify_all();
        }
    }
}

/// Starts a thread. `Err`: the system has none left.
fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) -> std::io::Result<ScopedJoinHandle<'scope, ()>> {
    #[cfg(test)]
    tests::count_start()?;
    Builder::new().spawn_scoped(scope, work)
}

/// Waits for a thread; panics if it did.
fn join(thread: ScopedJoinHandle<()>) {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    thread_local! {
        /// How many more threads this thread can start; a test lowers it.
        static STARTS_LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    pub(super) fn count_start() -> std::io::Result<()> {
        let left = STARTS_LEFT.get();
        if left == 0 {
            return Err(std::io::ErrorKind::WouldBlock.into());
        }
        STARTS_LEFT.set(left - 1);
        Ok(())
    }

    /// Does something with a system that starts only so many threads.
    pub(crate) fn with_starts<R>(most: usize, work: impl FnOnce() -> R) -> R {
        STARTS_LEFT.set(most);
        let result = work();
        STARTS_LEFT.set(usize::MAX);
        result
    }

    #[test]
    fn all_jobs_are_done_by_any_number_of_threads() {
        for starts in [0, 1, 2, 100] {
            let squares = with_starts(starts, || run_each(0..10, |number| number * number));
            assert_eq!(squares, [0, 1, 4, 9, 16, 25, 36, 49, 64, 81]);
        }
        assert_eq!(run_each(0..0, |number| number), []);
    }

    #[test]
    fn a_panic_in_any_job_reaches_the_caller() {
        for bad in 0..4 {
            let run = || run_each(0..4, |number| assert!(number != bad, "job {number}"));
            let panic = catch_unwind(run).expect_err("a job panics");
            let message = panic.downcast_ref::<String>().expect("a text");
            assert_eq!(*message, format!("job {bad}"));
        }
    }

    /// A team in which each thread counts rounds; `panics` tells in which round a thread panics.
    fn count(most: usize, panics: Option<(usize, usize)>) -> (usize, Vec<usize>) {
        let prepare = |threads| (threads, Barrier::new(threads));
        let work = |(_, barrier): &(usize, Barrier), index: usize| {
            let _guard = barrier.break_on_panic();
            for round in 0..20 {
                assert!(panics != Some((index, round)), "thread {index}");
                if barrier.wait() == Err(Broken) {
                    return round;
                }
            }
            20
        };
        let ((threads, _), rounds) = run_team(most, prepare, work);
        (threads, rounds)
    }

    #[test]
    fn a_team_has_the_threads_that_could_be_started() {
        for (most, starts, threads) in [(4, 100, 4), (4, 1, 2), (4, 0, 1), (1, 100, 1)] {
            let counted = with_starts(starts, || count(most, None));
            assert_eq!(counted, (threads, vec![20; threads]));
        }
    }

    #[test]
    fn a_panic_ends_the_team_and_reaches_the_caller() {
        for thread in 0..3 {
            for round in [0, 1, 19] {
                let run = || count(3, Some((thread, round)));
                let panic = catch_unwind(run).expect_err("a thread panics");
                let message = panic.downcast_ref::<String>().expect("a text");
                assert_eq!(*message, format!("thread {thread}"));
            }
        }
        let prepare = |_: usize| -> Barrier { panic!("before the start") };
        let run = AssertUnwindSafe(|| run_team(3, prepare, |_, index| index));
        assert!(catch_unwind(run).is_err());
    }
}
